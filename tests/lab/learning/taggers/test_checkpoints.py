"""Trainings that are killed, run out of disk, diverge, or have nothing to learn from."""

from __future__ import annotations

import json
import logging
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from deid.detection.taggers.bilstm import Shape
from deid.detection.taggers.tagging import MANIFEST_FILE, WEIGHTS
from deid.domain.document import Document
from deid.domain.errors import InputRefused
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from nocturne_lab.learning.checkpoints import Checkpoint, Position
from nocturne_lab.learning.taggers.continuation import Continuation, continue_network
from nocturne_lab.learning.taggers.training import SMALL, Recipe, train_tagger
from tests import ROOT

TINY = replace(
    SMALL,
    bilstm=replace(
        SMALL.bilstm,
        epochs=3,
        batch=2,
        shape=Shape(column_buckets=64, column_width=8, gram_buckets=64, gram_width=8, hidden=8),
    ),
    flair=replace(
        SMALL.flair,
        epochs=3,
        batch=2,
        shape=Shape(column_width=0, gram_buckets=64, gram_width=8, hidden=8, state_reduced=8),
    ),
    encoder=replace(
        SMALL.encoder,
        epochs=3,
        batch=2,
        shape=Shape(column_width=0, gram_buckets=64, gram_width=8, hidden=8, state_reduced=8),
    ),
    characters=replace(SMALL.characters, hidden=8, lanes=8),
)
# Trains, and is killed behind the first save in the middle of the second epoch of a stage.
TRAIN = """
import os, signal, sys, torch
from pathlib import Path
from tests.lab.learning.taggers.test_checkpoints import TINY, letters
from nocturne_lab.learning.checkpoints import Checkpoint
from nocturne_lab.learning.taggers.training import train_tagger
torch.set_num_threads(1)
kind, out, stage = sys.argv[1:]
save = Checkpoint.save
def save_and_die(self, at, *state):
    save(self, at, *state)
    if at.stage.startswith(stage) and at.epoch == 1 and at.step >= 3:
        os.kill(os.getpid(), signal.SIGKILL)
Checkpoint.save = save_and_die
train_tagger(kind, letters(), TINY, Path(out), save_every=0)
"""


def letters() -> list[GoldDocument]:
    return load_corpus(ROOT / "corpus" / "train")[:12]


@pytest.fixture(autouse=True)
def one_core() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def kill_in_mid_epoch(kind: str, out: Path, stage: str = "") -> None:
    """Start a training that is killed once its second epoch has begun."""
    command = [sys.executable, "-c", TRAIN, kind, str(out), stage]
    done = subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL, check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.slow
def test_a_killed_training_goes_on_and_gives_the_same_weights(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    whole = train_tagger("bilstm_crf", letters(), TINY, tmp_path / "whole")
    out = tmp_path / "killed"
    before = train_tagger("bilstm_crf", letters(), replace(TINY, seed=7), out)
    served = contents(before)
    kill_in_mid_epoch("bilstm_crf", out)
    assert contents(out / "bilstm_crf") == served  # the earlier model is still there
    with caplog.at_level(logging.INFO, logger="nocturne_lab.learning.checkpoints"):
        again = train_tagger("bilstm_crf", letters(), TINY, out)
    assert "goes on from .bilstm_crf.checkpoint" in caplog.text
    assert contents(again) == contents(whole)
    assert not list(out.glob(".*"))


def test_a_continued_network_goes_on_and_gives_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = letters()[:4]
    start = train_tagger("bilstm_crf", few, TINY, tmp_path)
    asked = (few[:2], few[2:])
    settings = Continuation(epochs=2, rate=1e-2, seed=7, batch=2)
    whole = continue_network(start, *asked, tmp_path / "whole", settings)
    offer, out = Checkpoint.offer, tmp_path / "killed"

    def killed(self: Checkpoint, at: Position, *state: Any) -> None:
        offer(self, at, *state)
        if (at.epoch, at.step) == (1, 1):
            self.save(at, *state)
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoint, "offer", killed)
    with pytest.raises(KeyboardInterrupt):
        continue_network(start, *asked, out, settings)
    steps: list[Position] = []
    monkeypatch.setattr(Checkpoint, "offer", lambda _, at, *__: steps.append(at))
    again = continue_network(start, *asked, out, settings)
    assert steps[0] == Position("network", 1, 2)
    assert contents(again) == contents(whole)
    assert not list(out.glob(".*"))


@pytest.mark.parametrize("changed", ["recipe", "corpus"])
def test_a_checkpoint_of_another_training_is_not_resumed(
    changed: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(InputRefused):  # leaves a checkpoint
        train_tagger("bilstm_crf", letters(), rated(3e9), tmp_path, save_every=0)
    assert (tmp_path / ".bilstm_crf.checkpoint").stat().st_size
    few = letters()[:6]
    given = (letters(), replace(TINY, seed=3)) if changed == "recipe" else (few, TINY)
    folder = train_tagger("bilstm_crf", *given, tmp_path)
    assert "of another corpus or recipe" in caplog.text
    assert contents(folder) == contents(train_tagger("bilstm_crf", *given, tmp_path / "alone"))


def rated(rate: float) -> Recipe:
    return replace(TINY, bilstm=replace(TINY.bilstm, rate=rate))


def test_a_loss_that_is_no_number_stops_and_leaves_the_model(tmp_path: Path) -> None:
    served = contents(train_tagger("bilstm_crf", letters(), TINY, tmp_path))
    with pytest.raises(InputRefused, match=r"bilstm_crf 1, epoch \d, batch \d+: the loss is not a finite.*--rate"):
        train_tagger("bilstm_crf", letters(), rated(3e9), tmp_path)
    assert contents(tmp_path / "bilstm_crf") == served


def test_a_full_disk_at_a_checkpoint_is_survived(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    served = contents(train_tagger("bilstm_crf", letters(), replace(TINY, seed=7), tmp_path))
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(InputRefused, match="cannot be written; an earlier one stays"):
            train_tagger("bilstm_crf", letters(), TINY, tmp_path, save_every=0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "no checkpoint was written" in caplog.text
    assert contents(tmp_path / "bilstm_crf") == served
    assert not list(tmp_path.glob(".*"))


def test_a_checkpoint_that_cannot_be_replaced_does_not_stop_the_training(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "out" / ".bilstm_crf.checkpoint.part").mkdir(parents=True)
    with caplog.at_level(logging.WARNING):
        folder = train_tagger("bilstm_crf", letters(), TINY, tmp_path / "out", save_every=0)
    assert "no checkpoint was written" in caplog.text
    assert (folder / WEIGHTS).is_file()


def test_a_damaged_checkpoint_is_set_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "state"
    path.write_bytes(b"\x10\x00\x00\x00\x00\x00\x00\x00{}")
    assert Checkpoint(path, "a").restore("one", nn.Linear(2, 2)) is None
    assert "cannot be read" in caplog.text


def test_finished_stages_are_kept_with_the_present_one(tmp_path: Path) -> None:
    path, model = tmp_path / "state", nn.Linear(2, 2)
    first = Checkpoint(path, "a", every=0)
    first.finish("one", {"result": torch.arange(3)})
    first.offer(Position("two", 4, 5), model)
    second, other = Checkpoint(path, "a"), nn.Linear(2, 2)
    assert torch.equal((second.result("one") or {})["result"], torch.arange(3))
    assert second.result("two") is None
    assert second.restore("one", other) is None
    assert second.restore("two", other) == Position("two", 4, 5)
    assert torch.equal(model.weight, other.weight)


@pytest.mark.parametrize("kind", ["crf", "bilstm_crf"])
@pytest.mark.parametrize("documents", [[], [GoldDocument(Document("a", "Vu ce jour."), (), "a")]])
def test_documents_without_mentions_are_refused(kind: str, documents: list[GoldDocument], tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match=r"\d documents without a mention"):
        train_tagger(kind, documents, TINY, tmp_path)


@pytest.mark.parametrize("kind", ["crf", "bilstm_crf"])
def test_a_label_without_example_is_named_and_the_rest_is_learned(kind: str, tmp_path: Path) -> None:
    some = [replace(one, mentions=tuple(m for m in one.mentions if m.label != "NIR")) for one in letters()]
    folder = train_tagger(kind, some, TINY, tmp_path)
    manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    assert "NIR" in manifest["training"]["without_example"]
    assert "DATE" not in manifest["training"]["without_example"]
    assert load_file(folder / WEIGHTS)
