"""Named statements of `sql/<schema>/<table>.sql`, each under a line `-- name: <step>`; COPY of rows; costs of steps."""

from __future__ import annotations

import io
import json
import re
import resource
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from psycopg2 import sql
from psycopg2.extensions import cursor as Cursor

__all__ = [
    "SQL", "WHOLE_RUN", "Cursor", "by_column", "copy_line", "copy_rows", "execute", "one", "query", "record_step_cost",
]  # fmt: skip

PACKAGE = Path(__file__).resolve().parents[1]
SQL = next(path for path in (PACKAGE / "sql", PACKAGE.parent / "sql") if path.is_dir())  # a wheel's, or a checkout's
WHOLE_RUN = 0  # batch_id, in deid.timing, of a step that is not of one batch
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
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


def execute(cursor: Cursor, schema: str, table: str, step: str, parameters: Any = None) -> Cursor:
    """Run the statement `step` on `schema.table` (see `query`), and return the cursor, whose rows are to be read."""
    cursor.execute(query(schema, table, step), parameters)
    return cursor


def one(cursor: Cursor) -> tuple[Any, ...]:
    """Return the row of a statement that always gives one."""
    row = cursor.fetchone()
    if row is None:
        raise LookupError("a statement that gives one row gave none")
    return row


def by_column(cursor: Cursor) -> list[dict[str, Any]]:
    """Return the rows of a statement by the names of its columns."""
    return [dict(zip((one.name for one in cursor.description or ()), row, strict=True)) for row in cursor.fetchall()]


def record_step_cost(
    cursor: Cursor, run_id: int, batch_id: int, step: str, started: float, documents: int, characters: int = 0
) -> None:
    """Write the cost of a step begun at `started` (`time.monotonic()`) in deid.timing, over an earlier execution's."""
    row = {
        "run_id": run_id,
        "batch_id": batch_id,
        "step": step,
        "seconds": time.monotonic() - started,
        "documents": documents,
        "characters": characters,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    execute(cursor, "deid", "timing", "upsert", row)


def copy_rows(cursor: Cursor, schema: str, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Put `rows` in `incoming_<table>`, a temporary table with `columns` of `schema.table`; return its name.

    The table lives until the transaction ends; a second call in the same transaction adds to it. Lists and dictionaries
    are written as JSON, else as `str` gives them. Text must hold no NUL and no lone surrogate: `deid.formats.storable`.
    """
    name = f"incoming_{table}"
    listed = sql.SQL(", ").join(map(sql.Identifier, columns))
    cursor.execute(
        sql.SQL("CREATE TEMPORARY TABLE IF NOT EXISTS {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA").format(
            sql.Identifier(name), listed, sql.Identifier(schema, table)
        )
    )
    lines = io.StringIO()
    lines.writelines(map(copy_line, rows))
    lines.seek(0)
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(name), listed)
    cursor.copy_expert(statement.as_string(cursor), lines)
    # Autovacuum skips temporary tables: without statistics the planner expects a handful of rows.
    cursor.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(name)))
    return name


def copy_line(row: Iterable[Any]) -> str:
    """Return a row as a line of COPY's text format."""
    return "\t".join(map(_cell, row)) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, bytes | memoryview):
        return f"\\\\x{value.hex()}"
    if isinstance(value, list | dict | tuple):
        return json.dumps(value, ensure_ascii=False).translate(_ESCAPES)
    return str(value).translate(_ESCAPES)
