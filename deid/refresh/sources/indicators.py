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
from deid.refresh.sources.source import (
    INSEE_PATTERN,
    LineCounts,
    ReferenceSource,
    Row,
    ValueRule,
    header_and_lines,
    read_records,
)

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


def _source(name: str, **rest: Any) -> ReferenceSource:
    """Return a source of indicators, with the settings common to all."""
    most = rest.pop("most")
    least = rest.pop("least", 0)
    shared: dict[str, Any] = {
        "table": TABLE,
        "columns": ("area", "indicator", "value"),
        "rules": (
            ValueRule("area", pattern=AREA_PATTERN),
            ValueRule("indicator", pattern=r".{1,100}"),
            ValueRule("value", float, least=least, most=most, optional=True),
        ),
        "default": None,
        "drift": Fraction(5, 100),
        "encodings": ("utf-8-sig", "cp1252"),
        "whole": True,
    }
    return ReferenceSource(name=name, **(shared | rest))


_parse_radon = partial(
    _parse_columns,
    first="",
    area="insee_com|code_insee",
    columns={"radon": "classe_potentiel|radon_classe"},
)

CARE_ACCESS = _source(
    "care_access",
    title="Accessibilité aux médecins généralistes (APL)",
    format="workbook of DREES with a sheet per year, the latest is read; or that sheet as CSV (“,” or “;”)",
    licence="Licence Ouverte 2.0 (DREES, accessibilité potentielle localisée)",
    parse=partial(
        _parse_columns,
        first="Code commune INSEE",
        area="code commune insee",
        columns={
            "apl_gen": "apl aux médecins généralistes",
            "apl_65": "apl aux médecins généralistes de 65 ans (?:et|ou) moins",
        },
    ),
    most=100,
    floor=68_000,
    max_age_days=800,
    files=("*APL*.xlsx", "*apl*.xlsx", "*apl*.csv"),
    worksheet="Code commune INSEE",
    refreshes={"apl_gen": "apl_gen"},
)
MORTALITY = _source(
    "mortality",
    title="Mortalité par cause (CépiDc)",
    format="export of the CépiDc portal by department: workbook with a sheet “Données”, or CSV (“,” or “;”)",
    licence="Licence Ouverte 2.0 (CépiDc-Inserm, causes médicales de décès)",
    parse=parse_mortality,
    most=20_000,
    floor=190,
    drift=Fraction(10, 100),
    max_age_days=800,
    files=("mortalite*.xlsx", "mortalite*.csv", "mortalite*.csv.gz"),
    worksheet="annee_de_deces",
    refreshes={"cancer_mortality": "cause_2", "circulatory_mortality": "cause_7"},
)
DEATHS = _source(
    "deaths",
    title="Décès domiciliés par commune (INSEE)",
    format="DS_ETAT_CIVIL_DECES_COMMUNES of INSEE (Melodi): zip of a table “_data.csv” (“;”) and its metadata",
    licence="Licence Ouverte 2.0 (INSEE, état civil)",
    parse=parse_deaths,
    most=100_000,
    floor=34_000,
    max_age_days=500,
    urls=("https://api.insee.fr/melodi/file/DS_ETAT_CIVIL_DECES_COMMUNES/DS_ETAT_CIVIL_DECES_COMMUNES_2025_CSV_FR",),
    files=("DS_ETAT_CIVIL_DECES_COMMUNES*",),
    member=r"_data\.csv$",
    per=1_000,
)
AIR_QUALITY = _source(
    "air_quality",
    title="Qualité de l’air (Ineris)",
    format="Indicateurs_QualiteAir_France_Commune_AAAA of Ineris: “,”, Windows-1252, a title line; or a zip of years",
    licence="Licence Ouverte 2.0 (Ineris, LCSQA, AASQA)",
    parse=partial(
        _parse_columns,
        first="COM Insee",
        area="com insee",
        columns={
            indicator: rf"moyenne annuelle de concentration de {pollutant} \(ug/m3\)"
            for indicator, pollutant in (("no2", "no2"), ("o3", "o3"), ("pm10", "pm10"), ("pm25", r"pm2\.?5"))
        },
    ),
    most=1_000,
    floor=136_000,
    max_age_days=1_500,
    urls=(
        "https://zenodo.org/records/5043645/files/Indicateurs_QualiteAir_France_Commune_2000-2015_Ineris_v.Sep2020.zip",
    ),
    files=("Indicateurs_QualiteAir_France_Commune*",),
    member=r"_Commune_\d{4}_.*\.csv$",
)
RADON = _source(
    "radon",
    title="Potentiel radon des communes (ASNR)",
    format="radon.csv of IRSN, now ASNR: “,” or “;”, UTF-8 or Windows-1252",
    licence="Licence Ouverte 2.0 (IRSN, potentiel radon)",
    parse=partial(_highest, _parse_radon),
    least=1,
    most=3,
    floor=34_000,
    max_age_days=36_500,
    urls=(
        "https://static.data.gouv.fr/resources/connaitre-le-potentiel-radon-de-ma-commune/20190506-174309/radon.csv",
    ),
    files=("radon*.csv", "radon*.csv.gz"),
    tolerance=Fraction(1, 1000),
    refreshes={"radon": "radon"},
)
INCOMES = _source(
    "incomes",
    title="Niveaux de vie par commune (Filosofi)",
    format="cc_filosofi_AAAA_COM.csv of INSEE, “;” or “,”, or the zip that it comes in",
    licence="Licence Ouverte 2.0 (INSEE, Filosofi)",
    parse=partial(_parse_columns, first="CODGEO", area="codgeo", columns={"median_income": r"med\d\d"}),
    least=1_000,
    most=500_000,
    floor=34_000,
    max_age_days=1_500,
    files=("*filosofi*COM*.csv", "*filosofi*COM*.csv.gz", "*filosofi*.zip"),
    member=r"_COM\.csv$",
    refreshes={"median_income": "median_income"},
)
INDICATORS = _source(
    "indicators",
    title="Autres indicateurs de santé",
    format="any table with one line per commune or department (code_insee, dep…) and columns of numbers: CSV",
    licence="that of its producer",
    parse=parse_indicators,
    most=10**12,
    floor=90,
    drift=Fraction(50, 100),
    max_age_days=800,
    files=("indicators*.csv", "indicators*.csv.gz"),
    whole=False,
)
