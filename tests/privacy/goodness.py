"""Chi-square of draws against an exact law: the probability of a fit as bad, if the law is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping

from scipy.stats import chisquare

# Streams are fixed, so a right law passes always or never: one law in 100,000 would be refused wrongly.
LEAST = 1e-5
_LEAST_EXPECTED = 8


def p_value(counts: Counter[Hashable], law: Mapping[Hashable, float]) -> float:
    """Cells that expect too few draws, and all outcomes that `law` does not list, are one cell."""
    draws = counts.total()
    kept = {cell: weight * draws for cell, weight in law.items() if weight * draws >= _LEAST_EXPECTED}
    observed, expected = [counts[cell] for cell in kept], list(kept.values())
    rest = draws - sum(expected)
    if rest >= _LEAST_EXPECTED:
        observed, expected = [*observed, draws - sum(observed)], [*expected, rest]
    else:
        expected = [value * sum(observed) / sum(expected) for value in expected]
    return float(chisquare(observed, expected).pvalue)
