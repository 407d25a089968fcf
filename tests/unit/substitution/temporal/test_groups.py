"""Dates told close together move as one, and episodes of a text keep their order as wholes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.config.policy import load
from deid.domain.document import Patient, Stay
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from tests.unit.substitution.examples import KEY, marked, surrogates

STAY, WRITTEN = Stay(date(2023, 6, 15), date(2023, 6, 22)), date(2023, 6, 20)
BORN = date(1950, 6, 1)
REACH = 183
# From the document's date backwards: days between two groups, and between the dates of a group.
TOLD = st.lists(st.tuples(st.integers(191, 2_000), st.lists(st.integers(1, REACH), max_size=2)), max_size=4)


@pytest.fixture(scope="module")
def drawn() -> Substitutor:
    tables = packaged_tables()
    return Substitutor(load(), KEY, tables.communes, tables.names)


def published(substitutor: Substitutor, told: Sequence[str], key: str = "p1", stay: Stay | None = STAY) -> list[str]:
    text = " ".join(f"Vu : [[DATE|{one}]]." for one in told)
    patient = Patient(key, birth_date=BORN)
    return surrogates(substitutor.substitute(*marked(text, patient=patient, reference_date=WRITTEN, stay=stay)))


def moved(substitutor: Substitutor, days: Sequence[date], key: str, stay: Stay | None = STAY) -> list[date]:
    found = published(substitutor, [f"{day:%d/%m/%Y}" for day in days], key, stay)
    return [date(year, month, day) for day, month, year in (map(int, re.findall(r"\d+", one)) for one in found)]


@given(told=TOLD, key=st.integers(0, 10**6), staying=st.booleans())
def test_dates_keep_their_order_and_short_gaps(
    drawn: Substitutor, told: list[tuple[int, list[int]]], key: int, staying: bool
) -> None:
    days = [WRITTEN]
    for before, gaps in told:
        for gap in (before, *gaps):
            days.insert(0, days[0] - timedelta(days=gap))
    to = moved(drawn, days, f"p{key}", STAY if staying else None)
    for (one, two), (first, second) in zip(pairwise(days), pairwise(to), strict=True):
        assert second - first == two - one if (two - one).days <= REACH else (second - first).days > REACH


@pytest.mark.parametrize("key", [f"p{number}" for number in range(20)])
def test_an_accident_its_leave_and_the_return_to_work_stay_in_order(drawn: Substitutor, key: str) -> None:
    accident, leave, work, seen = moved(
        drawn, [date(2021, 3, 12), date(2021, 6, 2), date(2021, 10, 15), date(2023, 6, 20)], key
    )
    assert (leave - accident, work - leave) == (timedelta(days=82), timedelta(days=135))
    assert (seen - work).days > REACH


@pytest.mark.parametrize("key", [f"p{number}" for number in range(20)])
def test_months_move_with_the_days_that_are_told_beside_them(drawn: Substitutor, key: str) -> None:
    found = published(drawn, ["03/01/2012", "mars 2012", "12/01/2012"], key)
    infarct, discharge = (date(*map(int, reversed(one.split("/")))) for one in (found[0], found[2]))
    months = ("janvier février mars avril mai juin juillet août septembre octobre novembre décembre").split()
    month, year = found[1].split()
    apart = int(year) * 12 + months.index(month) - infarct.year * 12 - (infarct.month - 1)
    assert discharge - infarct == timedelta(days=9)
    assert apart in (2, 3)


@pytest.mark.parametrize("key", [f"p{number}" for number in range(20)])
@pytest.mark.parametrize(("distance", "day"), [
    ("il y a un mois", "28/05/2023"), ("il y a deux mois", "02/04/2023"), ("il y a trois mois", "31/03/2023"),
])  # fmt: skip
def test_a_month_goes_with_its_day_beside_a_distance_that_stays(
    drawn: Substitutor, distance: str, day: str, key: str
) -> None:
    text = f"[[RELDATE|{distance}]]. Vu en [[DATE|{day[3:]}]]. Opéré le [[DATE|{day}]]."
    patient = Patient(key, birth_date=BORN)
    kept, month, moved = surrogates(drawn.substitute(*marked(text, patient=patient, reference_date=WRITTEN, stay=STAY)))
    assert (kept, month) == (distance, moved[3:])


def test_a_chain_of_dates_is_cut_where_it_lasts_too_long(drawn: Substitutor) -> None:
    days = [date(2010, 1, 1) + timedelta(days=150 * number) for number in range(6)]
    gaps = [[(two - one).days for one, two in pairwise(moved(drawn, days, f"p{number}"))] for number in range(20)]
    assert all(one[0] == one[1] == one[3] == one[4] == 150 for one in gaps)
    assert len({one[2] for one in gaps}) > 5


def test_what_follows_the_stay_closely_moves_with_it_beyond_the_window(drawn: Substitutor) -> None:
    days = [date(2022, 7, 1), date(2022, 12, 10), WRITTEN]  # 354 and 192 days before; neighbours 162 and 192 days apart
    joined = [date(2022, 7, 1), date(2022, 12, 20), WRITTEN]
    apart = [[(WRITTEN - one).days for one in days], [(WRITTEN - one).days for one in joined]]
    found = [moved(drawn, each, "p3") for each in (days, joined)]
    assert [(found[1][-1] - one).days for one in found[1]] == apart[1]
    assert (found[0][-1] - found[0][1]).days > REACH


@pytest.mark.parametrize(("around", "writes"), [
    ("Vu", True), ("Revu après un bilan", True), ("Vu en consultation pour un bilan annuel de son diabète", True),
    ("Vu en consultation pour un bilan annuel de son diabete avec son medecin traitant", False),
])  # fmt: skip
def test_accents_of_a_month_are_those_of_the_words_around(drawn: Substitutor, around: str, writes: bool) -> None:
    months: dict[str, set[str]] = {"mars": set(), "août": set()}
    for key in range(40):
        for told, found in months.items():
            text, patient = f"{around} : [[DATE|{told} 2012]].", Patient(f"p{key}", birth_date=BORN)
            done = drawn.substitute(*marked(text, patient=patient, reference_date=WRITTEN, stay=STAY))
            found |= set(surrogates(done)[0].split()[:1])
    accented = {"février", "août", "décembre"}
    assert all(bool(found & accented) is writes for found in months.values())
    assert all(bool(found & {"fevrier", "aout", "decembre"}) is not writes for found in months.values())
