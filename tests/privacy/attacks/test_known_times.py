"""Known times of day: certain where they stay, chance where they go, and in between by what is left of them."""

from __future__ import annotations

import pytest

from benchmarks.known_times import times_page
from nocturne_lab.evaluation.attacks.inputs import Population
from nocturne_lab.evaluation.attacks.known_times import (
    KNOWN_OF,
    TIME_STRATEGIES,
    TimesRow,
    known_times,
    publish_times,
    seek_times,
    with_times,
)


@pytest.fixture(scope="module")
def rows(large: Population) -> dict[str, TimesRow]:
    return {row.strategy: row for row in known_times([large])}


def _share(row: TimesRow, known: str) -> float:
    return next(one.hits / one.targets for one in row.found if one.known == known)


@pytest.mark.parametrize("known", KNOWN_OF)
def test_the_less_is_left_the_fewer_are_found(rows: dict[str, TimesRow], known: str) -> None:
    keep, hour, part, drop = (_share(rows[strategy], known) for strategy in TIME_STRATEGIES)
    assert keep > 0.95
    assert keep > hour > 3 * part > drop
    assert drop < 0.05


def test_hours_keep_more_of_the_delays_than_parts_of_the_day(rows: dict[str, TimesRow]) -> None:
    assert rows["keep"].error == 0
    assert rows["keep"].ordered == 1
    assert 0 < rows["hour"].error < 60 < rows["part_of_day"].error
    assert rows["hour"].ordered > rows["part_of_day"].ordered > rows["drop"].ordered == 0


def test_a_time_is_published_as_its_strategy_says(small: Population) -> None:
    found = seek_times(small.records)
    left = {
        strategy: [time for one in publish_times(found, with_times(strategy)) for time in one.times]
        for strategy in TIME_STRATEGIES
    }
    assert {(time.first, time.width) for time in left["keep"]} == {(time.true, 1) for time in left["keep"]}
    for strategy, width in (("hour", 60), ("part_of_day", 360), ("drop", 1440)):
        read = [time for time in left[strategy] if time.width > 1]
        assert len(read) > 0.98 * len(left["keep"])
        assert {time.width for time in read} == {width}
        assert all(time.first <= time.true < time.first + width for time in read)


def test_the_page_has_a_line_for_each_strategy(rows: dict[str, TimesRow]) -> None:
    page = times_page(list(rows.values()), 160, 1)
    assert [line.split("|")[1].split()[0] for line in page.splitlines() if line.startswith("| ")][1:] == [
        "---",
        *TIME_STRATEGIES,
    ]
