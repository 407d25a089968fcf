"""What the temporal surrogates of a document cost: the lines of the ledger, and the elements that share ε."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from deid.domain.document import Spend
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import bounded, generalising, metric
from deid.substitution.temporal.agenda import Agenda
from deid.substitution.temporal.strategies import AGES, DATES
from deid.substitution.temporal.timeline import anchor_epsilon, day_of

# What an element costs: the ε that each gets (None), or one of its own, 0 for what no ε bounds.
_Cost = Fraction | None
# Category, mechanism, cost of one element, elements.
Line = tuple[str, str, _Cost, int]
_FREE = Fraction(0)
# The two draws of a birth date.
_BIRTH: tuple[Line, ...] = (("date", metric.MECHANISM, None, 1), ("age", metric.MECHANISM, None, 1))


def lines(context: DocumentContext, agenda: Agenda) -> tuple[Line, ...]:
    """What a document has drawn, one line per category and mechanism."""
    totals: dict[tuple[str, str], tuple[_Cost, int]] = {}
    for category, mechanism, each, count in _lines(context, agenda):
        known = totals.get((category, mechanism))
        totals[category, mechanism] = (each, known[1] + count if known else count)
    return tuple([(*key, *total) for key, total in totals.items()])


def elements(found: Sequence[Line]) -> int:
    """Distinct elements that are drawn, the anchor apart: it has a budget of its own."""
    return sum([count for _, _, each, count in found if each is None])


def spends(found: Sequence[Line], epsilon: Fraction) -> list[Spend]:
    """Ledger lines, `epsilon` nats per element; 0 for what no ε bounds."""
    spent = []
    for category, mechanism, own, count in found:
        if count:
            each = epsilon if own is None else own
            spent.append(Spend(category, mechanism, each.numerator * count / each.denominator, count))
    return spent


def _lines(context: DocumentContext, agenda: Agenda) -> list[Line]:
    found: list[Line] = []
    dates, ages = context.policy.dates.strategy, context.policy.ages.strategy
    anchored = dates in ("metric", "bounded_laplace", "tag")
    shown = bool(agenda.instants) and dates != "tag"
    if anchored and (shown or context.document.reference_date is not None):
        found.append(("anchor", metric.MECHANISM, anchor_epsilon(context), 1))
        if context.policy.dates.document_date == "metric":
            found.append(("date", metric.MECHANISM, None, 1))
    found += _dates(agenda, dates)
    found += _birth(agenda, dates, ages)
    if ages in AGES:
        own = agenda.own_ages
        free = {(age.unit, age.step, age.value) for mention, age in agenda.ages.items() if mention not in own}
        found.append(("age", AGES[ages].mechanism, None, len(free)))
    elif ages == "generalise":
        told = {(one.unit, one.step, one.value) for one in agenda.ages.values()}
        found.append(("age", generalising.MECHANISM, _FREE, len(told)))
    return found


def _dates(agenda: Agenda, dates: str) -> tuple[Line, ...]:
    """What is neither the anchor nor the birth date costs a draw; an interval of `bounded_laplace` is one of days."""
    anchor = day_of(agenda.anchor)
    if dates == "metric":
        return (("date", metric.MECHANISM, None, len(agenda.dated) - (anchor in agenda.dated)),)
    if dates == "bounded_laplace":
        days = {one.middle for one in agenda.dated - {anchor}} | ({agenda.birth} if agenda.tells_birth else set())
        return (("date", bounded.MECHANISM, None, len(days - {agenda.anchor})),)
    if dates in DATES or dates == "generalise":
        mechanism = DATES[dates].mechanism if dates in DATES else generalising.MECHANISM
        return (("date", mechanism, _FREE, len(set(agenda.instants.values()))),)
    return ()


def _birth(agenda: Agenda, dates: str, ages: str) -> tuple[Line, ...]:
    """The birth date's own draws, once it shows: in a date, in an age of the patient, in a NIR."""
    if agenda.birth is None or agenda.birth == agenda.anchor:
        return ()
    in_ages = bool(agenda.own_ages) and ages != "tag"
    if dates in ("metric", "tag"):
        if in_ages or agenda.numbered_birth or (agenda.births and dates == "metric"):
            return _BIRTH
    elif dates != "bounded_laplace" and in_ages and ages in AGES:
        return (("age", AGES[ages].mechanism, None, AGES[ages].birth_draws),)
    return ()
