"""A document's own time: its anchor and the patient's birth date, original and moved."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

from deid.privacy import discrete_laplace
from deid.substitution.budget import rational
from deid.substitution.dossier import Dossier
from deid.substitution.temporal.values import (
    Instant,
    Unit,
    add_months,
    add_years,
    index_of,
    months_between,
    years_between,
)

# Below these, years are too coarse for a child's age: it is moved by months, then by days.
_YEARS_FROM, _MONTHS_FROM = 3, 3


@dataclass(frozen=True, slots=True)
class Timeline:
    """The anchor is the document's date; `moved_anchor` is as many days away in all of a patient's documents.

    `birth` and its surrogate are None where nobody knows it.
    """

    anchor: date
    moved_anchor: date
    birth: date | None = None
    moved_birth: date | None = None

    @property
    def age(self) -> int | None:
        """Completed years at the anchor."""
        return None if self.birth is None else years_between(self.birth, self.anchor)

    def index(self, unit: Unit) -> int:
        """The anchor on the scale of a unit."""
        return index_of(unit, self.anchor)

    def moved_index(self, unit: Unit) -> int:
        """The moved anchor on the scale of a unit."""
        return index_of(unit, self.moved_anchor)

    def fixed(self) -> dict[Instant, int]:
        """What no projection may move: the anchor, and the birth date when it is before."""
        fixed = {Instant(Unit.DAY, self.anchor.toordinal()): self.moved_anchor.toordinal()}
        if self.birth is not None and self.moved_birth is not None and self.birth < self.anchor:
            fixed[Instant(Unit.DAY, self.birth.toordinal())] = self.moved_birth.toordinal()
        return fixed


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


def build(dossier: Dossier, anchor: date, birth: date | None, epsilon: Fraction) -> Timeline:
    """The timeline of a document, its birth date moved by two draws: the age in its unit, and the days.

    The two draws of the birth date share the patient's stream, so it is the same in all of a patient's
    documents; it is at least a unit before the anchor, and no further than the top-coded age, as HIPAA asks of
    dates that tell an age of 90 or more.
    """
    moved_anchor = anchor + shift(dossier)
    if birth is None:
        return Timeline(anchor, moved_anchor)
    if birth == anchor:
        return Timeline(anchor, moved_anchor, birth, moved_anchor)
    days = discrete_laplace(dossier.stream("birth", "day", birth.isoformat(), str(epsilon)), epsilon)
    moved = _older(dossier, birth, anchor, epsilon) + (moved_anchor - anchor) + timedelta(days=days)
    eldest = add_years(moved_anchor, -dossier.policy.ages.top_code)
    moved = min(max(moved, eldest), moved_anchor - timedelta(days=1))
    if moved == birth:
        moved -= timedelta(days=1)
    return Timeline(anchor, moved_anchor, birth, moved)


def _older(dossier: Dossier, birth: date, anchor: date, epsilon: Fraction) -> date:
    """The birth date moved by a number of years, months or days, as the age at the anchor is told; never by 0."""
    stream = dossier.stream("birth", "age", str(epsilon))
    while (noise := discrete_laplace(stream, epsilon)) == 0:
        pass
    years, months = years_between(birth, anchor), months_between(birth, anchor)
    if years >= _YEARS_FROM:
        return add_years(birth, -max(noise, 1 - years if years > 1 else 1))
    if months >= _MONTHS_FROM:
        return add_months(birth, -max(noise, 1 - months if months > 1 else 1))
    return birth - timedelta(days=max(noise, 1 - (anchor - birth).days) or 1)
