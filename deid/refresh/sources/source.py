"""What a source of reference data is: where it comes from, what it must look like, how a line is read."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import chain
from operator import itemgetter
from pathlib import Path

from deid.domain.errors import ReferenceRefused

Row = tuple[object, ...]
GIB = 1 << 30


@dataclass
class Tally:
    """Lines of a file: read, left out on purpose, and not as they should be."""

    read: int = 0
    skipped: int = 0
    malformed: int = 0
    first_malformed: int | None = None  # number of the line, the header being 1

    def refuse_line(self, number: int) -> None:
        """Count a line that is not as it should be."""
        self.malformed += 1
        if self.first_malformed is None:
            self.first_malformed = number


Parse = Callable[[Iterator[str], Tally], Iterator[Row]]
Assemble = Callable[[Path], Iterator[str]]


@dataclass(frozen=True)
class Rule:
    """What every value of a staged column is, for Great Expectations: a text that fits `pattern`, or a number.

    `kind` is the Python type of a value. An `optional` column may be null.
    """

    column: str
    kind: type = str
    pattern: str | None = None
    least: float | None = None
    most: float | None = None
    optional: bool = False


@dataclass(frozen=True)
class Source:
    """One kind of reference data: its format, and the defaults of what a deployment may configure.

    `format` says in a line what the file is. `urls` are the addresses of the national file, mirrors in order;
    `{department}` in one stands for the code of each department. `files` are the names that are taken from a folder
    given as a location. `worksheet` is the first column of the header in an Excel workbook, for a table that its
    producer publishes in no other form. `assemble` makes lines of the compact table from a folder of raw national
    files, where one table needs several. `parse` turns decoded lines into rows of `columns` of the staging table of
    `ref.<table>`; `parser` is raised when the same bytes give other rows, so that a refresh loads them again. `rules`
    are judged on a sample of what was staged. `default` is the file that ships with the product, None where there is
    none; `published_on` is the date of what is in it, from which its age counts, None where no newer edition will come.

    A release needs at least `floor` rows, at most the share `tolerance` of lines that cannot be read, and may differ
    from the release in use by at most the share `drift` of rows, when both come from the same location, or wherever
    they come from if the source always is the `whole` country. `encodings`
    are tried in order. `checksum` is the SHA-256 that a file must have (64 hexadecimal digits), or "beside": it
    stands at the file's address with `.sha256` added. A release older than `max_age_days` is overdue. `keep` releases
    keep their rows, the one in use among them.
    """

    name: str
    title: str
    format: str
    licence: str
    table: str
    columns: Sequence[str]
    parse: Parse
    rules: Sequence[Rule]
    default: Path | None
    floor: int
    drift: Fraction
    max_age_days: int
    urls: Sequence[str] = ()
    files: Sequence[str] = ("*.csv", "*.csv.gz", "*.txt")
    assemble: Assemble | None = None
    worksheet: str | None = None
    published_on: date | None = None
    tolerance: Fraction = Fraction(0)
    encodings: Sequence[str] = ("utf-8-sig",)
    parser: int = 1
    max_bytes: int = GIB // 4
    max_unpacked: int = 2 * GIB
    checksum: str | None = None
    keep: int = 2
    whole: bool = False


def records(
    lines: Iterator[str],
    tally: Tally,
    required: Sequence[str],
    *,
    delimiter: str,
    quoted: bool = True,
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Line number and the values of `required` (two at least), in that order, of every line as long as the header.

    Raises:
        ReferenceRefused: a required column is missing; names it and the delimiter that was expected.
    """
    table = _fields(lines, delimiter, quoted)
    header = next(table, [])
    require(header, required, delimiter)
    pick = itemgetter(*(header.index(name) for name in required))
    width = len(header)
    for number, fields in enumerate(table, start=2):
        if not fields:
            continue
        tally.read += 1
        if len(fields) == width:
            yield number, pick(fields)
        else:
            tally.refuse_line(number)


def _fields(lines: Iterator[str], delimiter: str, quoted: bool) -> Iterator[list[str]]:
    """The fields of each line. Until a quote comes (and few files have any) splitting does, at twice the speed."""
    for line in lines:
        if quoted and '"' in line:
            yield from _quoted(chain([line], lines), delimiter)
            return
        line = line.rstrip("\r\n")
        yield line.split(delimiter) if line else []


def _quoted(lines: Iterator[str], delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(lines, delimiter=delimiter, strict=True)
    except csv.Error:
        raise ReferenceRefused("a line is no line of a table: its quotes do not match.", "Download it again.") from None


def require(header: Sequence[str], required: Iterable[str], delimiter: str) -> None:
    """Refuse a header that lacks a column.

    Raises:
        ReferenceRefused: it does; names the columns.
    """
    missing = [name for name in required if name not in header]
    if missing:
        raise ReferenceRefused(
            f"the file lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}.",
            f"Expected is a header line with columns between “{delimiter}”: see docs/reference-data.md.",
        )
