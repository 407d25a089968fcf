"""Cost of a step in time and memory, as one row of deid.timing."""

from __future__ import annotations

import resource
import time

from psycopg2.extensions import cursor as Cursor

from deid.warehouse.queries import query

WHOLE_RUN = 0  # batch_id of a step that is not of one batch


def record(
    cursor: Cursor, run_id: int, batch_id: int, step: str, started: float, documents: int, characters: int = 0
) -> None:
    """Write the cost of a step that began at `started` (`time.monotonic()`), over that of an earlier execution."""
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
