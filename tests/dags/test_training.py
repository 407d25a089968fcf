"""A training through the DAG: interrupted and gone on, registered, compared, and waiting for a steward."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deid.config.settings import settings
from deid.domain.errors import InputRefused
from deid.evaluation.corpus import gold_record, load_corpus
from deid.learning import registry, trainings
from deid.learning.checkpoints import Checkpoint
from deid.warehouse.models import Model, list_models
from tests import ROOT
from tests.conftest import Database
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw

DAG = "train_detector"
POLICY = """extends: default
name: trained
detection:
  annotators: [{name: patterns}, {name: bilstm_crf, options: {model: registry}}, {name: crf}]
  merge: weights
"""
FORM = {"reason": "premier modèle", "recipe": "small", "corpora": ["tour1/corpora"], "evaluation": ["relus.jsonl"]}


@pytest.fixture
def exchange(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An exchange folder with eight annotated documents, and three others to evaluate on."""
    assert deployed.rows("SELECT count(*) FROM deid.model") == [(0,)]
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    folder = tmp_path / "exchange"
    (folder / "tour1" / "corpora").mkdir(parents=True)
    folder.chmod(0o700)
    known = {"POLICY": tmp_path / "policy.yaml", "EXCHANGE_FOLDER": folder, "MODELS": tmp_path / "models"}
    for name, value in known.items():
        monkeypatch.setenv(f"NOCTURNE_{name}", str(value))
    settings.cache_clear()
    shortest = sorted((ROOT / "corpus" / "train").glob("*.txt"), key=lambda path: path.stat().st_size)[:11]
    chosen = {path.stem for path in shortest}
    records = [gold_record(one) for one in load_corpus(ROOT / "corpus" / "train") if one.document.id in chosen]
    for path, some in (("tour1/corpora/a.jsonl", records[:9]), ("relus.jsonl", records[8:])):
        (folder / path).write_text("".join(json.dumps(one) + "\n" for one in some), encoding="utf-8")
    return folder


def test_an_interrupted_training_goes_on_and_a_steward_decides(
    exchange: Path, play: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "deid")
    offer, find, seen = Checkpoint.offer, trainings.find_model, Counter[str]()

    def interrupted(self: Checkpoint, *state: Any) -> None:
        offer(self, *state)
        seen["batches"] += 1
        if seen["batches"] == 2:
            self.save(*state)
            raise RuntimeError("killed by the test")

    def decided(digest: str) -> Model:
        seen["looks"] += 1
        if seen["looks"] == 3:  # the first of `decision`; the others are of `evaluate`
            assert find(digest).state == "candidate"
            registry.promote(digest, "c.morel", "meilleur sur nos lettres")
        return find(digest)

    monkeypatch.setattr(Checkpoint, "offer", interrupted)
    monkeypatch.setattr(trainings, "find_model", decided)
    ended = play(DAG, **FORM)
    assert ended.state == "success"
    assert set(ended.steps) == {"collect", "train", "register", "evaluate", "decision", "clear"}
    said = [record.getMessage() for record in caplog.records]
    assert any("the training goes on from" in line for line in said)
    assert any("epoch 3 of 3" in line for line in said), "progress is in the log"
    (model,) = list_models()
    assert (model.kind, model.state, model.decided_by) == ("bilstm_crf", "serving", "c.morel")
    assert model.metrics["documents"] == 3
    assert model.compared_with == ""
    assert not (exchange / "trainings" / "essai1").exists(), "it held original texts"
    words = {word for one in load_corpus(exchange / "relus.jsonl") for word in one.document.text.split()}
    assert not {word for word in words if len(word) > 12} & set(" ".join(said).split())


def test_documents_of_a_period_are_labelled_by_what_the_hospital_knows(
    exchange: Path, deployed: Database, play: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_hospital(deployed)
    for number in range(4):
        put(deployed, f"letter{number}", LETTER + f"\nLettre {number}.\n")
        put(deployed, f"page{number}", PAGE, patient="P000002", format="text/html")
    withdraw(deployed, "letter3", NIGHT)
    period = {"interval_start": NIGHT.isoformat(), "interval_end": (NIGHT + DAY).isoformat()}
    measured = {"id": "x", "text": "Madame Maëlys VASSEROT", "patient": {"key": "P000002"}, "mentions": []}
    (exchange / "relus.jsonl").write_text(json.dumps(measured) + "\n", encoding="utf-8")
    order = trainings.TrainingOrder("essai2", "crf", (), ("relus.jsonl",), "small", period=tuple(period.values()))
    counts = trainings.collect(order)
    assert (counts["documents"], counts["left_out"]) == (3, 4), "neither withdrawn nor of the evaluation's patient"
    assert counts["mentions"] > 3 * 5
    assert trainings.collect(order) == counts
    assert trainings.train("essai2")["documents"] == 3
    monkeypatch.setattr(trainings, "is_settled", lambda _: True)  # nobody decides in this test
    ended = play(DAG, training="essai3", kind="crf", automatic=False, **FORM | period | {"corpora": []})
    assert (ended.state, ended.steps["train"]) == ("success", ["success"])
    assert [(one.kind, one.state) for one in list_models()] == [("crf", "candidate")]


def test_nothing_measured_was_learned_and_wrong_orders_are_refused(exchange: Path) -> None:
    order = trainings.TrainingOrder("essai1", "crf", ("tour1/corpora",), ("relus.jsonl",), recipe="small")
    counts = trainings.collect(order)
    assert (counts["documents"], counts["evaluation"], counts["left_out"]) == (8, 3, 1)
    assert trainings.collect(order) == counts
    assert {path.stat().st_mode & 0o077 for path in (exchange / "trainings").rglob("*")} == {0}
    for wrong in (
        replace(order, seed=1),  # the name is taken by another order
        replace(order, name="../essai"),
        replace(order, name="b", kind="magic"),
        replace(order, name="b", recipe="huge"),
        replace(order, name="b", kind="transformer", recipe="plan.yaml"),  # no such plan
        replace(order, name="b", corpora=("../policy.yaml",)),
        replace(order, name="b", corpora=("/etc/passwd",)),
        replace(order, name="b", evaluation=()),
        replace(order, name="b", corpora=("relus.jsonl",)),  # nothing but what is measured
    ):
        with pytest.raises(InputRefused):
            trainings.collect(wrong)
    with pytest.raises(InputRefused, match="no model yet"):
        trainings.register("essai1")
    with pytest.raises(InputRefused, match="was not collected"):
        trainings.train("autre")
