"""Intervals of shares, and draws for intervals of figures that add up over documents, stays or patients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta

RESAMPLES, DRAWS, SEED = 1000, 2000, 2026


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate, and its interval of 95 % over units drawn again: documents, stays or patients."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f}–{self.high:.2f})"

    def apart(self, other: Interval) -> bool:
        """Return whether the intervals have no point in common."""
        return self.high < other.low or other.high < self.low


def share_interval(found: float, tried: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the two-sided interval of the share `found` / `tried` (Clopper & Pearson 1934, Biometrika 26, 404-413).

    Half of what `confidence` leaves lies on each side: the upper bound of 0.9 is the one-sided bound of 0.95. The
    counts may be expected ones, not integers. (0, 1) where nothing was tried.

    Raises:
        ValueError: unless 0 <= found <= tried.
    """
    if not 0 <= found <= tried:
        raise ValueError("an interval needs 0 <= found <= tried")
    low, high = share_bounds(found, tried, confidence)
    return float(low), float(high)


def share_bounds(
    found: ArrayLike, tried: ArrayLike, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the intervals of `share_interval` for arrays of counts."""
    hits, draws = np.asarray(found), np.asarray(tried)
    tail = (1 - confidence) / 2
    # The quantiles are no numbers without a hit (lower bound 0), and for hits only (upper bound 1).
    low = np.where(hits > 0, beta.ppf(tail, hits, draws - hits + 1), 0.0)
    return low, np.where(hits < draws, beta.ppf(1 - tail, hits + 1, draws - hits), 1.0)


@dataclass(frozen=True, slots=True)
class RankedFirst:
    """Targets of an attack, and those that it ranks first among the candidates; ties are drawn."""

    candidates: int
    targets: int
    hits: int

    @property
    def share(self) -> float:
        """Share of targets found."""
        return self.hits / self.targets

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of the share at 95 %, of Clopper and Pearson (1934)."""
        return share_interval(self.hits, self.targets)


def drawn_interval(drawn: ArrayLike) -> tuple[float, float]:
    """Return the ends of the interval of 95 % of a figure drawn again; draws that give no number are left out."""
    low, high = np.nanquantile(np.asarray(drawn, dtype=np.float64), (0.025, 0.975))
    return float(low), float(high)


def redrawn(units: int) -> NDArray[np.int64]:
    """Return the units of each of `DRAWS` resamples with replacement, for figures that are no sums of the units'."""
    return np.random.default_rng(SEED).integers(units, size=(DRAWS, units))


def resampled(units: int, seed: int = SEED, resamples: int = RESAMPLES) -> NDArray[np.float64]:
    """Return how often each unit is drawn in each resample with replacement, shape (resamples, units)."""
    random = np.random.default_rng(seed)
    return np.asarray(random.multinomial(units, np.full(units, 1 / units), size=resamples), dtype=np.float64)
