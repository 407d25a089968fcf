"""The law of each place strategy, as sparse pairs (original, surrogate) with weights: floats, for attacks only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deid.config.policy import Places
from deid.evaluation.attacks.nearest_communes import Nearest
from deid.reference import Commune, CommuneTable
from deid.reference.distances import MICRO, feature_maxima, normalise_profile, profile_distance

_METRES = 1000
# Beyond this many times 1/ε, planar Laplace noise has 12 chances in a million.
_REACH = 14.0
# Cells of the raster: a quarter of 1/ε, within these bounds.
_LEAST_CELL_M, _GREATEST_CELL_M = 100, 1000


@dataclass(frozen=True, slots=True)
class Pairs:
    """Originals, by their place among the law's inputs; surrogates, by their place in the table; weights above 0."""

    inputs: NDArray[np.intp]
    outputs: NDArray[np.intp]
    weights: NDArray[np.float64]


class Law(Protocol):
    """What a strategy may give for each of some communes. `codes` are the inputs' places in the table."""

    @property
    def codes(self) -> NDArray[np.intp]: ...

    def at(self, epsilon: float) -> Pairs:
        """Pairs at one ε per unit of the strategy's distance; weights are not normalised."""
        ...


def law_of(table: CommuneTable, inputs: Sequence[Commune], places: Places) -> Law:
    """The law of `places.strategy` for some communes.

    Raises:
        KeyError: a commune is not of the table, or the table lacks a feature.
        ValueError: the strategy draws no commune.
    """
    where = {commune.insee: at for at, commune in enumerate(table.communes)}
    codes = np.array([where[one.insee] for one in inputs], dtype=np.intp)
    if places.strategy == "health_exponential":
        return _Exponential(codes, *_territories(table, inputs, places, where), rate=0.5)
    if places.strategy == "knn_exponential":
        return _Exponential(codes, *_neighbours(table, codes, places), rate=1.0)
    if places.strategy == "geo_indistinguishability":
        return _Planar(table, inputs, codes, places.unit_km)
    raise ValueError(f"strategy {places.strategy} draws no commune")


@dataclass(frozen=True, slots=True)
class _Exponential:
    """Weights exp(−rate·ε·d) over candidates that do not depend on ε; `far` in millionths."""

    codes: NDArray[np.intp]
    inputs: NDArray[np.intp]
    outputs: NDArray[np.intp]
    far: NDArray[np.int64]
    rate: float

    def at(self, epsilon: float) -> Pairs:
        return Pairs(self.inputs, self.outputs, np.exp(-self.rate * epsilon / MICRO * self.far))


_Far = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]


def _territories(table: CommuneTable, inputs: Sequence[Commune], places: Places, where: dict[str, int]) -> _Far:
    rows: list[tuple[int, int, int]] = []
    for at, commune in enumerate(inputs):
        profiles = table.profiles(commune, places.features)
        mine = profiles[commune.insee]
        rows += ((at, where[code], profile_distance(mine, profile)) for code, profile in profiles.items())
    return _columns(rows)


def _neighbours(table: CommuneTable, codes: NDArray[np.intp], places: Places) -> _Far:
    """What `CommuneTable.neighbours` gives, for many communes at once."""
    greatest = feature_maxima((one.features for one in table.communes), places.features)
    profiles = np.array([normalise_profile(one.features, greatest) for one in table.communes], dtype=np.int64)
    points = [table.atlas.point(one) for one in table.communes]
    x, y = (np.array([getattr(point, axis) for point in points], dtype=np.int64) for axis in "xy")
    zones = np.unique([point.zone for point in points], return_inverse=True)[1]
    by_x = np.argsort(x, kind="stable")
    radius = int(places.radius_km * _METRES)
    rows: list[tuple[int, int, int]] = []
    for at, code in enumerate(codes):
        first, last = np.searchsorted(x[by_x], (x[code] - radius, x[code] + radius + 1))
        near = by_x[first:last]
        near = near[(zones[near] == zones[code]) & ((x[near] - x[code]) ** 2 + (y[near] - y[code]) ** 2 <= radius**2)]
        far = _rounded_up_roots(((profiles[near] - profiles[code]) ** 2).sum(axis=1))
        order = np.lexsort((near, near != code, far))[: places.neighbours]
        rows += zip([at] * len(order), near[order].tolist(), far[order].tolist(), strict=True)
    return _columns(rows)


def _rounded_up_roots(squares: NDArray[np.int64]) -> NDArray[np.int64]:
    """⌈√n⌉, exactly: the float root is off by one at most."""
    roots = np.sqrt(squares).astype(np.int64)
    roots -= roots * roots > squares
    roots += (roots + 1) ** 2 <= squares
    return roots + (roots * roots < squares)


def _columns(rows: list[tuple[int, int, int]]) -> _Far:
    inputs, outputs, far = np.array(rows, dtype=np.int64).T
    return inputs.astype(np.intp), outputs.astype(np.intp), far


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
