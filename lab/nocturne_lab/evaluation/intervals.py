"""Intervals of shares, and draws for intervals of figures that add up over documents, stays or patients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta

RESAMPLES = 1000


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


def resampled(units: int, seed: int = 2026, resamples: int = RESAMPLES) -> NDArray[np.float64]:
    """Return how often each unit is drawn in each resample with replacement, shape (resamples, units)."""
    random = np.random.default_rng(seed)
    return np.asarray(random.multinomial(units, np.full(units, 1 / units), size=resamples), dtype=np.float64)
