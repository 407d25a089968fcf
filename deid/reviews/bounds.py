"""Bounds on the number of leaking documents of an interval, valid whenever a review stops; size of a sample.

Documents are read in random order, without replacement. A number M of leaking documents is excluded once what was read
is 1/α times more probable under a fixed mixture of numbers than under M. Under M itself this ever happens in at most a
share α of all orders (Ville's inequality), so the bound holds at whatever moment one looks, and a sample may grow
because of what it showed: a confidence sequence (Waudby-Smith & Ramdas 2020, Confidence sequences for sampling without
replacement, Advances in Neural Information Processing Systems 33).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import NamedTuple

NO_LEAK = 0.75  # weight of "nothing leaks" in the mixture; the numbers 1, 2, 4, 8, … share the rest evenly
MISSED_SHARES = tuple(2.0**-power for power in range(1, 9))  # the same for the share of sentinels that nobody finds


class Found(NamedTuple):
    """Number of sentinels that readers found, of those planted in what they read."""

    found: int
    planted: int


def most_leaking(leaking: int, read: int, population: int, confidence: float, sentinels: Found | None = None) -> int:
    """Return the upper bound on the number of leaking documents in `population`.

    Readers notice a leaking document with the probability `least_detection(sentinels)` or more; without sentinels they
    are taken to notice every one. With sentinels, 1 − confidence is shared evenly by the two bounds.

    Raises:
        ValueError: unless 0 <= leaking <= read <= population.
    """
    _check_counts(leaking, read, population)
    risk, detection = 1 - confidence, 1.0
    if sentinels is not None and sentinels.planted:
        risk /= 2
        detection = least_detection(sentinels, 1 - risk)
    top = population - (read - leaking) if detection == 1.0 else population
    if not read or not detection:
        return top
    plausible = _plausible(leaking, read, population, risk, detection)
    likeliest = min(top, int(leaking * (population + 1) / (read * detection)))
    return _last_where(plausible, likeliest, top)


def fewest_leaking(leaking: int, read: int, population: int, confidence: float) -> int:
    """Return the lower bound on the number of leaking documents in `population`.

    Raises:
        ValueError: unless 0 <= leaking <= read <= population.
    """
    _check_counts(leaking, read, population)
    if not read:
        return 0
    plausible = _plausible(leaking, read, population, 1 - confidence, 1.0)
    likeliest = min(population - (read - leaking), leaking * (population + 1) // read)
    return likeliest - _last_where(lambda less: plausible(likeliest - less), 0, likeliest - leaking)


def least_detection(sentinels: Found, confidence: float) -> float:
    """Return the lower bound on the probability that a sentinel is found, by the same rule on the share missed."""
    missed, found = sentinels.planted - sentinels.found, sentinels.found
    log_weights = [math.log(NO_LEAK), *[math.log((1 - NO_LEAK) / len(MISSED_SHARES))] * len(MISSED_SHARES)]
    likelihoods = [_log_power(share, missed) + _log_power(1 - share, found) for share in (0.0, *MISSED_SHARES)]
    least = math.log(1 - confidence) + _log_sum(map(sum, zip(log_weights, likelihoods, strict=True)))
    low, high = 0.0, found / sentinels.planted
    for _ in range(60):
        middle = (low + high) / 2
        inside = _log_power(1 - middle, missed) + _log_power(middle, found) >= least
        low, high = (low, middle) if inside else (middle, high)
    return low


def clopper_pearson(found: int, planted: int, confidence: float) -> tuple[float, float]:
    """Return the two-sided interval of a probability (Clopper & Pearson 1934, Biometrika 26, 404-413).

    Raises:
        ValueError: unless 0 <= found <= planted and 0 < planted.
    """
    if not 0 <= found <= planted or not planted:
        raise ValueError("an interval needs 0 <= found <= planted, and one planted")
    from scipy.stats import binomtest

    interval = binomtest(found, planted).proportion_ci(confidence)
    return float(interval.low), float(interval.high)


def sample_size(
    target: float, confidence: float, population: int, *, leaking: int = 0, missed: int = 0, sentinels: float = 0.0
) -> int:
    """Return the number of documents to read until the upper bound is at most `target` of the population.

    `leaking` documents leak and `missed` sentinels are not found among them; one document in 1/`sentinels` holds one.
    The population if no smaller number suffices.
    """
    allowed = int(target * population)

    def too_few(read: int) -> bool:
        planted = int(sentinels * read)
        found = Found(max(0, planted - missed), planted)
        return most_leaking(min(leaking, read), read, population, confidence, found) > allowed

    ceiling = 1
    while ceiling < population and too_few(ceiling):
        ceiling *= 2
    ceiling = min(ceiling, population)
    floor = max(1, ceiling // 2)
    return floor if not too_few(floor) else min(population, _last_where(too_few, floor, ceiling) + 1)


def _plausible(leaking: int, read: int, population: int, risk: float, detection: float) -> Callable[[int], bool]:
    """Return the test of whether a number of leaking documents is not excluded."""

    def likelihood(leaks: int) -> float:
        return _log_likelihood(leaks, leaking, read, population, detection)

    powers = [2**power for power in range(population.bit_length()) if 2**power <= population]
    mixture = [math.log(NO_LEAK) + likelihood(0)]
    mixture += [math.log((1 - NO_LEAK) / len(powers)) + likelihood(leaks) for leaks in powers]
    least = math.log(risk) + _log_sum(mixture) - 1e-9  # of rounding: in doubt, not excluded
    return lambda leaks: likelihood(leaks) >= least


def _log_likelihood(leaks: int, leaking: int, read: int, population: int, detection: float) -> float:
    """Return the logarithm of the probability of `leaking` noticed documents, if `leaks` leak."""
    whole = _log_choose(population, read)
    if detection == 1.0:
        return _log_choose(leaks, leaking) + _log_choose(population - leaks, read - leaking) - whole
    import numpy as np
    from scipy.special import gammaln

    drawn = np.arange(max(leaking, read - (population - leaks)), min(leaks, read) + 1)
    if not drawn.size:
        return -math.inf
    logs = (
        -gammaln(leaks - drawn + 1) - gammaln(read - drawn + 1) - gammaln(population - leaks - read + drawn + 1)
        - gammaln(drawn - leaking + 1) + (drawn - leaking) * math.log1p(-detection)
    )  # fmt: skip
    highest = float(logs.max())
    fixed = math.lgamma(leaks + 1) + math.lgamma(population - leaks + 1) - math.lgamma(leaking + 1)
    return fixed - whole + leaking * math.log(detection) + highest + math.log(float(np.exp(logs - highest).sum()))


def _log_choose(of: int, some: int) -> float:
    if not 0 <= some <= of:
        return -math.inf
    return math.lgamma(of + 1) - math.lgamma(some + 1) - math.lgamma(of - some + 1)


def _log_power(base: float, exponent: int) -> float:
    return exponent * math.log(base) if base and exponent else (0.0 if not exponent else -math.inf)


def _log_sum(logs: Iterable[float]) -> float:
    values = list(logs)
    highest = max(values, default=-math.inf)
    return highest if highest == -math.inf else highest + math.log(sum(math.exp(one - highest) for one in values))


def _last_where(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the largest value of [low, high] for which `holds`, a predicate true for `low` and then monotone."""
    return low + bisect_right(range(low + 1, high + 1), False, key=lambda value: not holds(value))


def _check_counts(leaking: int, read: int, population: int) -> None:
    if not 0 <= leaking <= read <= population:
        raise ValueError("a bound needs 0 <= leaking <= read <= population")
