"""The commune table out of the reference releases in use."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

from psycopg2.extensions import cursor as Cursor

from deid.errors import ReferenceRefused
from deid.reference import packaged
from deid.reference.communes import Commune, CommuneTable, Establishment
from deid.reference.load import in_use
from deid.warehouse.connection import connect
from deid.warehouse.queries import query

NEEDED = ("communes", "streets", "establishments")
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
    """The table of the releases in use; read again only when one of them has changed.

    Raises:
        ReferenceRefused: a source that the table needs was never loaded.
        WarehouseError: the database does not answer, or lacks the tables.
    """
    with connect(dsn) as link, link.cursor() as cursor:
        releases = in_use(cursor)
    missing = [source for source in NEEDED if source not in releases]
    if missing:
        raise ReferenceRefused(
            f"no release of {', '.join(missing)} was ever loaded.", "Run the DAG refresh_references, or `make demo`."
        )
    return _table(dsn, tuple((releases[source].release_id, releases[source].version) for source in NEEDED))


@lru_cache(maxsize=2)
def _table(dsn: str, releases: tuple[tuple[int, str], ...]) -> CommuneTable:
    communes, streets, establishments = ({"release_id": number} for number, _ in releases)
    former, areas, shipped = packaged.names()
    with connect(dsn) as link, link.cursor() as cursor:
        cursor.execute(query("ref", "street", "read"), {**streets, "most": MOST_STREETS})
        names = [name for (name,) in cursor]
        cursor.execute(query("ref", "establishment", "read"), establishments)
        known = [Establishment(*row) for row in cursor]
        rows, partition = _communes(cursor, communes)
    return CommuneTable(
        rows,
        version="+".join([*(version for _, version in releases), shipped]),
        former=former,
        streets=names,
        establishments=known,
        areas=areas,
        partition=partition,
    )


def _communes(cursor: Cursor, release: dict[str, int]) -> tuple[list[Commune], dict[str, list[str]]]:
    """Communes, and the partition that was public when the release was loaded."""
    cursor.execute(query("ref", "commune", "read"), release)
    communes: list[Commune] = []
    partition: dict[str, list[str]] = defaultdict(list)
    for insee, name, department, region, zips, lon, lat, population, features, territory in cursor:
        communes.append(Commune(insee, name, department, region, tuple(zips), lon, lat, population, features))
        partition[territory].append(insee)
    return communes, dict(partition)
