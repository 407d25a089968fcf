"""The files that detection and substitution read: built once from the reference versions in use, cached in a folder.

Both files are named by the versions of their inputs. A folder that cannot be written costs time only: the file is then
built for this process alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from pathlib import Path

from psycopg2.extensions import connection as Connection
from psycopg2.extensions import cursor as Cursor

from deid.database.connection import connect
from deid.database.queries import by_column, execute
from deid.detection.lookup import (
    PACKAGED_LOOKUPS,
    Kind,
    LookupTable,
    Row,
    build_lookup,
    folded_spellings,
    lookup_stamp,
    packaged_spellings,
)
from deid.domain.errors import ReferenceRefused
from deid.reference.commune import Commune, Establishment
from deid.reference.communes import CommuneTable
from deid.reference.names import NameTables
from deid.reference.packaged import packaged_place_names, packaged_rows
from deid.reference.place_names import place_key
from deid.reference.tables import Tables, build_tables, packaged_tables, tables_stamp
from deid.refresh.reference_versions import ReferenceVersion, versions_in_use

REQUIRED = ("communes", "streets", "establishments")
OPTIONAL = ("former_communes", "postal_codes")
_NAMES = {"surnames": "surname", "first_names": "first_name"}
TABLE_SOURCES = frozenset({*REQUIRED, *OPTIONAL, *_NAMES})
LOOKUP_SOURCES = TABLE_SOURCES | {"localities", "professionals"}
# The most frequent street names are drawn from; the country has half a million.
MOST_STREETS = 50_000
_FETCH_ROWS = 20_000

Inputs = tuple[tuple[str, int, str], ...]  # source, number and name of its version


def open_lookup(dsn: str, folder: Path) -> LookupTable:
    """Return the lookup of the reference versions in use, from `folder`; built if it is absent or damaged.

    Packaged names stay known beside those of a version: a hospital that loads the streets of its department still
    recognises those of Paris, and communes that were merged since. Before any load it is the packaged file.

    `dsn` is of a role that reads schema `ref`.
    """
    with connect(dsn) as link, link.cursor() as cursor:
        versions = versions_in_use(cursor)
    return _lookup(dsn, folder, _inputs(versions, LOOKUP_SOURCES))


@lru_cache(maxsize=2)
def _lookup(dsn: str, folder: Path, inputs: Inputs) -> LookupTable:
    wanted = lookup_stamp({source: version for source, _, version in inputs})
    known = LookupTable.find(folder, wanted) or (None if inputs else LookupTable.find(PACKAGED_LOOKUPS, wanted))
    if known is not None:
        return known
    numbers = {source: number for source, number, _ in inputs}
    with connect(dsn, application="nocturne lookup") as link:
        names = chain(packaged_spellings(), folded_spellings(_lookup_rows(link, numbers)))
        return LookupTable.keep(folder, wanted, build_lookup(names))


def _lookup_rows(link: Connection, numbers: Mapping[str, int]) -> Iterator[Row]:
    """Names of the versions, fetched in pieces to bound memory."""
    with link.cursor(name="lookup") as cursor:
        cursor.itersize = _FETCH_ROWS
        about = {source: numbers.get(source) for source in LOOKUP_SOURCES}
        for kind, name, weight in execute(cursor, "ref", "lookup", "names", about):
            yield Kind(kind), name, weight


def open_tables(dsn: str, folder: Path) -> Tables:
    """Return the tables of the reference versions in use, from `folder`; built if they are absent or damaged.

    Before any load they are the packaged tables. Packaged first names and surnames are used until a version of them is
    in use. `dsn` is of a role that reads schema `ref`.

    Raises:
        ReferenceRefused: a source was loaded, but one of `REQUIRED` was not.
    """
    with connect(dsn) as link, link.cursor() as cursor:
        versions = versions_in_use(cursor)
    if not versions:
        return packaged_tables()
    check_required(versions)
    return _tables(dsn, folder, _inputs(versions, TABLE_SOURCES))


def _inputs(versions: Mapping[str, ReferenceVersion], sources: Container[str]) -> Inputs:
    used = ((source, found.release_id, found.version) for source, found in versions.items() if source in sources)
    return tuple(sorted(used))


@lru_cache(maxsize=2)
def _tables(dsn: str, folder: Path, inputs: Inputs) -> Tables:
    found = Tables.find(folder, tables_stamp({source: version for source, _, version in inputs}))
    if found is not None:
        return found
    with connect(dsn, application="nocturne tables") as link, link.cursor() as cursor:
        # A refresh may have come between: the file is named by the versions that it was built from.
        versions = {source: one for source, one in versions_in_use(cursor).items() if source in TABLE_SOURCES}
        # Names that ship lie in a file already: to count them again takes seconds.
        rows = (_name_rows(cursor, versions, source) for source in _NAMES)
        names = packaged_tables().names if versions.keys().isdisjoint(_NAMES) else NameTables.from_rows(*rows)
        content = build_tables(read_communes(cursor, versions), names)
    return Tables.keep(folder, tables_stamp({source: one.version for source, one in versions.items()}), content)


def _name_rows(cursor: Cursor, versions: Mapping[str, ReferenceVersion], source: str) -> Iterator[dict[str, str]]:
    if source not in versions:
        yield from packaged_rows(source)
        return
    yield from by_column(execute(cursor, "ref", _NAMES[source], "read", {"release_id": versions[source].release_id}))


def check_required(sources: Container[str]) -> None:
    """Refuse sources with a version in use from which no commune table can be built.

    Raises:
        ReferenceRefused: one of `REQUIRED` was never loaded.
    """
    missing = [source for source in REQUIRED if source not in sources]
    if missing:
        raise ReferenceRefused(
            f"no version of {', '.join(missing)} was ever loaded.", "Run the DAG refresh_references, or `make demo`."
        )


def read_communes(cursor: Cursor, versions: Mapping[str, ReferenceVersion]) -> CommuneTable:
    """Return the commune table of these reference versions; former names are packaged ones if no version has them.

    Raises:
        ReferenceRefused: one of `REQUIRED` is not in `versions`.
    """
    check_required(versions)
    number = {source: {"release_id": found.release_id} for source, found in versions.items()}
    former, areas, packaged_version = packaged_place_names()
    inputs = [versions[source].version for source in (*REQUIRED, *OPTIONAL) if source in versions]
    if "former_communes" in versions:
        found = execute(cursor, "ref", "former_commune", "read", number["former_communes"])
        former = [(name, insee) for name, insee in found]
    about = {**number["streets"], "most": MOST_STREETS}
    streets = [name for (name,) in execute(cursor, "ref", "street", "read", about)]
    found = execute(cursor, "ref", "establishment", "read", number["establishments"])
    establishments = [Establishment(*row) for row in found]
    communes: list[Commune] = []
    partition: dict[str, list[str]] = defaultdict(list)  # as published when the version was loaded
    for insee, name, department, region, zips, lon, lat, population, features, territory in execute(
        cursor, "ref", "commune", "read", number["communes"]
    ):
        communes.append(Commune(insee, name, department, region, tuple(zips), lon, lat, population, features))
        partition[territory].append(insee)
    if "postal_codes" in versions:
        found = execute(cursor, "ref", "postal_code", "read", number["postal_codes"])
        communes, postal_names = add_postal_codes(communes, found)
        former = [*former, *postal_names]
    return CommuneTable(
        communes,
        version="+".join([*inputs, packaged_version]),
        former=former,
        streets=streets,
        establishments=establishments,
        areas=areas,
        partition=dict(partition),
    )


def add_postal_codes(
    communes: Sequence[Commune], codes: Iterable[tuple[str, str, str, str]]
) -> tuple[list[Commune], list[tuple[str, str]]]:
    """Return the communes with all their postal codes, and (other postal name, INSEE code) of them and their quarters.

    `codes` are (INSEE code, postal code, name on an envelope, fifth line or ""). The code of an arrondissement counts
    for its commune; unknown INSEE codes are ignored.
    """
    by_code = {commune.insee: commune for commune in communes}
    postal_names: dict[tuple[str, str], None] = {}
    more: dict[str, dict[str, None]] = defaultdict(dict)
    for insee, zip, label, line in codes:
        commune = by_code.get(CommuneTable.code_of_today(insee))
        if commune is None:
            continue
        if zip not in commune.zips:
            more[commune.insee][zip] = None
        for name in (label, line):
            if name and place_key(name) != place_key(commune.name):
                postal_names[name, commune.insee] = None
    with_all = [replace(one, zips=(*one.zips, *more[one.insee])) if one.insee in more else one for one in communes]
    return with_all, list(postal_names)
