"""Exact mechanisms against the laws they claim, with fixed streams and exact probability functions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp, sqrt

import pytest

from deid.privacy.bernoulli import exp_coin
from deid.privacy.exponential import exponential
from deid.privacy.laplace import discrete_laplace
from deid.privacy.stream import KeyedStream

SECRET = b"a secret of the tests"
DRAWS = 20_000
# Five standard deviations: a right implementation fails once in two million streams, and the stream is fixed.
SIGMAS = 5


def _near(successes: int, draws: int, probability: float) -> bool:
    return abs(successes - draws * probability) <= SIGMAS * sqrt(draws * probability * (1 - probability)) + 1


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 10), Fraction(1), Fraction(7, 3), Fraction(4)])
def test_an_exponential_coin(x: Fraction) -> None:
    stream = KeyedStream(SECRET, "exponential coin", str(x))
    heads = sum(exp_coin(stream, *x.as_integer_ratio()) for _ in range(DRAWS))
    assert _near(heads, DRAWS, exp(-x))


def test_a_coin_of_more_than_one_is_refused() -> None:
    with pytest.raises(ValueError, match="x >= 0"):
        exp_coin(KeyedStream(SECRET, "x"), -1, 2)


@pytest.mark.parametrize("epsilon", [Fraction(1, 4), Fraction(1), Fraction(5, 2), Fraction(3, 7)])
def test_discrete_laplace_has_its_law(epsilon: Fraction) -> None:
    stream = KeyedStream(SECRET, "laplace", str(epsilon))
    counts = Counter(discrete_laplace(stream, epsilon) for _ in range(DRAWS))
    ratio = exp(-epsilon)
    for value in range(-12, 13):
        probability = (1 - ratio) / (1 + ratio) * ratio ** abs(value)
        assert _near(counts[value], DRAWS, probability), value


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1)])
def test_no_noise_without_a_positive_epsilon(epsilon: Fraction) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        discrete_laplace(KeyedStream(SECRET, "x"), epsilon)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 4), Fraction(6)])
def test_the_exponential_mechanism_has_its_law(epsilon: Fraction) -> None:
    distances = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(17, 10)]
    draws = exponential(KeyedStream(SECRET, "set", str(epsilon)), range(5), lambda one: distances[one], epsilon)
    counts = Counter(next(draws) for _ in range(DRAWS))
    weights = [exp(-epsilon * distance / 2) for distance in distances]
    for candidate, weight in enumerate(weights):
        assert _near(counts[candidate], DRAWS, weight / sum(weights)), candidate


def test_the_exponential_mechanism_needs_candidates_and_no_negative_epsilon() -> None:
    with pytest.raises(ValueError, match="candidates"):
        next(exponential(KeyedStream(SECRET, "x"), [], lambda _: Fraction(0), Fraction(1)))
    with pytest.raises(ValueError, match="epsilon"):
        next(exponential(KeyedStream(SECRET, "x"), [1], lambda _: Fraction(0), Fraction(-1)))
