"""The numbers that are compared from one interval to the next, read in one go for all of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from deid.database.queries import Cursor, execute
from deid.domain import PARIS

DAY_S = 86_400
SATURDAY = 5

# What is compared, and the least change of it that can stand out (shares: one point in a hundred).
MEASURES: Mapping[str, float] = {
    "documents_per_day": 5.0,
    "quarantined_share": 0.01,
    "mentions_per_document": 0.5,
    "epsilon_per_document": 0.1,
}


# Failed run-level rules that already say that a measure is out of the ordinary, above its usual range or below it.
SAID_BY: Mapping[tuple[str, bool], frozenset[str]] = {
    ("quarantined_share", True): frozenset({"quarantined_share", "quarantined_share_high"}),
    ("mentions_per_document", True): frozenset({"density_drift_high"}),
    ("mentions_per_document", False): frozenset({"density_floor", "density_drift_low"}),
}


@dataclass(frozen=True, slots=True)
class IntervalSummary:
    """One interval: its state (see the view deid.interval_state), counts of documents, ε in nats, versions.

    A document counts once, whatever the number of runs. `treated` documents went through every step, and no other
    interval has corrected them since; `kept` ones are ready or published, and mentions and ε are theirs; `published`
    ones are in the research schema, and `readable` ones those of them that researchers read now, in this version or a
    former one. `critical` and `warnings` count run-level rules that failed, `broken` names them. `scheduled`: the
    schedule asked for one of its runs; `triggered_by` names what asked for the run that has yet to be staged, if any.
    """

    key: str
    start: datetime
    end: datetime
    state: str
    run_ids: Sequence[int]
    started_at: datetime
    scheduled: bool
    triggered_by: str | None
    finished_at: datetime | None
    published_at: datetime | None
    seen: int
    treated: int
    published: int
    readable: int
    waiting: int
    quarantined: int
    corrected: int
    withdrawn: int
    decided_by: str | None
    decided_at: datetime | None
    kept: int
    mentions: int
    epsilon: float
    critical: int
    warnings: int
    broken: Sequence[str]
    policy_hash: str
    pipeline_version: str
    detector_version: str

    @property
    def kind(self) -> str:
        """Kind of interval: "work" or "rest" by the day that a night follows, "period" for several nights."""
        if (self.end - self.start).total_seconds() > 1.5 * DAY_S:
            return "period"
        return "rest" if self.start.astimezone(PARIS).weekday() >= SATURDAY else "work"

    @property
    def measures(self) -> dict[str, float]:
        """Return the `MEASURES` that have a document: treated ones, and kept ones for mentions and ε."""
        if not self.treated:
            return {}
        days = max(1.0, (self.end - self.start).total_seconds() / DAY_S)
        found = {"documents_per_day": self.treated / days, "quarantined_share": self.quarantined / self.treated}
        if self.kept:
            found["mentions_per_document"] = self.mentions / self.kept
            found["epsilon_per_document"] = self.epsilon / self.kept
        return found


def read(
    cursor: Cursor,
    *,
    limit: int,
    before: datetime | None = None,
    since: datetime | None = None,
    keys: Sequence[str] | None = None,
) -> list[IntervalSummary]:
    """Return at most `limit` intervals of `keys` that start before `before`, not before `since`; newest first."""
    asked = {"limit": limit, "before": before, "since": since, "keys": None if keys is None else list(keys)}
    return [IntervalSummary(*row) for row in execute(cursor, "deid", "interval_state", "measures", asked).fetchall()]


def habits(one: IntervalSummary, earlier: Sequence[IntervalSummary]) -> dict[str, Habit]:
    """Return the usual range of each measure of `one`, from `earlier` intervals where there are enough of them.

    Hospitals rest at weekends: the number of documents is compared among intervals of the same kind.
    """
    known = [other for other in earlier if other.treated and other.state != "unfinished"]
    found = {}
    for name, least in MEASURES.items():
        alike = [other for other in known if name != "documents_per_day" or other.kind == one.kind]
        usual = habit([values[name] for other in alike if name in (values := other.measures)], least)
        if usual is not None and name in one.measures:
            found[name] = usual
    return found


def said_by_rules(measure: str, value: float, usual: Habit, broken: Collection[str]) -> bool:
    """Return whether a failed rule has the same cause as an unusual measure, which is then named once."""
    return not SAID_BY.get((measure, value > usual.high), frozenset()).isdisjoint(broken)


# ---- Usual range of a number, from its median over the intervals before
SPREADS = 4.0  # times the median absolute deviation: about 2.7 standard deviations of a normal law
LEAST_SHARE = 0.1  # of the median: less is never out of the ordinary, however steady the nights before were
LEAST_INTERVALS = 5


@dataclass(frozen=True, slots=True)
class Habit:
    """Return the usual range of a number, from `intervals` earlier ones."""

    median: float
    low: float
    high: float
    intervals: int

    def holds(self, value: float) -> bool:
        """True if `value` is within the range."""
        return self.low <= value <= self.high


def habit(values: Sequence[float], least: float = 0.0) -> Habit | None:
    """The range median ± max(4 × median absolute deviation, 10 % of the median, `least`); None under five values.

    Both estimates bear with nearly half of the values being wrong (Hampel 1974, "The influence curve and its role in
    robust estimation"): one bad night does not become the habit. None of the numbers is negative, nor is `low`.
    """
    if len(values) < LEAST_INTERVALS:
        return None
    middle = median(values)
    spread = max(SPREADS * median(abs(value - middle) for value in values), LEAST_SHARE * abs(middle), least)
    return Habit(middle, max(0.0, middle - spread), middle + spread, len(values))
