"""A training through the DAG: interrupted and gone on, registered, compared, and waiting for a steward."""

from __future__ import annotations

import gzip
import json
import shutil
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from deid.config.settings import settings
from deid.detection.annotators.transformer.model_directory import CARD
from deid.detection.taggers.tagging import MANIFEST_FILE
from deid.domain.errors import InputRefused
from deid.ledger import models
from deid.ledger.models import Model, list_models
from deid.models import FOLDER, progress
from deid.models.directories import place
from nocturne_lab.evaluation.corpus import gold_record, load_corpus
from nocturne_lab.hospital.model_facts import learned_documents
from nocturne_lab.learning import memorisation, registry, self_training, trainings
from nocturne_lab.learning.checkpoints import Checkpoint
from nocturne_lab.learning.memorisation import check_model
from nocturne_lab.learning.progress import tell_epoch
from nocturne_lab.learning.taggers import continuation, stages
from nocturne_lab.learning.taggers.training import PACKAGED_ENCODER
from nocturne_lab.learning.transformer.plan import find_plan
from tests import ROOT
from tests.conftest import Database
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw
from tests.lab.learning.transformer_encoders import encoder

DAG = "train_detector"
POLICY = """extends: default
name: trained
detection:
  annotators:
    - {name: patterns}
    - {name: bilstm_crf, options: {model: registry}}
    - {name: crf}
    - {name: flair, options: {model: registry}}
    - {name: encoder_bilstm_crf, options: {model: registry}}
    - {name: transformer, options: {model: registry}}
  merge: weights
"""
FORM = {
    "reason": "premier modèle",
    "recipe": "small",
    "canaries": 7,
    "corpora": ["tour1/corpora"],
    "evaluation": ["relus.jsonl"],
}


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
    monkeypatch.setattr(memorisation, "DRAWS", 63)  # 4095 take minutes
    shortest = sorted((ROOT / "corpus" / "train").glob("w[1-9]-*.txt"), key=lambda path: path.stat().st_size)[:11]
    chosen = {path.stem for path in shortest}
    records = [gold_record(one) for one in load_corpus(ROOT / "corpus" / "train") if one.document.id in chosen]
    for path, some in (("tour1/corpora/a.jsonl", records[:9]), ("relus.jsonl", records[8:])):
        (folder / path).write_text("".join(json.dumps(one) + "\n" for one in some), encoding="utf-8")
    return folder


def test_an_interrupted_training_goes_on_and_a_steward_decides(
    exchange: Path,
    deployed: Database,
    play: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
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
            models.promote_model(digest, "c.morel", "meilleur sur nos lettres")
        return find(digest)

    shown: list[dict[str, Any]] = []

    def told(*epoch: Any) -> None:
        tell_epoch(*epoch)
        shown.extend(progress.read("trainings"))

    monkeypatch.setattr(stages, "tell_epoch", told)
    monkeypatch.setattr(Checkpoint, "offer", interrupted)
    monkeypatch.setattr(trainings, "find_model", decided)
    ended = play(DAG, bound=0.3, **FORM)
    assert ended.state == "success"
    assert set(ended.steps) == {"collect", "train", "register", "evaluate", "decision", "clear"}
    said = [record.getMessage() for record in caplog.records]
    assert any("the training goes on from" in line for line in said)
    assert any("epoch 3 of 3" in line for line in said), "progress is in the log"
    assert [(one["step"], one["state"], one["stage"], one["epoch"], one["epochs"]) for one in shown] == [
        ("train", "running", "bilstm_crf 1", number, 3) for number in (1, 3)
    ], "the second epoch ended with the interruption"
    assert all(one["loss"] > 0 and one["since"] <= one["told"] for one in shown)
    (model,) = list_models()
    (ended_so,) = progress.read("trainings")
    assert (ended_so["step"], ended_so["state"], ended_so["model"]) == ("evaluate", "done", model.hash)
    assert (model.kind, model.state, model.decided_by) == ("bilstm_crf", "serving", "c.morel")
    ((about, told),) = deployed.rows("SELECT object, details FROM deid.audit WHERE action = 'export'")
    assert (about, told["reason"]) == ("training essai1", FORM["reason"])
    assert (told["documents"], told["evaluation"]) == (8, 3)
    checked = registry.export(place(model.kind, model.hash), exchange / "crf.tar.gz", None, "c.morel", bound=12)
    assert checked.searched is not None, "while the texts were there"
    assert [(one.times, one.canaries) for one in checked.exposures["tags"]] == [(1, 8), (8, 8)]
    assert model.metrics["documents"] == 3
    annotated, evaluated = (_ids(exchange / path) for path in ("tour1/corpora/a.jsonl", "relus.jsonl"))
    assert learned_documents(model.kind, model.hash) == annotated - evaluated
    assert model.compared_with == ""
    manifest = json.loads((place(model.kind, model.hash) / MANIFEST_FILE).read_text(encoding="utf-8"))
    assert manifest["training"]["recipe"]["bilstm"]["bound"] == 0.3
    assert not (exchange / "trainings" / "essai1").exists(), "it held original texts"
    words = {word for one in load_corpus(exchange / "relus.jsonl") for word in one.document.text.split()}
    assert not {word for word in words if len(word) > 12} & set(" ".join(said).split())


def test_documents_of_a_period_are_labelled_by_what_the_hospital_knows(
    exchange: Path,
    deployed: Database,
    play: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "deid")
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
    assert "\n| documents | 3 |\n" in caplog.text
    assert "| mentions (% of the split) | train | expected noise, % |" in caplog.text
    assert "VASSEROT" not in caplog.text
    assert trainings.collect(order) == counts
    assert trainings.train("essai2")["documents"] == 3
    assert "no example of PERSON, AGE" in caplog.text
    before = (exchange / "trainings" / "essai2" / "model" / "crf" / "weights.safetensors").read_bytes()
    assert trainings.collect(replace(order, name="essai4", canaries=7)) == counts
    assert trainings.train("essai4")["documents"] == 3
    planted = exchange / "trainings" / "essai4" / "model" / "crf"
    assert (planted / "weights.safetensors").read_bytes() != before
    assert check_model(planted, None).worst is not None
    monkeypatch.setattr(trainings, "is_settled", lambda _: True)  # nobody decides in this test
    ended = play(DAG, training="essai3", kind="crf", automatic=False, **FORM | period | {"corpora": []})
    assert (ended.state, ended.steps["train"]) == ("success", ["success"])
    assert [(one.kind, one.state) for one in list_models()] == [("crf", "candidate")]


UNLABELLED = {"interval_start": NIGHT.isoformat(), "interval_end": (NIGHT + DAY).isoformat()}
WIKINER = "wikiner_fr_train.jsonl.gz"
FURTHER = {
    "second": {"kind": "bilstm_crf", "second": "crf", **UNLABELLED},
    "teacher": {"kind": "bilstm_crf", "teacher": "crf", **UNLABELLED},
    "continued": {"kind": "bilstm_crf", "continued": "bilstm_crf", "remember": ["appris.jsonl"], "recipe": "full"},
    "encoder": {"kind": "encoder_bilstm_crf", "start": "encodeur", "open_corpora": [WIKINER]},
    "texts": {"kind": "flair", "texts": ["notes.txt"]},
}


@pytest.mark.parametrize("case", sorted(FURTHER))
def test_the_form_does_what_the_command_line_does(
    exchange: Path, deployed: Database, play: Any, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    open_hospital(deployed)
    for number in range(2):
        put(deployed, f"letter{number}", LETTER + f"\nLettre {number}.\n")
    known = [json.loads(line) for line in (exchange / "tour1" / "corpora" / "a.jsonl").read_text().splitlines()]
    later = [one | {"id": f"{one['id']}-b", "text": one["text"] + "\nFin."} for one in known]
    (exchange / "appris.jsonl").write_text("".join(json.dumps(one) + "\n" for one in [*known, *later]))
    sentence = {"tokens": ["Aimé", "Césaire", "parle", "."], "tags": ["B-PER", "I-PER", "O", "O"]}
    (exchange / WIKINER).write_bytes(gzip.compress((json.dumps(sentence) + "\n").encode() * 9))
    shutil.copytree(PACKAGED_ENCODER, exchange / "encodeur")
    (exchange / "notes.txt").write_text("Le patient va bien ŵ.\n" * 50, encoding="utf-8")
    monkeypatch.setattr(trainings, "is_settled", lambda _: True)  # nobody decides in this test
    monkeypatch.setattr(continuation, "REVIEWED", replace(continuation.REVIEWED, epochs=1))
    kept = case == "teacher"
    monkeypatch.setattr(self_training.Decision, "kept", property(lambda _: kept))
    asked = FORM | FURTHER[case]
    if case == "continued":
        asked["continued"] = registry.register(FOLDER / "bilstm_crf", learned={"earlier"})
    seen: dict[str, dict[str, int]] = {}
    for name in ("collect", "train"):
        monkeypatch.setattr(trainings, name, partial(_noted, seen, name, getattr(trainings, name)))
    ended = play(DAG, training=case, automatic=False, **asked)
    assert ended.state == "success"
    model = list_models()[0]
    learned, annotated = learned_documents(model.kind, model.hash), _ids(exchange / "tour1" / "corpora" / "a.jsonl")
    annotated -= _ids(exchange / "relus.jsonl")
    folder = place(model.kind, model.hash)
    manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    told = manifest["training"]
    assert (model.kind, model.state) == (FURTHER[case]["kind"], "candidate")
    assert (folder / memorisation.CANARIES).is_file()
    assert seen["collect"]["unlabelled"] == (2 if case in ("second", "teacher") else 0)
    if case in ("second", "teacher"):
        assert seen["train"] == {"documents": 8, "unlabelled": 2, "kept": int(kept)}
        assert told["documents"] == len(learned), "a fifth is held out"
        assert len(learned & annotated) < 8
        assert len(learned - annotated) == (2 if kept else 0), "the documents without labels"
    elif case == "continued":
        assert seen["collect"]["remembered"] == 9, "neither what is trained on nor what is measured"
        assert told["continued"]["documents"] == 8
        assert learned == annotated | _ids(exchange / "appris.jsonl") - _ids(exchange / "relus.jsonl") | {"earlier"}
    elif case == "encoder":
        assert (told["encoder"], list(told["open_corpora"])) == ("encodeur", [WIKINER])
    else:
        assert told["texts"] == ["notes.txt"]
        assert "ŵ" in manifest["shape"]["characters"]["alphabet"], "it read them"


def _ids(path: Path) -> set[str]:
    return {one.document.id for one in load_corpus(path)}


def _noted(seen: dict[str, Any], name: str, step: Any, *given: Any) -> Any:
    seen[name] = step(*given)
    return seen[name]


def test_a_transformer_takes_a_plan_that_ships_and_an_encoder_to_start_from(exchange: Path) -> None:
    encoder("modernbert", exchange)
    order = trainings.TrainingOrder("essai1", "transformer", ("tour1/corpora",), ("relus.jsonl",), "train-small")
    trainings.collect(replace(order, seed=5, start="modernbert"))
    assert trainings.train("essai1") == {"documents": 8}
    card = json.loads((exchange / "trainings" / "essai1" / "model" / CARD).read_text(encoding="utf-8"))
    told = card["settings"]
    assert (told["start"], told["encoder"], told["fine_tuning"]["epochs"]) == ("modernbert", None, 2)
    assert (card["seed"], find_plan(Path("train-small")).seed) == (5, 7)
    trainings.register("essai1")
    assert [(one.kind, one.state) for one in list_models()] == [("transformer", "candidate")]
    with pytest.raises(InputRefused, match="ailleurs is not in the exchange folder"):
        trainings.collect(replace(order, name="essai2", start="ailleurs"))


def test_an_option_without_effect_is_refused_as_the_command_line_does(exchange: Path) -> None:
    plain = trainings.TrainingOrder("essai1", "bilstm_crf", ("tour1/corpora",), ("relus.jsonl",))
    period = tuple(UNLABELLED.values())
    for changed, unread in (
        ({"texts": ("relus.jsonl",)}, "bilstm_crf: texts"),
        ({"start": "transformer"}, "bilstm_crf: start"),
        ({"kind": "crf", "open_corpora": (WIKINER,), "bound": 0.3}, "crf: bound, open_corpora"),
        ({"kind": "flair", "continued": "bilstm_crf"}, "flair: continued"),
        ({"continued": "bilstm_crf", "recipe": "small", "second": "crf"}, "bilstm_crf: recipe, second"),
        ({"remember": ("relus.jsonl",)}, "bilstm_crf: remember"),
        ({"kind": "crf", "teacher": "bilstm_crf", "period": period}, "crf: teacher"),
        ({"kind": "flair", "second": "crf", "period": period}, "flair: second"),
    ):
        with pytest.raises(InputRefused, match=f"without effect on this training of {unread}\\. "):
            trainings.collect(replace(plain, **changed))
    for changed, why in (
        ({"second": "crf"}, "no period was given"),
        ({"second": "crf", "teacher": "crf", "period": period}, "a second model and a teacher"),
        ({"second": "ailleurs", "period": period}, "ailleurs is not in the exchange folder"),
        ({"second": "0123456789ab", "period": period}, "0123456789ab"),
        ({"open_corpora": ("relus.jsonl",)}, "is no open corpus"),
    ):
        with pytest.raises(InputRefused, match=why):
            trainings.collect(replace(plain, **changed))
    assert not (exchange / "trainings").exists()


def test_annotators_of_a_round_who_differ_are_adjudicated_before_a_training(
    exchange: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = exchange / "tour1" / "corpora"
    order = trainings.TrainingOrder("essai1", "crf", ("tour1/corpora",), ("relus.jsonl",), recipe="small")
    told = [json.loads(line) for line in (folder / "a.jsonl").read_text(encoding="utf-8").splitlines()]

    def given(annotator: str, records: list[dict[str, Any]]) -> None:
        lines = (json.dumps(one | {"annotator": annotator}) + "\n" for one in records)
        (folder / f"{annotator}.jsonl").write_text("".join(lines), encoding="utf-8")

    given("b", told[:3])
    counts = trainings.collect(order)
    assert (counts["documents"], counts["repeated"]) == (8, 3), "readings that agree are learned once"
    differing = [one | {"mentions": one["mentions"][1:]} for one in told[:2]]
    given("b", [*differing, told[2]])
    command = r"annotations adjudicate tour1/corpora/\*.jsonl .*tour1/corpora/adjudicated.jsonl"
    with pytest.raises(InputRefused, match=r"tour1/corpora: annotators share 3 documents, and mark 2 .*" + command):
        trainings.collect(replace(order, name="essai2"))
    given("adjudicated", [differing[0], told[2]])
    counts = trainings.collect(replace(order, name="essai3"))
    assert (counts["documents"], counts["left_out"]) == (7, 1), "what nobody decided is not learned"
    assert "tour1/corpora: 1 documents that nobody decided" in caplog.text
    learned = load_corpus(exchange / "trainings" / "essai3" / "corpus.jsonl")
    (decided,) = [one for one in learned if one.document.id == told[0]["id"]]
    assert len(decided.mentions) == len(told[0]["mentions"]) - 1
    twice = "".join(json.dumps(one) + "\n" for one in (told[0], differing[0]))
    (exchange / "relus.jsonl").write_text(twice, encoding="utf-8")
    with pytest.raises(InputRefused, match=r"relus.jsonl: .* mark 1 of them differently"):
        trainings.collect(replace(order, name="essai4"))


def test_nothing_measured_was_learned_and_wrong_orders_are_refused(exchange: Path) -> None:
    order = trainings.TrainingOrder("essai1", "crf", ("tour1/corpora",), ("relus.jsonl",), recipe="small")
    counts = trainings.collect(order)
    assert (counts["documents"], counts["evaluation"], counts["left_out"]) == (8, 3, 1)
    assert trainings.collect(order) == counts
    assert {path.stat().st_mode & 0o077 for path in (exchange / "trainings").rglob("*")} == {0}
    for wrong in (
        replace(order, canaries=7),
        replace(order, seed=1),  # the name is taken by another order
        replace(order, name="../essai"),
        replace(order, name="b", kind="magic"),
        replace(order, name="b", bound=0.3),  # a crf has none
        replace(order, name="b", kind="bilstm_crf", bound=1.5),
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
    refused = {one["name"]: (one["step"], one["state"]) for one in progress.read("trainings")}
    assert refused == {"essai1": ("register", "failed"), "b": ("collect", "failed")}, "none of an unusable name"
    with pytest.raises(InputRefused, match="was not collected"):
        trainings.train("autre")
