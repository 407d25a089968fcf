"""Which nights nobody has worked on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from deid.release.lateness import staging_due
from deid.reports.intervals import Interval
from deid.warehouse.planning import PARIS

MOST_NIGHTS = 400
ADJACENT = timedelta(hours=2)  # clocks change by one hour; two intervals closer than this leave no night out


def missing(intervals: Sequence[Interval], ready_by: str, now: datetime) -> list[str]:
    """Keys of the nights after the newest interval that should be ready by `now`; `intervals` are newest first."""
    if not intervals:
        return []
    start = max(one.end for one in intervals)
    keys: list[str] = []
    while len(keys) < MOST_NIGHTS and staging_due(_days_later(start, 1), ready_by) < now:
        keys.append(str(start.astimezone(PARIS).date()))
        start = _days_later(start, 1)
    return keys


def skipped(intervals: Sequence[Interval]) -> list[str]:
    """Keys of the nights that lie between intervals and belong to none, oldest first."""
    keys: list[str] = []
    ordered = sorted(intervals, key=lambda one: one.start)
    reached = ordered[0].end if ordered else None
    for one in ordered:
        assert reached is not None  # noqa: S101 - there is a first
        while one.start - reached > ADJACENT and len(keys) < MOST_NIGHTS:
            keys.append(str(reached.astimezone(PARIS).date()))
            reached = _days_later(reached, 1)
        reached = max(reached, one.end)
    return keys


def _days_later(instant: datetime, days: int) -> datetime:
    """The same hour of the hospital's clock, `days` days later."""
    local = instant.astimezone(PARIS)
    return datetime.combine(local.date() + timedelta(days=days), local.time(), PARIS)
