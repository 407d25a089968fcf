"""Exact bounds on the share of leaking documents, from a random sample (Clopper & Pearson 1934, Biometrika 26).

Without a population, each document leaks with one unknown probability (binomial). With a population, the sample is
drawn from it without replacement, and the bound is on the number of leaking documents (hypergeometric). Both are exact:
the true value is above the bound in at most 1 − confidence of all samples.
"""

from __future__ import annotations

from collections.abc import Callable


def upper_bound(leaking: int, read: int, confidence: float) -> float:
    """Return the one-sided upper bound on the probability of a leak, given `leaking` of `read` documents.

    Raises:
        ValueError: unless 0 <= leaking <= read.
    """
    _check_counts(leaking, read, read)
    if leaking == read:
        return 1.0
    from scipy.stats import beta

    return float(beta.ppf(confidence, leaking + 1, read - leaking))


def most_leaking(leaking: int, read: int, population: int, confidence: float) -> int:
    """Return the one-sided upper bound on the number of leaking documents in `population`.

    Raises:
        ValueError: unless 0 <= leaking <= read <= population.
    """
    _check_counts(leaking, read, population)
    from scipy.stats import hypergeom

    def plausible(leaks: int) -> bool:
        return bool(hypergeom.cdf(leaking, population, leaks, read) >= 1 - confidence)

    return _last_where(plausible, leaking, population - (read - leaking))


def fewest_leaking(leaking: int, read: int, population: int, confidence: float) -> int:
    """Return the one-sided lower bound on the number of leaking documents in `population`.

    Raises:
        ValueError: unless 0 <= leaking <= read <= population.
    """
    return population - most_leaking(read - leaking, read, population, confidence)


def sample_size(target: float, confidence: float, *, tolerated: int = 0, population: int | None = None) -> int:
    """Return the smallest sample whose upper bound is at most `target` with `tolerated` leaking documents.

    With a population, the whole of it if no smaller sample suffices.
    """
    if population is not None:
        size = population
        allowed = int(target * population)

        def too_few(read: int) -> bool:
            return most_leaking(min(tolerated, read), read, size, confidence) > allowed

        return 1 if not too_few(1) else min(population, _last_where(too_few, 1, population) + 1)
    ceiling = tolerated + 1
    while upper_bound(tolerated, ceiling, confidence) > target:
        ceiling *= 2
    return _last_where(lambda read: upper_bound(tolerated, read, confidence) > target, tolerated, ceiling) + 1


def _last_where(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the largest value of [low, high] for which `holds`, a predicate true for `low` and then monotone."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _check_counts(leaking: int, read: int, population: int) -> None:
    if not 0 <= leaking <= read <= population:
        raise ValueError("a bound needs 0 <= leaking <= read <= population")
