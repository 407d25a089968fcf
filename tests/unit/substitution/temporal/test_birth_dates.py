"""No date of a text comes to stand on the patient's true birth date; a patient past the top code has one birthday."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deid.config.policy import Policy, load
from deid.detection import Detector
from deid.domain.document import Document, Patient
from deid.domain.outcomes import Deidentified, Incoming
from deid.pipeline import deidentify
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from deid.substitution.context import DocumentContext
from deid.substitution.temporal.births import to_told_age
from deid.substitution.temporal.values import years_between
from tests.unit.substitution.examples import KEY, changed, marked

BORN = date(2025, 2, 19)
LIFE = [date(2004, 2, 9), date(2012, 6, 5), date(2015, 3, 11), date(2018, 10, 2), date(2022, 1, 4), date(2024, 11, 20)]


@pytest.mark.parametrize("strategy", ["metric", "bounded_laplace", "uniform_shift"])
def test_no_surrogate_says_the_birth_date(strategy: str, policy: Policy, communes: CommuneTable) -> None:
    """A newborn's dates are all within days of it."""
    substitutor = Substitutor(changed(policy, dates={"strategy": strategy, "shift_max_days": 9}), KEY, communes)
    days = [BORN + timedelta(days=one) for one in (1, 3, 4, 8, 21)]
    text = ", ".join(f"[[DATE|{day:%d/%m/%Y}]]" for day in (BORN, *days))
    moved = 0
    for number in range(150):
        known = Patient(key=f"p{number}", birth_date=BORN)
        result = substitutor.substitute(*marked(text, patient=known, reference_date=days[-1] + timedelta(days=2)))
        assert f"{BORN:%d/%m/%Y}" not in result.text
        moved += sum(one.parsed for one in result.surrogates)
    assert moved > 0.8 * 6 * 150


def test_a_life_of_104_years_has_one_birthday(communes: CommuneTable) -> None:
    policy, born = load(), date(1920, 3, 11)
    substitutor = Substitutor(policy, KEY, communes)
    text = "Patiente née le 11/03/1920, âgée de {} ans, vue le {:%d/%m/%Y}."
    for patient in (Patient(f"patient-{number}", birth_date=born) for number in range(4)):
        incoming = [
            Incoming(Document(f"{day}", text.format(years_between(born, day), day), patient, day)) for day in LIFE
        ]
        birthdays, days = set(), set()
        for outcome in deidentify(incoming, Detector(policy), substitutor, max_bytes=10_000):
            assert isinstance(outcome, Deidentified)
            result = outcome.candidate.substitution
            told = re.fullmatch(
                r"Patiente née le (\d+)/(\d+)/(\d+), âgée de (plus de )?(\d+) ans, vue le .+\.", result.text
            )
            assert told is not None
            assert result.reference_date is not None
            moved = date(*map(int, told.group(3, 2, 1)))
            years = years_between(moved, result.reference_date)
            assert (years, told[4]) == (int(told[5]), "plus de " if outcome.candidate.document.id > "2010" else None)
            birthdays.add((moved.month, moved.day))
            days.add((result.reference_date.month, result.reference_date.day))
        assert len(birthdays) == 1
        assert len(days) > len(LIFE) / 2


@given(moved=st.dates(date(1890, 1, 1), date(2020, 1, 1)), on=st.dates(date(1985, 1, 1), date(2025, 1, 1)))
@example(moved=date(1920, 2, 29), on=date(2012, 2, 28))
def test_the_year_of_a_birth_alone_is_brought_to_the_top_code(moved: date, on: date) -> None:
    context = DocumentContext(*marked("Vu ce jour."), load().substitution, KEY)
    told, leap = to_told_age(context, moved, on), (moved.month, moved.day) == (2, 29)
    assert years_between(told, on) == min(years_between(moved, on), 90)
    assert (told.month, told.day) in {(moved.month, moved.day)} | ({(2, 28)} if leap else set())
