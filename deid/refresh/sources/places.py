"""Names and codes of places: former communes, postal codes, lieux-dits and streets."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from deid.refresh.sources.source import INSEE, ZIP, LineCounts, Row, is_within, read_records

# Former names: list of changes (COG) of INSEE, or the compact table.

_FORMER_COMPACT = ("insee", "name")
_CHANGES = ("MOD", "DATE_EFF", "TYPECOM_AV", "COM_AV", "LIBELLE_AV", "TYPECOM_AP", "COM_AP", "LIBELLE_AP")
_BORN = ("20", "21")  # kinds of change: creation, re-establishment


def parse_former_communes(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
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


def _compact_former_communes(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    for number, (insee, name) in read_records(lines, tally, _FORMER_COMPACT, delimiter=","):
        if name.strip() and (not insee or INSEE.fullmatch(insee)):
            yield name.strip(), insee or None
        else:
            tally.refuse_line(number)


def _former_names(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
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


# Postal codes of communes: “base officielle des codes postaux” (hexasmal) of La Poste

# Headers: “#Code_commune_INSEE;…;Libellé_d_acheminement;…” of the portal, “code_commune_insee,…” of its API.
_POSTAL_COLUMNS = ("code_commune_insee", "code_postal", "libelle_d_acheminement", "ligne_5")


def parse_postal_codes(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
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


# Lieux-dits: national address base (BAN, `lieux-dits-XX-beta.csv.gz`)

_LOCALITY_COLUMNS = ("id", "nom_lieu_dit", "code_insee", "code_postal", "lon", "lat")
LONGEST_LOCALITY = 200


def parse_localities(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield (INSEE code, name, identifier, longitude, latitude) of places with a name; no position is None.

    Raises:
        ReferenceRefused: a column is missing.
    """
    for number, (key, name, insee, postcode, *at) in read_records(lines, tally, _LOCALITY_COLUMNS, delimiter=";"):
        name = name.strip()
        if not name:
            tally.skipped += 1
            continue
        position = _position(*at)
        known = len(name) <= LONGEST_LOCALITY and INSEE.fullmatch(insee) and (not postcode or ZIP.fullmatch(postcode))
        if known and position is not None:
            yield insee, name, key, *(position or (None, None))
        else:
            tally.refuse_line(number)


def _position(lon: str, lat: str) -> tuple[float, float] | tuple[()] | None:
    """Return a position in France in degrees; () if it is missing, None if it is none."""
    if not (lon or lat):
        return ()
    try:
        x, y = float(lon), float(lat)
    except ValueError:
        return None
    return (x, y) if is_within(x, y) else None


# Street names: national address base (BAN, `adresses-XX.csv.gz`) or the compact table

_BAN_COLUMNS = ("id", "nom_voie", "code_insee", "code_postal", "lon", "lat")
_STREETS_COMPACT = ("name", "addresses")
LONGEST_NAME = 200


def parse_streets(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield a row per run of addresses of a street.

    A row is (INSEE code or None, name, number of addresses, identifier of the first, mean longitude, mean latitude);
    the last three are None in the compact table, and the means where no address has a position. The columns of BAN are
    read by name: editions have 22 or 23 of them.

    Raises:
        ReferenceRefused: the header is neither of BAN nor of the compact table.
    """
    header = next(lines, "")
    lines = chain([header], lines)
    if next(csv.reader([header]), []) == list(_STREETS_COMPACT):
        yield from _compact_streets(lines, tally)
    else:
        yield from _ban_streets(lines, tally)


@dataclass
class _Run:
    """Consecutive addresses of one street."""

    insee: str
    name: str
    key: str
    addresses: int = 0
    placed: int = 0
    lon: float = 0.0
    lat: float = 0.0
    keys: set[str] = field(default_factory=set)

    def add(self, key: str, position: tuple[float, float] | tuple[()]) -> None:
        self.keys.add(key)
        self.addresses += 1
        if position:
            self.placed += 1
            self.lon += position[0]
            self.lat += position[1]

    def row(self) -> Row:
        mean = (round(self.lon / self.placed, 5), round(self.lat / self.placed, 5)) if self.placed else (None, None)
        return self.insee, self.name, self.addresses, self.key, *mean


def _ban_streets(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield one row per run of addresses: BAN lists those of a street consecutively, so that less is copied."""
    last: tuple[str, str, str] | None = None
    run: _Run | None = None
    for number, (key, name, insee, postcode, lon, lat) in read_records(lines, tally, _BAN_COLUMNS, delimiter=";"):
        here = (name, insee, postcode)
        if run is None or here != last:
            stripped = name.strip()
            if not stripped:
                tally.skipped += 1
                continue
            if len(name) > LONGEST_NAME or not INSEE.fullmatch(insee) or (postcode and not ZIP.fullmatch(postcode)):
                tally.refuse_line(number)
                continue
            if run is not None and run.addresses:
                yield run.row()
            last, run = here, _Run(insee, stripped, key)
        position = _position(lon, lat)
        if position is None or key in run.keys:
            tally.refuse_line(number)
        else:
            run.add(key, position)
    if run is not None and run.addresses:
        yield run.row()


def _compact_streets(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    for number, (name, addresses) in read_records(lines, tally, _STREETS_COMPACT, delimiter=","):
        if name.strip() and len(name) <= LONGEST_NAME and addresses.isdecimal():
            yield None, name.strip(), int(addresses), None, None, None
        else:
            tally.refuse_line(number)
