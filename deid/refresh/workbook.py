"""One worksheet of an Excel workbook (ECMA-376, .xlsx) as lines of CSV: INSEE publishes some tables in no other form.

Values only: formulas, macros and links are never looked at, entities are not resolved, and what unpacks is bounded.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, cast

from lxml import etree

from deid.domain.errors import ReferenceRefused
from deid.refresh.unpack import DAMAGED, bound, damaged, too_much

_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_STRINGS = "xl/sharedStrings.xml"
_CELL = re.compile(r"([A-Z]{1,3})\d+")
_TITLES = 50  # rows of a title above the header, at most
_WIDEST = 500  # columns; a format allows 16,384, and a bomb would use them


class _Bounded:
    """A stream whose bytes count towards the bound of its workbook."""

    def __init__(self, left: int) -> None:
        self._left = left
        self._stream: IO[bytes] = io.BytesIO()

    def reading(self, stream: IO[bytes]) -> _Bounded:
        """The same bound, over another part of the workbook."""
        self._stream = stream
        return self

    def read(self, size: int = -1) -> bytes:
        """Bytes of the part, as lxml asks for them."""
        piece = self._stream.read(size)
        self._left -= len(piece)
        if self._left < 0:
            raise too_much()
        return piece


def is_workbook(path: Path) -> bool:
    """Whether the file is a zip that holds a workbook."""
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (*DAMAGED, OSError):
        return False


def lines(path: Path, column: str, max_unpacked: int) -> Iterator[str]:
    """Lines of CSV (“,”) of the first worksheet with a header that begins with `column`, from that header on.

    Raises:
        ReferenceRefused: no worksheet has one, or the file is damaged or unpacks to more than a table would.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            bounded = _Bounded(bound(path, max_unpacked))
            strings = list(_strings(archive, bounded))
            found = (int(match[1]) for name in archive.namelist() if (match := _SHEET.fullmatch(name)))
            for number in sorted(found):
                rows = _rows(archive, f"xl/worksheets/sheet{number}.xml", strings, bounded)
                header = next((row for row in islice(rows, _TITLES) if row and row[0] == column), None)
                if header is not None:
                    yield from _written(header, rows)
                    return
    except (*DAMAGED, etree.XMLSyntaxError, NotImplementedError, RuntimeError, ValueError, IndexError):
        raise damaged() from None
    raise ReferenceRefused(f"no worksheet has a column {column}.", "It is not the expected file: check the address.")


def _written(header: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    """As CSV, each row as long as the header at least; a table ends with the first empty row."""
    for row in chain([header], rows):
        if not any(row):
            return
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(row + [""] * (len(header) - len(row)))
        yield line.getvalue()


def _rows(archive: zipfile.ZipFile, name: str, strings: list[str], bounded: _Bounded) -> Iterator[list[str]]:
    for row in _elements(archive, name, "row", bounded):
        values: list[str] = []
        for cell in row.iterfind("{*}c"):
            at = _column(cell.get("r"), len(values))
            values += [""] * (at - len(values)) + [_value(cell, strings)]
        yield values


def _column(reference: str | None, following: int) -> int:
    """Position of a cell such as "B5"; the next one where the cell does not say it."""
    if reference is None:
        return following
    match = _CELL.fullmatch(reference)
    position = 0
    for letter in match[1] if match else "":
        position = position * 26 + ord(letter) - ord("A") + 1
    if not following < position <= _WIDEST:
        raise ValueError("cells out of order")
    return position - 1


def _value(cell: Any, strings: list[str]) -> str:
    if cell.get("t") == "inlineStr":
        return _text(cell)
    value = cell.findtext("{*}v") or ""
    return strings[int(value)] if cell.get("t") == "s" else value


def _strings(archive: zipfile.ZipFile, bounded: _Bounded) -> Iterator[str]:
    if _STRINGS in archive.namelist():
        for item in _elements(archive, _STRINGS, "si", bounded):
            yield _text(item)


def _text(element: Any) -> str:
    """Its runs together, without the reading aids of Japanese (rPh)."""
    return "".join(one.text or "" for one in element.iter("{*}t") if not one.getparent().tag.endswith("}rPh"))


def _elements(archive: zipfile.ZipFile, name: str, tag: str, bounded: _Bounded) -> Iterator[Any]:
    with archive.open(name) as stream:
        source = cast(IO[bytes], bounded.reading(stream))
        for _, element in etree.iterparse(
            source, tag=f"{{*}}{tag}", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
        ):
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
