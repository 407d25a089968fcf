"""Attack on patients' date shifts by who reads the research table at each rewriting, as a model of a hospital's rhythm.

The attacker knows the period in which each document became visible, the distribution of the days that documents take
from their own date to the warehouse (their lag), and the law of the shift, discrete Laplace; the guess is the likeliest
shift. `python -m benchmarks.arrival` gives its success on the synthetic hospital.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from statistics import median

import numpy as np

from deid.config.policy import PERIODS, Visible, period_around

Seen = tuple[int, int]  # day on which a document is dated, day on which it arrived (ordinals)
LEAST_LAGS = 30  # documents of patients with two or more, without which no distribution is told
_DRAWS = 2000
_IMPOSSIBLE = -1000.0


def period_days(visible: Visible, day: int) -> tuple[int, int]:
    """Return the first and the last day of the period of visibility that holds a day, as ordinals."""
    first, last = period_around(visible, date.fromordinal(day))
    return first.toordinal(), last.toordinal()


class Lags:
    """Distribution of lags in days, with sums over ranges of lags."""

    def __init__(self, counts: Mapping[int, int]) -> None:
        self._first = min(counts)
        numbers = [counts.get(lag, 0) for lag in range(self._first, max(counts) + 1)]
        self._below = np.concatenate([[0], np.cumsum(numbers)])
        self.total = int(self._below[-1])

    def between(self, least: np.ndarray, most: np.ndarray) -> np.ndarray:
        """Return how many lags lie in each range, ends included."""
        bounds = [np.clip(ends - self._first, 0, len(self._below) - 1) for ends in (least, most + 1)]
        counts: np.ndarray = self._below[bounds[1]] - self._below[bounds[0]]
        return counts


def likeliest_shift(observed: Sequence[Seen], lags: Lags, period: Visible, scale: float) -> int:
    """Return the likeliest shift of a patient, in days, from published dates and days of arrival; of equals the least.

    Args:
        observed: published day of each document, and the day of its arrival, of which only the period is used.
        lags: what the attacker knows of lags.
        period: one of `PERIODS`.
        scale: that of the discrete Laplace law of shifts, in days.
    """
    reach = 10 * math.ceil(scale)
    shifts = np.array(sorted(range(-reach, reach + 1), key=abs))
    scores = -np.abs(shifts) / scale
    for shown, arrived in observed:
        first, last = period_days(period, arrived)
        counts = lags.between(first - shown + shifts, last - shown + shifts)
        with np.errstate(divide="ignore"):
            scores = scores + np.where(counts > 0, np.log(counts / lags.total), _IMPOSSIBLE)
    return int(shifts[int(np.argmax(scores))])


def relative_lags(patients: Sequence[Sequence[Seen]]) -> Counter[int]:
    """Return the lags of documents relative to the median of their patient's, from published dates alone.

    The shift, one per patient, falls out. Medians hide some of the spread: an attack with these lags succeeds rather
    more often than one with the true ones.
    """
    found: Counter[int] = Counter()
    for seen in patients:
        if len(seen) > 1:
            middle = median(arrived - shown for shown, arrived in seen)
            found.update(round(arrived - shown - middle) for shown, arrived in seen)
    return found


def simulate(patients: Sequence[Sequence[int]], lags: Mapping[int, int], scale: float, seed: str) -> dict[str, float]:
    """Return, by period, the share of drawn patients whose shift is guessed exactly.

    Args:
        patients: days of arrival of the documents of each patient; each patient is drawn several times.
        lags: days → documents; lags and shifts are drawn anew, so that no figure is about a real date.
        scale: that of the law of shifts, in days.
        seed: the same text gives the same figures.
    """
    draw = np.random.default_rng(zlib.crc32(seed.encode()))
    days, weights = np.array(list(lags)), np.array(list(lags.values()), dtype=float)
    known, stop = Lags(lags), 1 - math.exp(-1 / scale)
    hits: Counter[str] = Counter()
    rounds = math.ceil(_DRAWS / len(patients))
    for arrivals in patients:
        for _ in range(rounds):
            shift = int(draw.geometric(stop) - draw.geometric(stop))
            drawn = draw.choice(days, size=len(arrivals), p=weights / weights.sum())
            observed = [(day - int(lag) + shift, day) for day, lag in zip(arrivals, drawn, strict=True)]
            hits.update(period for period in PERIODS if likeliest_shift(observed, known, period, scale) == shift)
    return {period: hits[period] / (rounds * len(patients)) for period in PERIODS}
