"""CoNLL in two columns, token and BIO tag, an empty line after each line of text, a separator before each document.

The format has no offsets. With the documents' texts its tokens are found again in them; without, the text is its tokens
with a space between. The separator is `-DOCSTART- (ID)`, as in AIDA CoNLL-YAGO; ids are percent-encoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, unquote

from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.exchange.documents import (
    Fault,
    Span,
    Unchecked,
    line_tokens,
    read_text,
    text_lines,
    trimmed_mentions,
    write_text,
)

_SEPARATOR = re.compile(r"-DOCSTART-(?:\s+\((?P<id>.*?)\))?.*")
_TAG = re.compile(r"(?P<place>[BIESLU])-(?P<label>\S+)|O")
_SPACE = re.compile(r"\s*")
_BEGIN = frozenset("BSU")
Row = tuple[int, str, str]  # number of the line, token, tag; both empty at the end of a line of text


def read_conll(path: Path, texts: Mapping[str, str]) -> Iterator[Unchecked]:
    """Yield the documents of a file; the first column is the token, the last the tag (BIO, IOB, BIOES or BILOU).

    A document whose tokens do not stand in its text, in order and with white space alone between them, is another
    version.

    Raises:
        InputRefused: the file cannot be read.
    """
    name, rows, number = "", list[Row](), 0
    for at, line in enumerate(read_text(path).split("\n"), start=1):
        separator = _SEPARATOR.fullmatch(line.rstrip("\r"))
        if separator:
            if rows or name:
                yield _document(name or f"{path.stem}-{number}", rows, texts)
            name, rows, number = unquote(separator["id"] or ""), [], number + 1
        else:
            columns = [column for column in re.split(r"[\t ]+", line.rstrip("\r")) if column]
            rows.append((at, columns[0], columns[-1] if len(columns) > 1 else "?") if columns else (at, "", ""))
    if rows or name:
        yield _document(name or f"{path.stem}-{number}", rows, texts)


def _document(name: str, rows: Sequence[Row], texts: Mapping[str, str]) -> Unchecked:
    text = texts.get(name)
    if text is None:
        text = re.sub(r" ?\n ?", "\n", " ".join(token or "\n" for _, token, _ in rows)).strip()
    one, spans, position, open_label = Unchecked(name, text), list[Span](), 0, ""
    for at, token, tag in rows:
        match, start = _TAG.fullmatch(tag or "O"), _after_space(text, position)
        if match is None:
            return replace(one, fault=Fault.UNREADABLE, place=f"line {at}")
        if not text.startswith(token, start):
            return replace(one, fault=Fault.OTHER_VERSION, place=f"line {at}")
        position, label = (start + len(token) if token else position), match["label"] or ""
        if label and label == open_label and match["place"] not in _BEGIN:
            spans[-1] = spans[-1]._replace(end=position)
        elif label:
            spans.append(Span(start, position, label, f"line {at}"))
        open_label = label
    if _after_space(text, position) < len(text):
        return replace(one, fault=Fault.OTHER_VERSION, place="its end")
    return replace(one, spans=tuple(spans))


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def write_conll(path: Path, documents: Sequence[GoldDocument]) -> None:
    """Write all documents into one file; annotators are not told.

    Raises:
        InputRefused: the file cannot be written.
    """
    lines = [line for gold in documents for line in _lines(gold)]
    write_text(path, "".join(f"{line}\n" for line in lines))


def _lines(gold: GoldDocument) -> Iterator[str]:
    text, mentions = gold.document.text, trimmed_mentions(gold)
    tags = {}
    for one in mentions:
        for start, _ in line_tokens(text, mentions, one.start, one.end):
            tags[start] = f"{'B' if start == one.start else 'I'}-{one.label}"
    yield f"-DOCSTART- ({quote(gold.document.id, safe='')})\tO"
    yield ""
    for start, end in text_lines(text, mentions):
        yield from (f"{text[low:high]}\t{tags.get(low, 'O')}" for low, high in line_tokens(text, mentions, start, end))
        yield ""
