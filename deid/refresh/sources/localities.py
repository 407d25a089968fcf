"""Lieux-dits: the national address base (BAN, `lieux-dits-XX-beta.csv.gz`)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from deid.refresh.sources.codes import INSEE, INSEE_PATTERN, ZIP, within
from deid.refresh.sources.source import GIB, Row, Rule, Source, Tally, records

COLUMNS = ("nom_lieu_dit", "code_insee", "code_postal", "lon", "lat")
LONGEST_NAME = 200


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """(INSEE code, name); a place without a name is left out.

    Raises:
        ReferenceRefused: a column is missing.
    """
    for number, (name, insee, postcode, lon, lat) in records(lines, tally, COLUMNS, delimiter=";"):
        name = name.strip()
        if not name:
            tally.skipped += 1
        elif len(name) <= LONGEST_NAME and INSEE.fullmatch(insee) and _placed(postcode, lon, lat):
            yield insee, name
        else:
            tally.refuse_line(number)


def _placed(postcode: str, lon: str, lat: str) -> bool:
    """A lieu-dit may lack a postal code or a position; what it says of them must be true."""
    if postcode and not ZIP.fullmatch(postcode):
        return False
    try:
        return not (lon or lat) or within(float(lon), float(lat))
    except ValueError:
        return False


SOURCE = Source(
    name="localities",
    title="Lieux-dits de la Base Adresse Nationale",
    format="BAN lieux-dits-XX-beta.csv.gz: CSV, “;”, UTF-8, a file per department",
    licence="Licence Ouverte 2.0 (Base Adresse Nationale)",
    table="locality",
    columns=("insee", "name"),
    parse=parse,
    rules=(Rule("insee", pattern=INSEE_PATTERN), Rule("name", pattern=r".{1,200}")),
    default=None,
    floor=500,
    drift=Fraction(20, 100),
    max_age_days=120,
    urls=("https://adresse.data.gouv.fr/data/ban/adresses/latest/csv/lieux-dits-{department}-beta.csv.gz",),
    files=("lieux-dits-*.csv", "lieux-dits-*.csv.gz"),
    tolerance=Fraction(1, 1000),
    max_bytes=GIB,
    max_unpacked=4 * GIB,
)
