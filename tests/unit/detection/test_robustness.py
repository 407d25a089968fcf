"""Mentions of any text: sorted, disjoint, inside the text, reproducible."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.detection_speed import detect_parallel
from deid.detection import Detector
from deid.domain.document import Document, Patient
from nocturne_lab.evaluation import markup
from tests.unit.detection.examples import FOUND, NOT_FOUND

PLAIN = [markup.parse_marked(one, "example")[0] for some in FOUND.values() for one in some]
PLAIN += [one for some in NOT_FOUND.values() for one in some]
PIECES = st.one_of(
    st.sampled_from(PLAIN),
    st.text(max_size=12),
    st.sampled_from(["\n", " ", "\t", "\r\n", "–", "’", "|", "12/03", "Dr ", "né le ", "İ", "ﬁ", "é", "0O1l", "\x00"]),
)
quietly = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quietly
@given(pieces=st.lists(PIECES, max_size=12))
def test_mentions_are_sorted_disjoint_and_inside(detector: Detector, pieces: list[str]) -> None:
    text = "".join(pieces)
    (found,) = detector.detect([Document("d", text)])
    position = 0
    for mention in found:
        assert position <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end].strip()
        assert 0 <= mention.score <= 1
        assert mention.votes
        position = mention.end


@quietly
@given(texts=st.lists(st.sampled_from(PLAIN), min_size=2, max_size=6), order=st.permutations(range(6)))
def test_the_same_whatever_the_batch_and_its_order(detector: Detector, texts: list[str], order: list[int]) -> None:
    documents = [Document(str(at), text, Patient(key="p")) for at, text in enumerate(texts)]
    shuffled = [documents[at] for at in order if at < len(documents)]
    together = {one.id: found for one, found in zip(shuffled, detector.detect(shuffled), strict=True)}
    assert together == {one.id: detector.detect([one])[0] for one in documents}


def test_a_name_that_another_document_of_the_patient_is_sure_of_changes_nothing(rules: Detector) -> None:
    """Chance decides which of a patient's documents stand in one batch."""
    texts = ("Compte rendu.\nDr Kerzivat a vu le malade.", "Appel reçu : kerzivat passe demain matin. Pas de fièvre.")
    documents = [Document(str(at), text, Patient(key="p")) for at, text in enumerate(texts)]
    assert rules.detect(documents) == [rules.detect([one])[0] for one in documents]


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\x00\x01\x02\x07" * 40, "🙂" * 30, "́" * 20])
def test_text_without_words(detector: Detector, text: str) -> None:
    assert detector.detect([Document("d", text)]) == [()]


def test_no_document(detector: Detector) -> None:
    assert detector.detect([]) == []


@pytest.mark.slow
def test_processes_give_what_one_gives(detector: Detector) -> None:
    documents = [Document(str(at), text) for at, text in enumerate(PLAIN)]
    assert detect_parallel(detector, documents, workers=2) == detector.detect(documents)
