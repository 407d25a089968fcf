"""Exact bounds on the share of documents that leak, from those that leaked in a random sample (Clopper & Pearson 1934).

Two models. With no population: each document leaks with one unknown probability (binomial). With one: the sample was
drawn without replacement from that many documents, and the bound is on how many of these leak (hypergeometric).
Both are exact: the true value is above the bound in at most 1 − confidence of all samples.
"""

from __future__ import annotations

from collections.abc import Callable


def upper_bound(leaking: int, read: int, confidence: float) -> float:
    """The highest probability of a leak that `leaking` of `read` documents leave plausible, one-sided.

    Raises:
        ValueError: there cannot be as many leaking documents.
    """
    _check(leaking, read, read)
    if leaking == read:
        return 1.0
    from scipy.stats import beta

    return float(beta.ppf(confidence, leaking + 1, read - leaking))


def most_leaking(leaking: int, read: int, population: int, confidence: float) -> int:
    """The largest number of leaking documents among `population` that the sample leaves plausible, one-sided.

    Raises:
        ValueError: there cannot be as many leaking documents, or as many read.
    """
    _check(leaking, read, population)
    from scipy.stats import hypergeom

    def plausible(leaks: int) -> bool:
        return bool(hypergeom.cdf(leaking, population, leaks, read) >= 1 - confidence)

    return _last(plausible, leaking, population - (read - leaking))


def fewest_leaking(leaking: int, read: int, population: int, confidence: float) -> int:
    """The smallest number of leaking documents among `population` that the sample leaves plausible, one-sided.

    Raises:
        ValueError: there cannot be as many leaking documents, or as many read.
    """
    return population - most_leaking(read - leaking, read, population, confidence)


def sample_size(target: float, confidence: float, *, tolerated: int = 0, population: int | None = None) -> int:
    """The fewest documents to read so that, with at most `tolerated` of them leaking, the bound is at most `target`.

    With a population, all of it where no fewer would do.
    """
    if population is not None:
        size = population
        allowed = int(target * population)

        def too_few(read: int) -> bool:
            return most_leaking(min(tolerated, read), read, size, confidence) > allowed

        return 1 if not too_few(1) else min(population, _last(too_few, 1, population) + 1)
    ceiling = tolerated + 1
    while upper_bound(tolerated, ceiling, confidence) > target:
        ceiling *= 2
    return _last(lambda read: upper_bound(tolerated, read, confidence) > target, tolerated, ceiling) + 1


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The largest value in [low, high] for which `holds`, which holds for `low` and never again once it does not."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _check(leaking: int, read: int, population: int) -> None:
    if not 0 <= leaking <= read <= population:
        raise ValueError("a bound needs 0 <= leaking <= read <= population")
