"""The plane is that of the ground to 1 %; nearest and within agree with a search of the whole table."""

from __future__ import annotations

from itertools import pairwise
from math import asin, cos, hypot, pi, radians, sin, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.reference import Commune
from deid.reference.distances import METROPOLIS, Point, angle, cosine, sine
from deid.reference.tables import packaged_tables

TABLE = packaged_tables().communes
ATLAS = TABLE.atlas
ATLAS.nearest(ATLAS.point(TABLE.communes[0]))  # made before the first timed example
METROPOLITAN = [commune for commune in TABLE.communes if not commune.department.startswith("97")]
OVERSEAS = [commune for commune in TABLE.communes if commune.department.startswith("97")]


def _on_a_sphere(a: Commune, b: Commune) -> float:
    half = sin(radians(a.lat - b.lat) / 2) ** 2
    half += cos(radians(a.lat)) * cos(radians(b.lat)) * sin(radians(a.lon - b.lon) / 2) ** 2
    return 2 * 6_371_009 * asin(sqrt(half))


def _on_the_plane(a: Commune, b: Commune) -> float:
    one, other = ATLAS.point(a), ATLAS.point(b)
    assert one.zone == other.zone
    return hypot(one.x - other.x, one.y - other.y)


@given(st.integers(-180_000, 180_000))
def test_integer_sines_are_sines(millidegrees: int) -> None:
    x = millidegrees / 180_000 * pi
    assert abs(sine(angle(millidegrees / 1000)) / 10**12 - sin(x)) < 1e-10
    assert abs(cosine(angle(millidegrees / 1000)) / 10**12 - cos(x)) < 1e-10


@given(st.sampled_from(METROPOLITAN), st.sampled_from(METROPOLITAN))
def test_lengths_of_the_metropolis_are_those_of_the_sphere(a: Commune, b: Commune) -> None:
    assert abs(_on_the_plane(a, b) - _on_a_sphere(a, b)) <= 0.003 * _on_a_sphere(a, b) + 2


@pytest.mark.parametrize("department", ["971", "972", "973", "974", "976"])
def test_lengths_overseas_are_those_of_the_sphere(department: str) -> None:
    for a, b in pairwise(TABLE.in_department(department)):
        assert abs(_on_the_plane(a, b) - _on_a_sphere(a, b)) <= 0.003 * _on_a_sphere(a, b) + 2


@settings(deadline=None, max_examples=25)
@given(st.integers(-800_000, 800_000), st.integers(-800_000, 800_000))
def test_the_nearest_is_the_nearest(x: int, y: int) -> None:
    points = ((ATLAS.point(one), one) for one in METROPOLITAN)
    wanted = min(((p.x - x) ** 2 + (p.y - y) ** 2, one.insee) for p, one in points)
    assert ATLAS.nearest(Point(METROPOLIS, x, y)).insee == wanted[1]


@given(st.sampled_from(OVERSEAS), st.integers(-3_000_000, 3_000_000), st.integers(-3_000_000, 3_000_000))
def test_the_nearest_of_an_island_is_on_the_island(home: Commune, x: int, y: int) -> None:
    here = ATLAS.point(home)
    found = ATLAS.nearest(Point(here.zone, here.x + x, here.y + y))
    assert found.department == home.department


def test_a_commune_is_the_nearest_to_itself() -> None:
    for commune in TABLE.communes[::97]:
        assert ATLAS.nearest(ATLAS.point(commune)) == commune


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(TABLE.communes), st.integers(0, 60_000))
def test_within_holds_all_that_is_near_and_nothing_else(commune: Commune, metres: int) -> None:
    here = ATLAS.point(commune)
    near = [
        one
        for one in TABLE.communes
        if (there := ATLAS.point(one)).zone == here.zone
        and (there.x - here.x) ** 2 + (there.y - here.y) ** 2 <= metres**2
    ]
    assert list(ATLAS.within(commune, metres)) == near


def test_a_zone_without_places_has_no_nearest_one() -> None:
    with pytest.raises(ValueError, match="zone 988"):
        ATLAS.nearest(Point("988", 0, 0))
