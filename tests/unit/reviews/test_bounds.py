"""The size of a sample and the bound that follows from it: exact, and never optimistic."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binom

from deid.reviews.estimate import fewest_leaking, most_leaking, sample_size, upper_bound


def exact_at_most(leaking: int, read: int, population: int, leaks: int) -> Fraction:
    """Probability that a sample of `read` holds at most `leaking` of `leaks` among `population`, in exact fractions."""
    ways = sum(comb(leaks, found) * comb(population - leaks, read - found) for found in range(leaking + 1))
    return Fraction(ways, comb(population, read))


@pytest.mark.parametrize(
    ("target", "confidence", "tolerated", "size"),
    [(0.01, 0.95, 0, 299), (0.05, 0.95, 0, 59), (0.01, 0.99, 0, 459), (0.003, 0.95, 0, 998), (0.01, 0.95, 1, 473)],
)
def test_the_sample_is_the_smallest_that_shows_the_target(
    target: float, confidence: float, tolerated: int, size: int
) -> None:
    assert sample_size(target, confidence, tolerated=tolerated) == size
    assert upper_bound(tolerated, size, confidence) <= target < upper_bound(tolerated, size - 1, confidence)
    # Clopper–Pearson by its definition: at the bound, so few leaks have probability 1 − confidence exactly.
    assert binom.cdf(tolerated, size, upper_bound(tolerated, size, confidence)) == pytest.approx(1 - confidence)


@pytest.mark.parametrize(("population", "target"), [(40, 0.05), (120, 0.01), (120, 0.05), (600, 0.01)])
def test_a_small_population_needs_fewer_and_just_enough(population: int, target: float) -> None:
    size = sample_size(target, 0.95, population=population)
    beyond = int(target * population) + 1
    assert size <= min(population, sample_size(target, 0.95))
    assert exact_at_most(0, size, population, beyond) < Fraction(5, 100)
    assert exact_at_most(0, size - 1, population, beyond) >= Fraction(5, 100)


@pytest.mark.parametrize(
    ("population", "sizes"),
    [
        (120, [114, 93, 76, 41, 24]),
        (600, [316, 208, 123, 54, 28]),
        (2400, [493, 270, 141, 58, 29]),
        (20_000, [584, 295, 148, 59, 29]),
    ],
)
def test_the_sizes_that_the_stewards_page_gives_are_right(population: int, sizes: list[int]) -> None:
    assert [sample_size(share, 0.95, population=population) for share in (0.005, 0.01, 0.02, 0.05, 0.1)] == sizes


def test_the_worked_example_of_the_stewards_page_is_right() -> None:
    assert sample_size(0.01, 0.95, population=2402) == 270
    assert [most_leaking(leaking, 270, 2402, 0.95) for leaking in range(4)] == [24, 40, 53, 65]


def test_a_large_population_is_as_good_as_an_endless_one() -> None:
    assert sample_size(0.01, 0.95, population=2_000_000) == 299


def test_what_no_sample_can_show_is_read_whole() -> None:
    assert sample_size(0.001, 0.95, population=50) == 48  # one leak in 50 escapes 48 readings four times in a hundred
    assert sample_size(0.001, 0.999, population=50) == 50
    assert sample_size(0.01, 0.95, tolerated=3, population=60) == 60
    assert sample_size(0.01, 0.95, population=1) == 1


def test_a_census_leaves_no_doubt() -> None:
    for leaking in (0, 1, 7, 50):
        assert most_leaking(leaking, 50, 50, 0.95) == fewest_leaking(leaking, 50, 50, 0.95) == leaking


@pytest.mark.parametrize("population", [12, 47])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_no_true_number_of_leaks_escapes_the_bound_more_often_than_stated(population: int, confidence: float) -> None:
    for read in (1, population // 3, population - 1):
        tops = [most_leaking(found, read, population, confidence) for found in range(read + 1)]
        bottoms = [fewest_leaking(found, read, population, confidence) for found in range(read + 1)]
        for leaks in range(population + 1):
            weights = [
                Fraction(comb(leaks, found) * comb(population - leaks, read - found), comb(population, read))
                for found in range(read + 1)
                if found <= leaks
            ]
            above = sum(weight for weight, top in zip(weights, tops, strict=False) if top >= leaks)
            below = sum(weight for weight, bottom in zip(weights, bottoms, strict=False) if bottom <= leaks)
            assert min(above, below) >= Fraction(str(confidence))


@pytest.mark.parametrize("rate", [0.001, 0.004, 0.01, 0.03])
def test_simulated_reviews_are_right_as_often_as_they_say(rate: float) -> None:
    draw = np.random.default_rng(20261122)
    bounds = {found: upper_bound(found, 299, 0.95) for found in range(60)}
    found = draw.binomial(299, rate, size=20_000)
    covered = np.mean([bounds[int(one)] >= rate for one in found])
    assert covered >= 0.95 - 3 * (0.95 * 0.05 / 20_000) ** 0.5


def test_impossible_counts_are_refused() -> None:
    for leaking, read, population in ((2, 1, 5), (-1, 3, 5), (0, 6, 5)):
        with pytest.raises(ValueError, match="bound needs"):
            most_leaking(leaking, read, population, 0.95)
