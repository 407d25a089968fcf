"""Strategies for dates and for ages by their name in the policy; another is added by registering it here.

`generalise` is not among them: it says less instead of moving (`generalising`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from deid.substitution.context import DocumentContext
from deid.substitution.temporal import births, bounded, metric, shifting
from deid.substitution.temporal.agenda import Agenda
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.timeline import Timeline


@dataclass(frozen=True, slots=True)
class DateStrategy:
    """Moves all dates of a document, given ε per element; `costs` says whether it spends any."""

    mechanism: str
    move: Callable[[DocumentContext, Agenda, Fraction], Timeline]
    costs: bool = True


@dataclass(frozen=True, slots=True)
class AgeStrategy:
    """Moves an age, given ε; and a birth date that ages are told from, where the dates' strategy moves no age."""

    mechanism: str
    move: Callable[[DocumentContext, Age, Fraction], int]
    move_birth: Callable[[DocumentContext, date, date, date, Fraction], date]
    birth_draws: int


DATES: Mapping[str, DateStrategy] = {
    "metric": DateStrategy(metric.MECHANISM, metric.move),
    "bounded_laplace": DateStrategy(bounded.MECHANISM, bounded.move),
    "uniform_shift": DateStrategy(shifting.MECHANISM, shifting.move, costs=False),
}
AGES: Mapping[str, AgeStrategy] = {
    "metric": AgeStrategy(metric.MECHANISM, metric.move_age, births.move, 2),
    "bounded_laplace": AgeStrategy(bounded.MECHANISM, bounded.move_age, bounded.move_birth, 1),
}
