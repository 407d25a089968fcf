"""A lower bound of ε from samples of neighbouring inputs: never above the claim, and it catches a halved scale."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import log, sqrt

import pytest

from deid.privacy import KeyedStream, discrete_laplace, exponential

SECRET = b"a secret of the tests"
DRAWS = 20_000
# Hoeffding at 99.99 % for each of the two frequencies.
MARGIN = sqrt(log(2 / 0.0001) / (2 * DRAWS))
DISTANCES = (
    (Fraction(0), Fraction(1), Fraction(3, 2)),
    (Fraction(1), Fraction(0), Fraction(1, 2)),
)

Mechanism = Callable[[KeyedStream, int], int]


def lower_bound(mechanism: Mechanism, one: int, other: int) -> float:
    """The greatest log-ratio of the probabilities of an event under two inputs that the samples make certain.

    Events are half-lines of outputs, below and above each threshold.
    """
    samples = []
    for value in (one, other):
        stream = KeyedStream(SECRET, "bound", str(value))
        samples.append(sorted(mechanism(stream, value) for _ in range(DRAWS)))
    best = 0.0
    for threshold in range(min(samples[0][0], samples[1][0]), max(samples[0][-1], samples[1][-1]) + 1):
        shares = [sum(output <= threshold for output in sample) / DRAWS for sample in samples]
        for high, low in (shares, shares[::-1], [1 - share for share in shares], [1 - share for share in shares[::-1]]):
            if high - MARGIN > 0:
                best = max(best, log((high - MARGIN) / (low + MARGIN)))
    return best


def _laplace(epsilon: Fraction) -> Mechanism:
    return lambda stream, value: value + discrete_laplace(stream, epsilon)


def _exponential(epsilon: Fraction) -> Mechanism:
    return lambda stream, value: next(exponential(stream, range(3), lambda one: DISTANCES[value][one], epsilon))


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1)])
def test_the_bound_of_discrete_laplace_is_close_to_its_claim_and_not_above(epsilon: Fraction) -> None:
    bound = lower_bound(_laplace(epsilon), 10, 11)
    assert float(epsilon) * 0.7 < bound <= float(epsilon)


def test_noise_of_half_the_scale_is_caught() -> None:
    claimed = Fraction(1, 2)
    assert lower_bound(_laplace(claimed * 2), 10, 11) > float(claimed)


def test_the_bound_of_the_exponential_mechanism_is_not_above_its_claim() -> None:
    epsilon, distance = Fraction(2), 1.0
    assert lower_bound(_exponential(epsilon), 0, 1) <= float(epsilon) * distance


def test_an_exponential_mechanism_without_its_half_is_caught() -> None:
    claimed, distance = Fraction(2), 1.0
    assert lower_bound(_exponential(claimed * 3), 0, 1) > float(claimed) * distance
