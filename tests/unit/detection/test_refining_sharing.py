"""A patient's documents in one batch help each other; others' do not."""

from __future__ import annotations

import gc
import math
import time
from itertools import islice, product

import pytest

from deid.config import policy
from deid.detection import Detector, refining
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label

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


def test_each_document_is_searched_for_the_names_of_all_the_others(detector: Detector) -> None:
    letters = ["Dr Kerzivat a vu le malade. Appeler gwenvael.", "Dr Gwenvael a vu le malade. Appeler kerzivat."]
    found = detector.detect([Document(str(at), text, Patient(key="p")) for at, text in enumerate([*letters, BARE])])
    shown = [
        {text[one.start : one.end].lower() for one in mentions} for text, mentions in zip(letters, found, strict=False)
    ]
    assert shown == [{"kerzivat", "gwenvael"}] * 2
    assert "kerzivat" in [BARE[one.start : one.end] for one in found[2]]


def test_time_grows_with_the_number_of_a_patient_s_documents_only() -> None:
    rules = policy.load(policy.DEFAULT.with_name("rules.yaml")).detection

    def seconds(documents: int) -> float:
        names = ("Kerz" + "".join(letters) for letters in product("bdfglmnprt", repeat=5))
        readings, mentions = [], []
        for number in range(documents):
            text = " ".join(islice(names, 20))
            readings.append(Reading(Document(str(number), text, Patient(key="p"))))
            mentions.append((Mention(0, len(text), Label.DOCTOR, 1.0),))
        gc.collect()
        gc.disable()
        started = time.process_time()
        refining.share_names(readings, mentions, rules)
        spent = time.process_time() - started
        gc.enable()
        return spent

    assert math.log(min(seconds(2000), seconds(2000)) / seconds(500), 4) < 1.5
