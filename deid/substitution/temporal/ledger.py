"""What the temporal surrogates of a document cost: the lines of the ledger, and the elements that share ε."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from deid.document import Spend
from deid.substitution.dossier import Dossier
from deid.substitution.temporal import bounded, generalising, metric
from deid.substitution.temporal.agenda import Agenda
from deid.substitution.temporal.strategies import AGES, DATES
from deid.substitution.temporal.timeline import anchor_epsilon, day_of

# Category, mechanism, ε of one element, elements.
Line = tuple[str, str, Fraction, int]
_FREE = Fraction(0)


def elements(dossier: Dossier, agenda: Agenda) -> int:
    """Distinct elements that are drawn, the anchor apart: it has a budget of its own."""
    return sum(
        count for category, _, each, count in _lines(dossier, agenda, Fraction(1)) if each and category != "anchor"
    )


def spends(dossier: Dossier, agenda: Agenda, epsilon: Fraction) -> list[Spend]:
    """Ledger lines, one per category and mechanism, `epsilon` nats per element; 0 for what no ε bounds."""
    totals: dict[tuple[str, str], tuple[Fraction, int]] = {}
    for category, mechanism, each, count in _lines(dossier, agenda, epsilon):
        total, elements = each * count, count
        if before := totals.get((category, mechanism)):
            total, elements = before[0] + total, before[1] + count
        totals[category, mechanism] = (total, elements)
    return [Spend(*key, float(total), count) for key, (total, count) in totals.items() if count]


def _lines(dossier: Dossier, agenda: Agenda, epsilon: Fraction) -> Iterator[Line]:
    dates, ages = dossier.policy.dates.strategy, dossier.policy.ages.strategy
    anchored = dates in ("metric", "bounded_laplace", "tag")
    shown = bool(agenda.instants) and dates != "tag"
    if anchored and (shown or dossier.document.reference_date is not None):
        yield "anchor", metric.MECHANISM, anchor_epsilon(dossier), 1
        if dossier.policy.dates.document_date == "metric":
            yield "date", metric.MECHANISM, epsilon, 1
    yield from _dates(agenda, dates, epsilon)
    yield from _birth(agenda, dates, ages, epsilon)
    free = {(age.unit, age.step, age.value) for mention, age in agenda.ages.items() if mention not in agenda.own_ages}
    if ages in AGES:
        yield "age", AGES[ages].mechanism, epsilon, len(free)
    elif ages == "generalise":
        yield (
            "age",
            generalising.MECHANISM,
            _FREE,
            len({(one.unit, one.step, one.value) for one in agenda.ages.values()}),
        )


def _dates(agenda: Agenda, dates: str, epsilon: Fraction) -> Iterator[Line]:
    """What is neither the anchor nor the birth date costs a draw; an interval of `bounded_laplace` is one of days."""
    free = agenda.dated - {day_of(agenda.anchor)}
    if dates == "metric":
        yield "date", metric.MECHANISM, epsilon, len(free)
    elif dates == "bounded_laplace":
        days = {one.middle for one in free} | ({agenda.birth} if agenda.tells_birth else set())
        yield "date", bounded.MECHANISM, epsilon, len(days - {agenda.anchor})
    elif dates in DATES or dates == "generalise":
        mechanism = DATES[dates].mechanism if dates in DATES else generalising.MECHANISM
        yield "date", mechanism, _FREE, len(set(agenda.instants.values()))


def _birth(agenda: Agenda, dates: str, ages: str, epsilon: Fraction) -> Iterator[Line]:
    """The birth date's own draws, once it shows: in a date, in an age of the patient, in a NIR."""
    if agenda.birth is None or agenda.birth == agenda.anchor:
        return
    in_ages = bool(agenda.own_ages) and ages != "tag"
    if dates in ("metric", "tag"):
        if in_ages or agenda.numbered_birth or (agenda.births and dates == "metric"):
            yield "date", metric.MECHANISM, epsilon, 1
            yield "age", metric.MECHANISM, epsilon, 1
    elif dates != "bounded_laplace" and in_ages and ages in AGES:
        yield "age", AGES[ages].mechanism, epsilon, AGES[ages].birth_draws
