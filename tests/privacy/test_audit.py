"""Audit: bounds below the true claim for shipped mechanisms, and above the claim for mechanisms with planted bugs."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import copysign, hypot, inf, log

import numpy as np
import pytest

from deid.privacy.bernoulli import exp_coin
from deid.privacy.bounded_laplace import bounded_scale
from deid.privacy.exponential import exponential
from deid.privacy.laplace import discrete_laplace
from deid.privacy.planar_laplace import planar_laplace
from deid.privacy.stream import KeyedStream
from nocturne_lab.evaluation.audit import CASES, Audit, Case, audit, lower_bound
from nocturne_lab.evaluation.audit.__main__ import table

CLAIMED = [case for case in CASES if case.claimed < inf]
# Enough to catch what is planted below; `make audit` gives true claims a million.
FEW = 40_000
MANY = 200_000
CONFIDENCE = 0.9999


@pytest.mark.slow
@pytest.mark.parametrize("case", CLAIMED, ids=lambda case: f"{case.mechanism} ({case.inputs})")
def test_draws_do_not_refute(case: Case) -> None:
    found = audit(case, MANY if case.claimed > 1 / 4 else 1_000_000)  # the bound of a small claim comes near it slowly
    assert not found.refuted
    # A bound that never gets near its claim would catch no bug either.
    assert found.lower > found.claimed / 2


def test_that_a_surrogate_is_never_its_original_is_measured_not_claimed() -> None:
    (case,) = (case for case in CASES if case.claimed == inf)
    assert audit(case, FEW).lower > 5


EPSILON = Fraction(1, 2)


def _halved_laplace(stream: KeyedStream) -> tuple[int, int]:
    noise = discrete_laplace(stream, 2 * EPSILON)
    return noise, 1 + noise


def _within(stream: KeyedStream, value: int, low: int, high: int, rate: Fraction) -> int:
    while not low <= (drawn := value + discrete_laplace(stream, rate)) <= high:
        pass
    return drawn


def _halved_bounded(stream: KeyedStream) -> tuple[int, int]:
    rate = 2 / bounded_scale(EPSILON, 61, 61)
    return _within(stream, 0, 0, 61, rate), _within(stream, 61, 0, 61, rate)


def _uncorrected_bounded(stream: KeyedStream) -> tuple[int, int]:
    """The scale of unbounded noise, 5/ε, on [0, 100]."""
    rate = EPSILON / 5
    return _within(stream, 0, 0, 100, rate), _within(stream, 5, 0, 100, rate)


def _window_of_the_value(stream: KeyedStream) -> tuple[int, int]:
    """Bounds that follow the value: 20 days on either side."""
    rate = EPSILON / 5
    return _within(stream, 50, 30, 70, rate), _within(stream, 55, 35, 75, rate)


PLACES = (Fraction(0), *[Fraction(1)] * 8)


def _place(stream: KeyedStream, true: int, epsilon: Fraction, among: range = range(len(PLACES))) -> int:
    return next(exponential(stream, among, lambda one: abs(PLACES[one] - PLACES[true]), epsilon))


def _exponential_without_its_half(stream: KeyedStream) -> tuple[int, int]:
    return _place(stream, 0, 4 * EPSILON), _place(stream, 1, 4 * EPSILON)


def _nearest_places(stream: KeyedStream) -> tuple[int, int]:
    """Candidates that follow the value: those at distance 0 only."""
    return _place(stream, 0, 2 * EPSILON, range(1)), _place(stream, 1, 2 * EPSILON, range(1, len(PLACES)))


def _nearer(x: int, y: int, steps: int) -> int:
    return round(200 * (hypot(x - steps, y) - hypot(x, y)) / steps)


def _halved_planar(stream: KeyedStream) -> tuple[int, int]:
    x, y = planar_laplace(stream, 2 * EPSILON, 1000)
    return _nearer(x, y, 1), _nearer(x + 1, y, 1)


def _disc_around_the_place(stream: KeyedStream) -> tuple[int, int]:
    """Far moves drawn again: the disc in which the surrogate lies follows the place."""
    while hypot(*(move := planar_laplace(stream, EPSILON, 1000))) > 4:
        pass
    return move[0], move[0] + 1


def _rounded_coin(stream: KeyedStream) -> tuple[bool, bool]:
    """exp(−x) with x rounded to a whole number: 1/4 becomes 0, 1/2 becomes 1."""
    return exp_coin(stream, 0, 1), exp_coin(stream, 1, 1)


def _noise_reused(stream: KeyedStream) -> tuple[int, int]:
    """Two dates moved by one number: their difference, which is the output shown here, is not moved at all."""
    noise = discrete_laplace(stream, EPSILON / 2)
    return (3 + noise) - noise, (4 + noise) - noise


def _float_inverse(stream: KeyedStream, value: int) -> Hashable:
    """Inverse distribution function in floats (Mironov 2012): which floats can come out depends on the value.

    1 + x is rounded to a multiple of 2^−53, x itself is not: the output is shown as "in (0, 1), and such a multiple".
    """
    uniform = (stream.bits(53) + 0.5) / 2**53 - 0.5
    output = value - copysign(log(1 - 2 * abs(uniform)), uniform) / float(EPSILON)
    return 0 < output < 1, (output * 2**53).is_integer()


def _floats(stream: KeyedStream) -> tuple[Hashable, Hashable]:
    return _float_inverse(stream, 0), _float_inverse(stream, 1)


@pytest.mark.parametrize(
    ("claimed", "pair"),
    [
        (EPSILON, _halved_laplace),
        (EPSILON, _halved_bounded),
        (EPSILON, _uncorrected_bounded),
        (EPSILON, _window_of_the_value),
        (2 * EPSILON, _exponential_without_its_half),
        (2 * EPSILON, _nearest_places),
        (EPSILON, _halved_planar),
        (EPSILON, _disc_around_the_place),
        (EPSILON, _rounded_coin),
        (EPSILON, _noise_reused),
        (EPSILON, _floats),
    ],
    ids=lambda one: getattr(one, "__name__", str(one)),
)
def test_a_planted_bug_is_caught(claimed: Fraction, pair) -> None:  # type: ignore[no-untyped-def]
    assert audit(Case(pair.__name__, "planted", float(claimed), pair), FEW).refuted


@pytest.mark.parametrize(
    ("claimed", "pair"),
    [
        (EPSILON, lambda stream: (_within(stream, 0, 0, 100, r := 1 / bounded_scale(EPSILON, 100, 5)),
                                  _within(stream, 5, 0, 100, r))),
        (2 * EPSILON, lambda stream: (_place(stream, 0, 2 * EPSILON), _place(stream, 1, 2 * EPSILON))),
        (EPSILON, lambda stream: ((x := planar_laplace(stream, EPSILON, 1000))[0], x[0] + 1)),
    ],
    ids=["bounded", "exponential", "planar"],
)  # fmt: skip
def test_the_same_without_the_bug_is_not(claimed: Fraction, pair) -> None:  # type: ignore[no-untyped-def]
    assert not audit(Case("without the bug", str(claimed), float(claimed), pair), FEW).refuted


def _answers(seed: int, truth: float, draws: int) -> tuple[list[bool], list[bool]]:
    """Randomised response: the true bit with probability `truth`."""
    uniform = np.random.default_rng(seed).random((2, draws))
    return list(uniform[0] < truth), list(uniform[1] >= truth)


def test_one_law_seen_twice_proves_nothing() -> None:
    for seed in range(50):
        one, other = np.random.default_rng(seed).integers(0, 40, (2, 2_000)).tolist()
        assert lower_bound(one, other, CONFIDENCE) == 0


def test_the_bound_is_right_as_often_as_it_says() -> None:
    """At a confidence of 80 %, chosen to be seen to fail, a fair share of 400 bounds may be above the truth: 20 %."""
    truth = log(3)
    bounds = [lower_bound(*_answers(seed, 0.75, 2_000), 0.8) for seed in range(400)]
    above = sum(bound > truth for bound in bounds)
    assert above <= 400 * 0.2 + 4 * (400 * 0.2 * 0.8) ** 0.5
    assert above > 0
    assert np.mean(bounds) > 0.9 * truth


def test_more_draws_prove_more() -> None:
    bounds = [lower_bound(*_answers(1, 0.75, draws), CONFIDENCE) for draws in (200, 2_000, 20_000, 200_000)]
    assert bounds == sorted(bounds)
    assert bounds[-1] > 0.95 * log(3)


def test_disjoint_outputs_prove_what_clopper_and_pearson_allow() -> None:
    """n hits of n against none: p ≥ (α/2)^(1/n) and q ≤ 1 − (α/2)^(1/n), n being half the draws."""
    edge = ((1 - CONFIDENCE) / 2) ** (1 / 500)
    bound = lower_bound(["a"] * 1000, ["b"] * 1000, CONFIDENCE)
    assert bound == pytest.approx(log(edge / (1 - edge)))


def test_the_order_of_the_inputs_does_not_matter() -> None:
    one, other = _answers(2, 0.8, 4_000)
    assert lower_bound(one, other, CONFIDENCE) == lower_bound(other, one, CONFIDENCE) > 0


@pytest.mark.parametrize(("one", "other"), [([1, 2, 3], [1, 2, 3]), ([1] * 8, [1] * 9), ([], [])])
def test_samples_that_cannot_be_compared_are_refused(one: list[int], other: list[int]) -> None:
    with pytest.raises(ValueError, match="one size"):
        lower_bound(one, other, CONFIDENCE)


def test_an_audit_is_the_same_everywhere() -> None:
    assert audit(CASES[1], 2_000) == audit(CASES[1], 2_000)


def test_the_table_says_what_is_refuted() -> None:
    rows = [Audit("one", "0, 1", 1.0, 0.5, 10, CONFIDENCE), Audit("two", "0, 1", 1.0, 1.5, 10, CONFIDENCE)]
    one, two = (line for line in table(rows, 10).splitlines() if line.startswith(("| one", "| two")))
    assert "| not refuted |" in one
    assert "| REFUTED |" in two
