"""Street names: the national address base (BAN, `adresses-XX.csv.gz`) or the compact table of the product."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from itertools import chain

from deid.reference.packaged import DATA
from deid.refresh.sources.codes import INSEE, INSEE_PATTERN, METROPOLIS, ZIP, within
from deid.refresh.sources.source import GIB, Row, Rule, Source, Tally, records

BAN = ("nom_voie", "code_insee", "code_postal", "lon", "lat")
COMPACT = ("name", "addresses")
LONGEST_NAME = 200


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """(INSEE code or None, street name, number of addresses): one row per run of addresses of a street.

    BAN's columns are read by name: editions have 22 or 23 of them.

    Raises:
        ReferenceRefused: the header is neither BAN's nor that of the compact table.
    """
    header = next(lines, "")
    lines = chain([header], lines)
    if next(csv.reader([header]), []) == list(COMPACT):
        yield from _compact(lines, tally)
    else:
        yield from _ban(lines, tally)


def _ban(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """BAN lists a street's addresses one after another: a run of them is one row, so that less is copied."""
    west, south, east, north = METROPOLIS
    # Of the run: as it stands in the file, as it is yielded, and how many addresses.
    last: tuple[str, str, str] | None = None
    street, addresses = ("", ""), 0
    for number, (name, insee, postcode, lon, lat) in records(lines, tally, BAN, delimiter=";"):
        here = (name, insee, postcode)
        if here != last:
            stripped = name.strip()
            if not stripped:
                tally.skipped += 1
                continue
            if len(name) > LONGEST_NAME or not INSEE.fullmatch(insee) or (postcode and not ZIP.fullmatch(postcode)):
                tally.refuse_line(number)
                continue
            if addresses:
                yield *street, addresses
            last, street, addresses = here, (insee, stripped), 0
        try:
            x, y = float(lon or west), float(lat or south)
        except ValueError:
            tally.refuse_line(number)
            continue
        if (west <= x <= east and south <= y <= north) or within(x, y):
            addresses += 1
        else:
            tally.refuse_line(number)
    if addresses:
        yield *street, addresses


def _compact(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    for number, (name, addresses) in records(lines, tally, COMPACT, delimiter=","):
        if name.strip() and len(name) <= LONGEST_NAME and addresses.isdecimal():
            yield None, name.strip(), int(addresses)
        else:
            tally.refuse_line(number)


SOURCE = Source(
    name="streets",
    title="Voies de la Base Adresse Nationale",
    format="BAN adresses-XX.csv.gz: CSV, “;”, 22 or 23 columns, UTF-8, a file per department",
    licence="Licence Ouverte 2.0 (Base Adresse Nationale)",
    table="street",
    columns=("insee", "name", "addresses"),
    parse=parse,
    rules=(
        Rule("insee", pattern=INSEE_PATTERN, optional=True),
        Rule("name", pattern=r".{1,200}"),
        Rule("addresses", int, least=1),
    ),
    default=DATA / "streets.csv.gz",
    published_on=date(2024, 1, 1),  # the year of both files is known, not the day
    floor=5_000,
    drift=Fraction(20, 100),
    max_age_days=120,
    urls=("https://adresse.data.gouv.fr/data/ban/adresses/latest/csv/adresses-{department}.csv.gz",),
    files=("adresses-*.csv", "adresses-*.csv.gz"),
    tolerance=Fraction(1, 1000),
    parser=2,
    max_bytes=4 * GIB,
    max_unpacked=16 * GIB,
)
