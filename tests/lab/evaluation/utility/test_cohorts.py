"""Cohort queries: counted by hand on a few patients, and on what `Substitutor.substitute` publishes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import pytest

from deid.config.policy import DEFAULT, load
from deid.domain.document import Document, Mention, Patient, Stay
from deid.domain.labels import Label
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from nocturne_lab.evaluation.utility import Pair
from nocturne_lab.evaluation.utility.cohorts import Answer, ask
from tests.lab.evaluation.utility.test_utility import unchanged

Written = tuple[Document, list[Mention]]


def note(patient: int, number: int, first: date, day: date, said: str) -> Written:
    """A note of a stay, with age and postal code: patients of an even number are women of 80, the others men of 40."""
    age, sex = (80, "F") if patient % 2 == 0 else (40, "M")
    text = f"Patient de {age} ans, domicilié à 25000 Besançon. {said}."
    at = text.index(f"{age} ans")
    mentions = [
        Mention(at, at + len(f"{age} ans"), Label.AGE),
        Mention(text.index("25000"), text.index("25000") + 5, Label.ZIP),
    ]
    person = Patient(key=f"patient {patient}", sex=sex)
    stay = Stay(first, first + timedelta(days=12))
    return Document(f"document {patient}-{number}", text, person, day, stay=stay), mentions


def cohort() -> list[Written]:
    """Twelve patients with two stays each: six old ones come back twenty days after a fracture, the others later."""
    notes = []
    for patient in range(12):
        old, first = patient % 2 == 0, date(2024, 1, 10) + timedelta(days=patient)
        later = first + timedelta(days=12 + (20 if old else 120))
        said = "Fracture du col fémoral" if old else "Pneumopathie"
        notes += [
            note(patient, 1, first, first, said),
            note(patient, 2, first, first + timedelta(days=12), "Sortie"),
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
        "winter": pytest.approx((12 + 6) / 24),
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
    assert default["delay"].error == default["long_stays"].error == default["old_with_fracture"].error == 0
    assert min(default[name].error for name in ("to_next", "departments", "years")) > 0.1
    assert all(one.low <= one.high for one in default.values())
    assert errors["tchouka2022"]["pyramid"].error > default["pyramid"].error


def test_nobody_to_ask_about() -> None:
    with pytest.raises(ValueError, match="no document"):
        ask([], [])
    document = Document("d", "Rien à signaler.", Patient(key="p"))
    assert asked([unchanged(document, [])], [(document, [])]) == {}
