"""A study in PostgreSQL: shared by workers, taken up after a kill, refused to another plan."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from deid.config.settings import settings
from deid.domain.errors import SettingsError, WarehouseUnreachable
from nocturne_lab.learning.transformer import tuning
from nocturne_lab.learning.transformer.plan import Plan, load_plan
from nocturne_lab.learning.transformer.tuning import tune
from tests.conftest import Database
from tests.lab.learning.transformer_encoders import encoder
from tests.lab.learning.transformer_letters import letters

_WORKER = """
import sys, torch
from pathlib import Path
from nocturne_lab.learning.transformer.plan import load_plan
from nocturne_lab.learning.transformer.tuning import tune
from tests.lab.learning.transformer_letters import letters
torch.set_num_threads(1)
plan, folder, trials = sys.argv[1:]
tune(load_plan(Path(plan)), letters(8), Path(folder), int(trials))
"""


def _worker(folder: Path, trials: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _WORKER, str(folder / "plan.yaml"), str(folder), str(trials)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(Path.cwd())}, stderr=subprocess.PIPE)


@pytest.mark.slow
def test_workers_share_a_study_and_take_up_what_a_killed_one_left(
    postgres: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.set_num_threads(1)
    monkeypatch.setenv("NOCTURNE_TUNING_DSN", postgres.owner)
    settings.cache_clear()
    start = encoder("mbert", tmp_path)
    (tmp_path / "plan.yaml").write_text(
        f"{{start: {start}, checkpoint_minutes: 0, fine_tuning: "
        "{epochs: 30, length: 64, held_out: 0.3, batch: 2, patience: 30}}"
    )
    killed = _worker(tmp_path, 3)
    until = time.monotonic() + 240
    while not list(tmp_path.glob("trial-0/*.safetensors")) and time.monotonic() < until:
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    # The next starts after the killed one has given no sign for longer than a living one ever does.
    postgres.rows("UPDATE tuning.trial_heartbeats SET heartbeat = heartbeat - interval '1 hour'")
    other = _worker(tmp_path, 3)
    best = tune(load_plan(tmp_path / "plan.yaml"), letters(8), tmp_path, 3)
    _, said = other.communicate(timeout=240)
    assert other.returncode == 0, said
    states = dict(postgres.rows("SELECT number, state::text FROM tuning.trials"))
    assert states.pop(0) == "FAIL"
    assert list(states.values()).count("COMPLETE") >= 3
    retried = postgres.rows("SELECT value_json FROM tuning.trial_system_attributes WHERE key = 'failed_trial'")
    assert retried == [("0",)]
    assert not list(tmp_path.glob("trial-*"))
    assert load_plan(tmp_path / "best.yaml") == best
    assert {file.name for file in tmp_path.glob("*.svg")} >= {"history.svg", "slices.svg"}
    assert postgres.rows("SELECT count(*) FROM pg_tables WHERE tablename = 'trials' AND schemaname <> 'tuning'") == [
        (0,)
    ]
    other_plan = Plan.model_validate({"start": str(start), "seed": 8})
    name = postgres.rows("SELECT study_name FROM tuning.studies")[0][0]
    with pytest.raises(SettingsError, match="another plan"):
        tune(other_plan, letters(8), tmp_path, 1, study=name)


def test_a_worker_counted_as_killed_while_it_was_held_up_goes_on(
    postgres: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCTURNE_TUNING_DSN", postgres.owner)
    settings.cache_clear()
    calls = []

    def held_up(*_: object) -> SimpleNamespace:
        calls.append(1)
        if len(calls) == 1:
            postgres.rows("UPDATE tuning.trials SET state = 'FAIL' WHERE state = 'RUNNING'")
        return SimpleNamespace(measures={"token_f1": 0.5})

    monkeypatch.setattr(tuning, "fine_tune", held_up)
    plan = Plan.model_validate({"start": str(encoder("mbert", tmp_path)), "fine_tuning": {"held_out": 0.3}})
    tune(plan, letters(8), tmp_path, 2)
    states = [state for (state,) in postgres.rows("SELECT state::text FROM tuning.trials ORDER BY number")]
    assert states == ["FAIL", "COMPLETE", "COMPLETE"]


def test_a_database_that_does_not_answer_is_said_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCTURNE_TUNING_DSN", "postgresql://one:hunter2@127.0.0.1:1/none")
    settings.cache_clear()
    plan = Plan.model_validate({"start": str(encoder("mbert", tmp_path))})
    with pytest.raises(WarehouseUnreachable) as refused:
        tune(plan, letters(8), tmp_path, 1)
    assert "hunter2" not in str(refused.value)
