"""Geometry of the report's drawings: what a template needs to write crisp SVG bars, no drawing itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deid.quality.report.distribution import round_up

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
class Mark:
    """A tick or a vertical line: where, and what it says."""

    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram ready to be written."""

    bars: tuple[Bar, ...]
    below: tuple[Mark, ...]
    beside: tuple[Mark, ...]
    marks: tuple[Mark, ...]
    width: int = WIDTH
    height: int = HEIGHT
    floor: int = HEIGHT - BOTTOM
    left: int = LEFT
    right: int = WIDTH - RIGHT


def histogram(
    cells: Sequence[Mapping[str, Any]], marks: Mapping[str, float], write: Any, *, digits: int, more: str
) -> Histogram | None:
    """Lay out bins (`from`, `to` or None, `documents`) and vertical `marks` (name → value); None without bins.

    `write` is a `numbers.Writer`, `more` the words for "and more" under an open bin.
    """
    if not cells:
        return None
    most = max(cell["documents"] for cell in cells)
    tick = round_up(most / 4)
    top = math.ceil(most / tick) * tick
    step = (WIDTH - LEFT - RIGHT) / len(cells)
    span = HEIGHT - TOP - BOTTOM
    bars, below = [], []
    for index, cell in enumerate(cells):
        height = span * cell["documents"] / top
        upper = more if cell["to"] is None else write.plain(cell["to"], digits)
        bounds = f"{write.plain(cell['from'], digits)} – {upper}"
        x = LEFT + index * step
        bars.append(Bar(x + 1, TOP + span - height, step - 2, height, f"{bounds} : {write.plain(cell['documents'])}"))
        if index % max(1, len(cells) // 8) == 0:
            below.append(Mark(x, HEIGHT - BOTTOM + 16, write.plain(cell["from"], digits)))
    bin_width = cells[0]["to"] - cells[0]["from"]
    end = LEFT + (len(cells) - 1 if cells[-1]["to"] is None else len(cells)) * step
    lines = tuple(
        Mark(min(LEFT + step * value / bin_width, end), TOP, f"{name} {write.plain(value, digits)}")
        for name, value in marks.items()
    )
    beside = tuple(
        Mark(LEFT - 8, TOP + span * (1 - level * tick / top) + 4, write.plain(level * tick))
        for level in range(round(top / tick) + 1)
        if float(level * tick).is_integer()
    )
    return Histogram(tuple(bars), tuple(below), beside, lines)
