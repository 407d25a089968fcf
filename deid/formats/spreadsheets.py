"""Workbooks (XLSX, XLS): values, widths of columns, formats of numbers; the written file is a new XLSX.

A row is a line with tabs between its cells; where the field map `csv` knows two names of the first row, each cell is
a field. Removed: formulas (their last value stays), comments, links, drawings, pictures, macros, defined names,
filters, validations, headers and footers of pages, properties. Hidden rows, columns and sheets are read as the
others, and shown.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import chain, repeat
from typing import Any

import openpyxl
import xlrd
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Font

from deid.domain.errors import Reason
from deid.formats.archives import read_package, write_zip
from deid.formats.fields import shown_day, written_day
from deid.formats.reading import Reading, Save
from deid.formats.records import TITLES, find_header, rule_of_cell

_PROPERTIES = "docProps/core.xml"
_MOMENT = re.compile(rb">\d{4}-\d\d-\d\dT[\d:.]+Z?<")
_MOST_CELLS = 1_000_000
_FORMAT = re.compile(r"[#0,.% dmyhs:/_()\-;@?E+]*|General", re.IGNORECASE)
_FORBIDDEN = re.compile(r"[\[\]:*?/\\']")
_NUMBER = re.compile(r"-?\d{1,15}(?:[.,]\d{1,15})?", re.ASCII)

Value = str | bool | int | float | date | time | timedelta | None


@dataclass(slots=True)
class _Cell:
    value: Value
    format: str = "General"
    bold: bool = False


@dataclass(slots=True)
class _Sheet:
    """Cells of a sheet by row, with the widths of its columns and the ranges of its merged cells."""

    title: str
    rows: list[list[_Cell]]
    widths: dict[str, float] = field(default_factory=dict)
    merged: list[str] = field(default_factory=list)


def read_xlsx(raw: bytes, reading: Reading) -> Save:
    """Read a workbook of Office Open XML, with or without macros.

    Raises:
        DocumentRefused: malformed, encrypted, expands_too_much, pictures.
    """
    files = read_package(raw, reading)
    for what, mark in (("macro", "vbaProject"), ("comment", "comments"), ("attachment", "embeddings/")):
        if any(mark in name for name in files):
            reading.removed(what)
    if any(name.startswith("xl/media/") for name in files) and reading.image():
        reading.removed("image")  # the new workbook has none, whatever the rules say
    book = openpyxl.load_workbook(io.BytesIO(write_zip(files)), data_only=True, keep_links=False)
    return _read([_opened(sheet, reading) for sheet in book.worksheets], reading)


def read_xls(raw: bytes, reading: Reading) -> Save:
    """Read a workbook of Excel 97 to 2003; the written file is an XLSX.

    Raises:
        DocumentRefused: malformed, encrypted, expands_too_much.
    """
    try:
        book = xlrd.open_workbook(file_contents=raw, logfile=io.StringIO(), ragged_rows=True)
    except xlrd.XLRDError as error:
        reading.refuse(Reason.ENCRYPTED if "encrypted" in str(error) else Reason.MALFORMED, "xls")
    reading.becomes(".xlsx")
    return _read([_opened_old(sheet, book.datemode, reading) for sheet in book.sheets()], reading)


def _opened(sheet: Any, reading: Reading) -> _Sheet:
    _count(sheet.max_row * sheet.max_column, reading)
    rows: list[list[_Cell]] = [[] for _ in range(sheet.max_row)]
    for (row, column), cell in sorted(sheet._cells.items()):  # its iterators make a cell wherever there is none
        missing = column - 1 - len(rows[row - 1])
        rows[row - 1] += [*(_Cell(None) for _ in range(missing)), _cell(cell)]
    widths = {letter: round(column.width) for letter, column in sheet.column_dimensions.items() if column.width}
    return _Sheet(sheet.title, rows, widths, [str(area) for area in sheet.merged_cells.ranges])


def _cell(cell: Any) -> _Cell:
    if not cell.has_style:
        return _Cell(cell.value)
    return _Cell(cell.value, cell.number_format, bool(cell.font and cell.font.b))


def _opened_old(sheet: Any, datemode: int, reading: Reading) -> _Sheet:
    _count(sheet.nrows * sheet.ncols, reading)
    return _Sheet(sheet.name, [[_old_cell(cell, datemode) for cell in row] for row in sheet.get_rows()])


def _old_cell(cell: Any, datemode: int) -> _Cell:
    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            return _Cell(xlrd.xldate.xldate_as_datetime(cell.value, datemode), "dd/mm/yyyy")
        except (ValueError, OverflowError, xlrd.xldate.XLDateError):
            return _Cell(cell.value)
    if cell.ctype in (xlrd.XL_CELL_TEXT, xlrd.XL_CELL_NUMBER):
        return _Cell(cell.value)
    return _Cell(bool(cell.value) if cell.ctype == xlrd.XL_CELL_BOOLEAN else None)


def _count(cells: int, reading: Reading) -> None:
    if cells > _MOST_CELLS:
        reading.refuse(Reason.EXPANDS, f"a sheet of {cells} cells, at most {_MOST_CELLS}")


# ---- Words


def _read(sheets: Sequence[_Sheet], reading: Reading) -> Save:
    reading.removed("metadata")
    for sheet in sheets:
        reading.add(sheet.title, _put_title(sheet))
        words = [_words(row) for row in sheet.rows[:TITLES]]
        cells = [[_shown(cell.value) for cell in row] for row in sheet.rows[: TITLES + 1]]
        header = find_header(words, cells, reading, least=2)
        names = _words(sheet.rows[header]) if header is not None else []
        for number, row in enumerate(sheet.rows):
            if header is not None and number > header:
                for cell, name in zip(row, chain(names, repeat("")), strict=False):
                    caption, shown = f"{name} : " if name else "", _shown(cell.value)
                    reading.field(rule_of_cell(name, shown, reading), shown, _put_field(cell), caption=caption)
            elif any(cell.value is not None for cell in row):
                reading.add(list(_runs(row)), _put_row(row))
    return lambda: _written(sheets)


def _words(row: Sequence[_Cell]) -> list[str]:
    """Return what the cells of a row show if all are words: it may name the columns."""
    values = [cell.value for cell in row]
    return [_shown(value).strip() for value in values] if all(isinstance(one, str | None) for one in values) else []


def _runs(row: Sequence[_Cell]) -> Iterator[str]:
    """Yield what the cells of a row show, with tabs between them and none at its end."""
    filled = max(at for at, cell in enumerate(row) if cell.value is not None)
    for at, cell in enumerate(row[: filled + 1]):
        if at:
            yield "\t"
        yield _shown(cell.value)


def _shown(value: Value) -> str:
    """Return a value as a sheet shows it in French."""
    if isinstance(value, datetime):
        hour = f" {value:%H:%M}" if value.time() != time() else ""
        return f"{value:%d/%m/%Y}{hour}"
    if isinstance(value, date):
        return f"{value:%d/%m/%Y}"
    if isinstance(value, bool):
        return "VRAI" if value else "FAUX"
    if isinstance(value, float):
        whole = math.isfinite(value) and value.is_integer() and abs(value) < 1e15
        return str(int(value)) if whole else f"{value:.15g}".replace(".", ",")
    return "" if value is None else str(value)


def _like(text: str, value: Value) -> Value:
    """Return what a cell holds once its words are `text`: a day or a number where it held one and still does."""
    if isinstance(value, date):
        day, _, hour = text.strip().partition(" ")
        iso = written_day(day, value.strftime("%Y-%m-%d")) if shown_day(value.strftime("%Y-%m-%d")) else ""
        if len(iso) == 10:  # the whole day
            moved = date.fromisoformat(iso)
            return _at(moved, value, hour) if isinstance(value, datetime) else moved
    elif isinstance(value, int | float) and _NUMBER.fullmatch(text):
        return float(text.replace(",", ".")) if "," in text or "." in text else int(text)
    return text


def _at(day: date, value: datetime, shown: str) -> date:
    """Return a day at the time that a cell showed, or at the hour that is left; the day alone without one."""
    if shown == f"{value:%H:%M}":
        return datetime.combine(day, value.time().replace(second=0, microsecond=0))
    hour = re.match(r"\d{1,2}", shown)
    return day if hour is None else datetime.combine(day, time(int(hour.group())))


def _put_row(row: Sequence[_Cell]) -> Callable[[tuple[str | None, ...]], None]:
    def put(texts: tuple[str | None, ...]) -> None:
        for cell, text in zip(row, texts[::2], strict=False):
            if text is not None:
                cell.value = _like(text, cell.value)

    return put


def _put_field(cell: _Cell) -> Callable[[str], None]:
    def put(text: str) -> None:
        cell.value = _like(text, cell.value)

    return put


def _put_title(sheet: _Sheet) -> Callable[[tuple[str | None, ...]], None]:
    def put(texts: tuple[str | None, ...]) -> None:
        sheet.title = texts[0] or ""

    return put


# ---- Writing


def _written(sheets: Sequence[_Sheet]) -> bytes:
    """Return a new workbook of the sheets, which does not tell when it was written."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, sheet in enumerate(sheets, 1):
        written = book.create_sheet(_FORBIDDEN.sub(" ", sheet.title).strip()[:31] or f"Feuille {number}")
        for row, cells in enumerate(sheet.rows, 1):
            for column, cell in enumerate(cells, 1):
                if cell.value is not None:
                    _write_cell(written.cell(row, column), cell)
        for letter, width in sheet.widths.items():
            written.column_dimensions[letter].width = width
        for area in sheet.merged:
            written.merge_cells(area)
    file = io.BytesIO()
    book.properties.creator = "Nocturne"
    book.save(file)
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[_PROPERTIES] = _MOMENT.sub(b">1980-01-01T00:00:00Z<", parts[_PROPERTIES])
    return write_zip(parts)


def _write_cell(written: Any, cell: _Cell) -> None:
    if isinstance(cell.value, str):
        written.value = ILLEGAL_CHARACTERS_RE.sub(" ", cell.value)  # those that no XML holds
        written.data_type = "s"  # "=1+1" is words too
    else:
        written.value = cell.value
    if _FORMAT.fullmatch(cell.format):
        written.number_format = cell.format
    if cell.bold:
        written.font = Font(bold=True)
