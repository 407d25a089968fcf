"""Quantiles and histograms of sorted numbers, with bounds that a person would have chosen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

_BINS = 16
_NICE_STEPS = (1, 2, 2.5, 5, 10)


def quantiles(ordered: Sequence[float]) -> dict[str, float]:
    """Count, extremes, quartiles and 95th percentile of ascending numbers, linearly interpolated; {} if none."""
    if not ordered:
        return {}
    points = {"p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
    return {
        "count": len(ordered),
        "min": ordered[0],
        **{name: _quantile(ordered, share) for name, share in points.items()},
        "max": ordered[-1],
    }


def _quantile(ordered: Sequence[float], share: float) -> float:
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def histogram(ordered: Sequence[float], tail: float = 1.0) -> list[dict[str, Any]]:
    """Counts of ascending non-negative numbers in equal bins of a round width, about 16 in all.

    Numbers above the quantile `tail` are put together in a last, open bin (`to` is None).
    """
    if not ordered:
        return []
    reach = _quantile(ordered, tail) or 1.0
    width = round_up(reach / _BINS)
    bins = max(1, math.ceil(reach / width))
    counts = [0] * (bins + 1)
    for value in ordered:
        counts[min(math.floor(value / width), bins) if value < bins * width else bins] += 1
    if tail == 1.0:
        counts[bins - 1] += counts[bins]  # the greatest value stands on the last bound
        counts[bins] = 0
    cells: list[dict[str, Any]] = [
        {"from": index * width, "to": (index + 1) * width, "documents": count}
        for index, count in enumerate(counts[:bins])
    ]
    return [*cells, {"from": bins * width, "to": None, "documents": counts[bins]}] if counts[bins] else cells


def round_up(width: float) -> float:
    """The least of 1, 2, 2.5 and 5 times a power of ten that is not below `width` (> 0)."""
    scale = 10.0 ** math.floor(math.log10(width))
    return next(step * scale for step in _NICE_STEPS if step * scale >= width * (1 - 1e-9))
