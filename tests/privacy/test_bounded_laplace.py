"""Bounded Laplace noise: its law, its support, and a scale that keeps the claim where the plain one does not."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from deid.privacy.bounded_laplace import bounded_laplace, bounded_scale, exp_bounds
from deid.privacy.stream import KeyedStream
from nocturne_lab.evaluation.audit.cases import bounded_epsilon
from tests.privacy.goodness import LEAST, p_value

SECRET = b"a secret of the tests"
DRAWS = 20_000
# What floats may lose in the sums below.
SLACK = 1e-9

epsilons = st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(8), max_denominator=1000)


def _law(value: int, low: int, high: int, scale: float) -> dict[int, float]:
    weights = {y: exp(-abs(y - value) / scale) for y in range(low, high + 1)}
    return {y: weight / sum(weights.values()) for y, weight in weights.items()}


def _loss(width: int, distance: int, scale: float) -> float:
    """By enumeration of all pairs and outputs, with none of the docstring's reasoning."""
    laws = [_law(value, 0, width, scale) for value in range(width + 1)]
    return max(
        abs(log(laws[one][y] / laws[other][y]))
        for one, other in product(range(width + 1), repeat=2)
        if abs(one - other) <= distance
        for y in range(width + 1)
    )


@pytest.mark.parametrize(
    ("value", "low", "high", "epsilon", "sensitivity"),
    [
        (3, 0, 20, Fraction(1, 2), None),
        (0, 0, 20, Fraction(4), None),
        (20, 0, 20, Fraction(1), 3),
        (-4, -5, 9, Fraction(3, 7), 1),
        (30, 0, 61, Fraction(1, 4), None),
    ],
)
def test_its_law(value: int, low: int, high: int, epsilon: Fraction, sensitivity: int | None) -> None:
    stream = KeyedStream(SECRET, "bounded", str((value, low, high, epsilon, sensitivity)))
    counts = Counter(bounded_laplace(stream, value, low, high, epsilon, sensitivity) for _ in range(DRAWS))
    scale = bounded_scale(epsilon, high - low, sensitivity or high - low)
    assert p_value(counts, _law(value, low, high, float(scale))) > LEAST
    assert min(counts) >= low
    assert max(counts) <= high


@settings(max_examples=40, deadline=None)
@given(epsilons, st.integers(1, 24), st.integers(1, 30))
def test_the_scale_keeps_the_claim_and_hardly_more(epsilon: Fraction, width: int, sensitivity: int) -> None:
    scale = bounded_scale(epsilon, width, sensitivity)
    loss = _loss(width, sensitivity, float(scale))
    assert float(epsilon) * (1 - 1e-5) - SLACK <= loss <= float(epsilon) + SLACK


@settings(max_examples=40, deadline=None)
@given(epsilons, st.integers(1, 24), st.integers(0, 30))
def test_the_cost_of_a_distance(epsilon: Fraction, width: int, distance: int) -> None:
    scale = width / epsilon
    claimed = float(bounded_epsilon(scale, width, distance))
    assert claimed * (1 - 1e-5) - SLACK <= _loss(width, distance, float(scale)) <= claimed + SLACK


@settings(max_examples=40, deadline=None)
@given(epsilons, st.integers(1, 24), st.integers(1, 24))
def test_the_cost_per_unit_covers_every_distance(epsilon: Fraction, width: int, distance: int) -> None:
    scale = width / epsilon
    per_unit = bounded_epsilon(scale, width, 1)
    assert 1 / scale <= per_unit <= 2 / scale
    assert _loss(width, distance, float(scale)) <= float(per_unit * distance) + SLACK


def test_the_scale_of_unbounded_noise_would_not_do() -> None:
    epsilon, width, sensitivity = Fraction(1), 100, 5
    assert _loss(width, sensitivity, float(sensitivity / epsilon)) > 1.4
    assert bounded_scale(epsilon, width, sensitivity) > sensitivity / epsilon * Fraction(3, 2)


def test_over_the_whole_width_no_correction_is_needed() -> None:
    assert bounded_scale(Fraction(1, 4), 61, 61) == 61 * 4


@pytest.mark.parametrize("epsilon", [Fraction(1, 16), Fraction(1, 10**9), Fraction(10**4)])
@pytest.mark.parametrize("width", [61, 660, 36_000])
def test_scales_at_the_ends_of_what_may_be_asked(epsilon: Fraction, width: int) -> None:
    one, half = bounded_scale(epsilon, width, 1), bounded_scale(epsilon, width, width // 2)
    assert 1 / epsilon <= one <= 2 / epsilon
    assert width // 2 / epsilon <= half <= 2 * (width // 2) / epsilon


def test_mirrored_values_have_mirrored_draws_in_law() -> None:
    low = Counter(_draws("low", 4))
    high = Counter(20 - y for y in _draws("high", 16))
    law = _law(4, 0, 20, float(bounded_scale(Fraction(2), 20, 20)))
    assert p_value(low, law) > LEAST
    assert p_value(high, law) > LEAST


def _draws(name: str, value: int) -> list[int]:
    stream = KeyedStream(SECRET, "mirror", name)
    return [bounded_laplace(stream, value, 0, 20, Fraction(2)) for _ in range(DRAWS)]


def test_an_interval_of_one_value_leaves_no_choice() -> None:
    assert bounded_laplace(KeyedStream(SECRET, "x"), 7, 7, 7, Fraction(1)) == 7


@pytest.mark.parametrize(
    ("value", "epsilon", "sensitivity"),
    [
        (11, Fraction(1), None),
        (-1, Fraction(1), None),
        (5, Fraction(0), None),
        (5, Fraction(-1), 1),
        (5, Fraction(1), 0),
    ],
)
def test_what_is_refused(value: int, epsilon: Fraction, sensitivity: int | None) -> None:
    with pytest.raises(ValueError, match="bounded Laplace noise needs"):
        bounded_laplace(KeyedStream(SECRET, "x"), value, 0, 10, epsilon, sensitivity)


@given(st.fractions(min_value=0, max_value=600, max_denominator=10**6), st.integers(16, 200))
def test_bounds_of_an_exponential_hold_and_are_close(x: Fraction, bits: int) -> None:
    with mp.workprec(bits + 1200):
        exact = mp.exp(-mpf(x.numerator) / x.denominator) * 2**bits
        low, high = exp_bounds(x, bits)
        assert low <= exact <= high
    assert high - low <= 2


def test_no_bounds_of_more_than_one() -> None:
    with pytest.raises(ValueError, match="x >= 0"):
        exp_bounds(Fraction(-1), 64)
