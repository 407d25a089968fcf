"""A document's own time, original and moved: its anchor, the patient's birth date, and its instants."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from deid.domain.document import Mention
from deid.privacy.budget import rational, tempered
from deid.privacy.laplace import discrete_laplace
from deid.privacy.stream import KeyedStream
from deid.substitution.context import DocumentContext
from deid.substitution.temporal.values import DAYS_OF, Instant, Unit, clamped, index_of


class Timeline(NamedTuple):
    """A document's dates as a strategy moved them.

    The anchor is the document's date. `birth` is the patient's, `moved_birth` the surrogate that dates and
    identifiers follow, `told_birth` the one behind ages: the same, unless the strategy of dates cannot move an age. All
    three are None if the birth date is unknown. `instants` maps every instant of the document to its surrogate, of the
    same unit. `kept` are mentions whose text stays; `may_return` says whether a date may be written as its original.
    """

    anchor: date
    moved_anchor: date
    birth: date | None = None
    moved_birth: date | None = None
    told_birth: date | None = None
    instants: Mapping[Instant, Instant] = MappingProxyType({})
    kept: frozenset[Mention] = frozenset()
    may_return: bool = False

    def moved_index(self, unit: Unit) -> int:
        """Return the index of the moved anchor on the scale of a unit."""
        return index_of(unit, self.moved_anchor)

    @property
    def keeps_age(self) -> bool:
        """Return whether the days from the birth to the document are those of the original."""
        if self.birth is None or self.told_birth is None:
            return False
        return self.told_birth - self.birth == self.moved_anchor - self.anchor

    def fixed(self) -> dict[Instant, int]:
        """Return the moved indexes of what no projection may move: the anchor, and an earlier birth date."""
        stay = {day_of(self.anchor): self.moved_anchor.toordinal()}
        if self.birth is not None and self.moved_birth is not None and self.birth < self.anchor:
            stay[day_of(self.birth)] = self.moved_birth.toordinal()
        return stay


def day_of(day: date) -> Instant:
    """Return a day as an instant."""
    return Instant(Unit.DAY, day.toordinal())


def shift(context: DocumentContext) -> timedelta:
    """Return the shift of all anchors of the scope: discrete Laplace of the policy's scale in days, never 0.

    Drawn once per scope, so durations between a patient's documents stay; its ε is 1 / scale per day of shift.
    """
    return timedelta(days=not_nought(context.stream("anchor"), anchor_epsilon(context)))


def own_date(context: DocumentContext, anchor: date, epsilon: Fraction) -> date:
    """Return the document's own date, moved by the policy's `document_date`.

    `shift`: by the patient's shift s alone. Intervals between a patient's documents stay as they were, and no ε bounds
    what they tell: who knows a few of the true dates finds the patient (docs/privacy.md).

    `metric`: v' = v + s − DLap(ε), drawn as any other day (`apart`). For a given s the dates of different days are
    independent draws, each at most e^(ε·|v − w|) times likelier for v than for w. For the dates v_1…v_k of a patient's
    documents against w_1…w_k, and for the intervals computed from them, the bound is thus e^(ε·Σ|v_i − w_i|);
    `metric.move` gives the cost of excluding the original. Documents of one day are one draw, and so is that day in
    another document's text: no averaging. This needs every other date of the text to be drawn from v and s alone.
    Counted from the noisy anchor, not the shifted one, two documents that say one date, or the birth date, would show
    n_A − n_B, and give the interval back exactly.
    """
    days = shift(context)
    if context.policy.dates.document_date == "shift":
        return anchor + days
    return date.fromordinal(apart(context, day_of(anchor), str(epsilon), tempered(epsilon), days))


def apart(
    context: DocumentContext,
    instant: Instant,
    said: str,
    rate: Fraction,
    days: timedelta,
    low: int | None = None,
    high: int | None = None,
) -> int:
    """Return the moved index of an instant by itself: v + s − DLap(`rate`) in its own unit, drawn again while it is v.

    It reads the instant and the patient's shift `days` (to the nearest unit), not the document's date: the same
    instant moves alike in all documents of the scope, until it is brought within `low` and `high`, which are public,
    and order is restored. `said` is ε as text, part of the stream's name.
    """
    unit, true = instant
    width = DAYS_OF[unit]
    shifted = true + (2 * days.days + width) // (2 * width)
    stream = context.stream("instant", unit, str(true), said)
    while True:
        index = shifted - discrete_laplace(stream, rate)
        beside = index if low is None or index >= low else low
        beside = beside if high is None or beside <= high else high
        kept = clamped(unit, beside)
        if kept != true:
            return kept
        if kept != beside:
            return kept + (1 if beside < kept else -1)  # at the end of the calendar, where all noise would stay


def anchor_epsilon(context: DocumentContext) -> Fraction:
    """Return ε of the anchor's shift, in nats per day."""
    return 1 / rational(context.policy.dates.anchor_scale_days)


def not_nought(stream: KeyedStream, epsilon: Fraction) -> int:
    """Draw discrete Laplace noise, again while it is 0."""
    while (noise := discrete_laplace(stream, epsilon)) == 0:
        pass
    return noise
