"""Patients by pathology, department, sex and age class: CNAM, cartographie des pathologies (`effectifs.csv`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain

from deid.refresh.sources.source import GIB, Row, Rule, Source, Tally, records

# The portal writes Ntop and Npop, its API ntop and npop.
COLUMNS = ("annee", "top", "cla_age_5", "sexe", "dept", "ntop", "npop")
CODE_PATTERN = r"[A-Z0-9]{2,4}(?:_[A-Z0-9]{2,4}){1,3}"
DEPARTMENT_PATTERN = r"(?:[013-9]\d|2[0-9AB]|97[1-6])"
AGE_PATTERN = r"\d\d-\d\d|95et\+"
SEXES = {"1": "M", "2": "F"}
# Regions and the country, both sexes, all ages: sums of the other lines.
WHOLE_DEPARTMENT, WHOLE_SEX, WHOLE_AGE = "999", "9", "tsage"
_CODE, _DEPARTMENT, _AGE = re.compile(CODE_PATTERN), re.compile(DEPARTMENT_PATTERN), re.compile(AGE_PATTERN)


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """(year, code of the pathology, department, sex, age class, patients or None, population or None).

    Lines that sum others are left out. An empty count is one that the producer masks.

    Raises:
        ReferenceRefused: a column is missing.
    """
    header = next(lines, "").casefold()
    for number, values in records(chain([header], lines), tally, COLUMNS, delimiter=";"):
        year, code, age, sex, department, patients, population = values
        if department == WHOLE_DEPARTMENT or sex == WHOLE_SEX or age == WHOLE_AGE:
            tally.skipped += 1
        elif (
            len(year) == 4
            and all(not count or count.isdecimal() for count in (patients, population))
            and year.isdecimal()
            and sex in SEXES
            and _AGE.fullmatch(age)
            and _DEPARTMENT.fullmatch(department)
            and _CODE.fullmatch(code)
        ):
            yield year, code, department, SEXES[sex], age, patients or None, population or None
        else:
            tally.refuse_line(number)


SOURCE = Source(
    name="pathologies",
    title="Patients par pathologie (CNAM)",
    format="effectifs.csv of data.ameli.fr: CSV, “;”, UTF-8, all years",
    licence="Licence Ouverte 2.0 (CNAM, cartographie des pathologies et des dépenses)",
    table="pathology",
    columns=("year", "pathology", "department", "sex", "age", "patients", "population"),
    parse=parse,
    rules=(
        Rule("year", int, least=2010, most=2100),
        Rule("pathology", pattern=CODE_PATTERN),
        Rule("department", pattern=DEPARTMENT_PATTERN),
        Rule("sex", pattern="[FM]"),
        Rule("age", pattern=AGE_PATTERN),
        Rule("patients", int, least=0, optional=True),
        Rule("population", int, least=0, optional=True),
    ),
    default=None,
    floor=200_000,
    drift=Fraction(10, 100),
    max_age_days=500,
    urls=("https://data.ameli.fr/api/explore/v2.1/catalog/datasets/effectifs/exports/csv?use_labels=true",),
    files=("effectifs*.csv", "effectifs*.csv.gz"),
    max_bytes=4 * GIB,
    max_unpacked=8 * GIB,
    whole=True,
)
