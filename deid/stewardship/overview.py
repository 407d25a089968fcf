"""Overview of the last ninety days: intervals beside usual values, findings to examine first, reference versions."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from deid.config.policy import Policy, load
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import Cursor, execute
from deid.domain import PARIS
from deid.domain.errors import Reason
from deid.refresh.reference_versions import SourceState, source_states
from deid.release.rules import staging_due
from deid.reports.charts import round_up
from deid.reports.intervals import MEASURES, Habit, IntervalSummary, habits, read, said_by_rules
from deid.reviews.progress import documents_to_settle, list_reviews, list_sampled
from deid.stewardship.quarantine import COUNTED, count_waiting

DAYS = 90
RECENT = 7  # treated intervals compared with usual values on the first page
MOST_INTERVALS = 1000
MOST_NIGHTS = 400
OPT_OUT_HOURS = 36  # each night and each publication applies the opt-outs in force
ADJACENT = timedelta(hours=2)  # clocks change by one hour: a gap up to this is no missing night
WIDTH, HEIGHT = 560, 190  # of a chart
LEFT, RIGHT, TOP, BOTTOM = 60, 12, 14, 30
Level = Literal["bad", "warn", "info"]
# What waits for a person, in the order of the page; the rest follows by level.
AWAITED = (
    *("critical", "refused", "failed", "decision_late", "second_missing", "waiting", "unsettled", "rejected"),
    *("opt_outs_late", "quarantined"),
)
MISSING = frozenset({"night_missing", "nights_missing"})
UNDECIDED = frozenset({"waiting", "approved_once"})  # states in which people are asked
AT_WORK = frozenset({"unfinished", "sent_back"})  # and in which a run is to come to its end


@dataclass(frozen=True, slots=True)
class OverviewFinding:
    """A finding: `what` names its sentence, `facts` fill it (counts, keys, instants), `key` is its interval, if any.

    `broken` names the run-level rules that failed, and `unusual` the measures that are out of the ordinary for the same
    cause, with their values and usual values; both are of intervals that wait, or that a rule stops.
    """

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
    """Intervals of the last `DAYS` days, newest first; findings in order; reference versions in use.

    Findings that a person must settle come first, the others by level.
    """

    judged: Sequence[ComparedInterval]
    findings: Sequence[OverviewFinding]
    references: Sequence[SourceState]
    baseline: int

    @property
    def newest(self) -> IntervalSummary | None:
        """The latest interval processed by a run."""
        return self.judged[0].interval if self.judged else None


def read_overview(
    now: datetime | None = None,
    *,
    failed: Callable[[Collection[str]], Mapping[str, Any]] = lambda _: {},
    last: Any = None,
) -> Overview:
    """Return the overview at `now`.

    `failed` returns, of the triggers of some runs, or of the keys of intervals that were sent back, those that failed,
    which the orchestrator knows and the ledger does not; `last` is the last run that the schedule asked for, if it
    failed (`run_id`, `interval_key` and `interval_end`, which may be None).

    Raises:
        PolicyError: the policy cannot be read.
    """
    policy, now = load(settings().policy), now or datetime.now(UTC)
    with open_cursor("steward", "nocturne pages", readonly=True) as cursor:
        intervals = _read_window(cursor, now)
        references = source_states(cursor, policy.references)
        quarantined = count_waiting(cursor)
        pending = *_unsettled_marks(cursor, intervals), *_opt_outs_to_apply(cursor, now)
        unplanned = _unplanned_run(cursor, intervals, last)
    baseline = policy.quality.baseline_runs
    shown = [one for one in intervals if one.start >= intervals[0].start - timedelta(days=DAYS)]
    judged = [
        ComparedInterval(one, habits(one, intervals[place + 1 : place + 1 + baseline]) if one.treated else {})
        for place, one in enumerate(shown)
    ]
    at_work = [one.interval for one in judged if one.interval.state in AT_WORK]
    dead = failed([one.triggered_by or one.key for one in at_work])
    found = [*pending, *_list_findings(judged, quarantined, references, policy, now, dead)]
    if not any(one.what in MISSING for one in found):  # a missing night names that run
        found += unplanned
    return Overview(judged, sorted(found, key=_place), references, baseline)


def _read_window(cursor: Cursor, now: datetime) -> list[IntervalSummary]:
    """Read the intervals of the window, and 30 days before it for the usual values at its start.

    One that begins in the future, from before such were refused, is left out.
    """
    newest = read(cursor, limit=1, before=now)
    if not newest:
        return []
    return read(cursor, limit=MOST_INTERVALS, before=now, since=newest[0].start - timedelta(days=DAYS + 30))


def _list_findings(
    judged: Sequence[ComparedInterval],
    quarantined: Sequence[tuple[Reason, int]],
    references: Sequence[SourceState],
    policy: Policy,
    now: datetime,
    dead: Mapping[str, Any],
) -> list[OverviewFinding]:
    intervals = [one.interval for one in judged]
    stated = [found for one in judged if (found := _state_finding(one, policy, now, dead)) is not None]
    said = {(one.key, measure) for one in stated for measure, _, _ in one.facts.get("unusual", ())}
    return [
        *stated,
        *_quarantine_finding(quarantined),
        *_missing_nights(intervals, policy.release.ready_by, now),
        *(one for one in _unusual_measures(judged) if (one.key, one.facts["measure"]) not in said),
        *_changed_versions(intervals),
        *(
            OverviewFinding(
                "warn", "reference_old", facts={"source": one.source, "days": one.age_days, "most": one.most_days}
            )
            for one in references
            if one.old
        ),
    ]


def _unsettled_marks(cursor: Cursor, intervals: Sequence[IntervalSummary]) -> list[OverviewFinding]:
    """Report fully read documents of open reviews with a disputed mark, where the interval still waits."""
    undecided = {one.key for one in intervals if one.state in UNDECIDED}
    found = []
    for review in list_reviews(cursor, reader=""):
        if review.interval_key not in undecided or not review.finished:
            continue
        if documents := len(documents_to_settle(review, list_sampled(cursor, review.review_id))):
            facts = {"unsettled": documents, "review": review.review_id}
            found.append(OverviewFinding("warn", "unsettled", review.interval_key, facts))
    return found


def _unplanned_run(cursor: Cursor, intervals: Sequence[IntervalSummary], last: Any) -> list[OverviewFinding]:
    """Report the last scheduled run where it failed before it left a row, unless another has treated its interval."""
    if last is None or execute(cursor, "deid", "run", "planned", {"triggered_by": last.run_id}).fetchone():
        return []
    if last.interval_end is not None and any(one.end >= last.interval_end for one in intervals):
        return []
    return [OverviewFinding("bad", "plan_failed", last.interval_key, {"failed": last})]


def _opt_outs_to_apply(cursor: Cursor, now: datetime) -> list[OverviewFinding]:
    """Report opt-outs that neither a night nor a publication has applied yet."""
    ((opt_outs, oldest),) = execute(cursor, "deid", "opt_out", "to_apply").fetchall()
    if not opt_outs:
        return []
    hours = (now - oldest).total_seconds() / 3600
    late = hours > OPT_OUT_HOURS
    facts = {"opt_outs": opt_outs, "hours": hours}
    return [OverviewFinding("warn" if late else "info", f"opt_outs_{'late' if late else 'pending'}", facts=facts)]


def _place(one: OverviewFinding) -> tuple[int, int]:
    if one.what in AWAITED:
        return 0, AWAITED.index(one.what)
    return 1, ("bad", "warn", "info").index(one.level)


def _quarantine_finding(quarantined: Sequence[tuple[Reason, int]]) -> list[OverviewFinding]:
    """Report documents in quarantine that nobody has decided on; at least so many where a reason has `COUNTED`."""
    if not quarantined:
        return []
    reason, most = quarantined[0]
    facts = {"documents": sum(documents for _, documents in quarantined), "reason": reason, "most": most}
    capped = any(documents >= COUNTED for _, documents in quarantined)
    return [OverviewFinding("warn", "quarantined", facts={**facts, "least": capped})]


def _missing_nights(intervals: Sequence[IntervalSummary], ready_by: str, now: datetime) -> list[OverviewFinding]:
    found = []
    if nights := nights_due(intervals, ready_by, now):
        facts = {"nights": len(nights), "first": nights[0], "hour": ready_by, "last": intervals[0].key}
        found.append(OverviewFinding("bad", f"night{'s' if len(nights) > 1 else ''}_missing", facts=facts))
    if nights := nights_skipped(intervals):
        facts = {"nights": len(nights), "first": nights[0], "last": nights[-1]}
        found.append(OverviewFinding("warn", f"night{'s' if len(nights) > 1 else ''}_skipped", facts=facts))
    return found


def _state_finding(
    compared: ComparedInterval, policy: Policy, now: datetime, dead: Mapping[str, Any]
) -> OverviewFinding | None:
    """Return the finding for the state of an interval, if any."""
    one, hour, cause = compared.interval, policy.release.ready_by, _cause(compared)
    if one.state in AT_WORK and (run := dead.get(one.triggered_by or one.key)):
        return OverviewFinding("bad", "night_failed", one.key, {"failed": run})
    if one.state == "unfinished":
        late = now > staging_due(max(one.end, one.started_at), hour)
        return OverviewFinding("bad" if late else "info", "night_late" if late else "running", one.key, {"hour": hour})
    if one.state == "sent_back":
        return OverviewFinding("info", "sent_back", one.key, {"by": one.decided_by or ""})
    if one.state in ("refused", "rejected", "failed"):
        facts = {"by": one.decided_by or "", **(cause if one.state == "refused" else {})}
        return OverviewFinding("warn" if one.state == "rejected" else "bad", one.state, one.key, facts)
    if one.state not in UNDECIDED:
        return None
    if one.critical:
        return OverviewFinding("bad", "critical", one.key, cause)
    hours = (now - (one.finished_at or one.started_at)).total_seconds() / 3600
    facts = {"hours": hours, "most": policy.release.decision_hours, "documents": one.waiting, **cause}
    if hours > policy.release.decision_hours:
        return OverviewFinding("bad", "decision_late", one.key, facts)
    return OverviewFinding("warn", "second_missing" if one.state == "approved_once" else "waiting", one.key, facts)


def _cause(compared: ComparedInterval) -> dict[str, Any]:
    """Return the rules that an interval failed, and its unusual measures that these already say."""
    one = compared.interval
    unusual = [
        (name, value, usual)
        for name in compared.unusual_measures()
        if said_by_rules(name, value := one.measures[name], usual := compared.habits[name], one.broken)
    ]
    return {"broken": one.broken, "unusual": unusual}


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
    """Return the keys of the nights after the newest interval that are due at `now`, oldest first.

    None is due where no schedule has ever asked for one.
    """
    if not any(one.scheduled for one in intervals):
        return []
    start = max(one.end for one in intervals)
    keys: list[str] = []
    while len(keys) < MOST_NIGHTS and staging_due(_next_day(start), ready_by) < now:
        keys.append(str(start.astimezone(PARIS).date()))
        start = _next_day(start)
    return keys


def nights_skipped(intervals: Sequence[IntervalSummary]) -> list[str]:
    """Return the keys of the nights between intervals that belong to none, oldest first.

    Those before the first night that a schedule asked for are left out.
    """
    keys: list[str] = []
    reached = min((one.start for one in intervals if one.scheduled), default=datetime.max.replace(tzinfo=UTC))
    for one in sorted(intervals, key=lambda one: one.start):
        while one.start - reached > ADJACENT and len(keys) < MOST_NIGHTS:
            keys.append(str(reached.astimezone(PARIS).date()))
            reached = _next_day(reached)
        reached = max(reached, one.end)
    return keys


def _next_day(instant: datetime) -> datetime:
    """Return the same hour of the hospital's clock, one day later."""
    local = instant.astimezone(PARIS)
    return datetime.combine(local.date() + timedelta(days=1), local.time(), PARIS)


# Charts of the trends: geometry only; the template draws them.


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One interval: from where to where it reaches in the chart, its value, and True if the value is usual."""

    key: str
    x: float
    end: float
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
    """A chart of one measure, oldest interval first; `band` is an SVG path: a rectangle per interval with a habit."""

    measure: str
    points: tuple[ChartPoint, ...]
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
    shown = [one for one in reversed(judged) if measure in one.interval.measures]
    if len(shown) < 2:
        return None
    first, last = shown[0].interval.start, max(one.interval.end for one in shown)
    whole = (last - first).total_seconds()
    highest = max([one.interval.measures[measure] for one in shown] + [_usual_high(one, measure) for one in shown])
    tick = round_up((highest or 1.0) / 4)
    top = tick * math.ceil((highest or 1.0) / tick)

    def across(instant: datetime) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (instant - first).total_seconds() / whole

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(value, top) / top

    points = []
    band = ""
    for one in shown:
        begin, end, value = across(one.interval.start), across(one.interval.end), one.interval.measures[measure]
        points.append(ChartPoint(one.interval.key, begin, end, up(value), value, one.is_usual(measure)))
        if (usual := one.habits.get(measure)) is not None:
            band += f"M{begin:.1f},{up(usual.high):.1f}H{end:.1f}V{up(usual.low):.1f}H{begin:.1f}Z"
    return Trend(
        measure,
        tuple(points),
        band,
        tuple(Tick(up(tick * level), tick * level) for level in range(round(top / tick) + 1)),
        tuple(_day_ticks(first.astimezone(PARIS).date(), last.astimezone(PARIS).date())),
    )


def _usual_high(one: ComparedInterval, measure: str) -> float:
    return one.habits[measure].high if measure in one.habits else 0.0


def _day_ticks(first: date, last: date) -> list[Tick]:
    """Return about five ticks for the day axis."""
    whole = (last - first).days
    step = max(1, round(whole / 4))
    return [
        Tick(LEFT + (WIDTH - LEFT - RIGHT) * gone / max(1, whole), day=first + timedelta(days=gone))
        for gone in range(0, whole + 1, step)
        if whole - gone >= step / 2 or gone == whole
    ]
