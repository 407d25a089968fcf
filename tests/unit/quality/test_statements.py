"""Statements of a text about its patient, and what it is judged by alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from deid.domain.document import Patient
from deid.domain.outcomes import AgreementKind as Kind
from deid.domain.outcomes import Counts
from deid.quality.statements import agreement, statements
from tests.unit.quality.documents import CLEAN, PATIENT, checked


def _said(marked: str, patient: Patient = PATIENT) -> dict[tuple[str, str], dict[str, int]]:
    """Each value of the warehouse with what stands for it, and how often."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    candidate = checked(marked, patient)
    for kind, source, value, times in statements(candidate.document, candidate.substitution):
        found.setdefault((kind, source), {})[value] = times
    return found


def _judged(marked: str, patient: Patient = PATIENT) -> dict[Kind, Counts]:
    candidate = checked(marked, patient)
    return dict(agreement(candidate.document, candidate.substitution))


def test_a_letter_says_name_birth_and_town_of_its_patient() -> None:
    assert _said(CLEAN) == {
        (Kind.SURNAME, "dubreuilh"): {"vernay": 1},
        (Kind.SURNAME, "lagardere"): {"montaud": 1},
        (Kind.FIRST_NAME, "anais"): {"odette": 1},
        (Kind.BIRTH_DATE, "day"): {"2": 1},
        (Kind.BIRTH_DATE, "month"): {"3": 2},  # of the date, of the NIR
        (Kind.BIRTH_DATE, "year"): {"41": 2},
        (Kind.TOWN, "dinsac"): {"oradour": 1},
        (Kind.TOWN, "87210"): {"87150": 1},
    }


@pytest.mark.parametrize(
    ("marked", "source", "expected"),
    [
        # Case, accents, order and civility are of one name; a relative of the same surname has the same surrogate.
        ("[[PATIENT|ANAIS Dubreuilh=>Odette VERNAY]] [[PATIENT|Anaïs=>ODETTE]]", "anais", {"odette": 2}),
        ("[[PATIENT|Mme Dubreuilh=>Mme Vernay]] [[PERSON|Luc Dubreuilh=>Max Roche]]", "dubreuilh", {"vernay": 1}),
        ("[[PERSON|Anaïs Dubreuilh=>Odette Vernay]]", "anais", {"odette": 1}),
        # A relative of the same first name, a doctor of the same surname, a surrogate of another number of words.
        ("[[PERSON|Anaïs=>Solange]]", "anais", {}),
        ("[[PERSON|Anaïs Martin=>Solange Roche]]", "anais", {}),
        ("Dr [[DOCTOR|Dubreuilh=>Roche]]", "dubreuilh", {}),
        ("[[PATIENT|Anaïs Dubreuilh=>Odette]]", "anais", {}),
        # Towns with their preposition, article, CEDEX, another than the patient's; a masked town says nothing.
        ("née à [[CITY|Dinsac cedex 9=>Oradour cedex]]", "dinsac", {"oradour": 1}),
        ("vit à [[CITY|DINSAC=>Le Mans]], [[CITY|dinsac=>le Mans]]", "dinsac", {"mans": 2}),
        ("vit à [[CITY|Limoges=>Oradour]]", "dinsac", {}),
        ("vit à [[CITY|Dinsac=>***]]", "dinsac", {}),
        # Dates that mean the birth, however they are written, also with less than the day.
        ("née le [[DATE|7 novembre 1938=>2 mars 1941]]", "day", {"2": 1}),
        ("née le [[DATE|07/11/38=>02/03/41]]", "year", {"41": 1}),
        ("née le [[DATE|07/11/1938=>mars 1941]]", "month", {"3": 1}),
        ("née le [[DATE|07/11/1938=>mars 1941]]", "day", {}),
        ("née le [[DATE|07/11/1938=>1941]]", "year", {"41": 1}),
        ("vue le [[DATE|07/11/1939=>02/03/1941]]", "day", {}),
        ("née le [[DATE|07/11/1938=>[DATE]]]", "year", {}),
        # The NIR of the person who is insured, and one that is masked.
        ("N° SS [[NIR|1 61 05 75 912 034 93=>1 63 02 75 455 210 18]]", "year", {}),
        ("N° SS [[NIR|2 38 11 87 912 034 93=>***]]", "year", {}),
    ],
)
def test_what_is_said_of_one_value(marked: str, source: str, expected: dict[str, int]) -> None:
    said = {key: values for (_, key), values in _said(marked).items()}
    assert said.get(source, {}) == expected


def test_a_word_that_is_first_name_and_surname_says_neither() -> None:
    martin = Patient(key="p", last_name="MARTIN", first_names=("Martin",))
    assert _said("[[PATIENT|Martin MARTIN=>Luc PETIT]]", martin) == {}


@pytest.mark.parametrize(
    ("marked", "sex", "expected"),
    [
        ("[[PATIENT|Anaïs=>Odette]]", "F", Counts(1, 0)),
        ("[[PATIENT|Anaïs=>Gérard]] [[PATIENT|Anaïs=>Odette]]", "F", Counts(2, 1)),
        ("[[PATIENT|Anaïs=>Camille]]", "F", None),  # both sexes bear it
        ("[[NIR|2 38 11 87 912 034 93=>1 41 03 87 455 210 18]]", "F", Counts(1, 1)),
        ("[[PATIENT|Anaïs=>Odette]]", "M", Counts(1, 1)),
    ],
)
def test_the_sex_that_the_warehouse_tells_is_kept(marked: str, sex: str, expected: Counts | None) -> None:
    assert _judged(marked, replace(PATIENT, sex=sex)).get(Kind.SEX) == expected


def test_a_sex_that_the_warehouse_does_not_tell_is_said_to_the_other_documents() -> None:
    unknown = replace(PATIENT, sex=None)
    marked = "[[PATIENT|Anaïs=>Odette]] [[NIR|2 38 11 87 912 034 93=>1 41 03 87 455 210 18]]"
    assert Kind.SEX not in _judged(marked, unknown)
    assert _said(marked, unknown)[Kind.SEX, ""] == {"F": 1, "M": 1}


def test_articles_are_counted_over_places_and_organisations() -> None:
    assert _judged("Vue à [[CITY|Albi=>Gray]], au CH d'[[CITY|Albi=>Gray]].")[Kind.ARTICLE] == Counts(2, 1)
    assert Kind.ARTICLE not in _judged("Vue le [[DATE|17 mars 2023=>9 avril 2023]].")


def test_a_patient_of_whom_nothing_is_known_says_nothing() -> None:
    assert _said(CLEAN, Patient()) == {}
    assert _said(CLEAN, Patient(birth_date=date(1938, 11, 7)))[Kind.BIRTH_DATE, "day"] == {"2": 1}
