"""Intervals that are staged, undecided, and about which no question is asked: their release is to be run again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from deid.database.connection import open_cursor
from deid.database.queries import execute
from deid.release.decisions import close_question
from deid.release.status import DecisionState, DecisionStatus, read_status

UNASKED = frozenset({DecisionState.LOST, DecisionState.UNASKED, DecisionState.AUTOMATIC, DecisionState.CHANGED})
STARTS_IN = timedelta(hours=1)  # the release of what is staged has begun by then, where nothing failed
ANSWERED_IN = timedelta(days=7, hours=1)  # `ReleaseApproval` asks for seven days
RETRY_HOURS = 6


def find_unasked(now: datetime | None = None) -> list[str]:
    """Return the keys of intervals whose release is to be run again, oldest first; each at most once in `RETRY_HOURS`.

    These are staged for an hour at least, no person has decided on them, and nobody is asked: the question was lost or
    never put, or its time ran out without the task that put it saying so.

    Raises:
        WarehouseUnreachable, WarehouseError: nothing of the interval in turn was recorded.
    """
    now = now or datetime.now(UTC)
    with open_cursor("publisher", "nocturne release") as cursor:
        keys = [key for (key,) in execute(cursor, "deid", "run", "staged_intervals").fetchall()]
    found = [status for key in keys if (status := read_status(key)) is not None]
    return [status.interval_key for status in found if _is_unasked(status, now) and _record(status)]


def _is_unasked(status: DecisionStatus, now: datetime) -> bool:
    if status.digest is None or status.staged_at is None or now - status.staged_at < STARTS_IN:
        return False
    if status.state in UNASKED:
        return True
    if status.asked_at is None or status.airflow_run is None or now - status.asked_at < ANSWERED_IN:
        return False
    return close_question(status.airflow_run, "expired")


def _record(status: DecisionStatus) -> bool:
    """Record that the question is to be asked again; False if that was done in the last hours."""
    about = {"interval_key": status.interval_key, "staged_digest": status.digest, "hours": RETRY_HOURS}
    with open_cursor("publisher", "nocturne release") as cursor:
        return execute(cursor, "deid", "question", "retry", about).rowcount > 0
