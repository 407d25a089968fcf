"""Nights under seeded faults, by the command that `make faults` runs, on a server of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.folders import MEMORY, has_room

# Each command starts a PostgreSQL, and plays two nights without faults and two under each schedule.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def faults(*arguments: object) -> tuple[int, list[dict[str, Any]]]:
    """Run schedules; return the exit status and one object per schedule."""
    command = [sys.executable, "-m", "benchmarks.faults", "--json", *map(str, arguments)]
    environment = {**os.environ, **({"TMPDIR": str(MEMORY)} if has_room() else {})}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_every_schedule_of_faults_ends_in_the_same_state_and_those_played_are_kept(tmp_path: Path) -> None:
    kept = tmp_path / "faults.jsonl"
    _, first = faults("--schedules", 1, "--seed", 1001, "--kept", kept)
    status, schedules = faults("--schedules", 3, "--seed", 1001, "--kept", kept)
    assert schedules[:1] == first
    assert len(kept.read_text(encoding="utf-8").splitlines()) == len(schedules) == 3
    assert {one["seed"]: one["differs"] for one in schedules} == {seed: {} for seed in range(1001, 1004)}
    assert status == 0
    assert len({kind for one in schedules for kind in one["struck"]}) >= 5


def test_a_lost_mention_is_told_from_the_end_state_without_faults() -> None:
    status, (schedule,) = faults("--schedules", 1, "--seed", 1001, "--plant")
    assert status == 1
    assert schedule["differs"]["mentions"] == [1, 0]
