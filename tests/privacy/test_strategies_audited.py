"""Strategies as they ship, under the audit of the mechanisms: what they add to a mechanism must not break its claim."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import timedelta
from fractions import Fraction
from math import exp, hypot, log, sqrt

import pytest

from deid.config.policy import Ages, Policy, SubstitutionPolicy
from deid.privacy.stream import KeyedStream
from deid.reference import Commune, CommuneTable
from deid.reference.distances import MICRO
from deid.substitution.context import DocumentContext
from deid.substitution.places.strategies import STEP_M, STRATEGIES
from deid.substitution.temporal import bounded, metric, stages
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.timeline import apart
from deid.substitution.temporal.values import Instant, Unit
from nocturne_lab.evaluation.audit import Case, audit

DRAWS = 40_000


class OneStream(DocumentContext):
    """A context whose streams are all one, which goes on: each draw is a new secret's."""

    def __init__(self, stream: KeyedStream, ages: Ages) -> None:
        self._stream = stream
        self.policy = SubstitutionPolicy(ages=ages)

    def stream(self, *_: str) -> KeyedStream:
        return self._stream


def _age(years: int) -> Age:
    return Age(Unit.YEAR, years, "figures", "{} ans")


def _ages(
    move: Callable[..., int], one: int, other: int, epsilon: Fraction, claimed: float, unit: str = "year"
) -> Case:
    ages = Ages.model_validate({"paediatric_unit": unit})

    def view(age: int) -> Hashable:
        # That neither becomes itself is declared public: the two as outputs are taken as one.
        return "an original" if age in {one, other} else age

    def pair(stream: KeyedStream) -> tuple[Hashable, Hashable]:
        context = OneStream(stream, ages)
        return view(move(context, _age(one), epsilon)), view(move(context, _age(other), epsilon))

    return Case(f"{move.__module__}, ε = {epsilon}", f"{one}, {other} years", claimed, pair)


@pytest.mark.parametrize(("one", "other"), [(40, 41), (40, 44), (41, 40)])
def test_an_age_keeps_its_claim(one: int, other: int) -> None:
    epsilon = Fraction(1, 4)
    assert not audit(_ages(metric.move_age, one, other, epsilon, float(epsilon) * abs(one - other)), DRAWS).refuted


@pytest.mark.parametrize(("one", "other", "steps"), [(60, 61, 12), (50, 51, 12), (89, 86, 36), (16, 17, 12)])
def test_an_age_of_a_stage_keeps_its_claim_at_both_ends(one: int, other: int, steps: int) -> None:
    """Noise is folded at the ends of a stage, which its claim outlives; what is drawn may be the original."""
    claimed = steps * float(stages.epsilon_of(stages.stage_of(_age(one))))

    def case(claim: float) -> Case:
        def pair(stream: KeyedStream) -> tuple[Hashable, Hashable]:
            context = OneStream(stream, Ages())
            first, second = (stages.move_age(context, _age(age), Fraction(0)) for age in (one, other))
            return first, second

        return Case("stages", f"{one}, {other} years", claim, pair)

    assert not audit(case(claimed), DRAWS).refuted
    assert audit(case(claimed / 2), DRAWS).refuted


def test_at_the_edge_an_age_costs_up_to_log_2_more() -> None:
    """An age of 1 gathers half the noise on itself by clamping, which drawing again spreads over the others."""
    epsilon = Fraction(1, 4)
    assert not audit(_ages(metric.move_age, 1, 2, epsilon, float(epsilon) + log(2)), DRAWS).refuted
    assert audit(_ages(metric.move_age, 1, 2, epsilon, float(epsilon)), DRAWS).refuted


@pytest.mark.parametrize(("unit", "steps"), [("quarter", 4), ("month", 12)])
def test_a_childs_age_keeps_its_claim_step_by_step(unit: str, steps: int) -> None:
    """The claim is of the steps between: what is claimed of years would be refuted."""
    epsilon = Fraction(1, 4)
    assert not audit(_ages(metric.move_age, 8, 10, epsilon, float(epsilon) * 2 * steps, unit), DRAWS).refuted
    assert audit(_ages(metric.move_age, 8, 10, epsilon, float(epsilon) * 2, unit), DRAWS).refuted


def test_between_a_child_and_an_adult_the_claim_has_a_term_more() -> None:
    epsilon = Fraction(1, 4)
    # Four quarters to 18 and a year: an adult's noise keeps one place of the scale, a child's four.
    assert not audit(_ages(metric.move_age, 17, 19, epsilon, float(epsilon) * 5 + 0.4, "quarter"), DRAWS).refuted


@pytest.mark.parametrize(("one", "other"), [(5, 90), (90, 5), (1, 98), (1, 2), (50, 98)])
def test_a_bounded_age_hides_among_all_ages_of_its_unit(one: int, other: int) -> None:
    assert not audit(_ages(bounded.move_age, one, other, Fraction(1), 1.0), DRAWS).refuted


def test_a_bounded_age_that_hides_less_is_caught() -> None:
    assert audit(_ages(bounded.move_age, 5, 90, Fraction(2), 1.0), DRAWS).refuted


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("unit", [Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.YEAR, Unit.DECADE])
def test_the_claim_of_a_bounded_age_holds_for_every_pair_and_output(unit: Unit, epsilon: float) -> None:
    """By the law itself, exclusion included: the proof in `bounded.move_age`, computed."""
    low, high = bounded.age_range(unit)
    r = exp(-epsilon / (high - low))
    ages = range(low, high + 1)
    others = {v: sum(r ** abs(y - v) for y in ages if y != v) for v in ages}
    for v in ages:
        for w in ages:
            ratio = others[w] / others[v]
            worst = max((abs(y - w) - abs(y - v) for y in ages if y not in (v, w)), default=0)
            assert max(0, worst) * epsilon / (high - low) + log(ratio) <= epsilon + 1e-12


@pytest.mark.parametrize(("age", "end"), [(0, 1), (130, 98)])
def test_an_age_outside_its_interval_is_its_end(age: int, end: int) -> None:
    policy = Ages()
    draws = [
        bounded.move_age(OneStream(KeyedStream(b"k" * 16, str(n)), policy), _age(age), Fraction(4)) for n in range(300)
    ]
    assert end not in draws
    assert {min(draws), max(draws)} <= set(range(1, 99))


# A document of 1 May whose date moves by 20 days: within its month, yet rounded to a month. April is the last before.
_SHIFT, _APRIL = timedelta(days=20), 2023 * 12 + 3


def _months(one: int, other: int, claimed: float) -> Case:
    epsilon = Fraction(1, 4)

    def pair(stream: KeyedStream) -> tuple[Hashable, Hashable]:
        context = OneStream(stream, Ages())
        return view(moved(context, one)), view(moved(context, other))

    def moved(context: OneStream, month: int) -> int:
        return apart(context, Instant(Unit.MONTH, month), "", epsilon, _SHIFT, high=_APRIL)

    def view(month: int) -> Hashable:
        return "an original" if month in {one, other} else month

    return Case("metric, months, ε = 1/4", f"{one - _APRIL}, {other - _APRIL} months from the last", claimed, pair)


def test_a_month_keeps_its_claim() -> None:
    for distance in (1, 4):
        assert not audit(_months(_APRIL - 5, _APRIL - 5 - distance, distance / 4), DRAWS).refuted


def test_beside_its_document_a_month_costs_what_is_told() -> None:
    """The month that its side is clamped to gathers most of the noise, which drawing again spreads over the others."""
    assert not audit(_months(_APRIL, _APRIL - 1, 0.25 + log(1 + exp(0.5))), DRAWS).refuted
    assert audit(_months(_APRIL, _APRIL - 1, 0.25), DRAWS).refuted


def _places(
    name: str, table: CommuneTable, policy: Policy, one: Commune, other: Commune, epsilon: Fraction, claimed: float
) -> Case:
    places = policy.substitution.places.model_copy(update={"strategy": name})

    def pair(stream: KeyedStream) -> tuple[str, str]:
        return tuple(next(STRATEGIES[name](stream, table, true, places, epsilon)).insee for true in (one, other))

    return Case(f"{name}, ε = {epsilon}", f"{one.name}, {other.name}", claimed, pair)


def test_a_commune_keeps_its_claim_within_its_territory(communes: CommuneTable, policy: Policy) -> None:
    vesoul = communes.find("Vesoul")[0]
    features = policy.substitution.places.features
    far = max(communes.territory(vesoul), key=lambda one: communes.distance(vesoul, one, features))
    epsilon = Fraction(8)
    claimed = float(epsilon * communes.distance(vesoul, far, features) / MICRO)
    case = _places("health_exponential", communes, policy, vesoul, far, epsilon, claimed)
    found = audit(case, DRAWS)
    assert 0 < found.lower <= found.claimed


def test_a_commune_moved_on_the_map_keeps_its_claim(communes: CommuneTable, policy: Policy) -> None:
    dijon, beaune = communes.find("Dijon")[0], communes.find("Beaune")[0]
    steps = [[(point.x + STEP_M // 2) // STEP_M, (point.y + STEP_M // 2) // STEP_M]
             for point in map(communes.atlas.point, (dijon, beaune))]  # fmt: skip
    km = hypot(steps[0][0] - steps[1][0], steps[0][1] - steps[1][1]) * STEP_M / 1000
    epsilon = Fraction(1, 20)
    per_km = float(epsilon) / policy.substitution.places.unit_km
    case = _places("geo_indistinguishability", communes, policy, dijon, beaune, epsilon, per_km * km)
    found = audit(case, 4_000)
    assert 0 < found.lower <= found.claimed


def test_the_nearest_communes_of_the_article_break_its_claim(communes: CommuneTable, policy: Policy) -> None:
    """Tchouka et al. 2023 claim ε·d, d ≤ √5; what only one of two communes can give refutes even twice that."""
    dijon, besancon = communes.find("Dijon")[0], communes.find("Besançon")[0]
    epsilon = Fraction(1, 4)
    claimed = 2 * float(epsilon) * sqrt(5)
    assert audit(_places("knn_exponential", communes, policy, dijon, besancon, epsilon, claimed), DRAWS).refuted
