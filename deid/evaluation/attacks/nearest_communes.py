"""A raster whose every cell knows the commune nearest to its middle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid.reference import CommuneTable
from deid.reference.distances import Point

_BLOCK_M = 8_000


@dataclass(frozen=True, slots=True)
class Raster:
    """Cells of `cell` metres; `codes[row, column]` is a commune's place in the table."""

    cell: int
    west: int  # of the first column, in cells
    south: int
    codes: NDArray[np.intp]

    def around(self, point: Point, reach: int) -> NDArray[np.intp]:
        """The cells up to `reach` from the one that a point is in, as a square."""
        column, row = point.x // self.cell - self.west, point.y // self.cell - self.south
        return self.codes[row - reach : row + reach + 1, column - reach : column + reach + 1]


class Nearest:
    """Communes of a table by zone and block of the plane."""

    def __init__(self, table: CommuneTable) -> None:
        self._blocks: dict[str, dict[tuple[int, int], list[tuple[int, int, int]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for at, commune in enumerate(table.communes):
            point = table.atlas.point(commune)
            self._blocks[point.zone][point.x // _BLOCK_M, point.y // _BLOCK_M].append((at, point.x, point.y))

    def raster(self, zone: str, points: Sequence[Point], cell: int, reach: int) -> Raster:
        """The raster of a zone that holds `reach` cells around each of some points."""
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
        """The nearest commune to each point of a small rectangle: blocks around it, more of them until it is sure."""
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
                # The rectangle is a block wide at most: its points are within ring − 1 blocks of those left out.
                if far.min(axis=2).max() <= ((ring - 1) * _BLOCK_M) ** 2 or len(known) == self._number(zone):
                    found: NDArray[np.intp] = codes[best].astype(np.intp)
                    return found
            ring *= 2

    def _number(self, zone: str) -> int:
        return sum(len(block) for block in self._blocks[zone].values())
