"""The partition is public and fixed: each commune in exactly one territory, none too small, always the same."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.errors import ReferenceRefused
from deid.reference import CommuneTable
from deid.reference.partition import LEAST, territories


@dataclass(frozen=True)
class Spot:
    insee: str
    department: str
    region: str
    lon: float
    lat: float


DEPARTMENTS = {"01": "84", "25": "27", "75": "11", "92": "11", "2A": "94", "971": "01", "973": "03"}
SPOTS = st.builds(
    lambda place, lon, lat: (place, round(lon, 3), round(lat, 3)),
    st.sampled_from(sorted(DEPARTMENTS)),
    st.floats(-5, 10),
    st.floats(41, 51),
)


def spots(drawn: list[tuple[str, float, float]]) -> list[Spot]:
    return [Spot(f"{n:05}", place, DEPARTMENTS[place], lon, lat) for n, (place, lon, lat) in enumerate(drawn)]


@settings(max_examples=200, deadline=None)
@given(st.lists(SPOTS, min_size=5, max_size=90), st.integers(1, 5), st.randoms(use_true_random=False))
def test_every_place_has_one_territory_large_enough_whatever_the_order(
    drawn: list[tuple[str, float, float]], least: int, shuffle: random.Random
) -> None:
    places = spots(drawn)
    found = territories(places, least)
    codes = [code for members in found.values() for code in members]
    assert sorted(codes) == sorted(place.insee for place in places)
    assert all(least <= len(members) < 2 * least for members in found.values())
    shuffled = list(places)
    shuffle.shuffle(shuffled)
    assert territories(shuffled, least) == found


def test_too_few_places_are_refused() -> None:
    with pytest.raises(ReferenceRefused, match="4 communes"):
        territories(spots([("25", 6.0, 47.0)] * 4), 5)


def test_places_at_one_point_are_split_all_the_same() -> None:
    found = territories(spots([("25", 6.0, 47.0)] * 10), 3)
    assert sorted(map(len, found.values())) == [3, 3, 4]


def test_the_packaged_partition() -> None:
    table = CommuneTable.packaged()
    sizes = [len(members) for members in table.partition.values()]
    assert sum(sizes) == len(table.communes)
    assert min(sizes) >= LEAST
    assert max(sizes) < 2 * LEAST
    for commune in table.communes[::97]:
        candidates = table.territory(commune)
        assert commune in candidates
        assert all(table.territory(other) == candidates for other in candidates)


def test_a_territory_stays_within_its_department_where_that_is_large_enough() -> None:
    table = CommuneTable.packaged()
    pooled = {name for name in table.partition if name.startswith("R")}
    assert pooled == {"R11-01", "RX-01", "RX-02"}
    for name, codes in table.partition.items():
        if name not in pooled:
            assert {table.get(code).department for code in codes} == {name.partition("-")[0]}
