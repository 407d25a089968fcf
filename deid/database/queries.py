"""Named statements of `sql/<schema>/<table>.sql`, each under a line `-- name: <step>`; costs of steps."""

from __future__ import annotations

import re
import resource
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from psycopg2.extensions import cursor as Cursor

__all__ = ["SQL", "WHOLE_RUN", "Cursor", "one", "query", "record_step_cost"]

PACKAGE = Path(__file__).resolve().parents[1]
SQL = next(path for path in (PACKAGE / "sql", PACKAGE.parent / "sql") if path.is_dir())  # a wheel's, or a checkout's
WHOLE_RUN = 0  # batch_id, in deid.timing, of a step that is not of one batch
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
    cursor.execute(query("deid", "timing", "upsert"), row)
