"""Words of the demonstration when another command stops it, or Airflow ends by itself."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import typer

from demo.airflow import Airflow
from demo.cli import stoppable
from demo.rest import AirflowRefused, Interface
from demo.scenario import airflow_for_a_while
from tests.ports import reserve_port


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that leads a session, as the supervisor of the Airflow of `tmp_path` does."""
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    started = psutil.Process(process.pid).create_time()
    (tmp_path / "airflow").mkdir()
    (tmp_path / "airflow" / "supervisor.json").write_text(json.dumps({"pid": process.pid, "started": started}))
    yield process
    process.kill()
    process.wait()


def test_a_demonstration_that_make_down_stops_says_so(
    tmp_path: Path, supervisor: subprocess.Popen[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    def demonstration() -> None:
        with stoppable(), airflow_for_a_while(Airflow(tmp_path)):
            assert Airflow(tmp_path).stop()
            raise AirflowRefused("Airflow does not answer GET dags.")

    with pytest.raises(typer.Exit) as left:
        demonstration()
    assert left.value.exit_code == 1
    assert capsys.readouterr().err == "deid : arrêté par make down ; make demo reprend.\n"
    assert supervisor.wait(timeout=10) != 0


@pytest.mark.usefixtures("supervisor")
def test_it_knows_so_from_the_moment_on_that_the_processes_are_asked_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, seen = Airflow(tmp_path), []
    terminate = psutil.Process.terminate
    monkeypatch.setattr(psutil.Process, "terminate", lambda one: (seen.append(ours.stopped), terminate(one)))
    assert not ours.stopped
    Airflow(tmp_path).stop()
    assert seen == [True]
    assert (ours.stopped, ours.running()) == (True, False)


@pytest.mark.usefixtures("supervisor")
def test_another_failure_is_told_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(AirflowRefused, match="was not published"), stoppable(), airflow_for_a_while(Airflow(tmp_path)):
        raise AirflowRefused("2026-10-29 was not published.")


def test_an_airflow_that_has_ended_is_asked_once(capsys: pytest.CaptureFixture[str]) -> None:
    interface = Interface(f"http://127.0.0.1:{reserve_port()}", "admin", "", alive=lambda: False)
    with pytest.raises(AirflowRefused, match="Airflow has ended by itself"):
        interface.dags()
    assert capsys.readouterr().err == ""
