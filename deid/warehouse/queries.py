"""SQL files by name: `sql/<schema>/<table>/<step>.sql`."""

from __future__ import annotations

from functools import cache
from typing import Any

from psycopg2.extensions import cursor as Cursor

from deid.warehouse.migrations import SQL

__all__ = ["Cursor", "one", "query"]


@cache
def query(schema: str, table: str, step: str) -> str:
    """The statement of `step` on `schema.table`; its parameters are psycopg2's `%(name)s`.

    Raises:
        FileNotFoundError: there is no such file: a mistake in the code, not in a deployment.
    """
    return (SQL / schema / table / f"{step}.sql").read_text(encoding="utf-8")


def one(cursor: Cursor) -> tuple[Any, ...]:
    """The row of a statement that always gives one."""
    row = cursor.fetchone()
    if row is None:
        raise LookupError("a statement that gives one row gave none")
    return row
