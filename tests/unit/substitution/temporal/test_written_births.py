"""A birth told in the text alone: the published age is that of the published birth at the published date."""

from __future__ import annotations

import re
from datetime import date

import pytest

from deid.config.policy import load
from deid.domain.document import Patient
from deid.domain.labels import Label
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.temporal.parsing import parse
from deid.substitution.temporal.resolving import place_date
from deid.substitution.temporal.values import years_between
from tests.unit.substitution.examples import KEY, marked

WRITTEN = date(2020, 7, 15)
KEYS = [f"p{number}" for number in range(12)]


@pytest.fixture(scope="module")
def drawn() -> Substitutor:
    tables = packaged_tables()
    return Substitutor(load(), KEY, tables.communes, tables.names)


def published(substitutor: Substitutor, text: str, key: str) -> tuple[date, str]:
    found = substitutor.substitute(*marked(text, patient=Patient(key), reference_date=WRITTEN))
    assert found.reference_date is not None
    return found.reference_date, found.text


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("place", [
    "à [[CITY|Louga]] le ", "à [[CITY|Lyon]] ([[ZIP|69000]]), le ", "au [[LOC|Portugal]] le ",
    "à la [[CITY|Réole]], [[LOC|Gironde]], le ", "le ",
])  # fmt: skip
def test_a_place_may_stand_between_birth_and_its_date(drawn: Substitutor, place: str, key: str) -> None:
    written, text = published(drawn, f"Mme N., [[AGE|28 ans]], née {place}[[DATE|31/12/1991]].", key)
    day, month, year = map(int, re.findall(r"(\d\d)/(\d\d)/(\d{4})", text)[0])
    assert int(re.findall(r"(\d+) ans", text)[0]) == years_between(date(year, month, day), written)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("age", [63, 64])
def test_an_age_agrees_with_a_year_of_birth(drawn: Substitutor, age: int, key: str) -> None:
    written, text = published(drawn, f"Né en [[DATE|1956]], [[AGE|{age} ans]].", key)
    year, years = re.findall(r"en (\d{4}), (\d+) ans", text)[0]
    assert written.year - int(year) - int(years) in (0, 1)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "text", ["NIR [[NIR|1 60 07 99 341 087 06]], [[AGE|60 ans]]", "[[AGE|59 ans]], [[NIR|160079934108706]]"]
)
def test_an_age_agrees_with_the_month_of_birth_in_a_social_security_number(
    drawn: Substitutor, text: str, key: str
) -> None:
    written, told = published(drawn, text, key)
    year, month = map(int, re.findall(r"\b1 ?(\d\d) ?(\d\d)", told)[0])
    years = int(re.findall(r"(\d+) ans", told)[0])
    months = written.year * 12 + written.month - (1900 + year) * 12 - month
    assert years in (months // 12, (months - 1) // 12)


@pytest.mark.parametrize("key", KEYS)
def test_a_birth_name_may_stand_between_birth_and_its_date(drawn: Substitutor, key: str) -> None:
    written, text = published(drawn, "Mme A. née [[PATIENT|Sy]] le [[DATE|31/12/1991]], [[AGE|28 ans]].", key)
    day, month, year = map(int, re.findall(r"(\d\d)/(\d\d)/(\d{4})", text)[0])
    assert int(re.findall(r"(\d+) ans", text)[0]) == years_between(date(year, month, day), written)


def test_a_relative_of_the_line_before_does_not_own_an_age(drawn: Substitutor) -> None:
    """The sentence of an age, which a line break may end, says whether it is the patient's."""
    text = "Vu avec ses parents\nKaïs a [[AGE|8 ans]], né le [[DATE|31/12/2011]]."
    for key in KEYS:
        written, told = published(drawn, text, key)
        day, month, year = map(int, re.findall(r"(\d\d)/(\d\d)/(\d{4})", told)[0])
        assert int(re.findall(r"(\d+) ans", told)[0]) == years_between(date(year, month, day), written)


@pytest.mark.parametrize("text", [
    "Née à [[CITY|Lyon]] et vue le [[DATE|31/12/2019]], [[AGE|28 ans]].",
    "[[PATIENT|Roux]], [[DATE|31/12/2019]] : patiente de [[AGE|61 ans]].", "[[AGE|61 ans]] ([[DATE|31/12/2019]])",
    "Sa mère [[PERSON|Roux]], [[AGE|28 ans]] ([[DATE|31/12/1991]]), est là.",
    "[[AGE|28 ans]], opéré en ville le [[DATE|31/12/1991]].",
])  # fmt: skip
def test_no_other_date_is_taken_for_the_patients_birth(drawn: Substitutor, text: str) -> None:
    """Then the age is drawn by itself: the same number for each date told beside it."""
    other = text.replace("31/12/", "24/12/")
    for key in KEYS:
        ages = [re.findall(r"(\d+) ans", published(drawn, one, key)[1]) for one in (text, other)]
        assert ages[0] == ages[1]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("text", [
    "M. [[PATIENT|Roux]], [[AGE|61 ANS]] ([[DATE|22/09/1958]])",
    "Mlle [[PATIENT|Roux]] — [[AGE|61 ans]]\n      ([[DATE|09/10/1958]])",
    "[[PATIENT|ROUX ANNE]] / F / [[DATE|1958-09-25]] / [[AGE|061Y]]",
    "[[PATIENT|ROUX Anne]], [[DATE|17/03/1959]], décédée à l'âge de [[AGE|61 ans]].",
    "[[DATE|11/02/1959]] — [[AGE|61 ans]] — hôpital de jour",
    "[[PATIENT|Roux Paul]] ([[DATE|3 mai 1959]]), vu ce jour. Patient de [[AGE|61 ans]].",
])  # fmt: skip
def test_a_date_beside_the_name_or_the_age_is_the_birth_where_the_age_agrees(
    drawn: Substitutor, text: str, key: str
) -> None:
    """No word announces the birth date of a header."""
    found = drawn.substitute(*marked(text, patient=Patient(key), reference_date=WRITTEN))
    assert found.reference_date is not None
    told = {one.mention.label: one.text for one in found.surrogates}
    said, years = parse(told[Label.DATE]), int(re.findall(r"\d+", told[Label.AGE])[0])
    assert said is not None
    assert years == years_between(place_date(said, WRITTEN).first, found.reference_date)
