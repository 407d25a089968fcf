"""The size of a sample and the bound that follows from it: right whenever one looks, and never optimistic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

from deid.config.policy import Review
from deid.reviews import bounds
from deid.reviews.bounds import Found, clopper_pearson, fewest_leaking, least_detection, most_leaking, sample_size
from deid.reviews.lifecycle import offer_targets

ORDERS = 4000
EXCESS = 3 * (0.95 * 0.05 / ORDERS) ** 0.5  # of the share of errors in so many orders, by chance


@pytest.mark.parametrize(
    ("population", "sizes"),
    [
        (120, [116, 97, 79, 44, 25]),
        (600, [334, 222, 131, 58, 29]),
        (2400, [527, 288, 150, 61, 30]),
        (20_000, [620, 311, 155, 61, 30]),
    ],
)
def test_the_sizes_that_the_stewards_page_gives_are_right(population: int, sizes: list[int]) -> None:
    assert [sample_size(share, 0.95, population) for share in (0.005, 0.01, 0.02, 0.05, 0.1)] == sizes


@pytest.mark.parametrize(
    ("population", "offered"),
    [
        (3, {0.01: 3}),
        (20, {0.01: 20, 0.05: 16, 0.1: 13}),
        (120, {0.005: 116, 0.01: 97, 0.02: 79, 0.05: 44, 0.1: 25}),
    ],
)
def test_only_targets_that_take_another_number_of_documents_are_offered(
    population: int, offered: dict[float, int]
) -> None:
    assert offer_targets(Review(sentinels=0), population) == offered


def test_the_worked_example_of_the_stewards_page_is_right() -> None:
    assert [sample_size(0.01, 0.95, 2402, leaking=leaking) for leaking in range(4)] == [288, 720, 907, 1063]
    assert [most_leaking(leaking, 288, 2402, 0.95) for leaking in range(4)] == [24, 67, 88, 106]


@pytest.mark.parametrize(("population", "target"), [(40, 0.05), (120, 0.01), (600, 0.01), (2402, 0.01)])
@pytest.mark.parametrize("leaking", [0, 1, 3])
def test_the_sample_is_the_smallest_that_shows_the_target(population: int, target: float, leaking: int) -> None:
    size, allowed = sample_size(target, 0.95, population, leaking=leaking), int(target * population)
    if leaking > allowed:
        assert size == population
        return
    assert most_leaking(leaking, size, population, 0.95) <= allowed
    assert most_leaking(leaking, size - 1, population, 0.95) > allowed


def test_what_no_sample_can_show_is_read_whole() -> None:
    assert sample_size(0.001, 0.999, 50) == 50
    assert sample_size(0.01, 0.95, 60, leaking=3) == 60
    assert sample_size(0.01, 0.95, 1) == 1


def test_a_census_leaves_no_doubt() -> None:
    for leaking in (0, 1, 7, 50):
        assert most_leaking(leaking, 50, 50, 0.95) == fewest_leaking(leaking, 50, 50, 0.95) == leaking


def test_nothing_read_shows_nothing() -> None:
    assert (most_leaking(0, 0, 50, 0.95), fewest_leaking(0, 0, 50, 0.95)) == (50, 0)


@given(st.data())
def test_a_leak_more_never_lowers_the_bound_and_a_document_more_never_raises_it(data: st.DataObject) -> None:
    population = data.draw(st.integers(2, 300))
    read = data.draw(st.integers(1, population - 1))
    leaking = data.draw(st.integers(0, read - 1))
    bound = most_leaking(leaking, read, population, 0.95)
    assert bound <= most_leaking(leaking + 1, read, population, 0.95)
    assert bound >= most_leaking(leaking, read + 1, population, 0.95)
    assert leaking <= fewest_leaking(leaking, read, population, 0.95) <= bound
    # Never below the bound of Clopper and Pearson for a sample whose size nothing changed.
    fixed = [leaks for leaks in range(population + 1) if hypergeom.cdf(leaking, population, leaks, read) >= 0.05]
    assert bound >= max(fixed)


def excluding(population: int, leaks: int) -> list[int]:
    """For each number of documents read, the most noticed leaks under which `leaks` is excluded; -1 if none."""
    most = []
    for read in range(1, population + 1):
        few = range(min(read, leaks) + 1)
        most.append(max((one for one in few if most_leaking(one, read, population, 0.95) < leaks), default=-1))
    return most


def orders(population: int, leaks: int, seed: int) -> np.ndarray:
    """Random orders of the documents; true where one leaks."""
    draw = np.random.default_rng(seed)
    return draw.permuted(np.tile(np.arange(population) < leaks, (ORDERS, 1)), axis=1)


@pytest.mark.parametrize(("population", "leaks"), [(60, 1), (60, 4), (120, 7), (120, 30)])
def test_who_looks_after_every_document_and_stops_at_will_is_not_misled(population: int, leaks: int) -> None:
    seen = orders(population, leaks, 20261125).cumsum(axis=1)
    assert (seen <= excluding(population, leaks)).any(axis=1).mean() <= 0.05 + EXCESS
    fewest = [
        min((one for one in range(leaks + 1) if one <= read and fewest_leaking(one, read, population, 0.95) > leaks),
            default=population + 1)
        for read in range(1, population + 1)
    ]  # fmt: skip
    assert (seen >= fewest).any(axis=1).mean() <= 0.05 + EXCESS


def test_a_sample_that_grows_until_it_shows_the_target_is_wrong_as_seldom_as_it_says() -> None:
    population, target, leaks = 120, 0.05, 7  # one more than the target allows
    seen = orders(population, leaks, 20261126).cumsum(axis=1)

    def reaches(order: np.ndarray) -> bool:
        read = sample_size(target, 0.95, population)
        while most_leaking(leaking := int(order[read - 1]), read, population, 0.95) > target * population:
            wanted = sample_size(target, 0.95, population, leaking=leaking)
            if wanted <= read or read == population:
                return False
            read = wanted
        return True

    assert np.mean([reaches(order) for order in seen]) <= 0.05 + EXCESS
    # The bound for a sample of fixed size, looked at after each document, is wrong far more often.
    fixed = [fixed_most(read, population, leaks) for read in range(1, population + 1)]
    assert (seen <= fixed).any(axis=1).mean() > 0.1


def fixed_most(read: int, population: int, leaks: int) -> int:
    """The most leaks in a sample of fixed size under which `leaks` is excluded at 95 %; -1 if none."""
    few = range(min(read, leaks) + 1)
    return max((one for one in few if hypergeom.cdf(one, population, leaks, read) < 0.05), default=-1)


def test_readers_who_miss_sentinels_widen_the_bound() -> None:
    assert most_leaking(0, 300, 2402, 0.95, Found(0, 0)) == most_leaking(0, 300, 2402, 0.95)
    worse = [most_leaking(0, 300, 2402, 0.95, Found(found, 30)) for found in (30, 29, 25, 15)]
    assert worse == sorted(set(worse))
    assert most_leaking(0, 300, 2402, 0.95, Found(0, 30)) == 2402, "who finds no sentinel shows nothing"
    assert most_leaking(0, 2402, 2402, 0.95, Found(25, 30)) > 0, "nor is a census one"
    assert [sample_size(0.01, 0.95, population, sentinels=0.1) for population in (2400, 2402)] == [384, 384]


@pytest.mark.parametrize(
    ("leaks", "leaking", "read", "population", "detection"), [(5, 1, 10, 40, 0.8), (38, 3, 10, 40, 0.9)]
)
def test_the_likelihood_is_that_of_a_draw_whose_leaks_are_noticed_by_chance(
    leaks: int, leaking: int, read: int, population: int, detection: float
) -> None:
    drawn = range(leaking, read + 1)
    exact = sum(hypergeom.pmf(some, population, leaks, read) * binom.pmf(leaking, some, detection) for some in drawn)
    assert bounds._log_likelihood(leaks, leaking, read, population, detection) == pytest.approx(np.log(exact))


@pytest.mark.parametrize(("leaks", "detection"), [(7, 0.8), (20, 0.6)])
def test_readers_who_notice_some_leaks_only_are_corrected_by_their_sentinels(leaks: int, detection: float) -> None:
    population, every = 60, 4  # each fourth document holds a sentinel
    draw = np.random.default_rng(20261127)
    noticed = (orders(population, leaks, 20261128) & (draw.random((ORDERS, population)) < detection)).cumsum(axis=1)
    found = (draw.random((ORDERS, population // every)) < detection).cumsum(axis=1)
    known: dict[tuple[int, int, int], bool] = {}

    def misled(order: np.ndarray, seen: np.ndarray) -> bool:
        for read in range(every, population + 1, every):
            key = (read, int(order[read - 1]), int(seen[read // every - 1]))
            if key not in known:
                sentinels = Found(key[2], read // every)
                known[key] = most_leaking(key[1], read, population, 0.95, sentinels) < leaks
            if known[key]:
                return True
        return False

    assert np.mean([misled(*one) for one in zip(noticed, found, strict=True)]) <= 0.05 + EXCESS
    # As if every leak were noticed, the bound is wrong far more often.
    blind = excluding(population, leaks)
    assert (noticed <= blind).any(axis=1).mean() > 0.1


@pytest.mark.parametrize("leaks", [3, 20])
@pytest.mark.parametrize("poor", [range(0, 60, 3), range(40, 60), range(20)], ids=["by turns", "last", "first"])
def test_a_poor_reader_beside_a_good_one_gains_nothing_from_the_rate_of_both(leaks: int, poor: range) -> None:
    """Sentinels are drawn among documents, so that each reader weighs by what that person has read."""
    population, draw = 60, np.random.default_rng(20261130)
    rates = np.full(population, 0.95)
    rates[list(poor)] = 0.3
    noticed = (orders(population, leaks, 20261129) & (draw.random((ORDERS, population)) < rates)).cumsum(axis=1)
    holding = draw.permuted(np.tile(np.arange(population) % 4 == 0, (ORDERS, 1)), axis=1)
    found = (holding & (draw.random((ORDERS, population)) < rates)).cumsum(axis=1)
    planted = holding.cumsum(axis=1)
    known: dict[tuple[int, ...], bool] = {}

    def misled(order: int) -> bool:
        for read in range(10, population + 1, 10):
            key = (read, *(int(one[order, read - 1]) for one in (noticed, found, planted)))
            if key not in known:
                known[key] = most_leaking(key[1], read, population, 0.95, Found(*key[2:])) < leaks
            if known[key]:
                return True
        return False

    assert np.mean([misled(order) for order in range(ORDERS)]) <= 0.05 + EXCESS


def test_the_interval_of_a_detection_rate_is_that_of_clopper_and_pearson() -> None:
    low, high = clopper_pearson(27, 30, 0.95)
    assert binom.sf(26, 30, low) == pytest.approx(0.025)
    assert binom.cdf(27, 30, high) == pytest.approx(0.025)
    assert clopper_pearson(30, 30, 0.95) == (pytest.approx(0.025 ** (1 / 30)), 1.0)
    assert clopper_pearson(0, 3, 0.95)[0] == 0.0
    assert least_detection(Found(27, 30), 0.975) < low, "the bound that may be looked at any time is the wider"


def test_impossible_counts_are_refused() -> None:
    for leaking, read, population in ((2, 1, 5), (-1, 3, 5), (0, 6, 5)):
        with pytest.raises(ValueError, match="bound needs"):
            most_leaking(leaking, read, population, 0.95)
