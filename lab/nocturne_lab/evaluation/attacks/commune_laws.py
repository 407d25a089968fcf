"""Distributions of the place strategies as sparse weighted pairs (original, surrogate); floats, for attacks only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deid.config.policy import Places
from deid.reference import Commune, CommuneTable
from deid.reference.communes import Spot
from deid.reference.distances import MICRO, Point, feature_maxima, normalise_profile
from deid.reference.partition import is_overseas_code

_METRES = 1000
_STRATA = 0.5  # rate of the exponential mechanism
# Planar Laplace noise exceeds this many times 1/ε with a probability of 12 in a million.
_REACH = 14.0
# Cells of the raster: a quarter of 1/ε, within these bounds.
_LEAST_CELL_M, _GREATEST_CELL_M = 100, 1000


@dataclass(frozen=True, slots=True)
class Pairs:
    """Indices of originals among the inputs, indices of surrogates in the table, positive weights; one length."""

    inputs: NDArray[np.intp]
    outputs: NDArray[np.intp]
    weights: NDArray[np.float64]


class Law(Protocol):
    """Distribution of the surrogates of some communes. `codes` are the indices of the inputs in the table."""

    @property
    def codes(self) -> NDArray[np.intp]: ...

    def at(self, epsilon: float) -> Pairs:
        """Return pairs at one ε (nats per unit of the strategy's distance), with weights not normalised."""
        ...


def law_of(table: CommuneTable, inputs: Sequence[Commune], places: Places) -> Law:
    """Return the distribution of `places.strategy` for some communes.

    Under `health_exponential` they are homes, whose spot the key draws.

    Raises:
        KeyError: a commune is not of the table, or the table lacks a feature.
        ValueError: the strategy draws no commune.
    """
    codes = indices(table, inputs)
    if places.strategy == "health_exponential":
        return _Exponential(codes, *_strata(table, inputs, places), rate=_STRATA)
    if places.strategy == "knn_exponential":
        return _Exponential(codes, _neighbours(table, codes, places), [1.0] * len(codes), rate=1.0)
    if places.strategy == "geo_indistinguishability":
        return _Planar(table, inputs, codes, places.unit_km)
    raise ValueError(f"strategy {places.strategy} draws no commune")


@lru_cache(maxsize=2)
def _where(table: CommuneTable) -> Mapping[str, int]:
    return {commune.insee: at for at, commune in enumerate(table.communes)}


def indices(table: CommuneTable, communes: Iterable[Commune]) -> NDArray[np.intp]:
    """Return the indices of communes in their table."""
    where = _where(table)
    return np.array([where[one.insee] for one in communes], dtype=np.intp)


@lru_cache(maxsize=256)
def key_spots(table: CommuneTable, region: str | None, department: str | None = None) -> Mapping[Spot, float]:
    """Return spot → its share of those that the key draws: in a department, or in one that it draws (`key_areas`)."""
    areas = key_areas(table, region) if department is None else {department: 1.0}
    found: Counter[Spot] = Counter()
    for area, share in areas.items():
        spots = table.spots(area)
        found.update(dict.fromkeys(spots, share / len(spots)))
    return found


@lru_cache(maxsize=32)
def key_areas(table: CommuneTable, region: str | None) -> Mapping[str, float]:
    """Return department → its share of the areas that the key draws for a home of a region, or of several (None)."""
    towns = table.hospital_towns(None, university=region is None)
    seats = Counter(one.department for one in towns if region in (None, one.region))
    return {area: number / seats.total() for area, number in seats.items()}


def published(law: Law, strategy: str, epsilon: float) -> Pairs:
    """Return pairs at one ε as the product publishes them: the articles' strategies repeat a draw of the original."""
    pairs = law.at(epsilon)
    if strategy == "health_exponential":
        return pairs
    other = law.codes[pairs.inputs] != pairs.outputs
    return Pairs(pairs.inputs[other], pairs.outputs[other], pairs.weights[other])


_Rows = Sequence[tuple[NDArray[np.int64], ...]]  # of a draw: inputs, outputs, distances in millionths, draws


class _Exponential:
    """Weights exp(−rate·ε·d) over candidates independent of ε, of one draw an input or several with their shares."""

    def __init__(self, codes: NDArray[np.intp], rows: _Rows, shares: Sequence[float], rate: float) -> None:
        inputs, outputs, far, self._draws = map(np.concatenate, zip(*rows, strict=True))
        least = np.full(len(shares), far.max())
        np.minimum.at(least, self._draws, far)
        self._far, self._shares, self._rate = far - least[self._draws], np.array(shares), rate
        width = int(outputs.max()) + 1
        pairs, self._pair = np.unique(inputs * width + outputs, return_inverse=True)
        self.codes, self._inputs, self._outputs = codes, *(one.astype(np.intp) for one in divmod(pairs, width))

    def at(self, epsilon: float) -> Pairs:
        weights = np.exp(-self._rate * epsilon / MICRO * self._far)
        weights *= (self._shares / np.bincount(self._draws, weights))[self._draws]
        return Pairs(self._inputs, self._outputs, np.bincount(self._pair, weights).astype(np.float64))


def weights_among(
    table: CommuneTable, members: Sequence[Commune], among: Sequence[Commune], places: Places, epsilon: float
) -> NDArray[np.float64]:
    """Return the weights of `health_exponential`: a row for each commune of one territory, a column for each candidate.

    One row for all where a candidate is of another territory: the draw is uniform.
    """
    profiles = table.profiles(members[0], places.features)
    if not all(one.insee in profiles for one in among):
        return np.ones((1, len(among)))
    mine, theirs = (np.array([profiles[one.insee] for one in some], dtype=np.int64) for some in (members, among))
    far = _rounded_up_roots(((theirs[None] - mine[:, None]) ** 2).sum(axis=2))
    weights: NDArray[np.float64] = np.exp(-_STRATA * epsilon / MICRO * (far - far.min(axis=1, keepdims=True)))
    return weights


def _strata(table: CommuneTable, inputs: Sequence[Commune], places: Places) -> tuple[_Rows, list[float]]:
    """Return the candidates of each input by spot, and the share of each draw."""
    rows: list[tuple[NDArray[np.int64], ...]] = []
    shares: list[float] = []
    for at, commune in enumerate(inputs):
        profiles = table.profiles(commune, places.features)
        for among, share in _of_home(table, commune):
            known = all(one.insee in profiles for one in among)  # else the draw is uniform
            to = [profiles[one.insee if known else commune.insee] for one in among]
            apart = np.array(to, dtype=np.int64) - profiles[commune.insee]
            rows.append(_row(at, indices(table, among), _rounded_up_roots((apart**2).sum(axis=1)), len(shares)))
            shares.append(share)
    return rows, shares


def _of_home(table: CommuneTable, home: Commune) -> list[tuple[Sequence[Commune], float]]:
    """Return the candidates of a home by each spot that may be its document's, and the share of each."""
    if is_overseas_code(home.department):
        return [(table.territory(home), 1.0)]
    spots = key_spots(table, table.region_of_territory(home), table.department_of_territory(home))
    return [(candidates(table, home, spot), share) for spot, share in spots.items()]


def candidates(table: CommuneTable, commune: Commune, spot: Spot, *, moved: bool = False) -> Sequence[Commune]:
    """Return the candidates of a commune's stratum by a spot, of a document's first place: one university hospital."""
    found = table.alike(commune, spot) if moved else table.near(commune, spot)
    return found[:1] if table.is_of_seats(commune) else found


def _row(at: int, outputs: NDArray[np.intp], far: NDArray[np.int64], draw: int) -> tuple[NDArray[np.int64], ...]:
    return np.full(len(far), at), outputs.astype(np.int64), far, np.full(len(far), draw)


def _neighbours(table: CommuneTable, codes: NDArray[np.intp], places: Places) -> _Rows:
    """Return `CommuneTable.neighbours` of many communes at once."""
    greatest = feature_maxima((one.features for one in table.communes), places.features)
    profiles = np.array([normalise_profile(one.features, greatest) for one in table.communes], dtype=np.int64)
    points = [table.atlas.point(one) for one in table.communes]
    x, y = (np.array([getattr(point, axis) for point in points], dtype=np.int64) for axis in "xy")
    zones = np.unique([point.zone for point in points], return_inverse=True)[1]
    by_x = np.argsort(x, kind="stable")
    radius = int(places.radius_km * _METRES)
    rows = []
    for at, code in enumerate(codes):
        first, last = np.searchsorted(x[by_x], (x[code] - radius, x[code] + radius + 1))
        near = by_x[first:last]
        near = near[(zones[near] == zones[code]) & ((x[near] - x[code]) ** 2 + (y[near] - y[code]) ** 2 <= radius**2)]
        far = _rounded_up_roots(((profiles[near] - profiles[code]) ** 2).sum(axis=1))
        order = np.lexsort((near, near != code, far))[: places.neighbours]
        rows.append(_row(at, near[order], far[order], at))
    return rows


def _rounded_up_roots(squares: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ⌈√n⌉ exactly; the error of the float root is at most one."""
    roots = np.sqrt(squares).astype(np.int64)
    roots -= roots * roots > squares
    roots += (roots + 1) ** 2 <= squares
    return roots + (roots * roots < squares)


class _Planar:
    """Planar Laplace noise summed over a raster of nearest communes, instead of drawn."""

    def __init__(self, table: CommuneTable, inputs: Sequence[Commune], codes: NDArray[np.intp], unit_km: float) -> None:
        self.codes = codes
        self._unit_km = unit_km
        self._points = [table.atlas.point(one) for one in inputs]
        self._nearest = Nearest(table)

    def at(self, epsilon: float) -> Pairs:
        scale_m = self._unit_km * _METRES / epsilon
        cell = int(min(max(scale_m / 4, _LEAST_CELL_M), _GREATEST_CELL_M))
        reach = int(_REACH * scale_m) // cell + 1
        side = np.arange(-reach, reach + 1) * cell
        kernel = np.exp(-np.hypot(side[:, None], side[None, :]) / scale_m)
        rows: list[Pairs] = []
        for zone in sorted({point.zone for point in self._points}):
            mine = [at for at, point in enumerate(self._points) if point.zone == zone]
            raster = self._nearest.raster(zone, [self._points[at] for at in mine], cell, reach)
            for at in mine:
                around = raster.around(self._points[at], reach)
                least = around.min()
                weights = np.bincount((around - least).ravel(), kernel.ravel()).astype(np.float64)
                outputs = np.flatnonzero(weights)
                rows.append(Pairs(np.full(len(outputs), at, dtype=np.intp), outputs + least, weights[outputs]))
        return Pairs(
            np.concatenate([one.inputs for one in rows]),
            np.concatenate([one.outputs for one in rows]),
            np.concatenate([one.weights for one in rows]),
        )


# Rasters of nearest communes
_BLOCK_M = 8_000


@dataclass(frozen=True, slots=True)
class Raster:
    """Cells of `cell` metres; `codes[row, column]` is a commune's index in the table."""

    cell: int
    west: int  # of the first column, in cells
    south: int
    codes: NDArray[np.intp]

    def around(self, point: Point, reach: int) -> NDArray[np.intp]:
        """Return the cells up to `reach` from the cell of a point, as a square."""
        column, row = point.x // self.cell - self.west, point.y // self.cell - self.south
        return self.codes[row - reach : row + reach + 1, column - reach : column + reach + 1]


class Nearest:
    """Index of the communes of a table by zone and block of the plane."""

    def __init__(self, table: CommuneTable) -> None:
        self._blocks: dict[str, dict[tuple[int, int], list[tuple[int, int, int]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for at, commune in enumerate(table.communes):
            point = table.atlas.point(commune)
            self._blocks[point.zone][point.x // _BLOCK_M, point.y // _BLOCK_M].append((at, point.x, point.y))

    def raster(self, zone: str, points: Sequence[Point], cell: int, reach: int) -> Raster:
        """Return the raster of a zone with `reach` cells around each of some points."""
        columns, rows = [point.x // cell for point in points], [point.y // cell for point in points]
        west, south = min(columns) - reach, min(rows) - reach
        width, height = max(columns) + reach + 1 - west, max(rows) + reach + 1 - south
        codes = np.zeros((height, width), dtype=np.intp)
        step = max(1, _BLOCK_M // cell)
        for top in range(0, height, step):
            for left in range(0, width, step):
                part = codes[top : top + step, left : left + step]
                y = (np.arange(part.shape[0]) + top + south) * cell + cell // 2
                x = (np.arange(part.shape[1]) + left + west) * cell + cell // 2
                part[:] = self._nearest(zone, x, y)
        return Raster(cell, west, south, codes)

    def _nearest(self, zone: str, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the nearest commune to each point of a small rectangle, by growing rings of blocks around it."""
        blocks = self._blocks[zone]
        column, row = int(x[0] + x[-1]) // 2 // _BLOCK_M, int(y[0] + y[-1]) // 2 // _BLOCK_M
        ring = 2
        while True:
            known = [
                one
                for c in range(column - ring, column + ring + 1)
                for r in range(row - ring, row + ring + 1)
                for one in blocks.get((c, r), ())
            ]
            if known:
                codes, east, north = np.array(known, dtype=np.int64).T
                far = (x[None, :, None] - east) ** 2 + (y[:, None, None] - north) ** 2
                best = far.argmin(axis=2)
                # The rectangle is at most a block wide: its points are ring − 1 blocks or more from other communes.
                if far.min(axis=2).max() <= ((ring - 1) * _BLOCK_M) ** 2 or len(known) == self._number(zone):
                    found: NDArray[np.intp] = codes[best].astype(np.intp)
                    return found
            ring *= 2

    def _number(self, zone: str) -> int:
        return sum(len(block) for block in self._blocks[zone].values())
