"""Training on a processor with weights in bf16 beside fp32, layer-wise rates, frozen sub-words, and the curve."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file

from deid.domain.errors import InputRefused, PolicyError
from nocturne_lab.evaluation.corpus import load_corpus
from nocturne_lab.evaluation.markup import write_marked
from nocturne_lab.learning.transformer import optimization
from nocturne_lab.learning.transformer.classifier import Classifier, load_classifier
from nocturne_lab.learning.transformer.examples import WindowExample, alike_batches
from nocturne_lab.learning.transformer.optimization import Machine, TrainingDiverged, layer_shares, optimizers
from nocturne_lab.learning.transformer.plan import FineTuning, Plan
from nocturne_lab.learning.transformer.training import train_transformer
from nocturne_lab.learning.transformer.watched import Watched
from nocturne_lab.learning.transformer.working_copy import WorkingCopy, multiplies_bf16
from tests.lab.learning.transformer_encoders import ENCODERS, encoder
from tests.lab.learning.transformer_letters import letters, small

# The command, cut off while it writes the checkpoint of the second epoch: half of the file is on the disk.
CUT_OFF = """
import os, signal, sys, typer
from nocturne_lab.learning.transformer.__main__ import main
from nocturne_lab.learning import checkpoints
import torch
torch.cpu.get_capabilities = lambda: {"avx512_bf16": True}
saved = []
synchronise = checkpoints._synchronise
def half(path):
    saved.append(path)
    if len(saved) == 2:
        os.truncate(path, path.stat().st_size // 2)
        os.kill(os.getpid(), signal.SIGKILL)
    synchronise(path)
checkpoints._synchronise = half
typer.run(main)
"""


@pytest.fixture(autouse=True)
def _one_thread_with_bf16(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products in bf16 are right on any processor, if slow: what is tried does not depend on this one."""
    torch.set_num_threads(1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": True})


def _plan(start: Path, **changes: Any) -> Plan:
    asked = {"epochs": 3, "length": 96, "batch": 4, "learning_rate": 1e-2, "held_out": 0.2, "dropout": 0.1} | changes
    return Plan.model_validate(
        {"start": str(start), "precision": "bf16", "weights": "fp32", "checkpoint_minutes": 0, "fine_tuning": asked}
    )


def _equal(one: Path, other: Path) -> bool:
    first, second = (load_file(folder / "model.safetensors") for folder in (one, other))
    return first.keys() == second.keys() and all(first[name].equal(second[name]) for name in first)


@pytest.mark.parametrize(
    ("capabilities", "fast"),
    [
        ({"avx512_f": True, "avx512_bf16": True, "amx_bf16": True}, True),  # Sapphire Rapids
        ({"avx512_f": True, "avx512_bf16": True, "amx_bf16": False}, True),  # Zen 4
        ({"avx512_f": True, "avx512_bf16": False, "amx_bf16": False}, False),  # Cascade Lake
        ({"neon": True, "bf16": True}, True),  # Neoverse V1
        ({"cpu_name": "bf16", "l2_cache_size": 1}, False),
        ({}, False),
    ],
)
def test_processors_that_multiply_bf16(capabilities: Mapping[str, object], fast: bool) -> None:
    assert multiplies_bf16(capabilities) is fast


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU takes autocast")
def test_a_processor_without_bf16_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_f": True, "avx512_bf16": False})
    with pytest.raises(InputRefused, match=r"does not multiply bf16.*precision: auto"):
        train_transformer(_plan(encoder("mbert", tmp_path)), letters(), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert [Machine.of(one).half for one in ("auto", "fp32", "autocast")] == [False, False, True]


@pytest.mark.parametrize("head", ["linear", "crf"])
@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_any_encoder_learns_in_bf16(name: str, head: str, tmp_path: Path) -> None:
    plan = _plan(encoder(name, tmp_path), epochs=8, head=head, dropout=0.0)
    card = train_transformer(plan, letters(), tmp_path / "out")
    assert card.measures["overlap_f1"] > 0.6
    assert {one.dtype for one in load_file(tmp_path / "out" / "model.safetensors").values()} == {torch.float32}


def test_masked_words_are_learned_in_bf16(tmp_path: Path) -> None:
    plan = small(precision="bf16", fine_tuning={"epochs": 1, "length": 64, "held_out": 0.2})
    one, other = (train_transformer(plan, letters(), tmp_path / name) for name in ("a", "b"))
    assert _equal(tmp_path / "a" / "encoder", tmp_path / "b" / "encoder")
    assert one.measures["masked_loss"] == other.measures["masked_loss"] < np.log(600)


def test_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    plan = _plan(encoder("mbert", tmp_path), copies=1, accumulate=2)
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        train_transformer(plan.model_copy(update={"seed": seed}), letters(), tmp_path / name)
    assert _equal(tmp_path / "a", tmp_path / "b")
    assert not _equal(tmp_path / "a", tmp_path / "c")


def test_steps_too_small_for_bf16_are_kept(tmp_path: Path) -> None:
    """Of a hundred steps of 0.0001 from 1, none would move a weight of eight significant bits."""
    trained = load_classifier(encoder("mbert", tmp_path), FineTuning(length=64))
    working = WorkingCopy(trained, copied=True)
    weight, copy = (dict(one.named_parameters())["classifier.weight"] for one in (trained, working.model))
    torch.nn.init.ones_(weight)
    working.renew()
    assert copy.dtype == torch.bfloat16
    for _ in range(100):
        copy.grad = torch.full_like(copy, 1e-4)
        working.hand_over()
        assert weight.grad is not None
        with torch.no_grad():
            weight.sub_(weight.grad)
        weight.grad = None
        working.renew()
    assert float(weight.detach().mean()) == pytest.approx(0.99, abs=1e-4)
    assert float(copy.detach().float().mean()) == pytest.approx(0.99, abs=4e-3)


def test_a_training_cut_off_resumes_to_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = _plan(encoder("mbert", tmp_path), head="crf", frozen_subwords=True, layer_decay=0.8, copies=1)
    watched = {name: Watched(letters(6), tmp_path / f"{name}.jsonl") for name in ("whole", "cut")}
    whole = train_transformer(plan, letters(), tmp_path / "whole", watched["whole"])
    step, calls = optimization.step, []

    def interrupted(*given: Any) -> None:
        calls.append(1)
        if len(calls) == 17:
            raise KeyboardInterrupt
        step(*given)

    with monkeypatch.context() as patched:
        patched.setattr(optimization, "step", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train_transformer(plan, letters(), tmp_path / "cut", watched["cut"])
    resumed = train_transformer(plan, letters(), tmp_path / "cut", watched["cut"])
    assert _equal(tmp_path / "whole", tmp_path / "cut")
    assert resumed.measures == whole.measures
    assert watched["cut"].path.read_text() == watched["whole"].path.read_text()


def test_a_checkpoint_cut_off_leaves_the_one_before(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    plan = _plan(encoder("mbert", tmp_path)).model_copy(update={"checkpoint_minutes": 60})
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for gold in letters():
        (corpus / f"{gold.document.id}.txt").write_text(write_marked(gold.document.text, gold.mentions), "utf-8")
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan.model_dump(mode="json")))
    command = ["--config", str(tmp_path / "plan.yaml"), "--corpus", str(corpus)]
    done = subprocess.run([sys.executable, "-c", CUT_OFF, *command, "--out", str(tmp_path / "cut")], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len([*(tmp_path / ".cut.training").iterdir()]) == 2  # the checkpoint before, and half of the next
    documents = load_corpus(corpus)
    train_transformer(plan, documents, tmp_path / "whole")
    with caplog.at_level(logging.INFO):
        train_transformer(plan, documents, tmp_path / "cut")
    assert "Training resumes after 1 epochs and 0 batches" in caplog.text
    assert _equal(tmp_path / "whole", tmp_path / "cut")


def test_a_loss_that_is_no_number_is_refused(tmp_path: Path) -> None:
    plan = _plan(encoder("mbert", tmp_path), learning_rate=1e30, warm_up=0)
    with pytest.raises(TrainingDiverged, match=r"not a finite number.*Lower learning_rate"):
        train_transformer(plan, letters(8), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    start = encoder("mbert", tmp_path)
    other = encoder("modernbert", tmp_path)
    (start / "tokenizer.json").write_bytes((other / "tokenizer.json").read_bytes())
    with pytest.raises(PolicyError, match=r"mbert: its tokenizer has [0-9]+ entries, the model [0-9]+"):
        train_transformer(_plan(start), letters(8), tmp_path / "out")


def test_frozen_subwords_stay_as_they_are(tmp_path: Path) -> None:
    start = encoder("mbert", tmp_path)
    train_transformer(_plan(start, frozen_subwords=True), letters(), tmp_path / "out")
    before, after = (load_file(folder / "model.safetensors") for folder in (start, tmp_path / "out"))
    same = {name for name, one in before.items() if one.equal(after.get(f"bert.{name}", after.get(name, one)))}
    assert "embeddings.word_embeddings.weight" in same
    assert "embeddings.position_embeddings.weight" not in same


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_layers_learn_the_slower_the_lower(name: str, tmp_path: Path) -> None:
    model = Classifier(load_classifier(encoder(name, tmp_path), FineTuning(length=96)), True, torch.ones(39))
    names = [one for one, _ in model.named_parameters()]
    shares = layer_shares(names, 0.5)
    assert {shares[one] for one in names if "emb" in one} == {0.125}
    assert {shares[one] for one in names if "classifier" in one} == {1.0}
    assert {shares[one] for one in names if ".1." in one} == {0.5}
    assert {shares[one] for one in names if ".0." in one} == {0.25}
    (descent,) = optimizers(model, "adamw", 1e-3, 0.01, 0.5)
    rates = {group["scale"] for group in descent.param_groups}
    assert rates == {0.125, 0.25, 0.5, 1.0, 10.0}  # the last of the CRF's transitions
    assert sum(len(group["params"]) for group in descent.param_groups) == len(names)


def test_what_is_watched_decides_nothing(tmp_path: Path) -> None:
    plan, curve = _plan(encoder("mbert", tmp_path), copies=1), tmp_path / "curve.jsonl"
    curve.write_text(json.dumps({"epoch": 9}) + "\n")  # of a training before, which went further
    alone = train_transformer(plan, letters(), tmp_path / "alone")
    seen = train_transformer(plan, letters(), tmp_path / "seen", Watched(letters(6), curve))
    assert seen.measures == alone.measures
    assert _equal(tmp_path / "alone", tmp_path / "seen")
    rows = [json.loads(line) for line in curve.read_text().splitlines()]
    assert [(row["epoch"], row["passes"]) for row in rows] == [(1, 2), (2, 4), (3, 6)]
    assert rows[-1]["loss"] < rows[0]["loss"]
    assert set(rows[0]["authors"]) == {f"a{at}" for at in range(6)}


@settings(deadline=None)
@given(lengths=st.lists(st.integers(3, 40), max_size=90), size=st.integers(1, 8), seed=st.text(max_size=3))
def test_batches_hold_every_window_once(lengths: list[int], size: int, seed: str) -> None:
    made = [WindowExample(np.full(one, at), np.zeros(one, int), np.ones(one, bool)) for at, one in enumerate(lengths)]
    batches = alike_batches(made, size, seed)
    assert sorted(int(one.ids[0]) for batch in batches for one in batch) == [*range(len(made))]
    assert sorted(map(len, batches), reverse=True)[: len(made) // size] == [size] * (len(made) // size)
    places = sum(len(batch) * max(len(one.ids) for one in batch) for batch in batches)
    assert places <= sum(lengths) + 40 * size * 2
    again = alike_batches(made, size, seed)
    assert [[id(one) for one in batch] for batch in again] == [[id(one) for one in batch] for batch in batches]
