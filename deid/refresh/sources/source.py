"""A source of reference data: its location, its format, its rules, and the parsing of its lines."""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path

from deid.domain.errors import ReferenceRefused

Row = tuple[object, ...]
GIB = 1 << 30
_TITLES = 50  # lines of a title above the header, at most


class Repeats:
    """Share of the lines that the files have already had, on a sample of bounded size that their digests choose.

    All copies of a line are in the sample or none is, so that a file joined to itself shows half of its lines.
    """

    MOST = 100_000  # distinct lines remembered, about 10 MB

    def __init__(self) -> None:
        self._mask = 0
        self._times: dict[int, int] = {}

    def counting(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines, which are counted."""
        for line in lines:
            written = line.encode()
            chosen = zlib.crc32(written)
            if not chosen & self._mask:
                self._keep(chosen << 32 | zlib.adler32(written))
            yield line

    def _keep(self, digest: int) -> None:
        self._times[digest] = self._times.get(digest, 0) + 1
        if len(self._times) > self.MOST:
            self._mask = self._mask << 1 | 1
            self._times = {one: times for one, times in self._times.items() if not one >> 32 & self._mask}

    @property
    def share(self) -> Fraction:
        """Lines that repeat another one, as a share of all."""
        lines = sum(self._times.values())
        return Fraction(lines - len(self._times), max(1, lines))


@dataclass
class LineCounts:
    """Lines of a file: read, skipped on purpose, malformed."""

    read: int = 0
    skipped: int = 0
    malformed: int = 0
    first_malformed: int | None = None  # number of the line, the header being 1
    lines: Repeats = field(default_factory=Repeats)

    def refuse_line(self, number: int) -> None:
        """Count a malformed line."""
        self.malformed += 1
        if self.first_malformed is None:
            self.first_malformed = number


Parse = Callable[[Iterator[str], LineCounts], Iterator[Row]]
Assemble = Callable[[Path], Iterator[str]]


@dataclass(frozen=True)
class ValueRule:
    """Rule for the values of a staged column: a text that matches `pattern`, or a number between `least` and `most`.

    `kind` is the Python type of a value. An `optional` column may be null.
    """

    column: str
    kind: type = str
    pattern: str | None = None
    least: float | None = None
    most: float | None = None
    optional: bool = False


@dataclass(frozen=True)
class ReferenceSource:
    """One kind of reference data: its format, and the defaults of its configuration.

    Files:
        `format` describes the file in one line. `urls` are the addresses of the national file, mirrors in order;
        `{department}` stands for the code of each department. `files` are the patterns of names taken from a folder.
        `encodings` are tried in order. `worksheet` is the first column of the header in an Excel workbook;
        `member` is a regular expression for the name of the table in a zip that holds several.
        `default` is the packaged file, None if there is none; `published_on` is the date of its content, from which its
        age counts, None if no newer edition will come. `checksum` is the SHA-256 that a file must have (64 hexadecimal
        digits), or "beside": the digest is published at the address of the file with `.sha256` added.

    Rows:
        `assemble` yields lines of the compact table from a folder of raw national files. `parse` yields rows of
        `columns` of the staging table of `ref.<table>`; `parser` is increased when the same bytes give other rows, so
        that the next refresh loads them again. `rules` are checked on a sample of the staged rows.

    Features of communes:
        `refreshes` maps features that the communes have already to the indicator of this source that takes their place
        while a version of this source is in use. `per` turns its counts into rates per so many inhabitants.

    Bounds of a reference version:
        It has at least `floor` rows and at most a share `tolerance` of malformed lines, and of rows with damaged
        characters. It differs from the version in use by at most a share `drift` of rows; this is checked if both come
        from the same location, or if the source always covers the `whole` country. Rows of a `placed` source have
        positions, which are compared with those of the communes. It is overdue after `max_age_days`. `keep` versions
        keep their rows, the one in use among them.
    """

    name: str
    title: str
    format: str
    licence: str
    table: str
    columns: Sequence[str]
    parse: Parse
    rules: Sequence[ValueRule]
    default: Path | None
    floor: int
    drift: Fraction
    max_age_days: int
    urls: Sequence[str] = ()
    files: Sequence[str] = ("*.csv", "*.csv.gz", "*.txt")
    assemble: Assemble | None = None
    worksheet: str | None = None
    member: str | None = None
    refreshes: Mapping[str, str] = field(default_factory=dict)
    per: int | None = None
    published_on: date | None = None
    tolerance: Fraction = Fraction(0)
    encodings: Sequence[str] = ("utf-8-sig",)
    parser: int = 1
    max_bytes: int = GIB // 4
    max_unpacked: int = 2 * GIB
    checksum: str | None = None
    keep: int = 2
    whole: bool = False
    placed: bool = False


def read_records(
    lines: Iterator[str], tally: LineCounts, required: Sequence[str], *, delimiter: str, quoted: bool = True
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the line number and the values of `required` (two or more columns) of every line as long as the header.

    Raises:
        ReferenceRefused: a required column is missing; names it and the delimiter that was expected.
    """
    table = _fields(lines, delimiter, quoted)
    header = next(table, [])
    _require_columns(header, required, delimiter)
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


def header_and_lines(lines: Iterator[str], column: str) -> tuple[Iterator[str], str]:
    """Return the lines from the header that begins with `column` on, without a title above it, and the delimiter.

    The delimiter is the most frequent of “;”, “,” and a tab in the header. Without a header no line is left.
    """
    header = next((line for line in islice(lines, _TITLES) if line.lstrip('\ufeff"').startswith(column)), "")
    return chain([header], lines), max(";,\t", key=header.count)


def _fields(lines: Iterator[str], delimiter: str, quoted: bool) -> Iterator[list[str]]:
    """Fields of each line. Few files have quotes: until the first one, lines are split, at twice the speed of csv."""
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


def _require_columns(header: Sequence[str], required: Iterable[str], delimiter: str) -> None:
    """Refuse a header that lacks a column."""
    missing = [name for name in required if name not in header]
    if missing:
        raise ReferenceRefused(
            f"the file lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}.",
            f"Expected is a header line with columns between “{delimiter}”: see docs/reference-data.md.",
        )


# Codes of places and the extent of France

INSEE_PATTERN = r"(?:[013-9]\d|2[0-9AB])\d{3}"
ZIP_PATTERN = r"\d{5}"
INSEE = re.compile(INSEE_PATTERN)
ZIP = re.compile(ZIP_PATTERN)

# Degrees (WGS 84), west, south, east, north.
METROPOLIS = (-5.5, 41.0, 10.0, 51.5)
DEPARTMENTS = (METROPOLIS, (-63.5, 2.0, -51.0, 18.5), (44.5, -21.8, 56.2, -12.4))  # Antilles and Guyane; Indian Ocean
# Saint-Pierre-et-Miquelon; Wallis-et-Futuna; Polynésie; Nouvelle-Calédonie.
COLLECTIVITIES = (
    (-57, 46.5, -56, 47.3),
    (-178.5, -14.6, -176, -13),
    (-155, -28, -134, -7.5),
    (157.5, -23, 172.5, -17.5),
)
FRANCE = (*DEPARTMENTS, *COLLECTIVITIES)


def is_within(lon: float, lat: float, boxes: tuple[tuple[float, float, float, float], ...] = FRANCE) -> bool:
    """Return whether a point, in degrees, lies in one of the boxes; NaN lies in none."""
    for west, south, east, north in boxes:  # noqa: SIM110 - asked for each address: a generator takes twice the time
        if west <= lon <= east and south <= lat <= north:
            return True
    return False
