"""Restore the originals' order of moved dates: isotonic projection, the finest units first.

The order of a document's dates, ties included, is declared public (docs/privacy.md); the projection reads it and
the drawn values only, so it is post-processing and costs no ε.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from deid.substitution.temporal.values import Instant, Unit, clamped, index_of

_FAR = 10**7


def restore(
    drawn: Mapping[Instant, int], fixed: Mapping[Instant, int], *, holding: bool = False
) -> dict[Instant, Instant]:
    """Return original → moved instant of the same unit, in the originals' order.

    Two instants are ordered when one ends before the other begins ("2014" and "mars 2015" are, "2015" and
    "mars 2015" are not). Instants of one unit keep a strict order where the bounds allow it; across units the order
    is kept weakly, or strictly where `holding` and there is room.

    Args:
        holding: whether "2015" is brought to hold "mars 2015" again, for strategies that may return an original.
        drawn: original → drawn index, in the original's unit.
        fixed: originals that must not move from the index given here: the anchor, the birth date.
    """
    target_of = {**drawn, **fixed}
    by_unit: dict[Unit, list[Instant]] = {}
    for one in target_of:
        by_unit.setdefault(one.unit, []).append(one)
    placed: dict[Instant, Instant] = {}
    stretches: list[_Stretch] = []
    for unit in sorted(by_unit, key=list(Unit).index):  # the finest first
        ours = sorted(by_unit[unit])
        bounds = [_bounds(one, stretches, holding=holding) for one in ours]
        targets = project([target_of[one] for one in ours], bounds, [one in fixed for one in ours])
        for one, index in zip(ours, targets, strict=True):
            placed[one] = Instant(unit, clamped(unit, index))
        stretches += [_stretch(one, placed[one]) for one in ours]
    for one in fixed:
        if one not in drawn:
            del placed[one]
    return placed


Bounds = tuple[int | None, int | None]
# The first and the last day of an instant, and those of where it was moved to, as ordinals.
_Stretch = tuple[int, int, int, int]


def _stretch(original: Instant, moved: Instant) -> _Stretch:
    return (*_ends(original), *_ends(moved))


def _ends(instant: Instant) -> tuple[int, int]:
    return instant.first.toordinal(), instant.last.toordinal()


def free_indexes(instant: Instant, moved: Mapping[Instant, Instant]) -> range:
    """Return the indexes of `instant`, in its own unit, that keep it in order with all others of `moved`.

    Strictly between its neighbours of the same unit, weakly ordered with the others; empty if none is free.
    """
    others = {original: to for original, to in moved.items() if original != instant}
    low, high = _bounds(instant, list(map(_stretch, others.keys(), others.values())))
    same = [(original.index, to.index) for original, to in others.items() if original.unit is instant.unit]
    low = max([low or -_FAR, *(to + 1 for index, to in same if index < instant.index)])
    high = min([high or _FAR, *(to - 1 for index, to in same if index > instant.index)])
    return range(low, high + 1)


def _bounds(instant: Instant, placed: Sequence[_Stretch], *, holding: bool = False) -> Bounds:
    """Return the least and greatest index that keep `instant` in order with the instants placed already.

    It begins no earlier than the unit with the end of an earlier date, and no later than the unit with the beginning of
    a later one. If both cannot be, it may overlap either ("2013" between a day of January and the winter around it).
    `holding`: within these bounds it holds the instants that it held; one that holds none shares its unit with neither
    end, as in the original, if there is room.
    """
    first, last = _ends(instant)
    before = [one for one in placed if one[1] < first]
    after = [one for one in placed if one[0] > last]
    low = _index(instant.unit, max([one[3] for one in before])) if before else None
    high = _index(instant.unit, min([one[2] for one in after])) if after else None
    if low is not None and high is not None and low > high:
        low = _index(instant.unit, max([one[2] for one in before]))
        high = _index(instant.unit, min([one[3] for one in after]))
    held = [one for one in placed if holding and first <= one[0] and one[1] <= last]
    if not held:
        least, most = None if low is None else low + holding, None if high is None else high - holding
        return (least, most) if least is None or most is None or least <= most else (low, high)
    least = _greatest(low, _index(instant.unit, min(one[2] for one in held)))
    most = _least(high, _index(instant.unit, max(one[3] for one in held)))
    return (least, most) if least is None or most is None or least <= most else (low, high)


def _index(unit: Unit, ordinal: int) -> int:
    return index_of(unit, date.fromordinal(ordinal))


def project(targets: Sequence[int], bounds: Sequence[Bounds], pinned: Sequence[bool]) -> list[int]:
    """Return the increasing integers nearest to `targets` in least squares, within non-decreasing bounds, pins kept.

    Strictly increasing where the pins and bounds allow it, else non-decreasing.
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
    """Return `targets` made increasing, strictly between `low` and `high` (both exclusive) where they allow it."""
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
    """Increase values tied or crossed by clamping: strictly if possible, else with ties; never past an upper bound."""
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
