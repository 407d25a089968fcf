"""The informed attacker: the laws that it assumes are the product's, and it finds what it should, no more."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from benchmarks.known_dates import page, plot
from demo.dates import histories
from nocturne_lab.evaluation.attacks.document_dates import DocumentDates, publish_dates
from nocturne_lab.evaluation.attacks.frontier import Row, utility
from nocturne_lab.evaluation.attacks.histories import (
    PARTS,
    Generalised,
    Histories,
    Mechanism,
    TimeChange,
    is_weekend,
    nearest_of_kind,
)
from nocturne_lab.evaluation.attacks.informed import KNOWN, Found, Known, find
from nocturne_lab.evaluation.attacks.inputs import Population, with_dates

EPISODES = Mechanism("episodes", 180, 60)
DAYS = Mechanism("days", 180, 60, "day", None)


@pytest.fixture(scope="module")
def models(small: Population) -> list[DocumentDates]:
    return publish_dates(small.records, with_dates("metric"))


@pytest.fixture(scope="module")
def true(models: list[DocumentDates]) -> Histories:
    return histories(960, models, 31, 92)


def moves(published: list[DocumentDates]) -> dict[tuple[str, int, int], set[int]]:
    """Return the moves of the documents of each stay, by patient, first and last day."""
    found = defaultdict(set)
    for one in published:
        stay = one.record.document.stay
        assert stay is not None
        assert stay.last is not None
        key = (one.patient, stay.first.toordinal(), stay.last.toordinal())
        found[key].add(one.published_on.toordinal() - one.written_on.toordinal())
    return found


def test_the_product_publishes_documents_by_the_law_that_the_attacker_knows(small: Population, true: Histories) -> None:
    """But that a stay keeps its stage of life, and one of the first year its distance from the birth."""
    policy = with_dates("episodes", anchor_scale_days=180, episode_epsilon=0.0333)
    births = {one: one.document.patient.birth_date for one in small.records}
    older = [one for one, birth in births.items() if birth and (one.stay.admitted_on - birth).days > 366]
    assert len(older) > 0.9 * len(births)
    drawn: list[int] = []
    for key in range(4):
        for (_, first, last), days in moves(publish_dates(older, policy, bytes([key]) * 32)).items():
            if first != last:
                assert len(days) == 1
                drawn += days
    moved = EPISODES.publish(true, np.random.default_rng(1)) - true.day
    stays = true.own & true.weekly
    assert not (moved[stays] % 7).any()
    assert (np.array(drawn) % 7 == 0).mean() > 0.97
    assert np.abs(drawn).mean() == pytest.approx(np.abs(moved[stays]).mean(), rel=0.35)


def test_whole_weeks_keep_every_weekday_and_gap(true: Histories) -> None:
    weeks = Mechanism("weeks", 180, 60)
    moved = weeks.publish(true, np.random.default_rng(1)) - true.day
    assert not (moved[true.weekly] % 7).any()


def test_noise_inside_a_stay_hides_and_costs_gaps(true: Histories) -> None:
    weeks = Mechanism("weeks", 180, 60)
    noisy = Mechanism("noisy", 180, 60, jitter=2)
    (plain,), (hidden,) = (find(true, one, "three stays", (320,), 200) for one in (weeks, noisy))
    assert hidden.hits < plain.hits
    assert utility(true, noisy)[0] < utility(true, weeks)[0]


def test_the_nearest_day_of_a_kind_is_at_most_three_days_off() -> None:
    days = np.arange(738_000, 738_014)
    for weekend in (True, False):
        found = nearest_of_kind(days, np.full(len(days), weekend))
        assert (is_weekend(found) == weekend).all()
        assert np.abs(found - days).max() <= 3


@pytest.mark.parametrize("known", KNOWN)
def test_next_to_no_noise_finds_nearly_everybody_and_boundless_noise_few(true: Histories, known: Known) -> None:
    (little,) = find(true, Mechanism("little", 0, 0.2, "day", None), known, (320,), 200)
    (much,) = find(true, Mechanism("much", 3650, 3650, "day", None), known, (320,), 200)
    assert little.targets >= 200
    assert little.share > 0.75
    assert much.share < 0.15


def test_more_candidates_hide_better_and_weekdays_give_away(true: Histories) -> None:
    few, many = find(true, EPISODES, "three stays", (320, 960), 200)
    assert many.hits <= few.hits
    (parts,) = find(true, Mechanism("parts", 180, 60, parts=PARTS), "three stays", (320,), 200)
    (free,) = find(true, Mechanism("free", 180, 60, parts=None), "three stays", (320,), 200)
    assert free.hits < parts.hits < few.hits


def test_the_order_of_days_is_kept_in_changed_time(true: Histories) -> None:
    change = TimeChange("changed", 180, 0.15)
    published = change.publish(true, np.random.default_rng(1))
    order = np.lexsort((true.day, true.patient))
    same = np.diff(true.patient[order]) == 0
    assert (np.diff(published[order])[same] >= 0).all()
    assert (
        find(true, change, "at random", (320,), 100)[0].share < find(true, EPISODES, "at random", (320,), 100)[0].share
    )


def test_utility_is_whole_without_noise_and_less_with_noise_of_each_day(true: Histories) -> None:
    exact, wrong, _, in_order = utility(true, Mechanism("shift", 0, 14, "patient", None))
    assert (exact, wrong, in_order) == (1.0, 0.0, 1.0)
    exact, wrong, kind, in_order = utility(true, EPISODES)
    assert exact > 0.8
    assert wrong < 0.1
    assert kind > 0.9
    assert in_order < 1
    assert utility(true, DAYS)[0] < 0.5


def test_bounds_are_those_of_clopper_and_pearson() -> None:
    assert Found(320, 1_000, 0, "at random").most == pytest.approx(1 - 0.05 ** (1 / 1_000))
    assert Found(320, 10, 10, "at random").most == 1.0


def test_the_page_says_every_way_and_the_plot_is_the_same_twice(tmp_path: Path) -> None:
    rows = [Row("one `way`", tuple(Found(320, 1_000, 10, known) for known in KNOWN), 0.9, 0.02, 0.97, 1.0)]
    assert "| one `way` | 320 | 1.0% (1.7%), 1,000 |" in page(rows, 100_000, 10)
    assert plot(rows, tmp_path / "a.svg") == "a.svg"
    plot(rows, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_years_hide_better_than_months(true: Histories) -> None:
    months, years = (find(true, Generalised(period, period), "at random", (320,), 200)[0] for period in ("M", "Y"))
    assert years.share < months.share
    assert (Generalised("years", "Y").publish(true, np.random.default_rng(1)) <= true.day).all()
