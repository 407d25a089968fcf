"""The patient's birth date under `metric`: a draw for the age, in the unit that it is told in, and one of days."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

from deid.privacy import discrete_laplace
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import scales
from deid.substitution.temporal.tempering import not_nought, tempered
from deid.substitution.temporal.values import add_months, add_years, months_between, on, years_between

# Below these, years are too coarse for a child's age: it is moved by months, then by days.
_YEARS_FROM, _MONTHS_FROM = 3, 3


def move(
    context: DocumentContext,
    anchor: date,
    moved_anchor: date,
    birth: date,
    epsilon: Fraction,
    shifted: date | None = None,
) -> date:
    """The surrogate of a birth date: ε·d-private in its age and in its days, `epsilon` for each.

    The two draws share the patient's stream, so it is the same in all of a patient's documents while the age is told in
    one unit (a child's changes at three months and at three years); it is at least a day before the anchor, and no
    further than the top-coded age, as HIPAA asks of dates that tell an age of 90 or more.
    `shifted` is the anchor moved by the patient's shift alone, where it is moved by more than that.
    """
    if birth == anchor:
        return moved_anchor
    said, rate = str(epsilon), tempered(epsilon)
    days = discrete_laplace(context.stream("birth", "day", birth.isoformat(), said), rate)
    days += ((shifted or moved_anchor) - anchor).days
    moved = on(_older(context, birth, anchor, said, rate).toordinal() + days)
    moved = within_life(context, moved, moved_anchor)
    return moved - timedelta(days=1) if moved == birth else moved


def within_life(context: DocumentContext, moved: date, moved_anchor: date) -> date:
    """A birth date before the moved anchor, and no further from it than the top-coded age."""
    return min(max(moved, eldest(context, moved_anchor)), moved_anchor - timedelta(days=1))


def eldest(context: DocumentContext, moved_anchor: date) -> date:
    """The first day that anybody's life is told from, in a document of that date."""
    return add_years(moved_anchor, -context.policy.ages.top_code)


def _older(context: DocumentContext, birth: date, anchor: date, said: str, rate: Fraction) -> date:
    """The birth date moved by a number of years, months or days, as the age at the anchor is told; never by 0.

    Below 18 the policy may count years in smaller steps (`scales`). Each step has noise of its own: a child grows
    out of one, and one number, of months in an early document and of years in a later one, would show in what lies
    between the two.
    """
    years, months = years_between(birth, anchor), months_between(birth, anchor)
    in_year = scales.steps(context.policy.ages)
    if _YEARS_FROM <= years < scales.ADULT and in_year > 1:
        step = 12 // in_year
        return add_months(birth, -step * max(_noise(context, said, rate, f"{step} months"), 1 - months // step))
    if years >= _YEARS_FROM:
        return add_years(birth, -max(_noise(context, said, rate), 1 - years))
    if months >= _MONTHS_FROM:
        return add_months(birth, -max(_noise(context, said, rate, "1 months"), 1 - months))
    return on(birth.toordinal() - (max(_noise(context, said, rate, "days"), 1 - (anchor - birth).days) or 1))


def _noise(context: DocumentContext, said: str, rate: Fraction, *step: str) -> int:
    """Noise of a step, years if none is said; never 0."""
    return not_nought(context.stream("birth", "age", said, *step), rate)
