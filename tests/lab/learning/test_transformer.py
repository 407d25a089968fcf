"""The whole training on a tiny plan: from texts to a directory that the annotator takes, the same each time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file

from deid.detection.annotators.transformer import Transformer
from deid.detection.annotators.transformer.model_directory import Card
from deid.detection.taggers.tags import TAGS
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.errors import InputRefused, PolicyError
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import load_corpus
from nocturne_lab.learning.transformer import optimization
from nocturne_lab.learning.transformer import plan as plans
from nocturne_lab.learning.transformer.plan import CONFIGS, Plan
from nocturne_lab.learning.transformer.training import corpus_hash, train_transformer
from tests.lab.learning.transformer_letters import letters, small

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Card]:
    folder = tmp_path_factory.mktemp("trained")
    return folder, train_transformer(small(), letters(), folder)


def test_what_training_writes_serves(trained: tuple[Path, Card]) -> None:
    folder, card = trained
    annotator = Transformer(str(folder), precision="fp32")
    (rows,) = annotator.distributions([Reading(letters()[0].document)])
    assert rows.shape[1] == len(TAGS)
    assert card.window == 64
    assert card.labels == TAGS
    assert set(card.measures) == {
        "masked_loss", "steps", "minutes", "loss", "token_f1", "epoch", "overlap_f1", "direct", "redacted",
    }  # fmt: skip
    assert json.loads((folder / "nocturne.json").read_text())["corpus"] == corpus_hash(letters())
    assert all(file.stat().st_mode & 0o044 == 0o044 for file in folder.glob("*.safetensors"))
    assert {str(tensor.dtype) for tensor in load_file(folder / "model.safetensors").values()} == {"torch.float16"}


def test_a_model_learns_what_it_is_shown(tmp_path: Path, trained: tuple[Path, Card]) -> None:
    """Fine-tuned from the written encoder, longer: the letters are alike, nearly all is found."""
    start = trained[0] / "encoder"
    asked = {"epochs": 12, "length": 64, "batch": 8, "learning_rate": 1e-2, "held_out": 0.2, "dropout": 0.0}
    card = train_transformer(Plan.model_validate({"start": str(start), "fine_tuning": asked}), letters(), tmp_path)
    assert card.measures["overlap_f1"] > 0.8
    assert card.settings["start"] == "encoder"
    found = Transformer(str(tmp_path), precision="fp32").annotate(Reading(letters()[3].document))
    assert {mention.label for mention in found} >= {Label.PATIENT, Label.DATE}


def test_the_same_seed_gives_the_same_model(tmp_path: Path, trained: tuple[Path, Card]) -> None:
    again = train_transformer(small(), letters(), tmp_path / "again")
    other = train_transformer(small(seed=8), letters(), tmp_path / "other")
    first = {name: value for name, value in trained[1].measures.items() if name != "minutes"}
    assert {name: value for name, value in again.measures.items() if name != "minutes"} == first
    assert other.measures["loss"] != first["loss"]
    weights = [load_file(folder / "model.safetensors") for folder in (trained[0], tmp_path / "again")]
    assert all(weights[0][name].equal(weights[1][name]) for name in weights[0])
    assert again.tokenizer == trained[1].tokenizer


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_masked_words_resume_where_they_stood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, optimizer: str) -> None:
    asked = {"steps": 12, "length": 64, "batch": 8, "optimizer": optimizer, "masked": 0.3, "masked_last": 0.15}
    plan = small(pretraining=asked, checkpoint_minutes=0, fine_tuning={"epochs": 1, "length": 64, "held_out": 0.2})
    train_transformer(plan, letters(), tmp_path / "whole")
    step, calls = optimization.step, []

    def cut(*given: Any) -> None:
        calls.append(1)
        if len(calls) == 8:
            raise KeyboardInterrupt
        step(*given)

    monkeypatch.setattr(optimization, "step", cut)
    with pytest.raises(KeyboardInterrupt):
        train_transformer(plan, letters(), tmp_path / "cut")
    monkeypatch.setattr(optimization, "step", step)
    done: list[int] = []
    monkeypatch.setattr(optimization, "step", lambda *given: (done.append(1), step(*given))[1])
    assert train_transformer(plan, letters(), tmp_path / "cut").measures["steps"] == 12
    assert len(done) < len(calls) + 12 - 7  # the seven batches before the cut were not done again
    whole, resumed = (load_file(tmp_path / name / "encoder" / "model.safetensors") for name in ("whole", "cut"))
    assert all(whole[name].equal(resumed[name]) for name in whole)


def test_a_student_learns_from_its_teacher_alone(tmp_path: Path, trained: tuple[Path, Card]) -> None:
    """Of labels that no document shows the student, it finds what the teacher does."""
    learned = {"epochs": 12, "length": 64, "batch": 8, "learning_rate": 1e-2, "held_out": 0.2, "dropout": 0.0}
    start = str(trained[0] / "encoder")
    train_transformer(Plan.model_validate({"start": start, "fine_tuning": learned}), letters(), tmp_path / "teacher")
    texts = tmp_path / "texts.txt"
    texts.write_text("".join(one.document.text for one in letters()), encoding="utf-8")
    bare = [replace(one, mentions=()) for one in letters()]
    taught = {"teacher": str(tmp_path / "teacher"), "taught": 1.0, "texts": [str(texts)], "unlabelled": 24}
    plan = {"start": start, "fine_tuning": learned | taught | {"held_out": 0}}
    train_transformer(Plan.model_validate(plan), bare, tmp_path / "student")
    found = Transformer(str(tmp_path / "student"), precision="fp32").annotate(Reading(letters()[3].document))
    assert {mention.label for mention in found} >= {Label.PATIENT, Label.DATE}


def test_a_teacher_with_another_tokenizer_is_refused(tmp_path: Path, trained: tuple[Path, Card]) -> None:
    other = small(
        pretraining=None, encoder={"vocabulary": 400, "hidden": 32, "layers": 1, "heads": 2, "intermediate": 48},
        fine_tuning={"epochs": 1, "length": 64, "held_out": 0, "teacher": str(trained[0])},
    )  # fmt: skip
    with pytest.raises(InputRefused, match="its tokenizer is not the student's"):
        train_transformer(other, letters(), tmp_path / "out")
    same = {**other.model_dump()["encoder"], "tokenizer": str(trained[0])}
    card = train_transformer(small(**(other.model_dump() | {"encoder": same})), letters(), tmp_path / "out")
    assert card.tokenizer == trained[1].tokenizer


def test_a_tampered_model_is_refused(tmp_path: Path) -> None:
    train_transformer(
        small(pretraining=None, fine_tuning={"epochs": 1, "length": 64, "held_out": 0.2}), letters(8), tmp_path
    )
    (tmp_path / "tokenizer.json").write_text((tmp_path / "tokenizer.json").read_text() + " ")
    with pytest.raises(PolicyError, match="its tokenizer is not the one"):
        Transformer(str(tmp_path))


def test_nobody_held_out_trains_to_the_end(tmp_path: Path) -> None:
    asked = small(pretraining=None, fine_tuning={"epochs": 2, "length": 64, "held_out": 0}, weights="fp32")
    card = train_transformer(asked, letters(8), tmp_path)
    assert card.measures == {"epoch": 2.0}
    assert card.temperature == 1.0


def test_the_command(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for gold in letters(12):
        (corpus / f"{gold.document.id}.txt").write_text(_marked(gold.document.text, gold.mentions), encoding="utf-8")
    texts = tmp_path / "t.txt"
    texts.write_text("Le patient va bien.\n" * 50, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "nocturne_lab.learning.transformer",
        "--config",
        "train-small",
        "--corpus",
        str(corpus),
    ]
    command += ["--out", str(tmp_path / "out"), "--texts", str(texts), "--seed", "3"]
    command += ["--without", "a2", "--held-out", str(tmp_path / "judged")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ})
    assert done.returncode == 0, done.stderr[-800:]
    assert json.loads(done.stdout)["steps"] == 20
    card = json.loads((tmp_path / "out" / "nocturne.json").read_text())
    assert card["seed"] == 3
    assert card["settings"]["pretraining"]["texts"] == ["t.txt"]
    assert "Vraz" not in done.stderr
    with np.load(tmp_path / "judged" / "transformer.npz") as judged:
        assert sorted(judged.files) == ["a2-02", "a2-08"]
        assert all(np.allclose(judged[name].sum(axis=1), 1, atol=0.02) for name in judged.files)
    assert card["corpus"] == corpus_hash([gold for gold in load_corpus(corpus) if gold.author != "a2"])


def _marked(text: str, mentions: Sequence[Mention]) -> str:
    for mention in sorted(mentions, reverse=True):
        surface = text[mention.start : mention.end]
        text = f"{text[: mention.start]}[[{mention.label}|{surface}]]{text[mention.end :]}"
    return text


@pytest.mark.parametrize("name", [path.stem for path in sorted(CONFIGS.glob("*.yaml"))])
def test_plans_that_ship_can_be_read(name: str) -> None:
    assert plans.load_plan(CONFIGS / f"{name}.yaml").fine_tuning.epochs >= 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("seed: 7", "say either start or encoder"),
        ("{start: x, encoder: {}}", "say either start or encoder"),
        ("{start: x, pretraining: {}}", "an encoder of our own"),
        ("{encoder: {hidden: 50, heads: 4}}", "multiple of heads"),
        ("{start: x, speed: 3}", "speed"),
        ("{start: [", "not YAML"),
    ],
)
def test_plans_that_cannot_be(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "p.yaml").write_text(content)
    with pytest.raises(InputRefused, match=f"p.yaml.*{message}"):
        plans.load_plan(tmp_path / "p.yaml")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pretraining": {"texts": ["/nowhere/*.txt"], "steps": 3}}, "no text at"),
        ({"pretraining": {"steps": 3, "length": 512, "batch": 4096}}, "do not fill one batch"),
        ({"encoder": None, "pretraining": None, "start": "/nowhere/model"}, "no such directory"),
    ],
)
def test_what_is_not_there_is_said(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises((InputRefused, PolicyError), match=message):
        train_transformer(small(**changes), letters(6), tmp_path)


def test_no_document(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match="no document"):
        train_transformer(small(pretraining=None), [], tmp_path)
