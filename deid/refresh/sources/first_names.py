"""First names given in France since 1900: INSEE's national file, or the compact table of the product."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from itertools import chain

from deid.reference.packaged import DATA
from deid.refresh.sources.source import Row, Rule, Source, Tally, records

# Headers of the editions up to 2023, and since.
EDITIONS = (("sexe", "preusuel", "annais", "nombre"), ("sexe", "prenom", "periode", "valeur"))
GENERATIONS = ("n_1900_1945", "n_1946_1975", "n_1976_2000", "n_2001_2022")
COMPACT = ("name", "sex", "births", *GENERATIONS)
SEXES = {"1": "M", "2": "F"}
LAST_YEARS = (1945, 1975, 2000)  # of each generation but the present one
RARE = "_PRENOMS_RARES"  # INSEE's line for all that fewer than three children of a year were given


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """(name, sex, generation 0 to 3 or None where the year is not said, births).

    Raises:
        ReferenceRefused: the header is neither INSEE's nor that of the compact table.
    """
    header = next(lines, "")
    if next(csv.reader([header]), []) == list(COMPACT):
        yield from _compact(chain([header], lines), tally)
        return
    header = header.casefold()
    edition = EDITIONS[1] if EDITIONS[1][1] in header.split(";") else EDITIONS[0]
    for number, (sex, name, year, births) in records(chain([header], lines), tally, edition, delimiter=";"):
        if name == RARE:
            tally.skipped += 1
        elif sex in SEXES and name.strip() and births.isdecimal() and (year == "XXXX" or year.isdecimal()):
            yield name.strip(), SEXES[sex], None if year == "XXXX" else _generation(int(year)), int(births)
        else:
            tally.refuse_line(number)


def _generation(year: int) -> int:
    return sum(year > last for last in LAST_YEARS)


def _compact(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    for number, (name, sex, births, *parts) in records(lines, tally, COMPACT, delimiter=","):
        if not name or sex not in SEXES.values() or not all(count.isdecimal() for count in (births, *parts)):
            tally.refuse_line(number)
            continue
        of_generation = [int(count) for count in parts]
        yield from ((name, sex, generation, count) for generation, count in enumerate(of_generation) if count)
        if rest := int(births) - sum(of_generation):
            yield name, sex, None, rest


SOURCE = Source(
    name="first_names",
    title="Prénoms (INSEE)",
    format="fichier des prénoms, national: CSV, “;”, UTF-8, alone or in a zip",
    licence="Licence Ouverte 2.0 (INSEE, fichier des prénoms)",
    table="first_name",
    columns=("name", "sex", "generation", "births"),
    parse=parse,
    rules=(
        Rule("name", pattern=r"[^;,\d]{1,60}"),
        Rule("sex", pattern=r"[FM]"),
        Rule("generation", int, least=0, most=3, optional=True),
        Rule("births", int, least=0),
    ),
    default=DATA / "first_names.csv.gz",
    published_on=date(2022, 12, 31),  # the last year of births
    floor=10_000,
    drift=Fraction(10, 100),
    max_age_days=800,
    urls=("https://www.insee.fr/fr/statistiques/fichier/8595130/prenoms-2024-nat_csv.zip",),
    whole=True,
)
