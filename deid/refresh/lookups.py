"""The lookup that detection reads, built once from the reference releases in use and what ships."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path

from psycopg2.extensions import connection as Connection

from deid.detection.lookup import (
    PACKAGED_LOOKUPS,
    Kind,
    LookupTable,
    Row,
    build_lookup,
    find_lookup,
    folded_spellings,
    lookup_stamp,
    packaged_spellings,
    write_lookup,
)
from deid.refresh.load import in_use
from deid.warehouse.connection import connect
from deid.warehouse.queries import query

logger = logging.getLogger(__name__)

SOURCES = frozenset(
    {
        *("communes", "former_communes", "postal_codes", "localities"),
        *("streets", "establishments", "professionals", "first_names", "surnames"),
    }
)
_FETCH = 20_000


def lookup(dsn: str, folder: Path) -> LookupTable:
    """The lookup of the releases in use, out of `folder`; built into it at first use and where it was damaged.

    What ships stays known beside a release: a hospital that loads the streets of its department still recognises
    those of Paris, and communes that were merged since. Before any load it is the file that ships.

    `dsn` is of a role that reads schema `ref`. A folder that cannot be written costs time, not names: the lookup is
    then built for this process alone.

    Raises:
        WarehouseError: the database does not answer, or lacks the tables.
    """
    with connect(dsn) as link, link.cursor() as cursor:
        releases = in_use(cursor)
    known = tuple(
        (source, releases[source].release_id, releases[source].version) for source in SOURCES & releases.keys()
    )
    return _lookup(dsn, folder, tuple(sorted(known)))


@lru_cache(maxsize=2)
def _lookup(dsn: str, folder: Path, releases: tuple[tuple[str, int, str], ...]) -> LookupTable:
    wanted = lookup_stamp({source: version for source, _, version in releases})
    known = find_lookup(folder, wanted) or (None if releases else find_lookup(PACKAGED_LOOKUPS, wanted))
    if known is not None:
        return known
    with connect(dsn, application="nocturne lookup") as link:
        names = chain(
            packaged_spellings(), folded_spellings(_rows(link, {source: number for source, number, _ in releases}))
        )
        try:
            return write_lookup(folder, wanted, names)
        except OSError as error:
            logger.warning("lookup: folder %s cannot be written (%s)", folder, error.strerror)
        names = chain(
            packaged_spellings(), folded_spellings(_rows(link, {source: number for source, number, _ in releases}))
        )
        return LookupTable.of(build_lookup(names))


def _rows(link: Connection, releases: Mapping[str, int]) -> Iterator[Row]:
    """Names of the releases, a piece at a time: a country of streets never stands in memory twice."""
    with link.cursor(name="lookup") as cursor:
        cursor.itersize = _FETCH
        cursor.execute(query("ref", "lookup", "names"), {source: releases.get(source) for source in SOURCES})
        for kind, name, weight in cursor:
            yield Kind(kind), name, weight
