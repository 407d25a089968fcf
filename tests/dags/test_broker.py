"""A broker that is away, on the scheduler's own code and a real Redis."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dags.test_celery import REDIS, SETTINGS, Redis

pytestmark = [
    pytest.mark.slow,  # each process imports Airflow
    pytest.mark.skipif(REDIS is None, reason="redis-server is not installed (Debian: apt install redis-server)"),
]
TWO_MINUTES = 120
# A task is sent as the scheduler sends it, twice, and then until it has left: its states, its tries, seconds of one.
SENDING = """
import json, time
from types import SimpleNamespace
from airflow.providers.celery.executors.celery_executor import CeleryExecutor
executor = CeleryExecutor()
def send():
    executor._send_workloads([("task", SimpleNamespace(model_dump_json=lambda: "{}"), "gpu", None)])
    return [state for state, _ in executor.event_buffer.values()]
states = [send()]
began = time.monotonic()
states.append(send())
took = time.monotonic() - began
print(json.dumps({"states": states, "tries": executor.workload_publish_max_retries, "seconds": took}), flush=True)
input()
until = time.monotonic() + 60
while not (last := send()) and time.monotonic() < until:
    pass
print(json.dumps(last), flush=True)
"""


def sending(broker: Redis, settings: dict[str, str]) -> subprocess.Popen[str]:
    """A process that sends a task to a broker."""
    store = f"sqlite:///{broker.home / 'airflow.db'}"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")},
        "AIRFLOW_HOME": str(broker.home),
        **settings,
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": store,
        "AIRFLOW__CELERY__BROKER_URL": broker.address,
        "AIRFLOW__CELERY__RESULT_BACKEND": f"db+{store}",
    }
    command = [sys.executable, "-c", SENDING]
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def told(process: subprocess.Popen[str]) -> object:
    """The next JSON that the process says, between lines of Airflow's log."""
    assert process.stdout
    return next(json.loads(line) for line in process.stdout if line.startswith(("{", "[]", '["')))


def test_a_broker_that_is_away_for_two_minutes_fails_no_task(tmp_path: Path) -> None:
    """There are enough tries, each as long as the broker may be silent; one that is back is given the task."""
    broker = Redis(tmp_path)
    with sending(broker, SETTINGS) as process:
        away = told(process)
        assert isinstance(away, dict)
        assert away["states"] == [[], []]
        assert away["tries"] * min(away["seconds"], 1) > TWO_MINUTES
        broker.start()
        try:
            assert process.stdin
            print(file=process.stdin, flush=True)
            assert told(process) == ["queued"]
        finally:
            broker.stop()


def test_by_airflow_s_own_values_it_does(tmp_path: Path) -> None:
    own = {name: value for name, value in SETTINGS.items() if "PUBLISH" not in name and "EXTRA" not in name}
    with sending(Redis(tmp_path), own) as process:
        away = told(process)
        assert isinstance(away, dict)
        assert away["states"][0] == ["failed"]
        process.kill()
