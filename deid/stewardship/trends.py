"""Geometry of the overview's charts: one measure over the days, with the band of usual values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from deid.reports.distribution import round_up
from deid.stewardship.overview import ComparedInterval
from deid.warehouse.planning import PARIS

WIDTH, HEIGHT = 560, 190
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 14, 30


@dataclass(frozen=True, slots=True)
class Point:
    """One interval: position in the chart, value, and True if the value is usual."""

    key: str
    x: float
    y: float
    value: float
    usual: bool


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an axis: position, and its value or day."""

    place: float
    value: float = 0.0
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Trend:
    """A chart of one measure, oldest interval first. `line` and `band` are lists of points in SVG syntax."""

    measure: str
    points: tuple[Point, ...]
    line: str
    band: str
    beside: tuple[Tick, ...]
    below: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    floor: int = HEIGHT - BOTTOM

    @property
    def unusual(self) -> int:
        """Number of unusual intervals."""
        return sum(not point.usual for point in self.points)


def layout_trend(judged: Sequence[ComparedInterval], measure: str) -> Trend | None:
    """Lay out `measure` over intervals, given newest first; None for fewer than two."""
    shown = [one for one in reversed(judged) if one.interval.treated]
    if len(shown) < 2:
        return None
    first, last = (shown[end].interval.start for end in (0, -1))
    whole = (last - first).total_seconds() or 1.0
    highest = max([one.interval.measures[measure] for one in shown] + [_usual_high(one, measure) for one in shown])
    tick = round_up((highest or 1.0) / 4)
    top = tick * math.ceil((highest or 1.0) / tick)

    def across(one: ComparedInterval) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (one.interval.start - first).total_seconds() / whole

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(value, top) / top

    points = tuple(
        Point(one.interval.key, across(one), up(value), value, one.is_usual(measure))
        for one in shown
        for value in (one.interval.measures[measure],)
    )
    held = [one for one in shown if measure in one.habits]
    above = [(across(one), up(one.habits[measure].high)) for one in held]
    under = [(across(one), up(one.habits[measure].low)) for one in reversed(held)]
    return Trend(
        measure,
        points,
        _svg_points([(point.x, point.y) for point in points]),
        _svg_points(above + under) if len(held) > 1 else "",
        tuple(Tick(up(tick * level), tick * level) for level in range(round(top / tick) + 1)),
        tuple(_day_ticks(first.astimezone(PARIS).date(), last.astimezone(PARIS).date())),
    )


def _usual_high(one: ComparedInterval, measure: str) -> float:
    return one.habits[measure].high if measure in one.habits else 0.0


def _svg_points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _day_ticks(first: date, last: date) -> list[Tick]:
    """Return about five ticks for the day axis."""
    whole = (last - first).days
    step = max(1, round(whole / 4))
    return [
        Tick(LEFT + (WIDTH - LEFT - RIGHT) * gone / max(1, whole), day=first + timedelta(days=gone))
        for gone in range(0, whole + 1, step)
        if whole - gone >= step / 2 or gone == whole
    ]
