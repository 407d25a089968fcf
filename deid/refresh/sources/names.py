"""First names since 1900 and surnames of the births of 1891 to 2000: national files of INSEE, or the compact tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain

from deid.refresh.sources.source import LineCounts, Row, read_records

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
