"""A patient's documents in one batch help each other; others' do not."""

from __future__ import annotations

import pytest

from deid.config import policy
from deid.detection import Detector
from deid.domain.document import Document, Patient

SURE = "Compte rendu.\nDr Kerzivat a vu le malade."
BARE = "Appel reçu : kerzivat passe demain matin. Pas de fièvre."


@pytest.fixture
def detector(rules: Detector) -> Detector:
    """Sentences made for one rule: no learned annotator takes part."""
    return rules


def _found(detector: Detector, first: str | None, second: str | None) -> list[str]:
    documents = [Document("a", SURE, Patient(key=first)), Document("b", BARE, Patient(key=second))]
    return [BARE[one.start : one.end] for one in detector.detect(documents)[1]]


def test_a_name_sure_in_one_document_is_found_in_the_patient_s_others(detector: Detector) -> None:
    assert "kerzivat" in _found(detector, "p1", "p1")


def test_not_in_another_patient_s_nor_where_the_patient_is_unknown(detector: Detector) -> None:
    assert "kerzivat" not in _found(detector, "p1", "p2")
    assert "kerzivat" not in _found(detector, None, None)


def test_common_words_do_not_travel(detector: Detector) -> None:
    documents = [Document("a", "Dr Petit", Patient(key="p")), Document("b", "un petit hématome", Patient(key="p"))]
    assert detector.detect(documents)[1] == ()


def test_it_can_be_switched_off() -> None:
    chosen = policy.load(policy.DEFAULT.with_name("rules.yaml"))
    off = {"repeat_across_documents": False}
    quiet = chosen.model_copy(update={"detection": chosen.detection.model_copy(update=off)})
    assert "kerzivat" not in _found(Detector(quiet), "p1", "p1")
