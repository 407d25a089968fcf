"""Usual range of a number: the median of earlier intervals, and the distance from it that is still usual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

SPREADS = 4.0  # times the median absolute deviation: about 2.7 standard deviations of a normal law
LEAST_SHARE = 0.1  # of the median: less is never out of the ordinary, however steady the nights before were
LEAST_INTERVALS = 5


@dataclass(frozen=True, slots=True)
class Habit:
    """The usual range of a number, from `intervals` earlier ones."""

    median: float
    low: float
    high: float
    intervals: int

    def holds(self, value: float) -> bool:
        """True if `value` is within the range."""
        return self.low <= value <= self.high


def habit(values: Sequence[float], least: float = 0.0) -> Habit | None:
    """The range median ± max(4 × median absolute deviation, 10 % of the median, `least`); None under five values.

    Both estimates bear with nearly half of the values being wrong (Hampel 1974, "The influence curve and its role in
    robust estimation"): one bad night does not become the habit. None of the numbers is negative, nor is `low`.
    """
    if len(values) < LEAST_INTERVALS:
        return None
    middle = median(values)
    spread = max(SPREADS * median(abs(value - middle) for value in values), LEAST_SHARE * abs(middle), least)
    return Habit(middle, max(0.0, middle - spread), middle + spread, len(values))
