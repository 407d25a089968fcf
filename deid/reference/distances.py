"""Distances between communes: between health profiles, and on the ground.

All arithmetic is on integers, so that every machine computes the same distances and the draws use no float.

Health profiles: Tchouka et al. 2023 normalise each feature by its maximum and take the Euclidean distance. Here each
normalised value is rounded to millionths and the distance is rounded up to millionths. Rounding up keeps the triangle
inequality (⌈x + y⌉ ≤ ⌈x⌉ + ⌈y⌉), on which the proof of ε·d-privacy rests.

Ground: the metropolis has an equidistant conic projection with the parallels of Lambert-93 (44° and 49°), each overseas
zone an equirectangular one about its own middle. Lengths between communes differ from those of a sphere of 6,371 km by
at most 0.3 %, and those of the sphere from the ground by at most 0.5 %. A privacy claim per kilometre refers to
kilometres of this plane.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any

from deid.reference.commune import Commune

# Health profiles

MICRO = 1_000_000
# The commune table holds three decimals: values are counted in thousandths.
_GRID = 1000


def feature_maxima(profiles: Iterable[Mapping[str, float]], features: Sequence[str]) -> dict[str, int]:
    """Return the greatest value of each feature, in thousandths of its unit.

    Raises:
        KeyError: a profile lacks a feature.
    """
    columns = zip(*[[profile[name] for name in features] for profile in profiles], strict=True)
    greatest = [max(0, round(max(column) * _GRID)) for column in columns]  # rounding keeps the order of values
    return dict(zip(features, greatest or [0] * len(features), strict=True))


def normalise_profile(profile: Mapping[str, float], greatest: Mapping[str, int]) -> tuple[int, ...]:
    """Return each feature of `greatest` over its maximum, in millionths, rounded half up; 0 where the maximum is 0."""
    return tuple(
        [(2 * MICRO * round(profile[name] * _GRID) + top) // (2 * top) if top else 0 for name, top in greatest.items()]
    )


def profile_distance(a: Sequence[int], b: Sequence[int]) -> int:
    """Return the Euclidean distance of two normalised profiles in millionths, rounded up.

    Raises:
        ValueError: the profiles have different lengths.
    """
    square = 0
    for x, y in zip(a, b, strict=True):
        square += (x - y) * (x - y)
    return isqrt(square - 1) + 1 if square else 0


# Projections

EARTH_M = 6_371_009
# Angles in parts of a radian, sines and cosines in the same parts.
_ONE = 10**12
_PI = 3_141_592_653_590
_HALF_TURN = 180_000  # thousandths of a degree


def angle(degrees: float) -> int:
    """Return an angle in 10⁻¹² radian; degrees are rounded to three decimals, the precision of the commune table."""
    return round(degrees * 1000) * _PI // _HALF_TURN


def cosine(x: int) -> int:
    """Return the cosine in 10⁻¹² of an angle in 10⁻¹² radian: Taylor series, error below 10⁻¹⁰ within half a turn."""
    return _taylor(_ONE, 0, x)


def sine(x: int) -> int:
    """Return the sine in 10⁻¹² of an angle in 10⁻¹² radian, as `cosine`."""
    return _taylor(x, 1, x)


def _taylor(term: int, degree: int, x: int) -> int:
    total = term
    square = x * x
    while term:
        degree += 2
        # Both signs are rounded towards zero: a floor would drift for negative terms.
        size = abs(term) * square // (_ONE * _ONE * degree * (degree - 1))
        term = -size if term > 0 else size
        total += term
    return total


_SOUTH, _NORTH = angle(44), angle(49)
_ORIGIN_LON, _ORIGIN_LAT = angle(3), angle(46.5)
_CONE = (cosine(_SOUTH) - cosine(_NORTH)) * _ONE // (_NORTH - _SOUTH)
_APEX = cosine(_SOUTH) * _ONE // _CONE + _SOUTH


def project_metropolis(lon: float, lat: float) -> tuple[int, int]:
    """Return metres east and north of 3° E, 46.5° N (equidistant conic); for the metropolis with Corsica."""
    radius = EARTH_M * (_APEX - angle(lat))
    turn = _CONE * (angle(lon) - _ORIGIN_LON) // _ONE
    x = radius * sine(turn) // _ONE
    y = EARTH_M * (_APEX - _ORIGIN_LAT) - radius * cosine(turn) // _ONE
    return x // _ONE, y // _ONE


def project_overseas(lon: float, lat: float, parallel: float) -> tuple[int, int]:
    """Return metres east of Greenwich along a parallel, and north of the equator (equirectangular)."""
    return EARTH_M * angle(lon) // _ONE * cosine(angle(parallel)) // _ONE, EARTH_M * angle(lat) // _ONE


# Nearest places

METROPOLIS = "metropolis"


@dataclass(frozen=True, slots=True)
class Point:
    """Metres east and north on the plane of a zone."""

    zone: str
    x: int
    y: int


def zone_of(place: Commune) -> str:
    """Return the metropolis, or the code of an overseas department or collectivity.

    Distances are defined within a zone only.
    """
    return place.department if place.department.startswith(("97", "98")) else METROPOLIS


class Atlas:
    """Places on their planes. Distances are compared as integers; ties go to the lower INSEE code.

    A tree of floats proposes the places that are compared.
    """

    def __init__(self, places: Sequence[Commune]) -> None:
        self._places = places

    def point(self, place: Commune) -> Point:
        """Return the point of a place.

        Raises:
            KeyError: the place is not of this atlas.
        """
        return self._points[place.insee]

    def nearest(self, point: Point) -> Commune:
        """Return the nearest place to a point of its zone.

        Raises:
            ValueError: the atlas has no place in that zone.
        """
        if point.zone not in self._zones:
            raise ValueError(f"no place in zone {point.zone}")
        distance, _ = self._zones[point.zone][0].query((point.x, point.y))
        return min(self._around(point, distance), key=lambda found: (found[0], found[1].insee))[1]

    def within(self, place: Commune, metres: int) -> Sequence[Commune]:
        """Return the places at most so many metres from one, itself among them, by INSEE code.

        Raises:
            KeyError: the place is not of this atlas.
        """
        found = self._around(self.point(place), metres)
        return sorted((other for square, other in found if square <= metres**2), key=lambda one: one.insee)

    def _around(self, point: Point, metres: float) -> Iterator[tuple[int, Commune]]:
        """Yield the squares of distances and the places up to a metre beyond so many, which roundings cannot reach."""
        tree, places = self._zones[point.zone]
        for at in tree.query_ball_point((point.x, point.y), metres + 1):
            here = self._points[places[at].insee]
            yield (here.x - point.x) ** 2 + (here.y - point.y) ** 2, places[at]

    @cached_property
    def _points(self) -> Mapping[str, Point]:
        """INSEE code → point. Each overseas zone is projected about its middle latitude, in hundredths of a degree."""
        latitudes: dict[str, list[int]] = defaultdict(list)
        for place in self._places:
            latitudes[zone_of(place)].append(round(place.lat * 100))
        parallels = {zone: (min(known) + max(known)) // 2 / 100 for zone, known in latitudes.items()}
        points = {}
        for place in self._places:
            zone = zone_of(place)
            if zone == METROPOLIS:
                x, y = project_metropolis(place.lon, place.lat)
            else:
                x, y = project_overseas(place.lon, place.lat, parallels[zone])
            points[place.insee] = Point(zone, x, y)
        return points

    @cached_property
    def _zones(self) -> Mapping[str, tuple[Any, Sequence[Commune]]]:
        """Zone → a tree of the points of its places, and the places."""
        from scipy.spatial import KDTree

        found: dict[str, list[Commune]] = defaultdict(list)
        for place in self._places:
            found[zone_of(place)].append(place)
        return {
            zone: (KDTree([(self._points[one.insee].x, self._points[one.insee].y) for one in places]), places)
            for zone, places in found.items()
        }
