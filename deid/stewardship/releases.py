"""The list of intervals, and what a release's page shows beside the figures of its report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from deid.config.settings import settings
from deid.reports.intervals import Interval, read
from deid.warehouse.connection import connect
from deid.warehouse.queries import Cursor, query

PAGE = 31
MOST_IDS = 50  # of one reason; the desk lists them all
STATES = ("waiting", "unfinished", "refused", "rejected", "published", "empty")


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of intervals, newest first; `older` is what to ask next as `before`, None at the end."""

    intervals: Sequence[Interval]
    older: str | None
    months: Sequence[str]


@dataclass(frozen=True, slots=True)
class RunOf:
    """One run of an interval. `triggered_by` is the orchestrator's run id, `requested_by` an account or ""."""

    run_id: int
    triggered_by: str
    requested_by: str
    reason: str
    state: str
    started_at: datetime
    finished_at: datetime | None


def listed(*, month: str | None = None, state: str | None = None, before: str | None = None) -> Listing:
    """A page of intervals that begin in `month` ("2026-10") and stand at `state`; None is any.

    Raises:
        WarehouseUnreachable, WarehouseError: it could not be read.
    """
    with connect(settings().dsn("steward"), application="nocturne pages") as link, link.cursor() as cursor:
        link.set_session(readonly=True)
        asked = {"month": month, "state": state, "before": before, "limit": PAGE + 1}
        cursor.execute(query("deid", "interval_state", "page"), asked)
        keys = [key for (key,) in cursor.fetchall()]
        shown = keys[:PAGE]
        intervals = read(cursor, limit=PAGE, keys=shown) if shown else []
        cursor.execute(query("deid", "interval_state", "months"))
        months = [found for (found,) in cursor.fetchall()]
    return Listing(intervals, shown[-1] if len(keys) > PAGE else None, months)


def runs(cursor: Cursor, interval_key: str) -> list[RunOf]:
    """The runs of an interval, the last first; [] if none ever worked on it."""
    cursor.execute(query("deid", "run", "of_interval"), {"interval_key": interval_key})
    return [RunOf(*row) for row in cursor.fetchall()]


def held(cursor: Cursor, interval_key: str) -> dict[str, list[tuple[int, str]]]:
    """Run and id of quarantined documents by reason, at most `MOST_IDS` of each."""
    cursor.execute(query("deid", "quarantine", "of_interval"), {"interval_key": interval_key, "most": MOST_IDS})
    found: dict[str, list[tuple[int, str]]] = {}
    for reason, run_id, document_id in cursor.fetchall():
        found.setdefault(reason, []).append((run_id, document_id))
    return found


def interval_of(triggered_by: str) -> str | None:
    """Key of the interval that a run of the orchestrator worked on; None if it has planned nothing yet.

    Raises:
        WarehouseUnreachable, WarehouseError: it could not be read.
    """
    with connect(settings().dsn("steward"), application="nocturne pages") as link, link.cursor() as cursor:
        cursor.execute(query("deid", "run", "planned"), {"triggered_by": triggered_by})
        found = cursor.fetchone()
    return None if found is None else str(found[1])
