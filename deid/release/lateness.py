"""When an interval is late: a night that is not staged in the morning, a decision that is long in coming."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from deid.config.policy import Release
from deid.warehouse.planning import PARIS


def staging_due(end: datetime, ready_by: str) -> datetime:
    """The first `ready_by` ("07:00", hospital time) at or after `end`, of an interval, or its run's start."""
    local = end.astimezone(PARIS)
    due = datetime.combine(local.date(), time.fromisoformat(ready_by), PARIS)
    return due if due >= local else datetime.combine(local.date() + timedelta(days=1), due.timetz())


def decision_due(asked_at: datetime, release: Release) -> datetime:
    """When the answer to a question that was asked then is late."""
    return asked_at + timedelta(hours=release.decision_hours)
