"""Names and codes of places: former communes, postal codes, lieux-dits and streets."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from itertools import chain

from deid.reference.packaged import DATA
from deid.refresh.sources.source import (
    GIB,
    INSEE,
    INSEE_PATTERN,
    METROPOLIS,
    ZIP,
    ZIP_PATTERN,
    Row,
    Rule,
    Source,
    Tally,
    is_within,
    read_records,
)

# Former names: list of changes (COG) of INSEE, or the compact table.

_FORMER_COMPACT = ("insee", "name")
_CHANGES = ("MOD", "DATE_EFF", "TYPECOM_AV", "COM_AV", "LIBELLE_AV", "TYPECOM_AP", "COM_AP", "LIBELLE_AP")
_BORN = ("20", "21")  # kinds of change: creation, re-establishment


def parse_former_communes(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """Yield (former name, INSEE code of the commune today or None).

    Raises:
        ReferenceRefused: the header is neither of INSEE nor of the compact table.
    """
    header = next(lines, "")
    lines = chain([header], lines)
    if next(csv.reader([header]), []) == list(_FORMER_COMPACT):
        yield from _compact_former_communes(lines, tally)
    else:
        yield from _former_names(lines, tally)


def _compact_former_communes(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    for number, (insee, name) in read_records(lines, tally, _FORMER_COMPACT, delimiter=","):
        if name.strip() and (not insee or INSEE.fullmatch(insee)):
            yield name.strip(), insee or None
        else:
            tally.refuse_line(number)


def _former_names(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """Map each name before a change to the commune that its code has become through later changes."""
    absorbed: dict[str, tuple[str, str]] = {}  # code → (day of the change, code it went into)
    alive: dict[str, str] = {}  # code → last day on which a change created or kept it
    own: dict[str, tuple[str, str]] = {}  # code → (day, name)
    before: set[tuple[str, str]] = set()
    for number, (kind, day, type_before, code, name, type_after, into, new) in read_records(
        lines, tally, _CHANGES, delimiter=","
    ):
        if not INSEE.fullmatch(code) or not INSEE.fullmatch(into) or not name.strip():
            tally.refuse_line(number)
            continue
        if (type_before, type_after) != ("COM", "COM"):
            tally.skipped += 1
            continue
        before.add((code, name))
        alive[into] = max(day, alive.get(into, ""))
        own[into] = max((day, new), own.get(into, ("", "")))
        if code != into and kind not in _BORN:
            absorbed[code] = max((day, into), absorbed.get(code, ("", "")))
    for code, name in sorted(before):
        today = _code_of_today(code, absorbed, alive)
        if today not in own or own[today][1] != name:
            yield name, today


def _code_of_today(code: str, absorbed: dict[str, tuple[str, str]], alive: dict[str, str]) -> str:
    """Return the code that `code` has become; a commune absorbed and re-established later keeps its code."""
    seen = {code}
    while code in absorbed and absorbed[code][0] > alive.get(code, "") and absorbed[code][1] not in seen:
        code = absorbed[code][1]
        seen.add(code)
    return code


FORMER_COMMUNES = Source(
    name="former_communes",
    title="Anciens noms de communes (COG)",
    format="v_mvtcommune_AAAA.csv of the COG: CSV, “,”, UTF-8",
    licence="Licence Ouverte 2.0 (INSEE, code officiel géographique)",
    table="former_commune",
    columns=("name", "insee"),
    parse=parse_former_communes,
    rules=(Rule("name", pattern=r".{1,200}"), Rule("insee", pattern=INSEE_PATTERN, optional=True)),
    default=DATA / "former_communes.csv.gz",
    published_on=date(2024, 1, 1),
    floor=3_000,
    drift=Fraction(20, 100),
    max_age_days=400,
    urls=("https://www.insee.fr/fr/statistiques/fichier/8377162/v_mvtcommune_2025.csv",),
)


# Postal codes of communes: “base officielle des codes postaux” (hexasmal) of La Poste

# Headers: “#Code_commune_INSEE;…;Libellé_d_acheminement;…” of the portal, “code_commune_insee,…” of its API.
_POSTAL_COLUMNS = ("code_commune_insee", "code_postal", "libelle_d_acheminement", "ligne_5")


def parse_postal_codes(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """Yield (INSEE code, postal code, name on an envelope, fifth line or "").

    Raises:
        ReferenceRefused: a column is missing.
    """
    header = next(lines, "").lstrip("#").casefold().replace("é", "e")
    delimiter = "," if header.count(",") > header.count(";") else ";"
    for number, (insee, postcode, label, line) in read_records(
        chain([header], lines), tally, _POSTAL_COLUMNS, delimiter=delimiter
    ):
        if INSEE.fullmatch(insee) and ZIP.fullmatch(postcode) and label.strip():
            yield insee, postcode, label.strip(), line.strip()
        else:
            tally.refuse_line(number)


POSTAL_CODES = Source(
    name="postal_codes",
    title="Codes postaux (La Poste)",
    format="base officielle des codes postaux: CSV, “;” or “,”, UTF-8 or Windows-1252",
    licence="Licence Ouverte 2.0 (La Poste)",
    table="postal_code",
    columns=("insee", "zip", "label", "line"),
    parse=parse_postal_codes,
    rules=(
        Rule("insee", pattern=INSEE_PATTERN),
        Rule("zip", pattern=ZIP_PATTERN),
        Rule("label", pattern=r".*[A-Za-z].*"),
        Rule("line"),
    ),
    default=None,
    floor=30_000,
    drift=Fraction(5, 100),
    max_age_days=400,
    urls=("https://datanova.laposte.fr/data-fair/api/v1/datasets/laposte-hexasmal/raw",),
    encodings=("utf-8-sig", "cp1252"),
    whole=True,
)


# Lieux-dits: national address base (BAN, `lieux-dits-XX-beta.csv.gz`)

_LOCALITY_COLUMNS = ("nom_lieu_dit", "code_insee", "code_postal", "lon", "lat")
LONGEST_LOCALITY = 200


def parse_localities(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """Yield (INSEE code, name) of places with a name.

    Raises:
        ReferenceRefused: a column is missing.
    """
    for number, (name, insee, postcode, lon, lat) in read_records(lines, tally, _LOCALITY_COLUMNS, delimiter=";"):
        name = name.strip()
        if not name:
            tally.skipped += 1
        elif len(name) <= LONGEST_LOCALITY and INSEE.fullmatch(insee) and _is_credible(postcode, lon, lat):
            yield insee, name
        else:
            tally.refuse_line(number)


def _is_credible(postcode: str, lon: str, lat: str) -> bool:
    """Return whether the postal code and the position are missing or valid."""
    if postcode and not ZIP.fullmatch(postcode):
        return False
    try:
        return not (lon or lat) or is_within(float(lon), float(lat))
    except ValueError:
        return False


LOCALITIES = Source(
    name="localities",
    title="Lieux-dits de la Base Adresse Nationale",
    format="BAN lieux-dits-XX-beta.csv.gz: CSV, “;”, UTF-8, a file per department",
    licence="Licence Ouverte 2.0 (Base Adresse Nationale)",
    table="locality",
    columns=("insee", "name"),
    parse=parse_localities,
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


# Street names: national address base (BAN, `adresses-XX.csv.gz`) or the compact table

_BAN_COLUMNS = ("nom_voie", "code_insee", "code_postal", "lon", "lat")
_STREETS_COMPACT = ("name", "addresses")
LONGEST_NAME = 200


def parse_streets(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """Yield (INSEE code or None, street name, number of addresses): a row per run of addresses of a street.

    The columns of BAN are read by name: editions have 22 or 23 of them.

    Raises:
        ReferenceRefused: the header is neither of BAN nor of the compact table.
    """
    header = next(lines, "")
    lines = chain([header], lines)
    if next(csv.reader([header]), []) == list(_STREETS_COMPACT):
        yield from _compact_streets(lines, tally)
    else:
        yield from _ban_streets(lines, tally)


def _ban_streets(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """Yield one row per run of addresses: BAN lists those of a street consecutively, so that less is copied."""
    west, south, *_ = METROPOLIS
    # Of the run: key in the file, row to yield, number of addresses.
    last: tuple[str, str, str] | None = None
    street, addresses = ("", ""), 0
    for number, (name, insee, postcode, lon, lat) in read_records(lines, tally, _BAN_COLUMNS, delimiter=";"):
        here = (name, insee, postcode)
        if here != last:
            stripped = name.strip()
            if not stripped:
                tally.skipped += 1
                continue
            if len(name) > LONGEST_NAME or not INSEE.fullmatch(insee) or (postcode and not ZIP.fullmatch(postcode)):
                tally.refuse_line(number)
                continue
            if addresses:
                yield *street, addresses
            last, street, addresses = here, (insee, stripped), 0
        try:
            x, y = float(lon or west), float(lat or south)
        except ValueError:
            tally.refuse_line(number)
            continue
        if is_within(x, y):
            addresses += 1
        else:
            tally.refuse_line(number)
    if addresses:
        yield *street, addresses


def _compact_streets(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    for number, (name, addresses) in read_records(lines, tally, _STREETS_COMPACT, delimiter=","):
        if name.strip() and len(name) <= LONGEST_NAME and addresses.isdecimal():
            yield None, name.strip(), int(addresses)
        else:
            tally.refuse_line(number)


STREETS = Source(
    name="streets",
    title="Voies de la Base Adresse Nationale",
    format="BAN adresses-XX.csv.gz: CSV, “;”, 22 or 23 columns, UTF-8, a file per department",
    licence="Licence Ouverte 2.0 (Base Adresse Nationale)",
    table="street",
    columns=("insee", "name", "addresses"),
    parse=parse_streets,
    rules=(
        Rule("insee", pattern=INSEE_PATTERN, optional=True),
        Rule("name", pattern=r".{1,200}"),
        Rule("addresses", int, least=1),
    ),
    default=DATA / "streets.csv.gz",
    published_on=date(2024, 1, 1),  # the year of both files is known, not the day
    floor=5_000,
    drift=Fraction(20, 100),
    max_age_days=120,
    urls=("https://adresse.data.gouv.fr/data/ban/adresses/latest/csv/adresses-{department}.csv.gz",),
    files=("adresses-*.csv", "adresses-*.csv.gz"),
    tolerance=Fraction(1, 1000),
    parser=2,
    max_bytes=4 * GIB,
    max_unpacked=16 * GIB,
)
