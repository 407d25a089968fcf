"""Values that no date or age can have, under every strategy: a defined outcome, and never the original text."""

from __future__ import annotations

from datetime import date

import pytest

from deid.config.policy import Policy
from deid.domain.document import Patient, Substitution
from deid.french.folding import comparable
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from deid.substitution.temporal.parsing import parse
from tests.unit.substitution.examples import ANCHOR, KEY, changed, marked, surrogates

KEYS = [f"patient-{number}" for number in range(8)]
STRATEGIES = [
    ("metric", "metric"),
    ("bounded_laplace", "bounded_laplace"),
    ("uniform_shift", "metric"),
    ("generalise", "generalise"),
]

# What is masked whatever the strategy.
UNREAD = [
    "45/13/99", "02/13/2020", "12/02/0202", "00/00/0000", "31/12/3020", "32 mars 2020", "2020/13/01", "0202", "1374",
    "99999999", "12002020", "00122020", "000080", "la durasse", "12/2020/05/03", "vingt-treize mars", "///", "29 29 29",
]  # fmt: skip
UNREAD_AGES = ["213 ans", "126 ans", "mille ans", "1500 mois", "âge inconnu", "-3 ans", "10 × 8 ans"]
# What is taken for the nearest thing that exists.
MENDED = ["31/02/2020", "30/02/2021", "31 avril 2019", "29/02/2019", "31-11-2022"]


def _by(policy: Policy, communes: CommuneTable, dates: str, ages: str) -> Substitutor:
    return Substitutor(changed(policy, dates={"strategy": dates}, ages={"strategy": ages}), KEY, communes)


def _moved(result: Substitution, index: int = 0) -> date:
    found = parse(surrogates(result)[index])
    assert found is not None
    return date(found.year or 0, found.month or 0, found.day or 0)


@pytest.mark.parametrize(("dates", "ages"), STRATEGIES)
@pytest.mark.parametrize("text", UNREAD)
def test_what_is_no_date_is_masked(text: str, dates: str, ages: str, policy: Policy, communes: CommuneTable) -> None:
    (surrogate,) = _by(policy, communes, dates, ages).substitute(*marked(f"le [[DATE|{text}]].")).surrogates
    assert (surrogate.text, surrogate.parsed) == ("[DATE]", False)


@pytest.mark.parametrize(("dates", "ages"), STRATEGIES)
@pytest.mark.parametrize("text", UNREAD_AGES)
def test_an_age_that_nobody_has_is_masked(
    text: str, dates: str, ages: str, policy: Policy, communes: CommuneTable
) -> None:
    (surrogate,) = _by(policy, communes, dates, ages).substitute(*marked(f"âge [[AGE|{text}]].")).surrogates
    assert (surrogate.text, surrogate.parsed) == ("[AGE]", False)


@pytest.mark.parametrize(("dates", "ages"), STRATEGIES)
@pytest.mark.parametrize("text", MENDED)
def test_a_day_that_its_month_has_not_is_the_last_one(
    text: str, dates: str, ages: str, policy: Policy, communes: CommuneTable
) -> None:
    for key in KEYS:
        document, mentions = marked(f"le [[DATE|{text}]] à é", patient=Patient(key=key))
        (surrogate,) = _by(policy, communes, dates, ages).substitute(document, mentions).surrogates
        assert surrogate.parsed
        assert comparable(surrogate.text) != comparable(text)
        assert parse(surrogate.text) is not None


@pytest.mark.parametrize(("dates", "ages"), STRATEGIES)
def test_a_distance_out_of_all_time_is_masked(dates: str, ages: str, policy: Policy, communes: CommuneTable) -> None:
    text = "[[RELDATE|il y a 2000 ans]], [[RELDATE|dans 9999 hivers]], [[RELDATE|il y a 99999 jours]]"
    result = _by(policy, communes, dates, ages).substitute(*marked(text))
    assert surrogates(result) == ["[RELDATE]"] * 3


@pytest.mark.parametrize("year", [1850, 2150])
def test_a_document_of_the_first_or_last_year_is_drawn_in_time(year: int, substitutor: Substitutor) -> None:
    for key in KEYS:
        document, mentions = marked(f"en [[DATE|{year}]]", reference_date=date(year, 6, 1), patient=Patient(key=key))
        assert str(year) not in surrogates(substitutor.substitute(document, mentions))[0]


@pytest.mark.parametrize(("dates", "ages"), STRATEGIES)
def test_a_date_to_come_stays_to_come(dates: str, ages: str, policy: Policy, communes: CommuneTable) -> None:
    for key in KEYS:
        document, mentions = marked("rendez-vous le [[DATE|02/06/2029]]", patient=Patient(key=key))
        result = _by(policy, communes, dates, ages).substitute(document, mentions)
        (text,) = surrogates(result)
        assert text != "02/06/2029"
        assert result.reference_date is not None
        if dates == "generalise":
            assert text == "mois de juin 2029"
        else:
            assert _moved(result) >= result.reference_date


@pytest.mark.parametrize(("dates", "ages"), STRATEGIES)
def test_a_birth_date_after_the_document_is_a_date_and_links_no_age(
    dates: str, ages: str, policy: Policy, communes: CommuneTable
) -> None:
    """The reference date before the birth: one of the two is wrong, and nobody knows which."""
    for key in KEYS:
        patient = Patient(key=key, birth_date=date(2031, 1, 1))
        text = "née le [[DATE|01/01/2031]], [[AGE|40 ans]], NIR [[NIR|2 31 01 21 054 012 65]], é"
        result = _by(policy, communes, dates, ages).substitute(*marked(text, patient=patient))
        born, age, nir = surrogates(result)
        assert born not in ("01/01/2031", "[DATE]")
        assert age not in ("40 ans", "[AGE]")
        assert comparable(nir) != comparable("2 31 01 21 054 012 65")


@pytest.mark.parametrize(("dates", "ages"), STRATEGIES[:3])
def test_a_birth_after_a_death_keeps_the_order_that_the_text_has(
    dates: str, ages: str, policy: Policy, communes: CommuneTable
) -> None:
    """Dates are put in no order that the source has not: which of the two is wrong is not known."""
    for key in KEYS:
        patient = Patient(key=key, birth_date=date(2005, 3, 12))
        text = "née le [[DATE|12/03/2005]], décédée le [[DATE|03/02/1999]]"
        result = _by(policy, communes, dates, ages).substitute(*marked(text, patient=patient))
        born, died = _moved(result), _moved(result, 1)
        assert died <= born <= (result.reference_date or ANCHOR)
        assert (born, died) != (date(2005, 3, 12), date(1999, 2, 3))


@pytest.mark.parametrize(("dates", "ages"), STRATEGIES)
def test_without_any_date_to_count_from_nothing_breaks(
    dates: str, ages: str, policy: Policy, communes: CommuneTable
) -> None:
    text = "vu [[RELDATE|il y a 3 jours]], [[AGE|40 ans]], le [[DATE|12]], [[DATE|45/13/99]]"
    result = _by(policy, communes, dates, ages).substitute(*marked(text, reference_date=None))
    assert result.reference_date is None
    assert "il y a 3 jours" not in result.text
    assert "40 ans" not in result.text
    assert surrogates(result)[3] == "[DATE]"


@pytest.mark.parametrize(("dates", "ages"), STRATEGIES)
@pytest.mark.parametrize("day", [date.min, date(1849, 12, 31), date(2151, 1, 1), date.max])
def test_a_date_of_the_warehouse_that_is_of_no_hospitals_time_is_not_known(
    day: date, dates: str, ages: str, policy: Policy, communes: CommuneTable
) -> None:
    """Fields left blank often hold 9999-12-31 or 0001-01-01."""
    text = "né le [[DATE|12/09/1957]], [[AGE|65 ans]], vu le [[DATE|03/04/2023]], [[RELDATE|hier]], en [[DATE|2019]]"
    odd, unknown = (
        _by(policy, communes, dates, ages).substitute(
            *marked(text, patient=Patient(key="p1", birth_date=known), reference_date=known)
        )
        for known in (day, None)
    )
    assert odd == unknown
    assert odd.reference_date is None
