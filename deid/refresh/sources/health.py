"""Health data: professionals, density levels of communes, and patients by pathology."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from deid.refresh.sources.source import INSEE, LineCounts, Row, header_and_lines, read_records

# Professionals: national Health Directory (ANS, `PS_LibreAcces_Personne_activite_*.txt`)

_PROFESSIONAL_COLUMNS = (
    "Identifiant PP",
    "Nom d'exercice",
    "Prénom d'exercice",
    "Libellé profession",
    "Code commune (coord. structure)",
)
PROFESSIONAL_PATTERN = r"[0-9A-Z]{8,12}"
_IDENTIFIER = re.compile(PROFESSIONAL_PATTERN)


def parse_professionals(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield (identifier, surname, first name, profession, INSEE code or None), one row per activity.

    Columns are read by name: editions differ. A professional without a name is skipped.

    Raises:
        ReferenceRefused: a column is missing.
    """
    for number, values in read_records(lines, tally, _PROFESSIONAL_COLUMNS, delimiter="|", quoted=False):
        identifier, last_name, first_name, profession, insee = (value.strip() for value in values)
        if not last_name:
            tally.skipped += 1
        elif not _IDENTIFIER.fullmatch(identifier):
            tally.refuse_line(number)
        else:
            yield identifier, last_name, first_name, profession, insee if INSEE.fullmatch(insee) else None


# Density grid of communes (INSEE): seven levels, from great urban centres to very scattered countryside

_DENSITY_COLUMNS = ("CODGEO", "DENS")
LEVELS = frozenset("1234567")


def parse_density_levels(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield (INSEE code, level 1 to 7); lines of a title above the header are skipped.

    Raises:
        ReferenceRefused: a column is missing.
    """
    table, delimiter = header_and_lines(lines, _DENSITY_COLUMNS[0])
    for number, (insee, level) in read_records(table, tally, _DENSITY_COLUMNS, delimiter=delimiter):
        if INSEE.fullmatch(insee) and level in LEVELS:
            yield insee, level
        else:
            tally.refuse_line(number)


# Patients by pathology, department, sex and age class (CNAM, cartographie des pathologies, `effectifs.csv`)

# The portal writes Ntop and Npop, its API ntop and npop.
_PATHOLOGY_COLUMNS = ("annee", "top", "cla_age_5", "sexe", "dept", "ntop", "npop")
CODE_PATTERN = r"[A-Z0-9]{2,4}(?:_[A-Z0-9]{2,4}){1,3}"
DEPARTMENT_PATTERN = r"(?:[013-9]\d|2[0-9AB]|97[1-6])"
AGE_PATTERN = r"\d\d-\d\d|95et\+"
_SEXES = {"1": "M", "2": "F"}
# Regions and the country, both sexes, all ages: sums of the other lines.
WHOLE_DEPARTMENT, WHOLE_SEX, WHOLE_AGE = "999", "9", "tsage"
_CODE, _DEPARTMENT_CODE, _AGE_CLASS = re.compile(CODE_PATTERN), re.compile(DEPARTMENT_PATTERN), re.compile(AGE_PATTERN)


def parse_pathologies(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield (year, code of the pathology, department, sex, age class, patients or None, population or None).

    Lines of sums are skipped. An empty count is masked by the producer.

    Raises:
        ReferenceRefused: a column is missing.
    """
    header = next(lines, "").casefold()
    for number, values in read_records(chain([header], lines), tally, _PATHOLOGY_COLUMNS, delimiter=";"):
        year, code, age, sex, department, patients, population = values
        if department == WHOLE_DEPARTMENT or sex == WHOLE_SEX or age == WHOLE_AGE:
            tally.skipped += 1
        elif (
            len(year) == 4
            and all(not count or count.isdecimal() for count in (patients, population))
            and year.isdecimal()
            and sex in _SEXES
            and _AGE_CLASS.fullmatch(age)
            and _DEPARTMENT_CODE.fullmatch(department)
            and _CODE.fullmatch(code)
        ):
            yield year, code, department, _SEXES[sex], age, patients or None, population or None
        else:
            tally.refuse_line(number)
