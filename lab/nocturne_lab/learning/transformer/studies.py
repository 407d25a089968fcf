"""Connections for studies of the tuning: one schema of their own, in which no text and no identity lies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deid.database.connection import Connection, connect, open_link, translated
from deid.domain.errors import WarehouseError

SCHEMA = "tuning"


def open_study(dsn: str) -> Connection:
    """Return a connection that sees the tables of `SCHEMA` only; the caller closes it.

    Raises:
        WarehouseUnreachable, WarehouseError: as in `connection.connect`.
    """
    link = open_link(dsn, "nocturne tuning")
    with translated(dsn), link, link.cursor() as cursor:
        cursor.execute("SELECT set_config('search_path', %s, false)", (SCHEMA,))
    return link


@contextmanager
def making_tables(dsn: str) -> Iterator[None]:
    """Make the schema if it is absent; inside, no other worker makes tables.

    The lock is that of an empty table, since advisory locks are closed to every role (`sql/provision`).

    Raises:
        WarehouseUnreachable, WarehouseError: as in `connection.connect`; the role may not create a schema.
    """
    try:
        _make_schema(dsn)
    except WarehouseError:
        _make_schema(dsn)  # another worker made it at that moment
    with connect(dsn, application="nocturne tuning") as link, link.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {SCHEMA}.making IN ACCESS EXCLUSIVE MODE")
        yield


def _make_schema(dsn: str) -> None:
    with connect(dsn, application="nocturne tuning") as link, link.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.making",))
        if cursor.fetchone() == (None,):
            cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            cursor.execute(f"CREATE TABLE {SCHEMA}.making ()")
