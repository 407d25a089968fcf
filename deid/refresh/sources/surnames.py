"""Surnames of the births of 1891 to 2000: INSEE's national file, or the compact table of the product."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain

from deid.reference.packaged import DATA
from deid.refresh.sources.source import Row, Rule, Source, Tally, records

COMPACT = ("name", "births")
DECADES = tuple(f"_{first}_{first + 9}" for first in range(1891, 2000, 10))
INSEE = ("NOM", *DECADES)
REST = "AUTRES NOMS"  # INSEE's line for all others


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """(surname, births of all decades).

    Raises:
        ReferenceRefused: the header is neither INSEE's nor that of the compact table.
    """
    header = next(lines, "")
    lines = chain([header], lines)
    compact = next(csv.reader([header]), []) == list(COMPACT)
    table = (
        records(lines, tally, COMPACT, delimiter=",")
        if compact
        else records(lines, tally, INSEE, delimiter="\t", quoted=False)
    )
    for number, (name, *counts) in table:
        if name == REST:
            tally.skipped += 1
        elif name.strip() and all(count.isdecimal() for count in counts):
            yield name.strip(), sum(map(int, counts))
        else:
            tally.refuse_line(number)


SOURCE = Source(
    name="surnames",
    title="Noms de famille (INSEE)",
    format="fichier des noms, national (noms2008nat_txt): tab-separated, alone or in a zip",
    licence="Licence Ouverte 2.0 (INSEE, fichier des noms de famille)",
    table="surname",
    columns=("name", "births"),
    parse=parse,
    rules=(Rule("name", pattern=r"[^;,\d]{1,60}"), Rule("births", int, least=0)),
    default=DATA / "surnames.csv.gz",
    floor=50_000,
    drift=Fraction(10, 100),
    max_age_days=36_500,  # the edition of 2008 is the last: a newer one cannot be had
    urls=("https://www.insee.fr/fr/statistiques/fichier/3536630/noms2008nat_txt.zip",),
    encodings=("utf-8-sig", "cp1252"),
    whole=True,
)
