"""A document's own time, original and moved: its anchor, the patient's birth date, and what it dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction

from deid.privacy import discrete_laplace
from deid.substitution.budget import rational
from deid.substitution.dossier import Dossier
from deid.substitution.temporal.values import Instant, Unit, index_of


@dataclass(frozen=True, slots=True)
class Timeline:
    """What a strategy made of a document's dates.

    The anchor is the document's date. `birth` is the patient's, `moved_birth` the surrogate that dates and
    identifiers follow, `told_birth` the one that ages are told from: the same, but where the strategy of dates cannot
    move an age. All three are None where nobody knows the birth date. `instants` maps every instant of the
    document to its surrogate, of the same unit.
    """

    anchor: date
    moved_anchor: date
    birth: date | None = None
    moved_birth: date | None = None
    told_birth: date | None = None
    instants: Mapping[Instant, Instant] = field(default_factory=dict)

    def index(self, unit: Unit) -> int:
        """The anchor on the scale of a unit."""
        return index_of(unit, self.anchor)

    def moved_index(self, unit: Unit) -> int:
        """The moved anchor on the scale of a unit."""
        return index_of(unit, self.moved_anchor)

    def fixed(self) -> dict[Instant, int]:
        """What no projection may move: the anchor, and the birth date when it is before."""
        fixed = {day_of(self.anchor): self.moved_anchor.toordinal()}
        if self.birth is not None and self.moved_birth is not None and self.birth < self.anchor:
            fixed[day_of(self.birth)] = self.moved_birth.toordinal()
        return fixed


def day_of(day: date) -> Instant:
    """A day as an instant."""
    return Instant(Unit.DAY, day.toordinal())


def shift(dossier: Dossier) -> timedelta:
    """Days that all anchors of the scope move by: discrete Laplace of the policy's scale, never 0.

    Drawn once per scope, so durations between a patient's documents stay; its ε is 1 / scale per day of shift.
    """
    stream = dossier.stream("anchor")
    epsilon = anchor_epsilon(dossier)
    while (days := discrete_laplace(stream, epsilon)) == 0:
        pass
    return timedelta(days=days)


def anchor_epsilon(dossier: Dossier) -> Fraction:
    """ε of the anchor's shift, in nats per day."""
    return 1 / rational(dossier.policy.dates.anchor_scale_days)
