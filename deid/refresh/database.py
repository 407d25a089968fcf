"""The commune table out of the reference releases in use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from psycopg2.extensions import cursor as Cursor

from deid.domain.errors import ReferenceRefused
from deid.reference.communes import Commune, CommuneTable, Establishment
from deid.reference.packaged import packaged_place_names
from deid.reference.place_names import place_key
from deid.refresh.load import Release, in_use
from deid.warehouse.connection import connect
from deid.warehouse.queries import query

NEEDED = ("communes", "streets", "establishments")
# Read where a release holds them.
ADDED = ("former_communes", "postal_codes")
# The most frequent street names are enough to draw from; a country has half a million.
MOST_STREETS = 50_000


def versions(dsn: str) -> dict[str, str]:
    """Version in use of every source that has one: what a run writes down as `reference_versions`.

    Raises:
        WarehouseError: the database does not answer, or lacks the tables.
    """
    with connect(dsn) as link, link.cursor() as cursor:
        return {source: release.version for source, release in in_use(cursor).items()}


def table(dsn: str) -> CommuneTable:
    """The table of the releases in use, read row by row: `deid.reference.tables` keeps what it gives in a file.

    Raises:
        ReferenceRefused: a source that the table needs was never loaded.
        WarehouseError: the database does not answer, or lacks the tables.
    """
    with connect(dsn) as link, link.cursor() as cursor:
        return read(cursor, in_use(cursor))


def check(releases: Container[str]) -> None:
    """Refuse a state of the releases that no table can be made of.

    Raises:
        ReferenceRefused: a source that the table needs was never loaded.
    """
    missing = [source for source in NEEDED if source not in releases]
    if missing:
        raise ReferenceRefused(
            f"no release of {', '.join(missing)} was ever loaded.", "Run the DAG refresh_references, or `make demo`."
        )


def read(cursor: Cursor, releases: Mapping[str, Release]) -> CommuneTable:
    """The table of these releases; former names that ship where no release holds them.

    Raises:
        ReferenceRefused: a source that the table needs was never loaded.
    """
    check(releases)
    number = {source: {"release_id": release.release_id} for source, release in releases.items()}
    former, areas, shipped = packaged_place_names()
    made_of = [releases[source].version for source in (*NEEDED, *ADDED) if source in releases]
    if "former_communes" in releases:
        cursor.execute(query("ref", "former_commune", "read"), number["former_communes"])
        former = [(name, insee) for name, insee in cursor]
    cursor.execute(query("ref", "street", "read"), {**number["streets"], "most": MOST_STREETS})
    names = [name for (name,) in cursor]
    cursor.execute(query("ref", "establishment", "read"), number["establishments"])
    known = [Establishment(*row) for row in cursor]
    rows, partition = _communes(cursor, number["communes"])
    if "postal_codes" in releases:
        cursor.execute(query("ref", "postal_code", "read"), number["postal_codes"])
        rows, called = served(rows, cursor)
        former = [*former, *called]
    return CommuneTable(
        rows,
        version="+".join([*made_of, shipped]),
        former=former,
        streets=names,
        establishments=known,
        areas=areas,
        partition=partition,
    )


def served(
    communes: Sequence[Commune], codes: Iterable[tuple[str, str, str, str]]
) -> tuple[list[Commune], list[tuple[str, str]]]:
    """Communes with the postal codes that they lacked, and what else they and their quarters are called by La Poste.

    `codes` are (INSEE code, postal code, name on an envelope, fifth line or ""). A code of an arrondissement is its
    commune's; one of no commune of the table says nothing.
    """
    by_code = {commune.insee: commune for commune in communes}
    called: dict[tuple[str, str], None] = {}
    more: dict[str, dict[str, None]] = defaultdict(dict)
    for insee, zip, label, line in codes:
        commune = by_code.get(CommuneTable.code_of_today(insee))
        if commune is None:
            continue
        if zip not in commune.zips:
            more[commune.insee][zip] = None
        for name in (label, line):
            if name and place_key(name) != place_key(commune.name):
                called[name, commune.insee] = None
    with_all = [replace(one, zips=(*one.zips, *more[one.insee])) if one.insee in more else one for one in communes]
    return with_all, list(called)


def _communes(cursor: Cursor, release: dict[str, int]) -> tuple[list[Commune], dict[str, list[str]]]:
    """Communes, and the partition that was public when the release was loaded."""
    cursor.execute(query("ref", "commune", "read"), release)
    communes: list[Commune] = []
    partition: dict[str, list[str]] = defaultdict(list)
    for insee, name, department, region, zips, lon, lat, population, features, territory in cursor:
        communes.append(Commune(insee, name, department, region, tuple(zips), lon, lat, population, features))
        partition[territory].append(insee)
    return communes, dict(partition)
