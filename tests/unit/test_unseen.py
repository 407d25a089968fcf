"""Figures of the detector on authors that nothing learned from, with their intervals."""

from __future__ import annotations

from benchmarks.unseen import FIGURES, policy_of, row
from deid.domain.document import Document, Mention
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument

TEXT = "Mme Brizard vue ce matin. " + "mot " * 95
NAME, DAY = Mention(4, 11, Label.PATIENT), Mention(16, 24, Label.RELDATE)


def gold(number: int) -> GoldDocument:
    return GoldDocument(Document(f"w32-{number}", TEXT), (NAME, DAY), "w32")


def test_all_found() -> None:
    figures = dict(zip(FIGURES, row([gold(1), gold(2)], [[NAME, DAY], [NAME, DAY]]), strict=True))
    assert figures["direct covered, %"] == figures["word F1, %"] == "100.0 (100.0–100.0)"
    assert figures["none left, % of documents"] == "100.0 (100.0–100.0)"
    assert figures["false per 1,000 words"] == "0.0 (0.0–0.0)"


def test_one_of_two_documents_leaks_and_one_has_a_false_mention() -> None:
    false = Mention(26, 29, Label.PERSON)
    figures = dict(zip(FIGURES, row([gold(1), gold(2)], [[DAY, false], [NAME, DAY]]), strict=True))
    assert figures["direct covered, %"] == "50.0 (0.0–100.0)"
    assert figures["no direct left, % of documents"] == "50.0 (0.0–100.0)"
    assert figures["false per 1,000 words"] == "5.0 (0.0–10.0)"


def test_another_model_takes_the_place_of_one_that_ships() -> None:
    policy = policy_of(("transformer", "bilstm_crf"), {"transformer": "/srv/other"}, balanced=True)
    models = {one.name: one.options.get("model") for one in policy.detection.annotators}
    assert models == {"bilstm_crf": None, "transformer": "/srv/other"}
    assert not policy.detection.recall
