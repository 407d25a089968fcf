"""Give moved dates the order of the originals back: isotonic projection, the finest units first.

The order of a document's dates, ties included, is declared public (docs/privacy.md); the projection reads it and
the drawn values only, so it is post-processing and costs no ε.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deid.substitution.temporal.values import Instant, Unit, clamped, index_of

_FAR = 10**7


def restore(drawn: Mapping[Instant, int], fixed: Mapping[Instant, int]) -> dict[Instant, Instant]:
    """Original → moved instant of the same unit, with the originals' order.

    Two instants are ordered when one ends before the other begins ("2014" and "mars 2015" are, "2015" and
    "mars 2015" are not). Instants of one unit keep a strict order where there is room; across units the order
    is kept weakly.

    Args:
        drawn: original → drawn index, in the original's unit.
        fixed: originals that must not move from the index given here: the anchor, the birth date.
    """
    placed: dict[Instant, Instant] = {}
    given = sorted(drawn.keys() | fixed.keys())
    present = {instant.unit for instant in given}
    for unit in (unit for unit in Unit if unit in present):
        ours = [instant for instant in given if instant.unit is unit]
        targets = [fixed[one] if one in fixed else drawn[one] for one in ours]
        bounds = [_bounds(one, placed, unit) for one in ours] if placed else [_FREE] * len(ours)
        pinned = [one in fixed for one in ours]
        for one, index in zip(ours, project(targets, bounds, pinned), strict=True):
            placed[one] = Instant(unit, clamped(unit, index))
    return {instant: placed[instant] for instant in drawn}


Bounds = tuple[int | None, int | None]
_FREE: Bounds = (None, None)


def room(instant: Instant, moved: Mapping[Instant, Instant]) -> range:
    """Indexes where `instant` may stand, in its own unit, with all others of `moved` where they are.

    Strictly between its neighbours of the same unit, weakly ordered with the others; empty where there is no room.
    """
    others = {original: to for original, to in moved.items() if original != instant}
    low, high = _bounds(instant, others, instant.unit)
    same = [(original.index, to.index) for original, to in others.items() if original.unit is instant.unit]
    low = max([low or -_FAR, *(to + 1 for index, to in same if index < instant.index)])
    high = min([high or _FAR, *(to - 1 for index, to in same if index > instant.index)])
    return range(low, high + 1)


def _bounds(instant: Instant, placed: Mapping[Instant, Instant], unit: Unit) -> Bounds:
    """The least and greatest index that leave `instant` in order with what is placed already.

    A year that began before an earlier date's end may hold that end, and no later one's begin: where both cannot be,
    it may reach into either ("2013" between a day of January and the winter that it is in).
    """
    first, last = instant.first, instant.last
    before = [moved for original, moved in placed.items() if original.last < first]
    after = [moved for original, moved in placed.items() if original.first > last]
    low = max((index_of(unit, moved.last) for moved in before), default=None)
    high = min((index_of(unit, moved.first) for moved in after), default=None)
    if low is not None and high is not None and low > high:
        low = max(index_of(unit, moved.first) for moved in before)
        high = min(index_of(unit, moved.last) for moved in after)
    return low, high


def project(targets: Sequence[int], bounds: Sequence[Bounds], pinned: Sequence[bool]) -> list[int]:
    """The increasing integers nearest to `targets` in least squares, pinned ones kept, within non-decreasing bounds.

    Strictly increasing where the pins and bounds leave room for it, else non-decreasing.
    """
    result = list(targets)
    start = 0
    for stop in (*(index for index, pin in enumerate(pinned) if pin), len(targets)):
        low = result[start - 1] if start else None
        high = result[stop] if stop < len(targets) else None
        result[start:stop] = _between(targets[start:stop], bounds[start:stop], low, high)
        start = stop + 1
    return result


def _between(targets: Sequence[int], bounds: Sequence[Bounds], low: int | None, high: int | None) -> list[int]:
    """`targets` made increasing, strictly between `low` and `high` (both exclusive) where there is room."""
    count = len(targets)
    values = [value + index for index, value in enumerate(_pooled([t - i for i, t in enumerate(targets)]))]
    for index in range(count):
        least, most = bounds[index]
        least = _greatest(least, None if low is None else low + 1 + index)
        most = _least(most, None if high is None else high - (count - index))
        if most is not None:
            values[index] = min(values[index], most)
        if least is not None:
            values[index] = max(values[index], least)
    return _increasing(values, bounds, high)


def _increasing(values: list[int], bounds: Sequence[Bounds], high: int | None) -> list[int]:
    """Mend what clamping tied or crossed: strictly if possible, else leave ties; never past an upper bound."""
    for index in range(1, len(values)):
        ceiling = _least(bounds[index][1], None if high is None else high)
        wanted = max(values[index], values[index - 1] + 1)
        if ceiling is not None:
            wanted = max(min(wanted, ceiling), values[index - 1])
        values[index] = wanted
    return values


def _greatest(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else max(one, other)


def _least(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)


def _pooled(targets: Sequence[int]) -> list[int]:
    """Pool adjacent violators (Ayer et al. 1955): least-squares non-decreasing fit, means rounded down."""
    blocks: list[tuple[int, int]] = []  # (sum, count)
    for target in targets:
        total, count = target, 1
        while blocks and blocks[-1][0] * count > total * blocks[-1][1]:
            before = blocks.pop()
            total, count = total + before[0], count + before[1]
        blocks.append((total, count))
    return [total // count for total, count in blocks for _ in range(count)]
