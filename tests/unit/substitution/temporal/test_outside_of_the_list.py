"""Facts that published texts show, and hide, as `docs/privacy.md` lists them: code and page change together."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest

from deid.config.policy import load
from deid.domain.document import Patient, Stay
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from tests.unit.substitution.examples import KEY, marked, surrogates

WRITTEN = date(2022, 3, 16)
PATIENTS = [f"p{number}" for number in range(30)]


@pytest.fixture(scope="module")
def drawn(communes: CommuneTable) -> Substitutor:
    return Substitutor(load(), KEY, communes)


def published(substitutor: Substitutor, text: str, key: str, written: date = WRITTEN) -> list[str]:
    patient = Patient(key, birth_date=date(1950, 6, 1))
    return surrogates(substitutor.substitute(*marked(text, patient=patient, reference_date=written)))


def day(text: str) -> date:
    number, month, year = map(int, re.findall(r"\d+", text))
    return date(year, month, number)


@pytest.mark.parametrize(("days", "together"), [(1, True), (96, True), (183, True), (184, False), (900, False)])
def test_days_told_close_together_outside_of_stays_keep_their_distance(
    drawn: Substitutor, days: int, together: bool
) -> None:
    first = date(2015, 1, 15)
    second = first + timedelta(days=days)
    text = f"Vu le [[DATE|{first:%d/%m/%Y}]], puis le [[DATE|{second:%d/%m/%Y}]]."
    gaps = [day(told[1]) - day(told[0]) for told in (published(drawn, text, key) for key in PATIENTS)]
    assert all(gap == second - first for gap in gaps) is together


def test_days_outside_of_stays_keep_their_weekday(drawn: Substitutor) -> None:
    true = date(2015, 1, 15)
    found = {day(published(drawn, f"Vu le [[DATE|{true:%d/%m/%Y}]].", key)[0]).weekday() for key in PATIENTS}
    assert found == {true.weekday()}


@pytest.mark.parametrize("told", ["mars 2015", "2012", "15/01/2015", "été 2013"])
def test_a_value_has_one_surrogate_in_all_documents(drawn: Substitutor, told: str) -> None:
    """But where the order of a document's dates moves it."""
    text, later = f"Opéré : [[DATE|{told}]].", WRITTEN + timedelta(days=400)
    alike = sum(published(drawn, text, key) == published(drawn, text, key, later) for key in PATIENTS)
    assert alike > len(PATIENTS) * 0.8


@pytest.mark.parametrize(("text", "same"), [
    ("Un oncle de [[AGE|70 ans]]. Un oncle de [[AGE|70 ans]].", True),
    ("Un cousin de [[AGE|70 ans]]. Un oncle de [[AGE|70 ans]].", False),
    ("Ses sœurs, [[AGE|70 ans]] et [[AGE|70 ans]].", False),
    ("Son oncle [[PERSON|Paul]], [[AGE|70 ans]]. Son oncle [[PERSON|Yves]], [[AGE|70 ans]].", False),
])  # fmt: skip
def test_equal_ages_show_behind_the_same_words_only(drawn: Substitutor, text: str, same: bool) -> None:
    told = [[one for one in published(drawn, text, key) if one.endswith("ans")] for key in PATIENTS]
    assert all(one == two for one, two in told) is same


@pytest.mark.parametrize(("apart", "same"), [(2, True), (200, False)])
def test_the_age_of_a_relative_is_drawn_once_for_each_stay(drawn: Substitutor, apart: int, same: bool) -> None:
    """Documents without a stay belong to their quarter of a year."""
    text, later = "Sa mère, [[AGE|72 ans]].", WRITTEN + timedelta(days=apart)
    assert all(published(drawn, text, key) == published(drawn, text, key, later) for key in PATIENTS) is same


def test_an_age_at_another_time_moves_by_itself(drawn: Substitutor) -> None:
    text, found = "Patient de [[AGE|71 ans]]. Opéré à [[AGE|65 ans]].", []
    for key in PATIENTS:
        now, before = (int(told.split()[0]) for told in published(drawn, text, key))
        assert before <= now
        found.append(now - before)
    assert len(set(found)) > 5


@pytest.mark.parametrize(
    ("text", "apart"),
    [("Patient de [[AGE|71 ans]], déjà de [[AGE|65 ans]].", {6}), ("[[AGE|71 ans]], [[AGE|71 ans]]", {0})],
)
def test_other_ages_of_the_patient_keep_their_years_apart(drawn: Substitutor, text: str, apart: set[int]) -> None:
    """Only draws count of which neither is brought back into its stage of life."""
    pairs = [[int(told.split()[0]) for told in published(drawn, text, key)] for key in PATIENTS]
    found = {now - before for now, before in pairs if before > 50 and now < 89}
    assert found == apart


@pytest.mark.parametrize(("before", "days", "near"), [(30, 3, False), (91, 3, False), (30, 31, True), (2, 3, True)])
def test_a_stay_stays_near_the_end_of_a_stage_of_life_that_it_ends_behind(
    drawn: Substitutor, before: int, days: int, near: bool
) -> None:
    """Days to the eleventh birthday, from the true birth date and from the published one."""
    turned = date(2022, 3, 16)
    left = []
    for key in PATIENTS:
        first = turned - timedelta(days=before)
        text = f"Né le [[DATE|16/03/2011]], entré le [[DATE|{first:%d/%m/%Y}]]."
        document = marked(
            text, patient=Patient(key, birth_date=date(2011, 3, 16)), reference_date=first,
            stay=Stay(first, first + timedelta(days=days)),
        )  # fmt: skip
        birth, entered = map(day, surrogates(drawn.substitute(*document)))
        left.append((birth.replace(year=birth.year + 11, day=min(birth.day, 28)) - entered).days)
    assert all(-4 <= one <= 35 for one in left) is near


@pytest.mark.parametrize("month", ["mars 2012", "janvier 2012", "décembre 2012"])
def test_a_year_holds_the_months_that_it_held(drawn: Substitutor, month: str) -> None:
    pairs = [published(drawn, f"Opéré en [[DATE|2012]], revu en [[DATE|{month}]].", key) for key in PATIENTS]
    assert all(year in told for year, told in pairs)
    assert len({year for year, _ in pairs}) > 3
