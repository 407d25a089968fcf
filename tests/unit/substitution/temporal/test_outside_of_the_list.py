"""Facts that published texts show beyond the list of `docs/privacy.md`: code that hides one corrects the page too."""

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


@pytest.mark.parametrize(
    ("second", "together"), [(date(2015, 2, 20), True), (date(2015, 3, 31), True), (date(2015, 4, 20), False)]
)
def test_days_of_a_quarter_outside_of_stays_keep_their_distance(
    drawn: Substitutor, second: date, together: bool
) -> None:
    first = date(2015, 1, 15)
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


@pytest.mark.parametrize(("other", "same"), [("70 ans", True), ("71 ans", False)])
def test_relatives_of_one_age_have_one_surrogate(drawn: Substitutor, other: str, same: bool) -> None:
    text = f"Un cousin de [[AGE|70 ans]]. Un oncle de [[AGE|{other}]]."
    pairs = [published(drawn, text, key) for key in PATIENTS]
    assert all(one == two for one, two in pairs) is same


def test_years_between_two_ages_of_the_patient_stay(drawn: Substitutor) -> None:
    """Only draws count of which neither is brought back into its stage of life."""
    text, found = "Patient de [[AGE|71 ans]]. Opéré à l'âge de [[AGE|65 ans]].", []
    for key in PATIENTS:
        now, before = (int(told.split()[0]) for told in published(drawn, text, key))
        found += [now - before] if before > 50 and now < 89 else []
    assert len(found) > 10
    assert set(found) == {6}


@pytest.mark.parametrize(("before", "near"), [(30, True), (91, True), (93, False), (900, False)])
def test_a_stay_near_the_end_of_a_stage_of_life_stays_there(drawn: Substitutor, before: int, near: bool) -> None:
    """Days to the eleventh birthday, from the true birth date and from the published one."""
    turned = date(2022, 3, 16)
    left = []
    for key in PATIENTS:
        first = turned - timedelta(days=before)
        text = f"Né le [[DATE|16/03/2011]], entré le [[DATE|{first:%d/%m/%Y}]]."
        document = marked(
            text, patient=Patient(key, birth_date=date(2011, 3, 16)), reference_date=first,
            stay=Stay(first, first + timedelta(days=3)),
        )  # fmt: skip
        birth, entered = map(day, surrogates(drawn.substitute(*document)))
        left.append((birth.replace(year=birth.year + 11, day=min(birth.day, 28)) - entered).days)
    assert all(-4 <= days <= 92 for days in left) is near


def test_a_year_that_holds_a_month_seldom_holds_its_surrogate(drawn: Substitutor) -> None:
    """Each has a draw of its own, while those of one value agree."""
    pairs = [published(drawn, "Opéré en [[DATE|2012]], revu en [[DATE|mars 2012]].", key) for key in PATIENTS]
    assert 0 < sum(year in month for year, month in pairs) < len(pairs)
