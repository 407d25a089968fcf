"""The tables of the reference releases in use, built once and kept in a folder."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from psycopg2.extensions import cursor as Cursor

from deid.reference.mapped_files import SectionFile
from deid.reference.names import NameTables
from deid.reference.packaged import packaged_rows
from deid.reference.tables import Tables, build_tables, find_tables, packaged_tables, tables_stamp, write_tables
from deid.refresh.database import ADDED, NEEDED, check, read
from deid.refresh.load import Release, in_use
from deid.warehouse.connection import connect
from deid.warehouse.queries import query

logger = logging.getLogger(__name__)

_NAMES = {"surnames": "surname", "first_names": "first_name"}
SOURCES = frozenset({*NEEDED, *ADDED, *_NAMES})


def tables(dsn: str, folder: Path) -> Tables:
    """The tables of the releases in use, out of `folder`; built into it at first use and where they were damaged.

    Before any load they are those that ship. First names and surnames that ship are drawn from until a release of them
    is in use. `dsn` is of a role that reads schema `ref`. A folder that cannot be written costs time, not names: the
    tables are then built for this process alone.

    Raises:
        ReferenceRefused: some references were loaded, but not all that are needed.
        WarehouseError: the database does not answer, or lacks the tables.
    """
    with connect(dsn) as link, link.cursor() as cursor:
        releases = in_use(cursor)
    if not releases:
        return packaged_tables()
    check(releases)
    known = ((source, releases[source].release_id, releases[source].version) for source in SOURCES & releases.keys())
    return _tables(dsn, folder, tuple(sorted(known)))


@lru_cache(maxsize=2)
def _tables(dsn: str, folder: Path, known: tuple[tuple[str, int, str], ...]) -> Tables:
    wanted = tables_stamp({source: version for source, _, version in known})
    found = find_tables(folder, wanted)
    if found is not None:
        return found
    with connect(dsn, application="nocturne tables") as link, link.cursor() as cursor:
        releases = {source: release for source, release in in_use(cursor).items() if source in SOURCES}
        names = NameTables.from_rows(*(_names(cursor, releases, source) for source in _NAMES))
        content = build_tables(read(cursor, releases), names)
        # A refresh may have come between: what was built is kept under the name of what it is made of.
        made_of = tables_stamp({source: release.version for source, release in releases.items()})
    try:
        return write_tables(folder, made_of, content)
    except OSError as error:
        logger.warning("tables: folder %s cannot be written (%s)", folder, error.strerror)
        return Tables(SectionFile.of(content))


def _names(cursor: Cursor, releases: dict[str, Release], source: str) -> Iterator[dict[str, str]]:
    if source not in releases:
        yield from packaged_rows(source)
        return
    cursor.execute(query("ref", _NAMES[source], "read"), {"release_id": releases[source].release_id})
    columns = [column.name for column in cursor.description or ()]
    for row in cursor.fetchall():
        yield dict(zip(columns, row, strict=True))
