"""Strategy `geo_indistinguishability` (Tchouka et al. 2022, section 4.5): a noisy point, then the nearest commune."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from deid.config.policy import Places
from deid.privacy import KeyedStream, planar_laplace
from deid.reference import Commune, CommuneTable
from deid.reference.distances import Point

MECHANISM = "planar_laplace"
STEP_M = 100
_EDGE = 40_000_000 // STEP_M  # no point is further from its plane's origin than the Earth goes round


def draws(
    stream: KeyedStream, communes: CommuneTable, true: Commune, policy: Places, epsilon: Fraction
) -> Iterator[Commune]:
    """Communes nearest to the true one's point moved by planar Laplace noise of ε per `unit_km` kilometres.

    The point is put on a grid of 100 m by rounding, then moved: ε·d-private, d the kilometres between rounded points on
    the plane of `deid.reference.distances` (`deid.privacy.planar_laplace` has the proof); the nearest commune is
    post-processing. The zone is public: the metropolis with Corsica, or one overseas department. A point in the sea or
    abroad gives the nearest commune of the zone, one beyond 40,000 km the nearest to that edge.
    """
    here = communes.atlas.point(true)
    column, row = (here.x + STEP_M // 2) // STEP_M, (here.y + STEP_M // 2) // STEP_M
    per_km = epsilon / Fraction(str(policy.unit_km))
    while True:
        x, y = planar_laplace(stream, per_km, STEP_M)
        moved = (max(-_EDGE, min(place, _EDGE)) * STEP_M for place in (column + x, row + y))
        yield communes.atlas.nearest(Point(here.zone, *moved))
