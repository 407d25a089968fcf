"""Roles of names: one per person of a document, by the strongest evidence."""

from __future__ import annotations

import pytest

from deid.config import policy
from deid.detection import Detector
from deid.domain.document import Document, Patient
from deid.domain.labels import NAMES, Label

PATIENT = Patient(last_name="GUÉGANTON", first_names=("Yves-Marie",))


@pytest.fixture
def detector(rules: Detector) -> Detector:
    """Sentences made for one rule: no learned annotator takes part."""
    return rules


def _roles(detector: Detector, text: str, patient: Patient | None = None) -> list[tuple[str, Label]]:
    (found,) = detector.detect([Document("d", text, patient or Patient())])
    return [(text[one.start : one.end], one.label) for one in found if one.label in NAMES]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Monsieur Yves-Marie GUÉGANTON est sorti. Son fils, Paul GUÉGANTON, l'accompagne.",
            [("Yves-Marie GUÉGANTON", Label.PATIENT), ("Paul GUÉGANTON", Label.PERSON)],
        ),
        (
            "M. Guéganton va bien. Sa mère, Mme Odette Guéganton, est prévenue.",
            [("Guéganton", Label.PATIENT), ("Odette Guéganton", Label.PERSON)],
        ),
        (
            "Revu par le Dr Yann Guéganton, sans lien de parenté.",
            [("Yann Guéganton", Label.DOCTOR)],
        ),
    ],
)
def test_those_who_bear_the_patient_s_surname(detector: Detector, text: str, expected: list[tuple[str, Label]]) -> None:
    assert _roles(detector, text, PATIENT) == expected


def test_a_professional_stays_one_without_his_title(detector: Detector) -> None:
    text = "Vu avec le Dr Samira Ouali.\nSortie prévue demain.\n\nS. Ouali"
    assert {label for _, label in _roles(detector, text)} == {Label.DOCTOR}


def test_a_profession_behind_the_name_tells(detector: Detector) -> None:
    text = "Compte rendu.\n\nÉlise Kerbrat, infirmière coordinatrice"
    assert _roles(detector, text) == [("Élise Kerbrat", Label.DOCTOR)]


def test_the_birth_name_is_the_patient_s(detector: Detector) -> None:
    text = "Madame Claire Vasserot née Quillec, 72 ans, est hospitalisée. Mme Vasserot va mieux."
    assert {label for _, label in _roles(detector, text)} == {Label.PATIENT}


def test_roles_can_be_left_as_annotators_gave_them() -> None:
    chosen = policy.load(policy.DEFAULT.with_name("rules.yaml"))
    plain = chosen.model_copy(update={"detection": chosen.detection.model_copy(update={"settle_roles": False})})
    text = "Monsieur Yves-Marie GUÉGANTON est sorti. Son fils, Paul GUÉGANTON, l'accompagne."
    assert dict(_roles(Detector(plain), text, PATIENT))["Paul GUÉGANTON"] is Label.PATIENT
