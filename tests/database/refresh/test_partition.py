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
from deid.reference.partition import MIN_COMMUNES, MIN_INHABITANTS, partition_communes
from deid.reference.tables import packaged_tables
from deid.refresh.refreshing import refresh
from deid.refresh.tables import load_communes as communes_in_use
from tests.conftest import Database


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
    assert all(least <= len(members) < 2 * least for members in found.values())
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
    pools = Counter(name.partition("-")[0] for name in found)
    for name, codes in found.items():
        assert len(codes) >= least
        assert pools[name.partition("-")[0]] == 1 or sum(people[code] for code in codes) >= floor


def test_too_few_places_are_refused() -> None:
    with pytest.raises(ReferenceRefused, match="4 communes"):
        partition_communes(spots([("25", 6.0, 47.0)] * 4), 5)


def test_places_at_one_point_are_split_all_the_same() -> None:
    found = partition_communes(spots([("25", 6.0, 47.0)] * 10), 3, 0)
    assert sorted(map(len, found.values())) == [3, 3, 4]


def test_the_packaged_partition() -> None:
    table = packaged_tables().communes
    sizes = [len(members) for members in table.partition.values()]
    assert sum(sizes) == len(table.communes)
    assert min(sizes) >= MIN_COMMUNES
    people = [sum(table.get(code).population for code in codes) for codes in table.partition.values()]
    assert min(people) >= MIN_INHABITANTS
    assert (len(sizes), max(sizes), sum(size >= 2 * MIN_COMMUNES for size in sizes)) == (481, 201, 17)
    assert table.partition_digest.startswith("460653da58213c81"), "moved borders are a new version: raise the parser"
    for commune in table.communes[::97]:
        candidates = table.territory(commune)
        assert commune in candidates
        assert all(table.territory(other) == candidates for other in candidates)


def test_a_territory_stays_within_its_department_where_that_is_large_enough() -> None:
    table = packaged_tables().communes
    pooled = {name for name in table.partition if name.startswith("R")}
    assert pooled == {"R11-01", "RX-01", "RX-02"}
    for name, codes in table.partition.items():
        if name not in pooled:
            assert {table.get(code).department for code in codes} == {name.partition("-")[0]}


def test_the_version_holds_the_hash_of_its_territories_and_the_night_cites_it(deployed: Database) -> None:
    for source in ("communes", "streets", "establishments"):
        refresh(source, dsn=deployed.dsn("refresher"))
    ((held,),) = deployed.rows("SELECT partition FROM ref.release WHERE source = 'communes'")
    assert held == communes_in_use(deployed.dsn("worker")).partition_digest
    assert held == packaged_tables().communes.partition_digest
    assert held.startswith(runtime.reference_versions()["territories"])
    assert deployed.rows("SELECT count(partition) FROM ref.release WHERE source <> 'communes'") == [(0,)]
