"""Order restoration: increasing, pins kept, nearest in least squares."""

from __future__ import annotations

import itertools
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from deid.substitution.temporal.order import free_indexes, project, restore
from deid.substitution.temporal.values import Instant, Unit, index_of

NO_BOUNDS = (None, None)
days = st.integers(720_000, 745_000)


@settings(deadline=None)
@given(st.lists(st.integers(-1000, 1000), max_size=12))
def test_free_values_end_strictly_increasing(targets: list[int]) -> None:
    found = project(targets, [NO_BOUNDS] * len(targets), [False] * len(targets))
    assert all(one < other for one, other in itertools.pairwise(found))


@settings(deadline=None)
@given(st.lists(st.integers(-1000, 1000), unique=True, max_size=12))
def test_values_in_order_stay(targets: list[int]) -> None:
    ordered = sorted(targets)
    assert project(ordered, [NO_BOUNDS] * len(ordered), [False] * len(ordered)) == ordered


def test_crossed_values_meet_in_the_middle() -> None:
    assert project([10, 4], [NO_BOUNDS] * 2, [False] * 2) == [6, 7]


@settings(deadline=None)
@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=12), st.data())
def test_a_pin_stays_and_the_others_go_round_it(targets: list[int], data: st.DataObject) -> None:
    pin = data.draw(st.integers(0, len(targets) - 1))
    found = project(targets, [NO_BOUNDS] * len(targets), [index == pin for index in range(len(targets))])
    assert found[pin] == targets[pin]
    assert all(one < other for one, other in itertools.pairwise(found))


@settings(deadline=None)
@given(st.dictionaries(days.map(lambda one: Instant(Unit.DAY, one)), days, min_size=1, max_size=10))
def test_days_keep_their_order(drawn: dict[Instant, int]) -> None:
    moved = restore(drawn, {})
    ordered = sorted(drawn)
    assert all(moved[one] < moved[other] for one, other in itertools.pairwise(ordered))


@settings(deadline=None)
@given(
    st.dictionaries(days.map(lambda one: Instant(Unit.DAY, one)), days, max_size=6),
    st.dictionaries(
        st.integers(1972, 2040).map(lambda one: Instant(Unit.YEAR, one)), st.integers(1972, 2040), max_size=6
    ),
    st.dictionaries(
        st.integers(1972 * 12, 2040 * 12).map(lambda one: Instant(Unit.MONTH, one)),
        st.integers(1972 * 12, 2040 * 12),
        max_size=6,
    ),
)
def test_units_keep_their_order_among_each_other(
    of_days: dict[Instant, int], of_years: dict[Instant, int], of_months: dict[Instant, int]
) -> None:
    moved = restore({**of_days, **of_years, **of_months}, {})
    for one, one_moved in moved.items():
        for other, other_moved in moved.items():
            if one.last < other.first:
                assert one_moved.first <= other_moved.last


def test_free_indexes_are_between_the_neighbours() -> None:
    one, two, three = (Instant(Unit.YEAR, year) for year in (2010, 2012, 2014))
    moved = {one: Instant(Unit.YEAR, 2009), two: Instant(Unit.YEAR, 2012), three: Instant(Unit.YEAR, 2015)}
    assert list(free_indexes(two, moved)) == [2010, 2011, 2012, 2013, 2014]


def test_a_year_between_a_day_and_the_winter_it_is_in_stays_behind_the_day() -> None:
    """ "2013" between a birth in 2011 and the summer of 2015, where these came to stand in one winter."""
    born = Instant(Unit.DAY, date(2011, 9, 8).toordinal())
    summer = Instant(Unit.SEASON, index_of(Unit.SEASON, date(2015, 7, 1)))
    winter = index_of(Unit.SEASON, date(2017, 1, 3))
    moved = restore({Instant(Unit.YEAR, 2013): 2015, summer: winter}, {born: date(2017, 1, 3).toordinal()})
    assert moved[summer].index == winter
    assert moved[Instant(Unit.YEAR, 2013)].index == 2017
