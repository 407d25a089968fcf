"""The last night of the demonstration, left to people, with an Airflow that ends what it is given at once."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from deid.config.policy import Release, load
from deid.config.settings import settings
from deid.release.rules import approval_needed
from demo import progress, scenario
from demo.airflow import Airflow
from demo.cli import app
from demo.progress import Progress
from demo.scenario import ANSWERED, DEIDENTIFY, REFRESH, RELEASE, Scale, Scenario

SCALE = Scale(nights=4)
LAST = "2026-10-04"
Run = dict[str, Any]


@dataclass
class Instant:
    """Airflow's interface: each run succeeds at once, but a release that its policy leaves to a person.

    The first interval raises a warning. A run that finds nothing new stages nothing.
    """

    policy: Path
    held: dict[str, dict[str, Run]] = field(default_factory=lambda: {DEIDENTIFY: {}, RELEASE: {}, REFRESH: {}})
    answers: list[str] = field(default_factory=list)

    def healthy(self) -> bool:
        return True

    def dags(self) -> dict[str, bool]:
        return dict.fromkeys(self.held, False)

    def put_pool(self, name: str, pool: Mapping[str, Any]) -> None: ...

    def unpause(self, dag_id: str) -> None: ...

    def run(self, dag_id: str, run_id: str) -> Run | None:
        return self.held[dag_id].get(run_id)

    def runs(self, dag_id: str) -> list[Run]:
        return list(self.held[dag_id].values())

    def steps(self, *_: str) -> list[Run]:
        return []

    def trigger(self, dag_id: str, run_id: str, *_: object, **_conf: object) -> None:
        self._made(dag_id, run_id, staged=dag_id == DEIDENTIFY and "again" not in run_id)

    def backfill(self, dag_id: str, first: datetime, _last: datetime, **_: object) -> bool:
        made = self._made(dag_id, f"{first:%Y-%m-%d}", staged=True)
        made |= {"run_type": "backfill", "logical_date": first.isoformat()}
        return True

    def _made(self, dag_id: str, run_id: str, *, staged: bool) -> Run:
        made = self.held[dag_id][run_id] = {"dag_run_id": run_id, "run_type": "manual", "state": "success"}
        if staged:
            made["result"] = {"staged": 3, "quarantined": 0, "withdrawn": 0, "interval_key": run_id}
            needed = approval_needed(self._asks.approval, critical=0, warnings=len(self.held[DEIDENTIFY]) == 1)
            lacks = self._asks.approvals if needed else 0
            state = "running" if lacks else "success"
            task = {"dag_id": RELEASE, "dag_run_id": f"release_{run_id}"}
            self.held[RELEASE][f"release_{run_id}"] = {**task, "partition_key": run_id, "state": state, "lacks": lacks}
        return made

    @property
    def _asks(self) -> Release:
        return load(self.policy if self.policy.exists() else None).release

    def result(self, dag_id: str, run_id: str, _task: str) -> Any:
        return self.held[dag_id][run_id].get("result") if dag_id == DEIDENTIFY else {"published": 3}

    def questions(self, dag_id: str) -> Iterator[Run]:
        yield from [{"task_instance": one} for one in self.runs(dag_id) if one["lacks"]]

    def answer(self, task: Run, _chosen: str, **_form: object) -> None:
        self.answers.append(task["partition_key"])
        task["lacks"] -= 1
        task["state"] = "running" if task["lacks"] else "success"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a demonstration whose synthetic warehouse is loaded, and whose Airflow runs."""
    names = ("NOCTURNE_AIRFLOW_DSN", "NOCTURNE_STEWARD_DSN")
    (tmp_path / "nocturne.env").write_text("".join(f"{name}=postgresql://nobody@localhost/x\n" for name in names))
    (tmp_path / scenario.MARKER).write_text(f'{{"loaded": "{LAST}"}}')
    Airflow(tmp_path).configure()
    monkeypatch.setattr(Airflow, "running", lambda _: True)
    monkeypatch.setattr(Airflow, "stopped", False)
    monkeypatch.setattr(progress, "POLL_S", 0)
    monkeypatch.setattr(scenario, "make_visible", lambda _: None)
    monkeypatch.setattr(scenario, "counts", lambda *_, **__: [{"seen": 9, "planned": 0}])
    return tmp_path


@pytest.fixture
def instant(home: Path, monkeypatch: pytest.MonkeyPatch) -> Instant:
    made = Instant(Airflow(home).policy)
    monkeypatch.setattr(scenario, "Interface", lambda *_: made)
    return made


def run(home: Path) -> str:
    """Run the scenario; return what it said."""
    said = io.StringIO()
    Scenario(home, SCALE, Airflow(home), Progress(said)).run()
    return said.getvalue()


def test_the_last_night_waits_for_two_people_until_they_have_answered(home: Path, instant: Instant) -> None:
    Airflow(home).policy.write_text(ANSWERED)
    waits = f"la dernière nuit attend une décision, la vôtre : make up, puis {Airflow(home).pages}\n"
    answered = ["demo_2026-10-01_2026-10-02"]
    for _ in range(2):
        assert run(home).endswith(waits)
        assert instant.answers == answered  # by the demonstration
    (last,) = instant.questions(RELEASE)
    instant.answer(last["task_instance"], "")
    assert run(home).endswith(waits)
    instant.answer(last["task_instance"], "")
    assert instant.answers == [*answered, LAST, LAST]
    said = run(home)
    assert f"nuit du {LAST} : 3 publiés" in said
    assert said.endswith("toutes les nuits de nouveau : 9 documents vus, 0 nouveaux\n")


def test_without_it_every_night_is_answered(home: Path, instant: Instant) -> None:
    assert f"nuit du {LAST} : 3 publiés" in run(home)
    assert {one["state"] for one in instant.runs(RELEASE)} == {"success"}
    assert not Airflow(home).policy.exists()


def test_airflow_has_the_policy_of_the_home_unless_a_setting_names_another(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOCTURNE_POLICY", raising=False)
    settings.cache_clear()
    assert "NOCTURNE_POLICY" not in Airflow(home).configure()
    Airflow(home).policy.write_text(ANSWERED)
    assert Airflow(home).configure()["NOCTURNE_POLICY"] == str(Airflow(home).policy)
    monkeypatch.setenv("NOCTURNE_POLICY", "/srv/ours.yaml")
    settings.cache_clear()
    assert Airflow(home).configure()["NOCTURNE_POLICY"] == "/srv/ours.yaml"


def refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Ask for a last night that waits; return why there is none."""
    monkeypatch.setenv("NOCTURNE_HOME", str(home))
    settings.cache_clear()
    done = CliRunner().invoke(app, ["run", "--ask"])
    assert (done.exit_code, Airflow(home).policy.exists()) == (2, False)
    return done.stderr


def test_nights_that_are_decided_cannot_wait(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--ask is for its first run. `make reset`." in refused(home, monkeypatch)


@pytest.mark.parametrize("running", [True, False])
def test_an_airflow_with_another_policy_is_not_asked(
    running: bool, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / scenario.MARKER).unlink()
    monkeypatch.setattr(Airflow, "running", lambda _: running)
    if not running:
        monkeypatch.setenv("NOCTURNE_POLICY", "/srv/ours.yaml")
    assert "another policy than that of --ask. `make down`; unset NOCTURNE_POLICY." in refused(home, monkeypatch)


def test_a_policy_of_the_hospital_beside_it_is_left_alone(home: Path, instant: Instant) -> None:
    ours = home / "policy.yaml"
    ours.write_text("extends: strict\n")
    assert f"nuit du {LAST} : 3 publiés" in run(home)
    assert (ours.read_text(), instant.answers) == ("extends: strict\n", ["demo_2026-10-01_2026-10-02"])
