"""WebAnno TSV 3.3, which INCEpTION imports and exports: one file per document, offsets in UTF-16 code units.

Sentences are `#Text=` lines followed by one row per token: number, offsets, token, then a column per feature. A mention
over several tokens has one number in all of them, `PATIENT[3]`; a part of a token has a row of its own, `1-2.1`. White
space between sentences is not in the file: it comes from the document's text where that is given.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from urllib.parse import quote, unquote

from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.exchange.documents import (
    FILLER,
    Fault,
    Span,
    Unchecked,
    files_of,
    line_tokens,
    read_text,
    text_lines,
    trimmed_mentions,
    write_text,
)

FORMAT = "#FORMAT=WebAnno TSV 3"
LAYER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
_HEADER = [f"{FORMAT}.3", f"#T_SP={LAYER}|identifier|value", "", ""]
UNMARKED = "_\t_"
_FEATURES = ("value", "label", "Categorie", "category")  # names of the feature that holds the label, most usual first
_ROW = re.compile(r"\d+-\d+(?P<part>\.\d+)?\t(?P<start>\d+)-(?P<end>\d+)\t(?P<token>[^\t]*)(?P<rest>(?:\t[^\t]*)*)")
_VALUE = re.compile(r"(?P<label>.*?)(?:\[(?P<number>\d+)\])?")
_ESCAPE = re.compile(r"\\(->|.)")
_RESERVED = re.compile(r"\\|\[|\]|\||_|->|;|\t|\n|\*")


def read_webanno(path: Path, texts: Mapping[str, str]) -> Iterator[Unchecked]:
    """Yield the documents of a folder of `.tsv`.

    `ID.tsv`, or as in the export of a project `ID.txt/ANNOTATOR.tsv`. The label is the feature `value` of the layer
    "Named entity", else the one feature called value, label or category of the span layers.

    Raises:
        InputRefused: the folder holds no `.tsv`, or a file cannot be read.
    """
    for file in files_of(path, ".tsv"):
        nested = path.is_dir() and file.parent != path
        name = file.parent.name if nested else file.stem
        document = unquote(re.sub(r"\.(txt|tsv)$", "", name))
        yield _read(read_text(file), document, file.stem if nested else "", texts.get(document))


@dataclass(slots=True)
class _Rows:
    """Content of a file: sentences by their offset, and marked rows as (start, end, label, number, line)."""

    sentences: list[tuple[int, str]] = field(default_factory=list)
    marked: list[tuple[int, int, str, str | None, int]] = field(default_factory=list)


def _read(content: str, document: str, annotator: str, original: str | None) -> Unchecked:
    one = Unchecked(document, "", annotator=annotator)
    lines = content.split("\n")
    if lines[0].endswith("\r"):  # the whole file was written so; elsewhere the character is a text's own
        lines = [line.removesuffix("\r") for line in lines]
    column = _column(lines)
    if not lines[0].startswith(FORMAT) or column is None:
        return replace(one, fault=Fault.UNREADABLE, place="header")
    try:
        rows = _rows(lines, column)
    except ValueError as error:
        return replace(one, fault=Fault.UNREADABLE, place=str(error))
    text = _text(rows.sentences, original)
    if text is None:
        return replace(one, fault=Fault.UNREADABLE, place="offsets")
    return replace(one, text=text, spans=tuple(_spans(rows, text)))


def _column(lines: Sequence[str]) -> int | None:
    """Return the column of the label, counted from the first after the token; None without one."""
    features: list[tuple[str, str]] = []
    for line in lines:
        if line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")):
            layer, *names = line[len("#T_SP=") :].split("|")
            features += [(layer if line.startswith("#T_SP=") else "", name) for name in names]
        elif line.startswith("#Text="):
            break
    if (LAYER, "value") in features:
        return features.index((LAYER, "value"))
    usable = [at for name in _FEATURES for at, (layer, feature) in enumerate(features) if layer and feature == name]
    return usable[0] if usable else None


def _rows(lines: Sequence[str], column: int) -> _Rows:
    """Return the sentences and marked rows.

    Raises:
        ValueError: a row is not of the format; the message is its line.
    """
    found, waiting = _Rows(), list[str]()
    for number, line in enumerate(lines, start=1):
        if line.startswith("#Text="):
            waiting.append(_unescaped(line[len("#Text=") :]))
        elif line and not line.startswith("#"):
            row = _ROW.fullmatch(line)
            values = row["rest"].split("\t")[1:] if row else []
            if row is None or len(values) <= column:
                raise ValueError(f"line {number}")
            if waiting:
                found.sentences.append((int(row["start"]), _sentence(waiting, _unescaped(row["token"]))))
                waiting = []
            for value in re.split(r"(?<!\\)\|", values[column]):
                parts = _VALUE.fullmatch(value)
                if parts is not None and parts["label"] not in ("", "_"):
                    place = int(row["start"]), int(row["end"])
                    found.marked.append((*place, _unescaped(parts["label"]), parts["number"], number))
    return found


def _sentence(lines: Sequence[str], token: str) -> str:
    """Return the text of a sentence from its first token on."""
    text = "\n".join(lines)
    return text[max(text.find(token), 0) :].rstrip()


def _text(sentences: Sequence[tuple[int, str]], original: str | None) -> str | None:
    """Return the text of sentences placed by offsets in UTF-16; None if two overlap."""
    text, units = "", 0
    for start, sentence in sorted(sentences):
        if start < units:
            return None
        text += FILLER * (start - units) + sentence
        units = start + _units(sentence)
    if original is None:
        return text
    missing = [at for at, (kept, own) in enumerate(zip(text, original, strict=False)) if kept != own]
    fits = len(text) <= len(original) and not original[len(text) :].strip()
    return original if fits and all(text[at] == FILLER and original[at].isspace() for at in missing) else text


def _spans(rows: _Rows, text: str) -> Iterator[Span]:
    offsets = _offsets(text)
    chains: dict[tuple[str, str], Span] = {}
    for start, end, label, number, line in rows.marked:
        span = Span(bisect_left(offsets, start), bisect_left(offsets, end), label, f"line {line}")
        if number is None:
            yield span
        else:
            first = chains.setdefault((label, number), span)
            chains[label, number] = first._replace(start=min(first.start, span.start), end=max(first.end, span.end))
    yield from chains.values()


def write_webanno(path: Path, documents: Sequence[GoldDocument]) -> None:
    """Write `ID.tsv` of each document into a folder, in `ID.txt/ANNOTATOR.tsv` where one document has several.

    Raises:
        InputRefused: a file cannot be written.
    """
    ids = [gold.document.id for gold in documents]
    for gold in documents:
        name = quote(gold.document.id, safe=" ")
        several = len(set(ids)) < len(ids) and gold.annotator
        file = path / f"{name}.txt" / f"{quote(gold.annotator, safe=' ')}.tsv" if several else path / f"{name}.tsv"
        write_text(file, "\n".join([*_HEADER, *_lines(gold)]) + "\n")


def _lines(gold: GoldDocument) -> Iterator[str]:
    text, mentions = gold.document.text, trimmed_mentions(gold)
    offsets = _offsets(text)
    marks: dict[int, str] = {}
    for number, one in enumerate(mentions, start=1):
        tokens = list(line_tokens(text, mentions, one.start, one.end))
        marks |= {start: f"[{number}]" if len(tokens) > 1 else "" for start, _ in tokens}
        marks |= {start: f"*{marks[start]}\t{one.label}{marks[start]}" for start, _ in tokens}
    for sentence, (start, end) in enumerate(text_lines(text, mentions), start=1):
        yield from (f"#Text={_escaped(line)}" for line in text[start:end].split("\n"))
        for number, (low, high) in enumerate(line_tokens(text, mentions, start, end), start=1):
            place = f"{sentence}-{number}\t{offsets[low]}-{offsets[high]}"
            yield f"{place}\t{_escaped(text[low:high])}\t{marks.get(low, UNMARKED)}\t"
        yield ""


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _offsets(text: str) -> list[int]:
    """Return the offset in UTF-16 code units of each character, and of the end."""
    return [0, *accumulate(1 + (character > "\uffff") for character in text)]


def _escaped(text: str) -> str:
    names = {"\t": "t", "\n": "n"}
    return _RESERVED.sub(lambda match: "\\" + names.get(match[0], match[0]), text)


def _unescaped(text: str) -> str:
    names = {"t": "\t", "n": "\n"}
    return _ESCAPE.sub(lambda match: names.get(match[1], match[1]), text)
