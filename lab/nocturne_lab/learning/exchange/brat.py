"""brat's standoff format: a text and its annotations in two files of one name, `ID.txt` and `ID.ann`.

An annotation is `T1<tab>LABEL 0 5<tab>text`; one that brat cuts at a line break has several pairs of offsets. Lines of
other kinds (relations, events, attributes, notes) are passed over. Ids are percent-encoded in file names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote, unquote

from deid.domain.document import Mention
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.exchange.documents import (
    Fault,
    Span,
    Unchecked,
    files_of,
    read_text,
    trimmed_mentions,
    write_text,
)

_ANNOTATION = re.compile(r"T\S*\t(?P<label>\S+) (?P<places>\d+ \d+(?:;\d+ \d+)*)(?:\t(?P<surface>.*))?")


def read_brat(path: Path, texts: Mapping[str, str]) -> Iterator[Unchecked]:
    """Yield the documents of a folder; in subfolders, each annotator's under the annotator's name.

    Raises:
        InputRefused: the folder holds no `.txt`, or a file cannot be read.
    """
    del texts  # brat keeps the whole text
    for file in files_of(path, ".txt"):
        annotator = file.parent.name if file.parent != path and path.is_dir() else ""
        one = Unchecked(unquote(file.stem), read_text(file), annotator=annotator)
        annotations = file.with_suffix(".ann")
        if annotations.is_file():
            yield _with_annotations(one, read_text(annotations))
        else:
            yield replace(one, fault=Fault.UNREADABLE, place=annotations.name)


def _with_annotations(one: Unchecked, content: str) -> Unchecked:
    spans = []
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.startswith("T"):
            continue
        place = f"line {number}"
        match = _ANNOTATION.fullmatch(line.rstrip("\r"))
        if match is None:
            return replace(one, fault=Fault.UNREADABLE, place=place)
        parts = [(int(start), int(end)) for start, end in (pair.split() for pair in match["places"].split(";"))]
        start, end = parts[0][0], parts[-1][1]
        between = pairwise(parts)
        if any(one.text[low:high].strip() or low > high for (_, low), (high, _) in between):
            return replace(one, fault=Fault.DISCONTINUOUS, place=place)
        # brat writes the parts of a text with a space between, and keeps no break of a line
        spans.append(Span(start, end, match["label"], place, match["surface"] if len(parts) == 1 else None))
    return replace(one, spans=tuple(spans))


def write_brat(path: Path, documents: Sequence[GoldDocument]) -> None:
    """Write `ID.txt` and `ID.ann` of each document into a folder, by annotator where one document has several.

    Raises:
        InputRefused: a file cannot be written.
    """
    ids = [gold.document.id for gold in documents]
    for gold in documents:
        folder = path / quote(gold.annotator, safe=" ") if len(set(ids)) < len(ids) and gold.annotator else path
        name = quote(gold.document.id, safe=" ")
        write_text(folder / f"{name}.txt", gold.document.text)
        lines = [
            _annotation(gold.document.text, number, one) for number, one in enumerate(trimmed_mentions(gold), start=1)
        ]
        write_text(folder / f"{name}.ann", "".join(lines))


def _annotation(text: str, number: int, mention: Mention) -> str:
    """Return the line of a mention, cut at line breaks as brat does."""
    parts = [
        (mention.start + match.start(), mention.start + match.end())
        for match in re.finditer(r"[^\r\n]*[^\s]", text[mention.start : mention.end])
    ]
    places = ";".join(f"{start} {end}" for start, end in parts)
    return f"T{number}\t{mention.label} {places}\t{' '.join(text[start:end] for start, end in parts)}\n"
