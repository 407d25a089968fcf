"""Named statements: `sql/<schema>/<table>.sql` holds those of a table, each under a line `-- name: <step>`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from psycopg2.extensions import cursor as Cursor

from deid.warehouse.migrations import SQL

__all__ = ["Cursor", "one", "query"]

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


def query(schema: str, table: str, step: str) -> str:
    """Return the statement `step` on `schema.table`; parameters are written `%(name)s` (psycopg2).

    Raises:
        FileNotFoundError, KeyError: no such file or statement, a mistake in the code.
    """
    return _statements(schema, table)[step]


@cache
def _statements(schema: str, table: str) -> Mapping[str, str]:
    _, *parts = _NAME.split((SQL / schema / f"{table}.sql").read_text(encoding="utf-8"))
    return {name: text.strip().removesuffix(";") for name, text in zip(parts[::2], parts[1::2], strict=True)}


def one(cursor: Cursor) -> tuple[Any, ...]:
    """Return the row of a statement that always gives one."""
    row = cursor.fetchone()
    if row is None:
        raise LookupError("a statement that gives one row gave none")
    return row
