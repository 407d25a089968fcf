"""Distance between the health profiles of two places, exact: integers only, so that a draw uses no float.

Tchouka et al. 2023 normalise each feature by its maximum and take the Euclidean distance. Here each
normalised value is rounded to millionths and the distance is rounded up to millionths. Rounding up keeps
the triangle inequality (⌈x + y⌉ ≤ ⌈x⌉ + ⌈y⌉), on which the proof of ε·d-privacy rests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isqrt

MICRO = 1_000_000
# The commune table holds three decimals: values are counted in thousandths.
_GRID = 1000


def maxima(profiles: Iterable[Mapping[str, float]], features: Sequence[str]) -> dict[str, int]:
    """Greatest value of each feature, in thousandths of its unit.

    Raises:
        KeyError: a profile lacks a feature.
    """
    columns = zip(*[[profile[name] for name in features] for profile in profiles], strict=True)
    greatest = [max(0, round(max(column) * _GRID)) for column in columns]  # rounding keeps the order of values
    return dict(zip(features, greatest or [0] * len(features), strict=True))


def normalised(profile: Mapping[str, float], greatest: Mapping[str, int]) -> tuple[int, ...]:
    """Each feature of `greatest` over its maximum, in millionths, rounded half up; 0 where the maximum is 0."""
    return tuple(
        [(2 * MICRO * round(profile[name] * _GRID) + top) // (2 * top) if top else 0 for name, top in greatest.items()]
    )


def distance(a: Sequence[int], b: Sequence[int]) -> int:
    """Euclidean distance of two normalised profiles in millionths, rounded up.

    Raises:
        ValueError: the profiles have different lengths.
    """
    square = 0
    for x, y in zip(a, b, strict=True):
        square += (x - y) * (x - y)
    return isqrt(square - 1) + 1 if square else 0
