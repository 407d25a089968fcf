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
from typing import Any, BinaryIO, cast

import openpyxl

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
    """The refusal of a file that unpacks to more than its bound."""
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


# Excel workbooks. Only values are read: no formulas, macros, links or entities.

_SHEETS = "xl/workbook.xml"
_YEAR = re.compile(r"(?:19|20)\d\d")
_TITLES = 50  # rows of a title above the header, at most
_WIDEST = 500  # columns; a format allows 16,384, and a bomb would use them


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
        ReferenceRefused: no worksheet has one, or the file is damaged or unpacks to more than its bound.
    """
    with path.open("rb") as file:
        try:
            parts = zipfile.ZipFile(file).infolist()  # no more of a part is read than it declares
            if sum(part.file_size for part in parts) > _most_unpacked(path, max_unpacked):
                raise _too_much_refusal()
            book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
            for sheet in sorted(book.worksheets, key=_latest_year, reverse=True):
                rows = _sheet_rows(sheet)
                header = next((row for row in islice(rows, _TITLES) if row and row[0].strip() == column), None)
                if header is not None:
                    yield from _csv_lines(header, rows)
                    return
        except ReferenceRefused:
            raise
        except Exception:  # of whatever kind openpyxl meets it by
            raise _damaged_refusal() from None
    raise ReferenceRefused(f"no worksheet has a column {column}.", "It is not the expected file: check the address.")


def _latest_year(sheet: Any) -> int:
    return max(map(int, _YEAR.findall(sheet.title)), default=0)


def _csv_lines(header: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    """Yield the lines of CSV, padded to the length of the header; the table ends with the first empty row."""
    for row in chain([header], rows):
        if not any(row):
            return
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(row + [""] * (len(header) - len(row)))
        yield line.getvalue()


def _sheet_rows(sheet: Any) -> Iterator[list[str]]:
    sheet.reset_dimensions()  # those that the file states may be wrong, or as wide as the format allows
    for row in sheet.iter_rows(values_only=True):
        if len(row) > _WIDEST:
            raise ValueError("a row is too wide")
        yield ["" if value is None else str(value) for value in row]
