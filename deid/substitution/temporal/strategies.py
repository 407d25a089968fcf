"""Strategies for dates and for ages by their names in the policy; register another one here.

`generalise` is not among them: it says less instead of moving (`generalising`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

from deid.substitution.context import DocumentContext
from deid.substitution.temporal import births, bounded, episodes, metric, stages
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.normalisation import NormalisedTimes
from deid.substitution.temporal.timeline import Timeline
from deid.substitution.temporal.values import Instant, Unit, clamped, index_of

UNIFORM_SHIFT = "uniform_shift"


def uniform_shift(context: DocumentContext) -> timedelta:
    """Return the patient's shift in days: uniform over the policy's range, both signs, never 0."""
    dates = context.policy.dates
    stream = context.stream("uniform shift")
    days = dates.shift_min_days + stream.below(dates.shift_max_days - dates.shift_min_days + 1)
    return timedelta(days=-days if stream.bits(1) else days)


def move_uniformly(context: DocumentContext, normalised: NormalisedTimes, _epsilon: Fraction) -> Timeline:
    """Return the timeline of a document, moved as a whole: durations are kept exactly.

    No ε bounds what that tells. Intervals between dates are left as they were, and those of one document are
    nearly always unique (Tchouka et al. 2022, section 4.6: 98 %): who knows one date of a patient knows all. It is
    here to be compared with.

    A month or a year becomes the unit of its moved middle day or, if that is the same one, the next in the direction of
    the shift, so that no surrogate is its original and the order is kept. A birth date past the top-coded age, and the
    dates of the life up to that limit, are brought up to it.
    """
    days = uniform_shift(context)
    anchor, birth = normalised.anchor, normalised.birth
    moved_anchor = anchor + days
    moved_birth = birth and births.to_told_age(context, birth + days, moved_anchor)
    instants = {}
    for one in normalised.instants.values():
        instants[one] = _moved_uniformly(one, days, moved_birth if birth is not None and one.first >= birth else None)
    return Timeline(anchor, moved_anchor, birth, moved_birth, None, instants)


def _moved_uniformly(instant: Instant, days: timedelta, least: date | None) -> Instant:
    unit = instant.unit
    index = index_of(unit, instant.middle + days)
    if index == instant.index and unit is not Unit.DAY:
        index += 1 if days > timedelta() else -1
    if least is not None:
        index = max(index, index_of(unit, least))
    return Instant(unit, clamped(unit, index))


@dataclass(frozen=True, slots=True)
class DateStrategy:
    """A strategy for all dates of a document, given ε per element."""

    mechanism: str
    move: Callable[[DocumentContext, NormalisedTimes, Fraction], Timeline]


@dataclass(frozen=True, slots=True)
class AgeStrategy:
    """A strategy for ages, given ε, and for the birth date behind them if the strategy of dates moves none."""

    mechanism: str
    move: Callable[[DocumentContext, Age, Fraction], int]
    move_birth: Callable[[DocumentContext, date, date, date, Fraction], date]
    birth_draws: int


DATES: Mapping[str, DateStrategy] = {
    "metric": DateStrategy(metric.MECHANISM, metric.move),
    "bounded_laplace": DateStrategy(bounded.MECHANISM, bounded.move),
    "uniform_shift": DateStrategy(UNIFORM_SHIFT, move_uniformly),
    "episodes": DateStrategy(episodes.MECHANISM, episodes.move),
}
AGES: Mapping[str, AgeStrategy] = {
    "metric": AgeStrategy(metric.MECHANISM, metric.move_age, births.move_birth, 2),
    "bounded_laplace": AgeStrategy(bounded.MECHANISM, bounded.move_age, bounded.move_birth, 1),
    "stages": AgeStrategy(stages.MECHANISM, stages.move_age, stages.move_birth, 1),
}
