"""Overview of the last ninety days: intervals beside usual values, findings to examine first, reference versions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from deid.config.policy import Policy, load
from deid.config.settings import settings
from deid.refresh.reference_versions import SourceState, source_states
from deid.release.rules import staging_due
from deid.reports.charts import round_up
from deid.reports.intervals import MEASURES, Habit, IntervalSummary, habits, read
from deid.warehouse.connection import open_cursor
from deid.warehouse.planning import PARIS
from deid.warehouse.queries import Cursor

DAYS = 90
RECENT = 7  # treated intervals compared with usual values on the first page
MOST_INTERVALS = 1000
MOST_NIGHTS = 400
ADJACENT = timedelta(hours=2)  # clocks change by one hour: a gap up to this is no missing night
WIDTH, HEIGHT = 560, 190  # of a chart
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 14, 30
Level = Literal["bad", "warn", "info"]


@dataclass(frozen=True, slots=True)
class OverviewFinding:
    """A finding: `what` names its sentence, `facts` fill it (counts, keys, instants), `key` is its interval, if any."""

    level: Level
    what: str
    key: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComparedInterval:
    """An interval with the usual values of its measures."""

    interval: IntervalSummary
    habits: Mapping[str, Habit]

    def unusual_measures(self) -> list[str]:
        """Return the names of unusual measures."""
        values = self.interval.measures
        return [name for name in MEASURES if name in values and name in self.habits and not self.is_usual(name)]

    def is_usual(self, name: str) -> bool:
        """Return whether a measure is usual, or has no usual value."""
        return name not in self.habits or self.habits[name].holds(self.interval.measures[name])


@dataclass(frozen=True, slots=True)
class Overview:
    """Intervals of the last `DAYS` days, newest first; findings, most serious first; reference versions in use."""

    judged: Sequence[ComparedInterval]
    findings: Sequence[OverviewFinding]
    references: Sequence[SourceState]
    baseline: int

    @property
    def newest(self) -> IntervalSummary | None:
        """The latest interval processed by a run."""
        return self.judged[0].interval if self.judged else None


def read_overview(now: datetime | None = None) -> Overview:
    """Return the overview at `now`.

    Raises:
        WarehouseUnreachable, WarehouseError: the ledger could not be read.
        PolicyError: the policy cannot be read.
    """
    policy = load(settings().policy)
    with open_cursor("steward", "nocturne pages", readonly=True) as cursor:
        intervals = _read_window(cursor)
        references = source_states(cursor, policy.references)
    baseline = policy.quality.baseline_runs
    shown = [one for one in intervals if one.start >= intervals[0].start - timedelta(days=DAYS)]
    judged = [
        ComparedInterval(one, habits(one, intervals[place + 1 : place + 1 + baseline]) if one.treated else {})
        for place, one in enumerate(shown)
    ]
    findings = _list_findings(judged, references, policy, now or datetime.now(UTC))
    return Overview(judged, findings, references, baseline)


def _read_window(cursor: Cursor) -> list[IntervalSummary]:
    """Read the intervals of the window, and 30 days before it for the usual values at its start."""
    newest = read(cursor, limit=1)
    return read(cursor, limit=MOST_INTERVALS, since=newest[0].start - timedelta(days=DAYS + 30)) if newest else []


def _list_findings(
    judged: Sequence[ComparedInterval], references: Sequence[SourceState], policy: Policy, now: datetime
) -> list[OverviewFinding]:
    intervals = [one.interval for one in judged]
    found = [
        *_missing_nights(intervals, policy.release.ready_by, now),
        *(finding for one in intervals if (finding := _state_finding(one, policy, now)) is not None),
        *_unusual_measures(judged),
        *_changed_versions(intervals),
        *(
            OverviewFinding(
                "warn", "reference_old", facts={"source": one.source, "days": one.age_days, "most": one.most_days}
            )
            for one in references
            if one.old
        ),
    ]
    return sorted(found, key=lambda one: ("bad", "warn", "info").index(one.level))


def _missing_nights(intervals: Sequence[IntervalSummary], ready_by: str, now: datetime) -> list[OverviewFinding]:
    found = []
    if nights := nights_due(intervals, ready_by, now):
        facts = {"nights": len(nights), "first": nights[0], "hour": ready_by, "last": intervals[0].key}
        found.append(OverviewFinding("bad", f"night{'s' if len(nights) > 1 else ''}_missing", facts=facts))
    if nights := nights_skipped(intervals):
        facts = {"nights": len(nights), "first": nights[0], "last": nights[-1]}
        found.append(OverviewFinding("warn", f"night{'s' if len(nights) > 1 else ''}_skipped", facts=facts))
    return found


def _state_finding(one: IntervalSummary, policy: Policy, now: datetime) -> OverviewFinding | None:
    """Return the finding for the state of an interval, if any."""
    hour = policy.release.ready_by
    if one.state == "unfinished":
        late = now > staging_due(max(one.end, one.started_at), hour)
        return OverviewFinding("bad" if late else "info", "night_late" if late else "running", one.key, {"hour": hour})
    if one.state in ("refused", "rejected"):
        facts = {"critical": one.critical, "by": one.decided_by or "", "quarantined": one.quarantined}
        return OverviewFinding("bad" if one.state == "refused" else "warn", one.state, one.key, facts)
    if one.state != "waiting":
        return None
    if one.critical:
        return OverviewFinding("bad", "critical", one.key, {"critical": one.critical})
    hours = (now - (one.finished_at or one.started_at)).total_seconds() / 3600
    facts = {"hours": hours, "most": policy.release.decision_hours, "documents": one.waiting, "warnings": one.warnings}
    late = hours > policy.release.decision_hours
    return OverviewFinding("bad" if late else "warn", "decision_late" if late else "waiting", one.key, facts)


def _unusual_measures(judged: Sequence[ComparedInterval]) -> list[OverviewFinding]:
    treated = [one for one in judged if one.interval.treated][:RECENT]
    return [
        OverviewFinding(
            "warn",
            "unusual",
            one.interval.key,
            {"measure": name, "value": one.interval.measures[name], "habit": one.habits[name]},
        )
        for one in treated
        for name in one.unusual_measures()
    ]


def _changed_versions(intervals: Sequence[IntervalSummary]) -> list[OverviewFinding]:
    """Report a change of detector or policy between the two newest treated intervals."""
    treated = [one for one in intervals if one.treated][:2]
    if len(treated) < 2:
        return []
    now, before = treated
    facts = {"before": before.key}
    return [
        OverviewFinding("info", what, now.key, facts)
        for what, name in (("detector_changed", "detector_version"), ("policy_changed", "policy_hash"))
        if getattr(now, name) != getattr(before, name)
    ]


def nights_due(intervals: Sequence[IntervalSummary], ready_by: str, now: datetime) -> list[str]:
    """Return the keys of the nights after the newest interval that are due at `now`, oldest first."""
    if not intervals:
        return []
    start = max(one.end for one in intervals)
    keys: list[str] = []
    while len(keys) < MOST_NIGHTS and staging_due(_next_day(start), ready_by) < now:
        keys.append(str(start.astimezone(PARIS).date()))
        start = _next_day(start)
    return keys


def nights_skipped(intervals: Sequence[IntervalSummary]) -> list[str]:
    """Return the keys of the nights between intervals that belong to none, oldest first."""
    keys: list[str] = []
    reached: datetime | None = None
    for one in sorted(intervals, key=lambda one: one.start):
        while reached and one.start - reached > ADJACENT and len(keys) < MOST_NIGHTS:
            keys.append(str(reached.astimezone(PARIS).date()))
            reached = _next_day(reached)
        reached = max(reached or one.end, one.end)
    return keys


def _next_day(instant: datetime) -> datetime:
    """Return the same hour of the hospital's clock, one day later."""
    local = instant.astimezone(PARIS)
    return datetime.combine(local.date() + timedelta(days=1), local.time(), PARIS)


# Charts of the trends: geometry only; the template draws them.


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One interval: position in the chart, value, and True if the value is usual."""

    key: str
    x: float
    y: float
    value: float
    usual: bool


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an axis: position, and its value or day."""

    place: float
    value: float = 0.0
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Trend:
    """A chart of one measure, oldest interval first. `line` and `band` are lists of points in SVG syntax."""

    measure: str
    points: tuple[ChartPoint, ...]
    line: str
    band: str
    beside: tuple[Tick, ...]
    below: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    floor: int = HEIGHT - BOTTOM

    @property
    def unusual(self) -> int:
        """Number of unusual intervals."""
        return sum(not point.usual for point in self.points)


def layout_trend(judged: Sequence[ComparedInterval], measure: str) -> Trend | None:
    """Lay out `measure` over intervals, given newest first; None for fewer than two."""
    shown = [one for one in reversed(judged) if one.interval.treated]
    if len(shown) < 2:
        return None
    first, last = (shown[end].interval.start for end in (0, -1))
    whole = (last - first).total_seconds() or 1.0
    highest = max([one.interval.measures[measure] for one in shown] + [_usual_high(one, measure) for one in shown])
    tick = round_up((highest or 1.0) / 4)
    top = tick * math.ceil((highest or 1.0) / tick)

    def across(one: ComparedInterval) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (one.interval.start - first).total_seconds() / whole

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(value, top) / top

    points = tuple(
        ChartPoint(one.interval.key, across(one), up(value), value, one.is_usual(measure))
        for one in shown
        for value in (one.interval.measures[measure],)
    )
    held = [one for one in shown if measure in one.habits]
    above = [(across(one), up(one.habits[measure].high)) for one in held]
    under = [(across(one), up(one.habits[measure].low)) for one in reversed(held)]
    return Trend(
        measure,
        points,
        _svg_points([(point.x, point.y) for point in points]),
        _svg_points(above + under) if len(held) > 1 else "",
        tuple(Tick(up(tick * level), tick * level) for level in range(round(top / tick) + 1)),
        tuple(_day_ticks(first.astimezone(PARIS).date(), last.astimezone(PARIS).date())),
    )


def _usual_high(one: ComparedInterval, measure: str) -> float:
    return one.habits[measure].high if measure in one.habits else 0.0


def _svg_points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _day_ticks(first: date, last: date) -> list[Tick]:
    """Return about five ticks for the day axis."""
    whole = (last - first).days
    step = max(1, round(whole / 4))
    return [
        Tick(LEFT + (WIDTH - LEFT - RIGHT) * gone / max(1, whole), day=first + timedelta(days=gone))
        for gone in range(0, whole + 1, step)
        if whole - gone >= step / 2 or gone == whole
    ]
