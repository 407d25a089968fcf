"""Dates that lie close together in a text: those around the document's own time, and groups of the others.

All of it reads which dates are how far from one another, which is public for dates of one group, and draws nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from deid.substitution.temporal.values import DAYS_OF, Instant, Unit

LONGEST = 366  # days from a group's first date to its last, and from the document's own time to what is told with it
_WIDEST = 92  # days of a month or season, which is told beside days; a year is not
_WEEK = 7


class Group(NamedTuple):
    """Dates that move together, by their day: of a month its first told day, else its middle."""

    days: Mapping[Instant, date]

    @property
    def first(self) -> date:
        """Return the earliest day."""
        return min(self.days.values())

    @property
    def last(self) -> date:
        """Return the latest day."""
        return max(self.days.values())

    @property
    def alone(self) -> Instant | None:
        """Return the month or season that nothing is told close to; None for days, or several dates."""
        one, *others = self.days
        return None if others or one.unit is Unit.DAY else one


class Grouped(NamedTuple):
    """Dates of a document by what they move with: `low` to `high` are the days of its own time."""

    own: frozenset[Instant]
    low: date
    high: date
    groups: tuple[Group, ...]


def grouped(
    days: Mapping[Instant, date], own: Collection[Instant], core: tuple[date, date], apart: tuple[int, int]
) -> Grouped:
    """Return the dates of the document's own time, and groups of the others in order of time.

    A date belongs to the document's own time if it lies between two days of it, or at most `apart` days (before,
    after) beyond, neighbour by neighbour, and no further than `LONGEST` from `core`. The rest is cut where two
    neighbours are more than `apart` days from each other, or a group would last longer than `LONGEST`. Dates wider than
    a season are in neither.

    Args:
        days: date → its day.
        own: dates that are of the document's own time.
        core: first and last day of the document's stay, or twice its date.
    """
    nodes = sorted((day, one) for one, day in days.items() if DAYS_OF[one.unit] <= _WIDEST)
    given = [*core, *(day for day, one in nodes if one in own)]
    low, high = min(given), max(given)
    for day, _ in reversed(nodes):
        if day < low and (low - day).days <= apart[0] and (core[0] - day).days <= LONGEST:
            low = day
    for day, _ in nodes:
        if day > high and (day - high).days <= apart[1] and (day - core[1]).days <= LONGEST:
            high = day
    inside = frozenset(one for day, one in nodes if low <= day <= high)
    groups: list[dict[Instant, date]] = []
    first = last = low
    for day, one in (node for node in nodes if node[1] not in inside):
        reach = apart[0] if day < low else apart[1]
        near = groups and (last < low) is (day < low) and (day - last).days <= reach
        if near and (day - first).days <= LONGEST:
            groups[-1][one] = day
        else:
            groups.append({one: day})
            first = day
        last = day
    return Grouped(inside, low, high, tuple(map(Group, groups)))


def in_order(parted: Grouped, own: tuple[date, date], shifts: Sequence[int], apart: tuple[int, int]) -> list[int]:
    """Return the shifts of the groups, changed by whole weeks where they would cross.

    From the document's own time outwards, each group ends before the next one begins, more than `apart` days before
    where it did so in the original: that they are that far from each other is why they are two groups, also of a month
    that is one alone. Only drawn values and public facts are read.

    Args:
        own: surrogates of `low` and `high` of the document's own time.
        shifts: days drawn for each group.
    """
    found = list(shifts)
    numbers = range(len(found))
    true, moved = parted.low, own[0]
    for at in reversed([at for at in numbers if parted.groups[at].first < parted.low]):
        group = parted.groups[at]
        least = _least(true - group.last, apart[0])
        over = (group.last + timedelta(days=found[at] + least) - moved).days
        found[at] -= max(0, -(-over // _WEEK)) * _WEEK
        true, moved = group.first, group.first + timedelta(days=found[at])
    true, moved = parted.high, own[1]
    for at in [at for at in numbers if parted.groups[at].first > parted.high]:
        group = parted.groups[at]
        least = _least(group.first - true, apart[1])
        over = (moved - group.first - timedelta(days=found[at] - least)).days
        found[at] += max(0, -(-over // _WEEK)) * _WEEK
        true, moved = group.last, group.last + timedelta(days=found[at])
    return found


def _least(between: timedelta, apart: int) -> int:
    """Return the days that two groups stay apart at least: a group that was cut for its length may follow at once."""
    return apart + 1 if between.days > apart else 1
