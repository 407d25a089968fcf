"""Cohort queries: counted by hand on a few patients, and on what `Substitutor.substitute` publishes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import pytest

from deid.config.policy import DEFAULT, load
from deid.domain.document import Document, Mention, Patient, Stay, Substitution
from deid.domain.labels import Label
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from nocturne_lab.evaluation.utility import Pair
from nocturne_lab.evaluation.utility.cohorts import Answer, ask
from tests.lab.evaluation.utility.test_utility import unchanged

Written = tuple[Document, list[Mention]]


def note(patient: int, number: int, first: date, day: date, said: str) -> Written:
    """A note of a stay, with age and postal code.

    Patients of an even number are women of 80 of Besançon, the others men of 40 of Limoges, where radon is high.
    """
    age, sex, zip, city = (80, "F", "25000", "Besançon") if patient % 2 == 0 else (40, "M", "87000", "Limoges")
    text = f"Patient de {age} ans, domicilié à {zip} {city}. {said}."
    at = text.index(f"{age} ans")
    mentions = [
        Mention(at, at + len(f"{age} ans"), Label.AGE),
        Mention(text.index(zip), text.index(zip) + 5, Label.ZIP),
    ]
    person = Patient(key=f"patient {patient}", sex=sex)
    stay = Stay(first, first + timedelta(days=12))
    return Document(f"document {patient}-{number}", text, person, day, stay=stay), mentions


def cohort() -> list[Written]:
    """Twelve patients with two stays each: six old ones come back twenty days after a fracture, the others later.

    The operation is two, three or four days after the first note.
    """
    notes = []
    for patient in range(12):
        old, first = patient % 2 == 0, date(2024, 1, 10) + timedelta(days=patient)
        later = first + timedelta(days=12 + (20 if old else 120))
        said = "Fracture du col fémoral" if old else "Pneumopathie"
        notes += [
            note(patient, 1, first, first, said),
            note(patient, 2, first, first + timedelta(days=12), "Sortie"),
            note(patient, 4, first, first + timedelta(days=2 + patient % 3), "Compte-rendu opératoire"),
            note(patient, 3, later, later, "Contrôle"),
        ]
    return notes


def asked(pairs: Sequence[Pair], notes: Sequence[Written]) -> Mapping[str, Answer]:
    return {one.name: one for one in ask(pairs, [mentions for _, mentions in notes])}


def test_answers_of_originals_are_those_counted_by_hand() -> None:
    notes = cohort()
    found = asked([unchanged(*one) for one in notes], notes)
    single = {name: one.original for name, one in found.items() if one.original is not None}
    assert single == {
        "old_with_fracture": 6, "readmitted_old": 6, "followed": 6, "long_stays": 12, "delay": 12,
        "winter": pytest.approx((12 + 6) / 24), "surgery": 3, "exposed": 0.5,
    }  # fmt: skip
    assert {"to_next", "pyramid", "departments", "years"} == {
        name for name, one in found.items() if one.original is None
    }
    assert {(one.error, one.low, one.high) for one in found.values()} == {(0.0, 0.0, 0.0)}


def test_the_shipped_policy_keeps_delays_of_a_stay_and_loses_those_between_stays() -> None:
    notes = cohort()
    errors = {}
    for name in ("default", "tchouka2022"):
        substitutor = Substitutor(load(DEFAULT.with_name(f"{name}.yaml")), b"a key", packaged_tables().communes)
        errors[name] = asked([Pair(one, substitutor.substitute(one, mentions)) for one, mentions in notes], notes)
    default = errors["default"]
    assert {default[name].error for name in ("delay", "surgery", "long_stays", "old_with_fracture")} == {0}
    assert min(default[name].error for name in ("to_next", "departments", "years")) > 0.1
    assert all(one.low <= one.high for one in default.values())
    for name in ("pyramid", "surgery"):
        assert errors["tchouka2022"][name].error > default[name].error


def test_what_is_not_published_at_all_is_a_whole_error() -> None:
    notes = cohort()
    silent = [Pair(one, Substitution("Rien.", (), ())) for one, _ in notes]
    assert {one.error for one in asked(silent, notes).values() if one.name != "to_next"} == {1}


def test_nobody_to_ask_about() -> None:
    with pytest.raises(ValueError, match="no document"):
        ask([], [])
    document = Document("d", "Rien à signaler.", Patient(key="p"))
    assert asked([unchanged(document, [])], [(document, [])]) == {}
