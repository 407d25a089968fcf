"""Decoded lines of a file: text (plain, gzip, or the one table of a zip) or a worksheet of an Excel workbook.

The unpacked size is bounded, so that a hostile or broken file cannot exhaust memory or disk.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from lxml import etree

from deid.domain.errors import ReferenceRefused

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
LONGEST_LINE = 1 << 16
BLOCK = 1 << 18  # characters read at once
# Real tables shrink 5 to 15 times; a bomb shrinks a thousand times.
MOST_UNPACKED_PER_BYTE = 100
SMALL = 16 << 20
_DAMAGED = (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error)


def text_lines(path: Path, *, max_unpacked: int, encodings: Sequence[str], member: str | None = None) -> Iterator[str]:
    """Yield the lines of a file with their ends, decoded with the first of `encodings` that fits the whole file.

    JSON comes in pieces of `BLOCK` characters instead: it may have one line, and its lines repeat.

    Of a zip with several tables, the table whose name has `member` (a regular expression) is read; of several such
    tables the last by name, which is the latest year.

    Raises:
        ReferenceRefused: it is a web page, is truncated, fits no encoding, or unpacks to more than `max_unpacked` bytes
            or 100 times its size.
    """
    limit = _most_unpacked(path, max_unpacked)
    encoding = encodings[0] if len(encodings) == 1 else _fitting_encoding(path, limit, encodings, member)
    with _open_unpacked(path, member) as raw, TextIOWrapper(raw, encoding=encoding, newline="") as text:
        read, rest, is_json = 0, "", False
        try:
            while block := text.read(BLOCK):
                if read == 0 and block.lstrip()[:9].lower().startswith(("<!doctype", "<html", "<?xml")):
                    raise ReferenceRefused("the file is a web page.", "Check the address in a browser.")
                is_json = is_json or (read == 0 and block.lstrip("\ufeff \r\n\t").startswith("{"))
                if "\0" in block:
                    raise ReferenceRefused("the file is not text.", "It is not the expected file: check the address.")
                read += len(block)
                if read > limit:
                    raise _too_much_refusal()
                if is_json:
                    yield block
                    continue
                *whole, rest = (rest + block).split("\n")
                if max(map(len, (*whole, rest))) >= LONGEST_LINE:
                    raise ReferenceRefused("the file has a line without end.", "It is not the expected file.")
                yield from [f"{line}\n" for line in whole]
            if rest:
                yield rest
        except UnicodeDecodeError:
            raise ReferenceRefused(
                f"the file is not text in {' or '.join(encodings)}.", "Save it in UTF-8, or download it again."
            ) from None
        except _DAMAGED:
            raise _damaged_refusal() from None


def _open_unpacked(path: Path, member: str | None) -> BinaryIO:
    with path.open("rb") as probe:
        magic = probe.read(4)
    if magic.startswith(GZIP):
        return cast(BinaryIO, gzip.open(path, "rb"))
    return _open_zip(path, member) if magic == ZIP else path.open("rb")


def _open_zip(path: Path, member: str | None) -> BinaryIO:
    """Open the one table of a zip archive, or the last of those that `member` fits; nothing is extracted to disk."""
    try:
        archive = zipfile.ZipFile(path)
        tables = [name for name in archive.namelist() if name.lower().endswith((".csv", ".txt", ".json"))]
        if member is not None and len(tables) > 1:
            tables = sorted(name for name in tables if re.search(member, name))[-1:]
        if len(tables) != 1:
            raise ReferenceRefused(f"the zip holds {len(tables)} tables.", "Unpack it, and give the file itself.")
        return cast(BinaryIO, archive.open(tables[0]))
    except (*_DAMAGED, NotImplementedError, RuntimeError):  # an unknown method, a password
        raise _damaged_refusal() from None


def _most_unpacked(path: Path, max_unpacked: int) -> int:
    """Most bytes that a file may unpack to."""
    return min(max_unpacked, max(SMALL, path.stat().st_size * MOST_UNPACKED_PER_BYTE))


def _too_much_refusal() -> ReferenceRefused:
    """The refusal of a file that unpacks beyond its _most_unpacked."""
    return ReferenceRefused("the file unpacks to far more than a table would.", "Do not trust it.")


def _damaged_refusal() -> ReferenceRefused:
    return ReferenceRefused("the file is damaged or cut short.", "Download it again.")


def _fitting_encoding(path: Path, limit: int, encodings: Sequence[str], member: str | None) -> str:
    """The first encoding that decodes the whole file, else the last one."""
    for encoding in encodings[:-1]:
        decoder = codecs.getincrementaldecoder(encoding)()
        read = 0
        try:
            with _open_unpacked(path, member) as raw:
                while (chunk := raw.read(1 << 20)) and read <= limit:
                    read += len(chunk)
                    decoder.decode(chunk)
                decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        except _DAMAGED:
            return encoding
        return encoding
    return encodings[-1]


# Excel workbooks (ECMA-376, .xlsx). Only values are read: no formulas, macros, links or entities.

_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_SHEETS, _TARGETS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_TARGET_OF_SHEET = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_YEAR = re.compile(r"(?:19|20)\d\d")
_STRINGS = "xl/sharedStrings.xml"
_CELL = re.compile(r"([A-Z]{1,3})\d+")
_TITLES = 50  # rows of a title above the header, at most
_WIDEST = 500  # columns; a format allows 16,384, and a bomb would use them


class _Bounded:
    """A stream whose bytes count towards the _most_unpacked of its workbook."""

    def __init__(self, left: int) -> None:
        self._left = left
        self._stream: IO[bytes] = io.BytesIO()

    def reading(self, stream: IO[bytes]) -> _Bounded:
        """The same _most_unpacked, over another part of the workbook."""
        self._stream = stream
        return self

    def read(self, size: int = -1) -> bytes:
        """Return bytes of the part, for lxml."""
        piece = self._stream.read(size)
        self._left -= len(piece)
        if self._left < 0:
            raise _too_much_refusal()
        return piece


def is_workbook(path: Path) -> bool:
    """Return whether the file is an Excel workbook."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _SHEETS in archive.namelist()
    except (*_DAMAGED, OSError):
        return False


def worksheet_lines(path: Path, column: str, max_unpacked: int) -> Iterator[str]:
    """Yield the lines of CSV (“,”) of the first worksheet whose header begins with `column`, from the header on.

    Worksheets named by years come first, the latest before the others: a producer keeps former years in one workbook.

    Raises:
        ReferenceRefused: no worksheet has one, or the file is _damaged_refusal or unpacks to more than its bound.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            bounded = _Bounded(_most_unpacked(path, max_unpacked))
            strings = list(_shared_strings(archive, bounded))
            for name in _worksheets(archive, bounded):
                rows = _sheet_rows(archive, name, strings, bounded)
                header = next((row for row in islice(rows, _TITLES) if row and row[0].strip() == column), None)
                if header is not None:
                    yield from _csv_lines(header, rows)
                    return
    except (*_DAMAGED, etree.XMLSyntaxError, NotImplementedError, RuntimeError, ValueError, IndexError):
        raise _damaged_refusal() from None
    raise ReferenceRefused(f"no worksheet has a column {column}.", "It is not the expected file: check the address.")


def _worksheets(archive: zipfile.ZipFile, bounded: _Bounded) -> list[str]:
    """Names of the worksheets' files: by the year in their titles, the latest first, then in their order."""
    found = [(int(match[1]), name) for name in archive.namelist() if (match := _SHEET.fullmatch(name))]
    years: dict[str, int] = {}
    if _TARGETS in archive.namelist():
        targets = {
            one.get("Id"): one.get("Target", "") for one in _elements(archive, _TARGETS, "Relationship", bounded)
        }
        for sheet in _elements(archive, _SHEETS, "sheet", bounded):
            target = targets.get(sheet.get(_TARGET_OF_SHEET), "").removeprefix("/xl/")
            years[f"xl/{target}"] = max(map(int, _YEAR.findall(sheet.get("name", ""))), default=0)
    return [name for _, _, name in sorted((-years.get(name, 0), number, name) for number, name in found)]


def _csv_lines(header: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    """Yield the lines of CSV, padded to the length of the header; the table ends with the first empty row."""
    for row in chain([header], rows):
        if not any(row):
            return
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(row + [""] * (len(header) - len(row)))
        yield line.getvalue()


def _sheet_rows(archive: zipfile.ZipFile, name: str, strings: list[str], bounded: _Bounded) -> Iterator[list[str]]:
    for row in _elements(archive, name, "row", bounded):
        values: list[str] = []
        for cell in row.iterfind("{*}c"):
            at = _cell_column(cell.get("r"), len(values))
            values += [""] * (at - len(values)) + [_cell_value(cell, strings)]
        yield values


def _cell_column(reference: str | None, following: int) -> int:
    """Column of a cell such as "B5"; `following` if the cell has no reference."""
    if reference is None:
        return following
    match = _CELL.fullmatch(reference)
    position = 0
    for letter in match[1] if match else "":
        position = position * 26 + ord(letter) - ord("A") + 1
    if not following < position <= _WIDEST:
        raise ValueError("cells out of order")
    return position - 1


def _cell_value(cell: Any, strings: list[str]) -> str:
    if cell.get("t") == "inlineStr":
        return _runs_text(cell)
    value = cell.findtext("{*}v") or ""
    return strings[int(value)] if cell.get("t") == "s" else value


def _shared_strings(archive: zipfile.ZipFile, bounded: _Bounded) -> Iterator[str]:
    if _STRINGS in archive.namelist():
        for item in _elements(archive, _STRINGS, "si", bounded):
            yield _runs_text(item)


def _runs_text(element: Any) -> str:
    """Text of all runs, without phonetic readings (rPh)."""
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
