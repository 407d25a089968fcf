"""Strategy `uniform_shift` (that of i2b2 and MIMIC): all dates of a patient move by one number of days."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

from deid.substitution.context import DocumentContext
from deid.substitution.temporal import births
from deid.substitution.temporal.agenda import Agenda
from deid.substitution.temporal.timeline import Timeline
from deid.substitution.temporal.values import Instant, Unit, clamped, index_of

MECHANISM = "uniform_shift"


def shift(context: DocumentContext) -> timedelta:
    """The patient's number of days: uniform over the policy's range, both signs, never 0."""
    dates = context.policy.dates
    stream = context.stream("uniform shift")
    days = dates.shift_min_days + stream.below(dates.shift_max_days - dates.shift_min_days + 1)
    return timedelta(days=-days if stream.bits(1) else days)


def move(context: DocumentContext, agenda: Agenda, _epsilon: Fraction) -> Timeline:
    """The timeline of a document, moved as a whole: durations are kept exactly.

    No ε bounds what that tells. Intervals between dates are left as they were, and those of one document are
    nearly always unique (Tchouka et al. 2022, section 4.6: 98 %): who knows one date of a patient knows all. It is
    here to be compared with.

    A month or a year takes the unit where its middle day ends up; where that is the same one, the next in the
    direction of the shift, so that no surrogate is its original and the order is kept. The birth date of who is past
    the top-coded age, and what lies between, is brought up to it.
    """
    days = shift(context)
    anchor, birth = agenda.anchor, agenda.birth
    moved_anchor = anchor + days
    moved_birth = None if birth is None else max(birth + days, births.eldest(context, moved_anchor))
    instants = {}
    for one in agenda.instants.values():
        instants[one] = _moved(one, days, moved_birth if birth is not None and one.first >= birth else None)
    return Timeline(anchor, moved_anchor, birth, moved_birth, None, instants)


def _moved(instant: Instant, days: timedelta, least: date | None) -> Instant:
    unit = instant.unit
    index = index_of(unit, instant.middle + days)
    if index == instant.index and unit is not Unit.DAY:
        index += 1 if days > timedelta() else -1
    if least is not None:
        index = max(index, index_of(unit, least))
    return Instant(unit, clamped(unit, index))
