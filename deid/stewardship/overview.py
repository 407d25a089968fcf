"""Where each night stands, how the last ninety days went, and what a steward should look at first, with why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from deid.config.policy import Policy, load
from deid.config.settings import settings
from deid.refresh.ages import SourceState, states
from deid.release.lateness import staging_due
from deid.reports.habit import Habit
from deid.reports.intervals import MEASURES, Interval, habits, read
from deid.stewardship.lateness import missing, skipped
from deid.warehouse.connection import connect
from deid.warehouse.queries import Cursor

DAYS = 90
RECENT = 7  # treated intervals whose numbers are held against what is usual on the first page
MOST_INTERVALS = 1000
Level = Literal["bad", "warn", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at: `what` names the sentence, `facts` fill it (counts, keys, instants), `key` an interval."""

    level: Level
    what: str
    key: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judged:
    """An interval beside what was usual before it."""

    interval: Interval
    habits: Mapping[str, Habit]

    def unusual(self) -> list[str]:
        """Measures that are out of the ordinary."""
        values = self.interval.measures
        return [name for name in MEASURES if name in values and name in self.habits and not self.holds(name)]

    def holds(self, name: str) -> bool:
        """Whether a measure is usual, or nothing can be said of it."""
        return name not in self.habits or self.habits[name].holds(self.interval.measures[name])


@dataclass(frozen=True, slots=True)
class Overview:
    """Intervals of the `DAYS` days up to the newest one, newest first; what stands out; reference data in use."""

    judged: Sequence[Judged]
    findings: Sequence[Finding]
    references: Sequence[SourceState]
    baseline: int

    @property
    def newest(self) -> Interval | None:
        """The last interval that a run has worked on."""
        return self.judged[0].interval if self.judged else None


def look(now: datetime | None = None) -> Overview:
    """The state of things at `now`.

    Raises:
        WarehouseUnreachable, WarehouseError: it could not be read.
        PolicyError: the policy cannot be read.
    """
    policy = load(settings().policy)
    with connect(settings().dsn("steward"), application="nocturne pages") as link, link.cursor() as cursor:
        link.set_session(readonly=True)
        intervals = _window(cursor)
        references = states(cursor, policy.references)
    baseline = policy.quality.baseline_runs
    shown = [one for one in intervals if one.start >= intervals[0].start - timedelta(days=DAYS)]
    judged = [
        Judged(one, habits(one, intervals[place + 1 : place + 1 + baseline]) if one.treated else {})
        for place, one in enumerate(shown)
    ]
    findings = _findings(judged, references, policy, now or datetime.now(UTC))
    return Overview(judged, findings, references, baseline)


def _window(cursor: Cursor) -> list[Interval]:
    """The intervals of the window, and enough before it to say what was usual at its start."""
    newest = read(cursor, limit=1)
    return read(cursor, limit=MOST_INTERVALS, since=newest[0].start - timedelta(days=DAYS + 30)) if newest else []


def _findings(
    judged: Sequence[Judged], references: Sequence[SourceState], policy: Policy, now: datetime
) -> list[Finding]:
    intervals = [one.interval for one in judged]
    found = [
        *_nights(intervals, policy.release.ready_by, now),
        *(standing for one in intervals if (standing := _standing(one, policy, now)) is not None),
        *_unusual(judged),
        *_changed(intervals),
        *(
            Finding("warn", "reference_old", facts={"source": one.source, "days": one.age_days, "most": one.most_days})
            for one in references
            if one.old
        ),
    ]
    return sorted(found, key=lambda one: ("bad", "warn", "info").index(one.level))


def _nights(intervals: Sequence[Interval], ready_by: str, now: datetime) -> list[Finding]:
    found = []
    if nights := missing(intervals, ready_by, now):
        facts = {"nights": len(nights), "first": nights[0], "hour": ready_by, "last": intervals[0].key}
        found.append(Finding("bad", "night_missing" if len(nights) == 1 else "nights_missing", facts=facts))
    if nights := skipped(intervals):
        facts = {"nights": len(nights), "first": nights[0], "last": nights[-1]}
        found.append(Finding("warn", "night_skipped" if len(nights) == 1 else "nights_skipped", facts=facts))
    return found


def _standing(one: Interval, policy: Policy, now: datetime) -> Finding | None:
    """What the state of an interval asks for; None if nothing."""
    hour = policy.release.ready_by
    if one.state == "unfinished":
        late = now > staging_due(max(one.end, one.started_at), hour)
        return Finding("bad" if late else "info", "night_late" if late else "running", one.key, {"hour": hour})
    if one.state in ("refused", "rejected"):
        facts = {"critical": one.critical, "by": one.decided_by or "", "quarantined": one.quarantined}
        return Finding("bad" if one.state == "refused" else "warn", one.state, one.key, facts)
    if one.state != "waiting":
        return None
    if one.critical:
        return Finding("bad", "critical", one.key, {"critical": one.critical})
    hours = (now - (one.finished_at or one.started_at)).total_seconds() / 3600
    facts = {"hours": hours, "most": policy.release.decision_hours, "documents": one.waiting, "warnings": one.warnings}
    late = hours > policy.release.decision_hours
    return Finding("bad" if late else "warn", "decision_late" if late else "waiting", one.key, facts)


def _unusual(judged: Sequence[Judged]) -> list[Finding]:
    treated = [one for one in judged if one.interval.treated][:RECENT]
    return [
        Finding(
            "warn",
            "unusual",
            one.interval.key,
            {"measure": name, "value": one.interval.measures[name], "habit": one.habits[name]},
        )
        for one in treated
        for name in one.unusual()
    ]


def _changed(intervals: Sequence[Interval]) -> list[Finding]:
    """Whether the newest interval was treated by another detector or under another policy than the one before."""
    treated = [one for one in intervals if one.treated][:2]
    if len(treated) < 2:
        return []
    now, before = treated
    facts = {"before": before.key}
    return [
        Finding("info", what, now.key, facts)
        for what, name in (("detector_changed", "detector_version"), ("policy_changed", "policy_hash"))
        if getattr(now, name) != getattr(before, name)
    ]
