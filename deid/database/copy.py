"""COPY of rows from Python into a temporary table, for one set-based statement to read."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from psycopg2 import sql
from psycopg2.extensions import cursor as Cursor

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def copy_rows(cursor: Cursor, schema: str, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Put `rows` in `incoming_<table>`, a temporary table with `columns` of `schema.table`; return its name.

    The table lives until the transaction ends; a second call in the same transaction adds to it. Lists and
    dictionaries are written as JSON. Text must hold no NUL and no lone surrogate: see `deid.formats.storable`.
    """
    name = f"incoming_{table}"
    listed = sql.SQL(", ").join(map(sql.Identifier, columns))
    cursor.execute(
        sql.SQL("CREATE TEMPORARY TABLE IF NOT EXISTS {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA").format(
            sql.Identifier(name), listed, sql.Identifier(schema, table)
        )
    )
    lines = io.StringIO()
    lines.writelines("\t".join(map(_cell, row)) + "\n" for row in rows)
    lines.seek(0)
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(name), listed)
    cursor.copy_expert(statement.as_string(cursor), lines)
    # Autovacuum skips temporary tables: without statistics the planner expects a handful of rows.
    cursor.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(name)))
    return name


def _cell(value: Any) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return f"\\\\x{value.hex()}"
    if isinstance(value, list | dict | tuple):
        return json.dumps(value, ensure_ascii=False).translate(_ESCAPES)
    return str(value).translate(_ESCAPES)
