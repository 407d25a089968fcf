"""First names since 1900 and surnames of the births of 1891 to 2000: national files of INSEE, or the compact tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from itertools import chain

from deid.reference.packaged import DATA
from deid.refresh.sources.source import LineCounts, ReferenceSource, Row, ValueRule, read_records

# First names

# Headers of the editions up to 2023, and since.
EDITIONS = (("sexe", "preusuel", "annais", "nombre"), ("sexe", "prenom", "periode", "valeur"))
GENERATIONS = ("n_1900_1945", "n_1946_1975", "n_1976_2000", "n_2001_2022")
_FIRST_NAMES_COMPACT = ("name", "sex", "births", *GENERATIONS)
SEXES = {"1": "M", "2": "F"}
LAST_YEARS = (1945, 1975, 2000)  # of each generation but the present one
RARE = "_PRENOMS_RARES"  # INSEE's line for names given to fewer than three children in a year


def parse_first_names(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield (name, sex, generation 0 to 3 or None if the year is missing, births, what the births are counted of).

    The last is a year or "XXXX", in the compact table a generation or "".

    Raises:
        ReferenceRefused: the header is that of no known edition.
    """
    header = next(lines, "")
    if next(csv.reader([header]), []) == list(_FIRST_NAMES_COMPACT):
        yield from _compact_first_names(chain([header], lines), tally)
        return
    header = header.casefold()
    edition = EDITIONS[1] if EDITIONS[1][1] in header.split(";") else EDITIONS[0]
    for number, (sex, name, year, births) in read_records(chain([header], lines), tally, edition, delimiter=";"):
        if name == RARE:
            tally.skipped += 1
        elif sex in SEXES and name.strip() and births.isdecimal() and (year == "XXXX" or year.isdecimal()):
            yield name.strip(), SEXES[sex], None if year == "XXXX" else _generation(int(year)), int(births), year
        else:
            tally.refuse_line(number)


def _generation(year: int) -> int:
    return sum(year > last for last in LAST_YEARS)


def _compact_first_names(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    for number, (name, sex, births, *parts) in read_records(lines, tally, _FIRST_NAMES_COMPACT, delimiter=","):
        if not name or sex not in SEXES.values() or not all(count.isdecimal() for count in (births, *parts)):
            tally.refuse_line(number)
            continue
        of_generation = [int(count) for count in parts]
        yield from (
            (name, sex, generation, count, str(generation)) for generation, count in enumerate(of_generation) if count
        )
        if rest := int(births) - sum(of_generation):
            yield name, sex, None, rest, ""


FIRST_NAMES = ReferenceSource(
    name="first_names",
    title="Prénoms (INSEE)",
    format="fichier des prénoms, national: CSV, “;”, UTF-8, alone or in a zip",
    licence="Licence Ouverte 2.0 (INSEE, fichier des prénoms)",
    table="first_name",
    columns=("name", "sex", "generation", "births", "period"),
    parse=parse_first_names,
    rules=(
        ValueRule("name", pattern=r"[^;,\d]{1,60}"),
        ValueRule("sex", pattern=r"[FM]"),
        ValueRule("generation", int, least=0, most=3, optional=True),
        ValueRule("births", int, least=0),
    ),
    default=DATA / "first_names.csv.gz",
    published_on=date(2022, 12, 31),  # the last year of births
    floor=10_000,
    drift=Fraction(10, 100),
    max_age_days=800,
    urls=("https://www.insee.fr/fr/statistiques/fichier/8595130/prenoms-2024-nat_csv.zip",),
    whole=True,
)


# Surnames
_SURNAMES_COMPACT = ("name", "births")
DECADES = tuple(f"_{first}_{first + 9}" for first in range(1891, 2000, 10))
_SURNAME_COLUMNS = ("NOM", *DECADES)
REST = "AUTRES NOMS"  # INSEE's line for all other names


def parse_surnames(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield (surname, births of all decades).

    Raises:
        ReferenceRefused: the header is that of no known edition.
    """
    header = next(lines, "")
    lines = chain([header], lines)
    compact = next(csv.reader([header]), []) == list(_SURNAMES_COMPACT)
    table = (
        read_records(lines, tally, _SURNAMES_COMPACT, delimiter=",")
        if compact
        else read_records(lines, tally, _SURNAME_COLUMNS, delimiter="\t", quoted=False)
    )
    for number, (name, *counts) in table:
        if name == REST:
            tally.skipped += 1
        elif name.strip() and all(count.isdecimal() for count in counts):
            yield name.strip(), sum(map(int, counts))
        else:
            tally.refuse_line(number)


SURNAMES = ReferenceSource(
    name="surnames",
    title="Noms de famille (INSEE)",
    format="fichier des noms, national (noms2008nat_txt): tab-separated, alone or in a zip",
    licence="Licence Ouverte 2.0 (INSEE, fichier des noms de famille)",
    table="surname",
    columns=("name", "births"),
    parse=parse_surnames,
    rules=(ValueRule("name", pattern=r"[^;,\d]{1,60}"), ValueRule("births", int, least=0)),
    default=DATA / "surnames.csv.gz",
    floor=50_000,
    drift=Fraction(10, 100),
    max_age_days=36_500,  # the edition of 2008 is the last: a newer one cannot be had
    urls=("https://www.insee.fr/fr/statistiques/fichier/3536630/noms2008nat_txt.zip",),
    encodings=("utf-8-sig", "cp1252"),
    whole=True,
)
