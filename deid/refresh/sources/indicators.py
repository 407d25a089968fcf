"""Health indicators of communes and departments: access to care, deaths, air, radon, incomes, and tables of one's own.

All become rows (area, indicator, value) of `ref.health_indicator`. The area is the INSEE code of a commune or of an
arrondissement, or the code of a department. A value that is secret or was not measured is None. The formats are those
of the producers (docs/reference-data.md, “Health indicators”).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import chain, islice
from typing import Any

from deid.domain.errors import ReferenceRefused
from deid.refresh.sources.health import DEPARTMENT_PATTERN
from deid.refresh.sources.source import INSEE_PATTERN, LineCounts, Row, header_and_lines, read_records

TABLE = "health_indicator"
AREA_PATTERN = f"{INSEE_PATTERN}|{DEPARTMENT_PATTERN}"
# What producers write for a value that is secret or was not measured; INSEE: s, nd, ns.
SECRET = frozenset({"", "s", "ns", "nd", "n.d.", "nc", "na", "nan", "null", "-", ".", "..", "…", "*"})
# Lines of the country among those of departments.
WHOLE_COUNTRY = frozenset({"999", "fr", "fra", "france", "france entière", "france métropolitaine"})
LATEST_DEATHS = 5  # years of deaths that are averaged: small communes have few in one
_AREA, _NUMBER = re.compile(AREA_PATTERN), re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_SPACES = str.maketrans({" ": None, "\xa0": None, "\u202f": None, ",": "."})


def read_number(text: str) -> str | None:
    """Return a number as PostgreSQL reads it, from one with a decimal comma or spaces; None if it is secret.

    Raises:
        ValueError: it is no number, or negative.
    """
    plain = text.translate(_SPACES)
    if plain.casefold() in SECRET or plain.casefold().startswith("n/a"):
        return None
    if not _NUMBER.fullmatch(plain):
        raise ValueError("no number")
    return plain


def _rows_of(number: int, area: str, values: Mapping[str, str], tally: LineCounts) -> Iterator[Row]:
    """Yield the indicators of one line; a line without an area, or of the country, is skipped."""
    area = area.strip()
    if not area or area.casefold() in WHOLE_COUNTRY:
        tally.skipped += 1
        return
    try:
        rows = [(area, indicator, read_number(value)) for indicator, value in values.items()]
    except ValueError:
        rows = []
    if rows and _AREA.fullmatch(area):
        yield from rows
    else:
        tally.refuse_line(number)


def _parse_columns(
    lines: Iterator[str], tally: LineCounts, *, first: str, area: str, columns: Mapping[str, str]
) -> Iterator[Row]:
    """Yield the indicators of a table with one line per area.

    `first` begins the header, `area` and the values of `columns` are regular expressions for the names of columns.

    Raises:
        ReferenceRefused: a column is missing.
    """
    table, delimiter = header_and_lines(lines, first)
    header = next(table, "")
    written = next(csv.reader([header.lstrip("\ufeff")], delimiter=delimiter), [])
    found = {
        indicator: next(
            (name for name in written if re.fullmatch(pattern, name.strip(), re.IGNORECASE)),
            pattern.replace(r"\d", "9").replace("\\", ""),  # not found: refused by a name that people read
        )
        for indicator, pattern in {"": area, **columns}.items()
    }
    records = read_records(chain([header], table), tally, tuple(found.values()), delimiter=delimiter)
    for number, (place, *values) in records:
        yield from _rows_of(number, place, dict(zip(columns, values, strict=True)), tally)


def _highest(parse: Any, lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield the highest value of each area and indicator: the file of radon has communes twice, after mergers."""
    kept: dict[tuple[object, object], str | None] = {}
    for area, indicator, value in parse(lines, tally):
        before = kept.get((area, indicator))
        kept[area, indicator] = value if before is None or (value is not None and value > before) else before
    yield from ((*key, value) for key, value in kept.items())


# Deaths by cause, age-standardised, by department (CépiDc, export of its portal)

_MORTALITY_COLUMNS = ("annee_de_deces", "departement_de_domicile", "sexe", "cause_initiale_de_deces", "valeur")
_MORTALITY_SHORT = ("annee", "departement", "sexe", "cause", "valeur")
_BOTH_SEXES, _ALL_CAUSES = "tous sexes", "toutes causes"
_CAUSE = re.compile(r"(\d+(?:\.\d+)*)\.?\s")


def parse_mortality(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield (department, "cause_2" or "all_causes", deaths per 100,000) of the latest year, for both sexes.

    Causes are those of the European short list: "2. Tumeurs" is cause_2, "7.3 …" cause_7_3. Other measures than
    standardised rates are skipped where the column `indicateur` tells them.

    Raises:
        ReferenceRefused: a column is missing.
    """
    table, delimiter = header_and_lines(lines, "annee")
    header = next(table, "")
    columns: tuple[str, ...] = _MORTALITY_COLUMNS if _MORTALITY_COLUMNS[0] in header else _MORTALITY_SHORT
    if "indicateur" in header:
        columns = (*columns, "indicateur")
    by_year: dict[str, list[tuple[int, str, str, str]]] = {}
    for number, record in read_records(chain([header], table), tally, columns, delimiter=delimiter):
        year, department, sex, cause, value, *measure = (one.strip() for one in record)
        if sex.casefold() != _BOTH_SEXES or (measure and not measure[0].casefold().startswith("taux standardisé")):
            tally.skipped += 1
        elif len(year) != 4 or not year.isdecimal():
            tally.refuse_line(number)
        else:
            by_year.setdefault(year, []).append((number, department, cause, value))
    latest = max(by_year, default="")
    for year, records in by_year.items():
        if year != latest:
            tally.skipped += len(records)
            continue
        for number, department, cause, value in records:
            code = _CAUSE.match(f"{cause} ")
            if code is None and cause.casefold() != _ALL_CAUSES:
                tally.refuse_line(number)
                continue
            indicator = f"cause_{code[1].replace('.', '_')}" if code else "all_causes"
            yield from _rows_of(number, department, {indicator: value}, tally)


# Deaths by commune of residence (INSEE, état civil, DS_ETAT_CIVIL_DECES_COMMUNES of the catalogue Melodi)

_DEATH_COLUMNS = ("GEO", "GEO_OBJECT", "EC_MEASURE", "OBS_STATUS", "TIME_PERIOD", "OBS_VALUE")
_MEASURED = ("A", "W", "")  # normal; includes another commune. K: counted with another one; M: missing


def parse_deaths(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield (INSEE code, "deaths", deaths a year), the mean of the latest five years of the file that were measured.

    Lines of other areas than communes are skipped. A commune and year given twice is a malformed line.

    Raises:
        ReferenceRefused: a column is missing.
    """
    counts: dict[str, dict[str, Fraction | None]] = {}
    for number, record in read_records(lines, tally, _DEATH_COLUMNS, delimiter=";"):
        area, kind, measure, status, year, value = record
        if kind != "COM" or measure != "DTH":
            tally.skipped += 1
            continue
        years = counts.setdefault(area, {})
        try:
            deaths = read_number(value) if status in _MEASURED else None
        except ValueError:
            tally.refuse_line(number)
            continue
        if year in years or not year.isdecimal() or not _AREA.fullmatch(area):
            tally.refuse_line(number)
        else:
            years[year] = None if deaths is None else Fraction(deaths)
    latest = sorted({year for years in counts.values() for year in years})[-LATEST_DEATHS:]
    for area, years in counts.items():
        known = [told for year in latest if (told := years.get(year)) is not None]
        yield area, "deaths", f"{float(sum(known) / len(known)):.3f}" if known else None


# A table of one's own: one line per commune or department, columns of numbers

_AREA_NAMES = frozenset(
    "code_insee codgeo insee insee_com com_insee code_commune_insee code_commune depcom com geo commune_code dep dept "
    "departement code_departement code_dept code_dep département code_département".split()
)
_PROBED = 500  # lines that tell which columns hold numbers


def parse_indicators(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield (area, name of the column, value) of each column of numbers.

    Raises:
        ReferenceRefused: no column is of communes or departments, or none holds numbers.
    """
    table, delimiter = header_and_lines(lines, "")
    header = next(table, "")
    names = next(csv.reader([header.lstrip("\ufeff")], delimiter=delimiter), [])
    area = next((name for name in names if name.strip().casefold().replace(" ", "_") in _AREA_NAMES), None)
    others = [name for name in names if name != area]
    if area is None or not others or len(set(names)) < len(names):
        raise ReferenceRefused(
            "the table has no column of communes or departments and others beside it, or two of one name.",
            f"Name it code_insee or dep; expected is a header line with columns between “{delimiter}”.",
        )
    records = read_records(chain([header.lstrip("\ufeff")], table), tally, (area, *others), delimiter=delimiter)
    probe = list(islice(records, _PROBED))
    numeric = [name for at, name in enumerate(others, start=1) if _are_numbers(values[at] for _, values in probe)]
    if probe and not numeric:
        raise ReferenceRefused("no column of the table holds numbers.", "Check the separator of its decimals.")
    for number, (place, *values) in chain(probe, records):
        given = dict(zip(others, values, strict=True))
        yield from _rows_of(number, place, {name.strip(): given[name] for name in numeric}, tally)


def _are_numbers(values: Iterator[str]) -> bool:
    """Return whether most values are numbers, and the others secret or few."""
    numbers = others = 0
    for value in values:
        try:
            numbers += read_number(value) is not None
        except ValueError:
            others += 1
    return numbers > 9 * others


parse_care_access = partial(
    _parse_columns,
    first="Code commune INSEE",
    area="code commune insee",
    columns={
        "apl_gen": "apl aux médecins généralistes",
        "apl_65": "apl aux médecins généralistes de 65 ans (?:et|ou) moins",
    },
)
parse_air_quality = partial(
    _parse_columns,
    first="COM Insee",
    area="com insee",
    columns={
        indicator: rf"moyenne annuelle de concentration de {pollutant} \(ug/m3\)"
        for indicator, pollutant in (("no2", "no2"), ("o3", "o3"), ("pm10", "pm10"), ("pm25", r"pm2\.?5"))
    },
)
_parse_radon = partial(
    _parse_columns, first="", area="insee_com|code_insee", columns={"radon": "classe_potentiel|radon_classe"}
)
parse_radon = partial(_highest, _parse_radon)
parse_incomes = partial(_parse_columns, first="CODGEO", area="codgeo", columns={"median_income": r"med\d\d"})
