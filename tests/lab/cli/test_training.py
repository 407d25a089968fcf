"""`train`: options that a training reads, and those that it would ignore."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deid.detection.taggers.tagging import MANIFEST_FILE
from nocturne_lab.evaluation.corpus import gold_record
from tests.lab.learning.transformer_letters import letters
from tests.unit.cli.conftest import Call, jsonl


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text(jsonl([gold_record(one) for one in letters(6)]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("asked", "unread"),
    [
        (("--kind", "transformer", "--open", "wiki.jsonl", "--texts", "more.txt"), "--open, --texts"),
        (("--kind", "transformer", "--bound", "0.3"), "--bound"),
        (("--kind", "crf", "--open", "wiki.jsonl"), "--open"),
        (("--kind", "crf", "--bound", "0.3"), "--bound"),
        (("--kind", "bilstm_crf", "--texts", "more.txt"), "--texts"),
        (("--kind", "bilstm_crf", "--start", "camembert"), "--start"),
        (("--kind", "encoder_bilstm_crf", "--plan", "compact", "--texts", "more.txt"), "--texts, --plan"),
        (("--kind", "bilstm_crf", "--taught", "0.7", "--plan", "compact"), "--plan, --taught"),
        (("--continue", "model", "--open", "wiki.jsonl", "--least-confidence", "0.4"), "--open, --least-confidence"),
        (("--unlabelled", "more.jsonl", "--second", "model", "--temperature", "3"), "--temperature"),
    ],
)
def test_an_option_without_effect_is_refused(deid: Call, corpus: Path, asked: tuple[str, ...], unread: str) -> None:
    said = deid("train", corpus, "--small", "--out", "models", *asked)
    assert said.status == 2
    assert f"sans effet sur cet entraînement : {unread} " in " ".join(said.err.replace("│", " ").split())
    assert not (corpus.parent / "models").exists()


def test_a_hospital_sets_what_its_labels_are_worth(deid: Call, corpus: Path) -> None:
    """The settings reach the training, and a label whose every mention is doubtful is named."""
    records = [gold_record(one) for one in letters(6)]
    for record in records:
        for mention in record["mentions"]:
            mention["score"] = 0.6 if mention["label"] == "CITY" else 0.9
    corpus.write_text(jsonl(records), encoding="utf-8")
    options = ("--kind", "bilstm_crf", "--small", "--bound", "0.3", "--least-confidence", "0.7", "--out", "models")
    said = deid("train", corpus, *options)
    assert said.status == 0, said.err
    assert "CITY" in said.err
    manifest = json.loads((corpus.parent / "models" / "bilstm_crf" / MANIFEST_FILE).read_text())
    recipe = manifest["training"]["recipe"]
    assert (recipe["bilstm"]["bound"], recipe["least_confidence"]) == (0.3, 0.7)
    assert "CITY" in manifest["training"]["without_example"]
