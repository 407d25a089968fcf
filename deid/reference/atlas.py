"""Where communes lie: a zone and a point on its plane, the nearest one to a point, those within a distance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from deid.reference.plane import conic, equirectangular

METROPOLIS = "metropolis"
# Side of the squares that communes are looked up by: about four communes each.
_SQUARE_M = 8_000


class Located(Protocol):
    """What the atlas reads of a place; coordinates in degrees (WGS 84)."""

    @property
    def insee(self) -> str: ...
    @property
    def department(self) -> str: ...
    @property
    def lon(self) -> float: ...
    @property
    def lat(self) -> float: ...


Place = TypeVar("Place", bound=Located)


@dataclass(frozen=True, slots=True)
class Point:
    """Metres east and north on the plane of a zone."""

    zone: str
    x: int
    y: int


def zone(place: Located) -> str:
    """The metropolis, or the code of an overseas department or collectivity: places of two zones are never near."""
    return place.department if place.department.startswith(("97", "98")) else METROPOLIS


class Atlas(Generic[Place]):
    """Places on their planes. Distances are compared as integers; ties go to the lower INSEE code."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = places

    def point(self, place: Place) -> Point:
        """Where a place lies.

        Raises:
            KeyError: the place is not of this atlas.
        """
        return self._points[place.insee]

    def nearest(self, point: Point) -> Place:
        """The nearest place to a point of its zone.

        Raises:
            ValueError: the atlas has no place in that zone.
        """
        squares = self._squares.get(point.zone)
        if not squares:
            raise ValueError(f"no place in zone {point.zone}")
        best: tuple[int, str, Place] | None = None
        for ring, cells in enumerate(_rings(point, self._reach[point.zone])):
            # Whatever lies in this ring or further out is at least this far.
            if best is not None and best[0] < (max(ring - 1, 0) * _SQUARE_M) ** 2:
                break
            for cell in cells:
                for x, y, place in squares.get(cell, ()):
                    far = (x - point.x) ** 2 + (y - point.y) ** 2
                    if best is None or (far, place.insee) < best[:2]:
                        best = far, place.insee, place
        if best is None:
            raise ValueError(f"no place in zone {point.zone}")
        return best[2]

    def within(self, place: Place, metres: int) -> Sequence[Place]:
        """Places at most so many metres from one, itself among them, by INSEE code.

        Raises:
            KeyError: the place is not of this atlas.
        """
        here = self.point(place)
        squares = self._squares[here.zone]
        found = [
            other
            for column in range((here.x - metres) // _SQUARE_M, (here.x + metres) // _SQUARE_M + 1)
            for row in range((here.y - metres) // _SQUARE_M, (here.y + metres) // _SQUARE_M + 1)
            for x, y, other in squares.get((column, row), ())
            if (x - here.x) ** 2 + (y - here.y) ** 2 <= metres**2
        ]
        return sorted(found, key=lambda one: one.insee)

    @cached_property
    def _points(self) -> Mapping[str, Point]:
        parallels = _parallels(self._places)
        points = {}
        for place in self._places:
            where = zone(place)
            if where == METROPOLIS:
                x, y = conic(place.lon, place.lat)
            else:
                x, y = equirectangular(place.lon, place.lat, parallels[where])
            points[place.insee] = Point(where, x, y)
        return points

    @cached_property
    def _squares(self) -> Mapping[str, Mapping[tuple[int, int], Sequence[tuple[int, int, Place]]]]:
        """Zone → square of the grid → the points in it and their places."""
        squares: dict[str, dict[tuple[int, int], list[tuple[int, int, Place]]]] = defaultdict(lambda: defaultdict(list))
        for place in self._places:
            point = self._points[place.insee]
            squares[point.zone][point.x // _SQUARE_M, point.y // _SQUARE_M].append((point.x, point.y, place))
        return {where: dict(cells) for where, cells in squares.items()}

    @cached_property
    def _reach(self) -> Mapping[str, tuple[int, int, int, int]]:
        """Zone → first and last column and row of its squares that hold a place."""
        reach = {}
        for where, cells in self._squares.items():
            columns, rows = zip(*cells, strict=True)
            reach[where] = min(columns), max(columns), min(rows), max(rows)
        return reach


def _parallels(places: Sequence[Located]) -> Mapping[str, float]:
    """Middle latitude of each overseas zone, in whole hundredths of a degree."""
    latitudes: dict[str, list[int]] = defaultdict(list)
    for place in places:
        latitudes[zone(place)].append(round(place.lat * 100))
    return {where: (min(known) + max(known)) // 2 / 100 for where, known in latitudes.items()}


def _rings(point: Point, reach: tuple[int, int, int, int]) -> Iterator[list[tuple[int, int]]]:
    """Squares around a point's own, ring after ring, without those outside `reach`."""
    column, row = point.x // _SQUARE_M, point.y // _SQUARE_M
    west, east, south, north = reach
    furthest = max(abs(column - west), abs(column - east), abs(row - south), abs(row - north))
    for ring in range(furthest + 1):
        columns = range(max(column - ring, west), min(column + ring, east) + 1)
        rows = range(max(row - ring + 1, south), min(row + ring - 1, north) + 1)
        cells = [(c, r) for r in {row - ring, row + ring} if south <= r <= north for c in columns]
        cells += [(c, r) for c in {column - ring, column + ring} if west <= c <= east for r in rows]
        yield cells
