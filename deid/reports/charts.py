"""Quantiles, histograms and a scatter plot of a report: numbers, and the geometry that a template needs for SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deid.reports.numbers import Writer

WIDTH, HEIGHT = 760, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 26, 34


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a histogram, in the coordinates of its drawing; `label` is read out and shown on hover."""

    x: float
    y: float
    width: float
    height: float
    label: str


@dataclass(frozen=True, slots=True)
class ChartMark:
    """A tick or a vertical line: where, and what it says."""

    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram ready to be written."""

    bars: tuple[Bar, ...]
    below: tuple[ChartMark, ...]
    beside: tuple[ChartMark, ...]
    marks: tuple[ChartMark, ...]
    width: int = WIDTH
    height: int = HEIGHT
    floor: int = HEIGHT - BOTTOM
    left: int = LEFT
    right: int = WIDTH - RIGHT


def histogram(
    cells: Sequence[Mapping[str, Any]], marks: Mapping[str, float], write: Writer, *, digits: int, more: str
) -> Histogram | None:
    """Lay out bins (`from`, `to` or None, `documents`) and vertical `marks` (name → value); None without bins.

    `more` is the words for "and more" under an open last bin.
    """
    if not cells:
        return None
    step = (WIDTH - LEFT - RIGHT) / len(cells)
    tick = round_up(max(cell["documents"] for cell in cells) / 4)
    ticks = math.ceil(max(cell["documents"] for cell in cells) / tick)
    unit = (HEIGHT - TOP - BOTTOM) / (tick * ticks)
    bars = []
    for index, cell in enumerate(cells):
        height = unit * cell["documents"]
        upper = more if cell["to"] is None else write.plain(cell["to"], digits)
        label = f"{write.plain(cell['from'], digits)} – {upper} : {write.plain(cell['documents'])}"
        bars.append(Bar(LEFT + index * step + 1, HEIGHT - BOTTOM - height, step - 2, height, label))
    below = [
        ChartMark(LEFT + index * step, HEIGHT - BOTTOM + 16, write.plain(cells[index]["from"], digits))
        for index in range(0, len(cells), max(1, len(cells) // 8))
    ]
    beside = [
        ChartMark(LEFT - 8, HEIGHT - BOTTOM - unit * tick * level + 4, write.plain(tick * level))
        for level in range(ticks + 1)
        if float(tick * level).is_integer()
    ]
    return Histogram(tuple(bars), tuple(below), tuple(beside), _marks(cells, marks, write, step, digits))


def _marks(
    cells: Sequence[Mapping[str, Any]], marks: Mapping[str, float], write: Writer, step: float, digits: int
) -> tuple[ChartMark, ...]:
    """Vertical lines at values; beyond an open last bin they stand on its edge."""
    bin_width = cells[0]["to"] - cells[0]["from"]
    end = LEFT + (len(cells) - (cells[-1]["to"] is None)) * step
    return tuple(
        ChartMark(min(LEFT + step * value / bin_width, end), TOP, f"{name} {write.plain(value, digits)}")
        for name, value in marks.items()
    )


@dataclass(frozen=True, slots=True)
class Point:
    """Two shares and their bounds; `across` bounds `x`, `along` bounds `y`; `label` is read out and shown on hover."""

    x: float
    y: float
    across: tuple[float, float]
    along: tuple[float, float]
    label: str
    current: bool


@dataclass(frozen=True, slots=True)
class Scatter:
    """A plot of shares from 0 to 1 ready to be written; points are in coordinates of the drawing, the last on top."""

    points: tuple[Point, ...]
    below: tuple[ChartMark, ...]
    beside: tuple[ChartMark, ...]
    width: int = WIDTH
    height: int = HEIGHT
    floor: int = HEIGHT - BOTTOM
    left: int = LEFT
    right: int = WIDTH - RIGHT


def scatter(points: Sequence[Point], write: Writer) -> Scatter:
    """Lay out points whose `x` and `y` are shares, the first on top."""
    across, along = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at_x(share: float) -> float:
        return LEFT + across * share

    def at_y(share: float) -> float:
        return TOP + along * (1 - share)

    drawn = [
        Point(
            at_x(one.x),
            at_y(one.y),
            (at_x(one.across[0]), at_x(one.across[1])),
            (at_y(one.along[0]), at_y(one.along[1])),
            one.label,
            one.current,
        )
        for one in points
    ]
    shares = [tick / 4 for tick in range(5)]
    below = tuple(ChartMark(at_x(share), HEIGHT - BOTTOM + 16, write.percent(share, 0)) for share in shares)
    beside = tuple(ChartMark(LEFT - 6, at_y(share) + 4, write.percent(share, 0)) for share in shares)
    return Scatter(tuple(reversed(drawn)), below, beside)


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


def count_bins(ordered: Sequence[float], tail: float = 1.0) -> list[dict[str, Any]]:
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
