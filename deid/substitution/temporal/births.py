"""The patient's birth date under `metric`: one draw for the age, in the age's own unit, and one in days."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from fractions import Fraction

from deid.config.policy import Ages
from deid.privacy.budget import tempered
from deid.privacy.laplace import discrete_laplace
from deid.substitution.context import DocumentContext
from deid.substitution.temporal.timeline import not_nought
from deid.substitution.temporal.values import add_months, add_years, months_between, on, years_between

ADULT = 18
# Steps in a year of childhood, by the policy's `paediatric_unit`.
STEPS_IN_YEAR: Mapping[str, int] = {"year": 1, "quarter": 4, "month": 12}


def steps_in_year(ages: Ages) -> int:
    """Return the steps in a year of childhood: 1, 4 or 12, by the policy's `paediatric_unit`."""
    return STEPS_IN_YEAR[ages.paediatric_unit]


def place_of_age(years: int, in_year: int) -> int:
    """Return φ, the place of an age on a scale of `in_year` steps to a year below `ADULT`, one from there.

    φ is public and increasing, so |φ(v) − φ(w)| is a distance between ages, and noise on φ(v) of scale 1/ε is
    ε·|φ(v) − φ(w)|-private (Alvim et al. 2018); reading the age off the noisy place is post-processing. With one step
    to a year it is the distance in years. With more, ages of children are that many times easier to tell apart, and
    move by that many times less.

    An age left unchanged by the noise is drawn again. Among children that happens with one probability K, among
    adults with another, A < K: between a child and an adult, and there only, the bound is
    ε·|φ(v) − φ(w)| + log((1 − A) / (1 − K)), 0.4 more at ε = 0.25 in quarters, 1.4 in months.
    """
    return years * in_year if years < ADULT else ADULT * in_year + years - ADULT


def age_at_place(place: int, in_year: int) -> int:
    """Return the age in years whose place is nearest; of two, the greater."""
    whole = ADULT * in_year
    return ADULT + place - whole if place >= whole else (2 * place + in_year) // (2 * in_year)


# Below these, years are too coarse for a child's age: it is moved by months, then by days.
_YEARS_FROM, _MONTHS_FROM = 3, 3


def move_birth(
    context: DocumentContext,
    anchor: date,
    moved_anchor: date,
    birth: date,
    epsilon: Fraction,
    shifted: date | None = None,
) -> date:
    """Return the surrogate of a birth date: ε·d-private in its age and in its days, `epsilon` for each.

    Both draws use the patient's stream: all of a patient's documents have one surrogate as long as the age keeps its
    unit (a child's changes at three months and at three years). It is at least a day before the moved anchor (a
    birth on the anchor becomes that day), and tells no greater age than the top-coded one, as HIPAA asks of dates that
    tell an age of 90 or more. `shifted` is the anchor moved by the patient's shift alone, if `moved_anchor` has noise
    too.
    """
    if birth == anchor:
        return moved_anchor
    said, rate = str(epsilon), tempered(epsilon)
    days = discrete_laplace(context.stream("birth", "day", birth.isoformat(), said), rate)
    days += ((shifted or moved_anchor) - anchor).days
    moved = on(_older(context, birth, anchor, said, rate).toordinal() + days)
    moved = within_life(context, moved, moved_anchor)
    return within_life(context, moved - timedelta(days=1), moved_anchor) if moved == birth else moved


def within_life(context: DocumentContext, moved: date, moved_anchor: date) -> date:
    """Bring a birth date a day before the moved anchor at least, and to the top-coded age at most."""
    return min(to_told_age(context, moved, moved_anchor), moved_anchor - timedelta(days=1))


def to_told_age(context: DocumentContext, moved: date, moved_anchor: date) -> date:
    """Bring a birth date to the top-coded age at most, by whole years.

    The birthday stays that of the patient's draw: a patient past that age has one in all documents, and the year alone
    follows the document (docs/decisions/2026-11-30-births-past-the-top-code.md).
    """
    top = context.policy.ages.top_code
    while (past := years_between(moved, moved_anchor) - top) > 0:  # twice where 29 February becomes 28
        moved = add_years(moved, past)
    return moved


def first_told_day(context: DocumentContext, moved_anchor: date) -> date:
    """Return the earliest day of a life in a document of that date: the top-coded age before it."""
    return add_years(moved_anchor, -context.policy.ages.top_code)


def _older(context: DocumentContext, birth: date, anchor: date, said: str, rate: Fraction) -> date:
    """Move the birth date by years, months or days, the unit of the age at the anchor; never by 0.

    Below 18 the policy may count years in smaller steps (`paediatric_unit`). Each step has noise of its own: a child
    grows out of one, and the same number, of months in an early document and of years in a later one, would show in
    the difference of the two.
    """
    years, months = years_between(birth, anchor), months_between(birth, anchor)
    in_year = steps_in_year(context.policy.ages)
    if _YEARS_FROM <= years < ADULT and in_year > 1:
        step = 12 // in_year
        return add_months(birth, -step * max(_noise(context, said, rate, f"{step} months"), 1 - months // step))
    if years >= _YEARS_FROM:
        return add_years(birth, -max(_noise(context, said, rate), 1 - years))
    if months >= _MONTHS_FROM:
        return add_months(birth, -max(_noise(context, said, rate, "1 months"), 1 - months))
    return on(birth.toordinal() - (max(_noise(context, said, rate, "days"), 1 - (anchor - birth).days) or 1))


def _noise(context: DocumentContext, said: str, rate: Fraction, *step: str) -> int:
    """Draw noise in a unit `step`, in years without one; never 0."""
    return not_nought(context.stream("birth", "age", said, *step), rate)
