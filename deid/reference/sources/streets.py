"""Street names: the national address base (BAN, `adresses-XX.csv.gz`) or the compact table of the product."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain

from deid.reference.sources.source import GIB, Row, Source, Tally, records
from deid.resources import DATA

BAN = ("nom_voie", "code_insee")
COMPACT = ("name", "addresses")
LONGEST_NAME = 200


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """(INSEE code or None, street name, number of addresses): one row per address of BAN, per compact line.

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
    for number, (name, insee) in records(lines, tally, BAN, delimiter=";"):
        if not name.strip():
            tally.skipped += 1
        elif len(name) > LONGEST_NAME or len(insee) != 5:
            tally.refuse_line(number)
        else:
            yield insee, name.strip(), 1


def _compact(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    for number, (name, addresses) in records(lines, tally, COMPACT, delimiter=","):
        if name.strip() and len(name) <= LONGEST_NAME and addresses.isdecimal():
            yield None, name.strip(), int(addresses)
        else:
            tally.refuse_line(number)


SOURCE = Source(
    name="streets",
    title="Voies de la Base Adresse Nationale",
    licence="Licence Ouverte 2.0 (Base Adresse Nationale)",
    table="street",
    columns=("insee", "name", "addresses"),
    parse=parse,
    default=DATA / "streets.csv.gz",
    floor=5_000,
    drift=Fraction(20, 100),
    tolerance=Fraction(1, 1000),
    max_bytes=4 * GIB,
    max_unpacked=16 * GIB,
)
