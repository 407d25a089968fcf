"""The partition is public and fixed: each commune in exactly one territory, none too small, always the same."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.domain.errors import ReferenceRefused
from deid.nightly import runtime
from deid.reference.partition import (
    MIN_COMMUNES,
    MIN_INHABITANTS,
    hospital_towns,
    is_overseas_code,
    partition_communes,
    population_class,
)
from deid.reference.tables import packaged_tables
from deid.refresh.refreshing import refresh
from tests.conftest import Database
from tests.database.refresh.in_use import communes_in_use


@dataclass(frozen=True)
class Spot:
    insee: str
    department: str
    region: str
    lon: float
    lat: float
    population: int = 0


DEPARTMENTS = {"01": "84", "25": "27", "75": "11", "92": "11", "2A": "94", "971": "01", "973": "03"}
SPOTS = st.builds(
    lambda place, lon, lat: (place, round(lon, 3), round(lat, 3)),
    st.sampled_from(sorted(DEPARTMENTS)),
    st.floats(-5, 10),
    st.floats(41, 51),
)
CROWDS = st.lists(st.integers(0, 40), min_size=90, max_size=90)


def spots(drawn: list[tuple[str, float, float]]) -> list[Spot]:
    return [Spot(f"{n:05}", place, DEPARTMENTS[place], lon, lat) for n, (place, lon, lat) in enumerate(drawn)]


@settings(max_examples=200, deadline=None)
@given(st.lists(SPOTS, min_size=5, max_size=90), st.integers(1, 5), st.randoms(use_true_random=False))
def test_every_place_has_one_territory_large_enough_whatever_the_order(
    drawn: list[tuple[str, float, float]], least: int, shuffle: random.Random
) -> None:
    places = spots(drawn)
    found = partition_communes(places, least, 0)
    codes = [code for members in found.values() for code in members]
    assert sorted(codes) == sorted(place.insee for place in places)
    assert all(least <= len(members) for members in found.values())
    shuffled = list(places)
    shuffle.shuffle(shuffled)
    assert partition_communes(shuffled, least, 0) == found


@settings(max_examples=200, deadline=None)
@given(st.lists(SPOTS, min_size=5, max_size=90), CROWDS, st.integers(1, 4), st.integers(0, 200))
def test_none_is_cut_out_below_the_population_floor(
    drawn: list[tuple[str, float, float]], crowds: list[int], least: int, floor: int
) -> None:
    places = [replace(spot, population=people) for spot, people in zip(spots(drawn), crowds, strict=False)]
    people = {place.insee: place.population for place in places}
    found = partition_communes(places, least, floor)
    assert sorted(code for codes in found.values() for code in codes) == sorted(people)
    for codes in found.values():
        assert len(codes) >= least
        assert len(found) == 1 or sum(people[code] for code in codes) >= floor


def test_too_few_places_are_refused() -> None:
    with pytest.raises(ReferenceRefused, match="4 communes"):
        partition_communes(spots([("25", 6.0, 47.0)] * 4), 5)


def _towns(department: str, region: str, sizes: list[int], first: int) -> list[Spot]:
    return [Spot(f"{first + at:05}", department, region, 5.0, 47.0, people) for at, people in enumerate(sizes)]


def test_small_strata_join_their_like_of_the_region_then_of_the_country() -> None:
    places = [
        *_towns("21", "27", [500] * 3, 21000), *_towns("25", "27", [500] * 2, 25000),
        *_towns("21", "27", [3000] * 2, 21500),
        *_towns("29", "53", [3000] * 2, 29000), *_towns("971", "01", [400] * 3, 97100),
        *_towns("29", "53", [500], 29500),
    ]  # fmt: skip
    found = partition_communes(places, 3, 0)
    assert {name: len(codes) for name, codes in found.items()} == {"21-village": 6, "FR-small": 4, "971": 3}


def test_the_packaged_partition() -> None:
    table = packaged_tables().communes
    sizes = [len(members) for members in table.partition.values()]
    assert sum(sizes) == len(table.communes)
    assert min(sizes) >= MIN_COMMUNES
    people = [sum(table.get(code).population for code in codes) for codes in table.partition.values()]
    assert min(people) >= MIN_INHABITANTS
    assert (len(sizes), max(sizes)) == (221, 762)
    assert table.partition_digest.startswith("cc72a4a6e11b8b2c"), "moved borders are a new version: raise the parser"
    for commune in table.communes[::97]:
        candidates = table.territory(commune)
        assert commune in candidates
        assert all(table.territory(other) == candidates for other in candidates)


def test_strata_keep_the_class_of_population_the_hospital_and_the_overseas_department() -> None:
    table, towns = packaged_tables().communes, hospital_towns()
    for name, codes in table.partition.items():
        members = [table.get(code) for code in codes]
        if is_overseas_code(members[0].department):
            assert {one.department for one in members} == {name}
        else:
            assert not any(is_overseas_code(one.department) for one in members)
            assert len({towns.get(one.insee) for one in members}) == 1
            if "university" not in name:
                assert len({population_class(one.population) for one in members}) == 1
    (seats,) = (codes for name, codes in table.partition.items() if "university" in name)
    assert {table.get(code).name for code in seats} >= {"Paris", "Dijon", "Besançon", "Metz", "Poitiers"}


def test_only_destroyed_and_split_communes_are_without_inhabitants() -> None:
    empty = [one.department for one in packaged_tables().communes.communes if one.population == 0]
    assert Counter(empty) == {"55": 6, "60": 1, "85": 2}


@pytest.mark.slow
def test_the_version_holds_the_hash_of_its_territories_and_the_night_cites_it(deployed: Database) -> None:
    for source in ("communes", "streets", "establishments"):
        refresh(source, dsn=deployed.dsn("refresher"))
    ((held,),) = deployed.rows("SELECT partition FROM ref.release WHERE source = 'communes'")
    assert held == communes_in_use(deployed.dsn("worker")).partition_digest
    assert held == packaged_tables().communes.partition_digest
    assert held.startswith(runtime.reference_versions()["territories"])
    assert deployed.rows("SELECT count(partition) FROM ref.release WHERE source <> 'communes'") == [(0,)]
