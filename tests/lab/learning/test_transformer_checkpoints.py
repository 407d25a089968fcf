"""Trainings that are killed, diverge or meet a full disk, and trainings of several processes."""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

from deid.detection.annotators.transformer import Transformer
from deid.domain.errors import InputRefused
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from nocturne_lab.evaluation.markup import write_marked
from nocturne_lab.learning.checkpoints import restore
from nocturne_lab.learning.transformer.checkpoints import Checkpoints, Position
from nocturne_lab.learning.transformer.optimization import TrainingDiverged
from nocturne_lab.learning.transformer.plan import Plan
from nocturne_lab.learning.transformer.training import train_transformer, training_hash
from tests.lab.learning.transformer_encoders import encoder
from tests.lab.learning.transformer_letters import letters

MEASURED = ("loss", "token_f1", "overlap_f1", "epoch")


# The command line, killed behind the first save in the middle of the second epoch.
KILLED = """
import os, signal, sys
from deid.cli import main
from nocturne_lab.learning.transformer.checkpoints import Checkpoints
save = Checkpoints.save
def save_and_die(self, at, tensors):
    save(self, at, tensors)
    if at.epoch >= 1 and at.step >= 2:
        os.kill(os.getpid(), signal.SIGKILL)
Checkpoints.save = save_and_die
sys.exit(main())
"""


def _plan(start: Path, **changes: Any) -> Plan:
    asked = {"epochs": 4, "length": 96, "batch": 2, "learning_rate": 3e-3, "held_out": 0.2} | changes
    return Plan.model_validate({"start": str(start), "checkpoint_minutes": 0, "fine_tuning": asked})


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def _corpus(folder: Path) -> list[GoldDocument]:
    folder.mkdir()
    for gold in letters():
        (folder / f"{gold.document.id}.txt").write_text(write_marked(gold.document.text, gold.mentions), "utf-8")
    return load_corpus(folder)


def _command(plan: Plan, folder: Path) -> list[str]:
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan.model_dump(mode="json")))
    options = ["--config", str(folder / "plan.yaml"), "--corpus", str(folder / "corpus"), "--out", str(folder / "out")]
    return ["-m", "nocturne_lab.learning.transformer", *options]


@pytest.mark.slow
def test_a_killed_training_resumes_to_the_same_measures(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    plan, documents = _plan(encoder("mbert", tmp_path), head="crf"), _corpus(tmp_path / "corpus")
    whole = train_transformer(plan, documents, tmp_path / "whole")
    out, work = tmp_path / "models" / "transformer", tmp_path / "models" / ".transformer.training"
    _command(plan, tmp_path)
    command = [sys.executable, "-c", KILLED, "train", str(tmp_path / "corpus"), "--kind", "transformer", "--seed", "7"]
    command += ["--plan", str(tmp_path / "plan.yaml"), "--start", str(plan.start), "--out", str(out.parent)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not out.exists()
    assert (
        Checkpoints(work, training_hash(_plan(Path(str(plan.start))), documents, Path(str(plan.start))), 0).load()
        is None
    )
    assert Checkpoints(work, training_hash(plan, documents[1:], Path(str(plan.start))), 0).load() is None
    with caplog.at_level(logging.INFO):
        card = train_transformer(plan, documents, out)
    assert "Training resumes after" in caplog.text
    for name in MEASURED:
        assert card.measures[name] == pytest.approx(whole.measures[name], rel=1e-3), name
    assert not work.exists()
    assert Transformer(str(out), precision="fp32").version.startswith("transformer-")


@pytest.mark.parametrize("content", [b"", b"\x10" * 400])
def test_a_damaged_checkpoint_is_not_read(content: bytes, tmp_path: Path) -> None:
    kept = Checkpoints(tmp_path, "a", 0)
    kept.save(Position(1, 2, 1, {"token_f1": 0.5}), {"x": torch.ones(2)})
    found = kept.load()
    assert found is not None
    assert found[0] == Position(1, 2, 1, {"token_f1": 0.5})
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert kept.load() is None


def test_a_loss_that_is_no_number_stops_and_serves_as_before(tmp_path: Path) -> None:
    start = encoder("mbert", tmp_path)
    train_transformer(_plan(start, epochs=1), letters(8), tmp_path / "out")
    before = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()}
    with pytest.raises(TrainingDiverged, match="not a finite number"):
        train_transformer(_plan(start, learning_rate=1e30, warm_up=0), letters(8), tmp_path / "out")
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == before


@contextmanager
def _largest_file(size: int) -> Iterator[None]:
    """Files cannot grow beyond `size` bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_survived_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    plan = _plan(encoder("mbert", tmp_path), epochs=1)
    size = (tmp_path / "mbert" / "model.safetensors").stat().st_size
    with _largest_file(2 * size):  # the model fits, a checkpoint with the optimizer's state does not
        card = train_transformer(plan, letters(8), tmp_path / "out")
    assert "no checkpoint was written" in caplog.text
    assert card.measures["epoch"] == 1
    before = (tmp_path / "out" / "nocturne.json").read_bytes()
    with _largest_file(size // 8), pytest.raises(InputRefused, match="as it was"):
        train_transformer(plan, letters(8), tmp_path / "out")
    assert (tmp_path / "out" / "nocturne.json").read_bytes() == before


def test_a_kill_between_the_renames_loses_no_model(tmp_path: Path) -> None:
    (tmp_path / ".out.before").mkdir()
    (tmp_path / ".out.before" / "config.json").write_text("{}")
    restore(tmp_path / "out")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["config.json"]
    restore(tmp_path / "out")
    assert (tmp_path / "out" / "config.json").exists()


@pytest.mark.slow
def test_two_processes_learn_what_one_does(tmp_path: Path) -> None:
    documents = _corpus(tmp_path / "corpus")
    plan = _plan(encoder("mbert", tmp_path), epochs=2, dropout=0, batch=5, accumulate=2)
    alone = train_transformer(plan, documents, tmp_path / "alone")
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    done = subprocess.run(
        [sys.executable, *launch, *_command(plan, tmp_path)],
        capture_output=True, text=True, check=False, timeout=270,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    card = json.loads((tmp_path / "out" / "nocturne.json").read_text())
    assert card["measures"]["loss"] == pytest.approx(alone.measures["loss"], rel=2e-3)
    assert done.stderr.count("epoch 2: F1") == 2  # both ran
    assert json.loads(done.stdout) == card["measures"]  # one spoke
