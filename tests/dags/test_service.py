"""A whole Airflow of its own, as `make up` starts it: backfill by command, one release each, SIGKILL in the middle.

Detection is by rules: every task is a process of its own, and what is tried here is the flow, not the models.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg2
import pytest
from playwright.sync_api import Browser

from deid.config.settings import settings
from deid.database.embedded import EmbeddedServer
from deid.refresh.refreshing import refresh
from deid.refresh.sources import SOURCES
from deid.reports.numbers import Writer
from deid.schema.provision import provision, read_env
from demo.airflow import ADMIN, STEWARD, Airflow, kill_session
from demo.progress import Follower, Progress
from demo.rest import Interface
from demo.scenario import DEIDENTIFY, REFRESH, RELEASE, make_ready
from tests.conftest import SECRET, Database
from tests.dags import deciding, mail, searching
from tests.database.warehouse.nights import night, published, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw
from tests.ports import reserve_port

# Whole nights of an Airflow whose tasks are processes of their own; one wait is 400 s.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
NIGHTS = [f"2026-03-0{day}" for day in (2, 3, 4)]
EARLIER = NIGHT - 20 * DAY
DECIDED = {NIGHT - 9 * DAY: "Permise", NIGHT - 8 * DAY: "Retenue"}  # night → the document that came in it


# A night has a minute: it is due at 3:31.
POLICY = """
extends: rules
name: service
release: {approval: never, ready_by: "03:31", visible: nightly}
"""


@dataclass(frozen=True)
class Provisioned(Database):
    """The product's database of a provisioned machine."""

    deployment: dict[str, str]

    def dsn(self, role: str) -> str:
        """Connection string of a role, from the settings file."""
        return self.deployment[f"NOCTURNE_{role.upper()}_DSN"]


@dataclass(frozen=True)
class Service:
    """A running Airflow, its interface and its warehouse."""

    home: Path
    airflow: Airflow
    interface: Interface
    hospital: Provisioned

    def settled(self, dag_id: str, run_id: str) -> str:
        """Wait for a run; its state."""
        return Follower(self.interface, Progress(), alive=self.airflow.running).follow(dag_id, run_id, "test")

    def until(self, condition: Any, seconds: float = 400) -> Any:
        """Wait for something to be true, and return it."""
        deadline = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < deadline, "it did not come"
            time.sleep(1)
        return value

    def command(self, *arguments: str) -> str:
        """Run an `airflow` command as an operator would."""
        done = subprocess.run(
            [sys.executable, "-m", "airflow", *arguments],
            env=self.airflow.configure(),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout


@pytest.fixture(scope="module")
def mailbox() -> Iterator[mail.Mailbox]:
    with mail.mailbox() as box:
        yield box


@pytest.fixture(scope="module")
def service(mailbox: mail.Mailbox) -> Iterator[Service]:
    """PostgreSQL, Airflow and a warehouse with three nights: new documents, a correction, a withdrawal."""
    # Not under pytest's own folder: each new pytest closes that one to other users, PostgreSQL's among them.
    home = Path(tempfile.mkdtemp(prefix="nocturne-tests-"))
    policy = home / "policy.yaml"
    policy.write_text(POLICY, encoding="utf-8")
    file = provision(home)
    added = {
        "NOCTURNE_POLICY": str(policy),
        "NOCTURNE_SECRET": SECRET,
        **mail.connection(mailbox.port, to=["donnees@chu.example"]),
    }
    lines = [f"{name}={value}\n" for name, value in added.items()]
    file.write_text(file.read_text(encoding="utf-8") + "".join(lines), encoding="utf-8")
    deployment = read_env(file)
    server = EmbeddedServer(home)
    hospital = Provisioned(server.uri("postgres"), urlsplit(deployment["NOCTURNE_OWNER_DSN"]).path[1:], deployment)
    fill(hospital)
    airflow = Airflow(home, reserve_port())
    try:
        service = start(Service(home, airflow, Interface(airflow.url, ADMIN, ""), hospital))
        service.interface.trigger(REFRESH, "references")
        assert service.settled(REFRESH, "references") == "success"
        yield service
    finally:
        airflow.stop()
        server.stop()
        shutil.rmtree(home)


def start(service: Service) -> Service:
    """Start Airflow and wait until it can work."""
    airflow = service.airflow
    airflow.start(detached=True)
    interface = Interface(airflow.url, ADMIN, airflow.password(ADMIN))
    make_ready(interface, Follower(interface, Progress(), alive=airflow.running), airflow)
    return Service(service.home, airflow, interface, service.hospital)


def fill(hospital: Provisioned) -> None:
    """Three nights, and six documents of an earlier one for the drill."""
    open_hospital(hospital)
    hospital.rows(searching.PATIENT, role="owner")
    for number in range(3):
        put(hospital, f"first{number}", f"{LETTER}\nExemplaire {'abc'[number]}.")
    put(hospital, "canary", searching.LETTER, patient="P000009", stay_id="S000009", at=NIGHT + DAY)
    put(hospital, "page", PAGE, patient="P000002", format="text/html", at=NIGHT + DAY)
    put(hospital, "last", LETTER + "\nDernier.", at=NIGHT + 2 * DAY)
    put(hospital, "gone", LETTER + "\nRetiré.", at=NIGHT)
    withdraw(hospital, "gone", NIGHT + 2 * DAY)
    put_earlier(hospital)


def put_earlier(hospital: Database) -> None:
    """Six documents of an earlier night."""
    for number in range(6):
        put(hospital, f"earlier{number}", f"{LETTER}\nAncien {'abcdef'[number]}.", at=EARLIER)


def test_a_backfill_of_three_nights_gives_one_release_each(service: Service) -> None:
    service.command(
        *("backfill", "create", "--dag-id", DEIDENTIFY, "--max-active-runs", "2"),
        *("--from-date", "2026-03-02T00:00+01:00", "--to-date", "2026-03-05T00:00+01:00"),
        *("--dag-run-conf", '{"reason": "essai de reprise"}'),
    )
    runs = service.until(lambda: backfilled(service))
    assert [service.settled(DEIDENTIFY, run["dag_run_id"]) for run in runs] == ["success"] * 3
    releases = service.until(lambda: released(service))
    assert sorted(run["partition_key"] for run in releases) == NIGHTS
    assert [service.settled(RELEASE, run["dag_run_id"]) for run in releases] == ["success"] * 3
    time.sleep(5)  # a time for a fourth to come in, not for a condition
    assert len(released(service) or []) == 3
    kept = service.hospital.rows("SELECT interval_key FROM deid.release WHERE published_at IS NOT NULL ORDER BY 1")
    assert [key for (key,) in kept] == NIGHTS
    assert set(states(service.hospital).values()) == {"published"}
    assert len(published(service.hospital)) == 6
    asked = service.hospital.rows("SELECT DISTINCT reason FROM deid.run WHERE interval_key = ANY(%s)", (NIGHTS,))
    assert asked == [("essai de reprise",)]


def test_no_trace_of_a_patient_in_airflow(service: Service) -> None:
    dsn = service.airflow.configure()["NOCTURNE_AIRFLOW_DSN"]
    tables = searching.postgres_cells(dsn, ["public"])
    logs = searching.files(service.airflow.home, service.home / "reports")
    assert searching.found([*tables, *logs, ("postgres.log", (service.home / "postgres.log").read_text())]) == set()
    assert "task_instance" in {name.split(".")[1] for name, _ in searching.postgres_cells(dsn, ["public"])}


def test_killed_in_the_middle_it_ends_in_the_same_rows(
    service: Service, postgres: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = "drill"
    interval = (EARLIER, EARLIER + DAY)
    service.interface.trigger(DEIDENTIFY, run_id, interval, reason="exercice", batch_size=2)
    service.until(lambda: done(service, run_id, "batch.detect") >= 1)
    assert service.airflow.pid
    kill_session(service.airflow.pid)
    service.until(lambda: not service.airflow.running(), 30)
    assert done_in_database(service.hospital) < 6

    again = start(service)
    assert again.settled(DEIDENTIFY, run_id) == "success"
    key = str(EARLIER.date())
    release = again.until(lambda: [run for run in again.interface.runs(RELEASE) if run["partition_key"] == key])
    assert again.settled(RELEASE, release[0]["dag_run_id"]) == "success"
    rows = [row for row in published(service.hospital) if row[3] and "Ancien" in row[6]]
    assert len(rows) == 6
    assert rows == undisturbed(postgres, service, monkeypatch)


def undisturbed(postgres: Database, service: Service, monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    """Return the publication of the same documents, secret and policy without a killed process."""
    for name, value in postgres.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("NOCTURNE_SECRET", service.hospital.deployment["NOCTURNE_SECRET"])
    monkeypatch.setenv("NOCTURNE_POLICY", str(service.home / "policy.yaml"))
    settings.cache_clear()
    for source in SOURCES:
        refresh(source, dsn=postgres.dsn("refresher"))
    open_hospital(postgres)
    put_earlier(postgres)
    night("drill", EARLIER)
    return published(postgres)


@pytest.fixture(scope="module")
def asked(service: Service, mailbox: mail.Mailbox) -> Iterator[dict[str, str]]:
    """Two nights on which a person must decide, the first of which waits until it is late: interval → release run."""
    policy = service.home / "policy.yaml"
    asked_of_nobody = policy.read_text(encoding="utf-8")
    policy.write_text(asked_of_nobody.replace("approval: never", "approval: always"), encoding="utf-8")
    for night_, name in DECIDED.items():
        put(service.hospital, name, f"{LETTER}\n{name}.", at=night_)
    late, other = DECIDED
    with closing(psycopg2.connect(service.hospital.owner)) as link, link, link.cursor() as cursor:
        cursor.execute("LOCK TABLE deid.run IN ACCESS EXCLUSIVE MODE")
        decide(service, late)
        service.until(lambda: any(late_subject(str(late.date())) in mail.told(message) for message in mailbox.messages))
    decide(service, other)
    keys = [str(night_.date()) for night_ in DECIDED]
    assert [service.settled(DEIDENTIFY, key) for key in keys] == ["success"] * 2
    yield {key: service.until(lambda key=key: asking(service, key)) for key in keys}
    policy.write_text(asked_of_nobody, encoding="utf-8")


def late_subject(key: str) -> str:
    """Beginning of the alert of a late night."""
    return f"n{Writer('fr').interval(key)[1:]} : pas prêt à l'heure prévue"


def decide(service: Service, night_: datetime) -> None:
    service.interface.trigger(DEIDENTIFY, str(night_.date()), (night_, night_ + DAY), reason="essai de décision")


def test_a_night_that_is_late_is_told_by_mail(asked: dict[str, str], mailbox: mail.Mailbox) -> None:
    told = [mail.told(message) for message in mailbox.messages]
    assert any(late_subject(next(iter(asked))) in message for message in told)
    assert not any(name in message for message in told for name in ("VASSEROT", *DECIDED.values()))


def test_a_steward_in_a_browser_lets_a_night_out_and_holds_another_back(
    service: Service, asked: dict[str, str], browser: Browser
) -> None:
    approved, rejected = asked
    # Airflow fails a task whose answer comes before its scheduler has noted the pause; a person reads for longer.
    service.until(lambda: all(paused(service, run) for run in asked.values()))
    with deciding.steward(browser, service.airflow) as page:
        deciding.answer(page, service.airflow, approved, "Approuver", "lu")
        deciding.answer(page, service.airflow, rejected, "Rejeter", "trop d'alertes")
        assert [service.settled(RELEASE, run) for run in asked.values()] == ["success"] * 2
        page.goto(f"{service.airflow.pages}releases")
        states = {key: page.locator("tr", has=page.locator(f'a[href$="{key}"]')).inner_text() for key in asked}
    assert "Publié" in states[approved]
    assert "Rejeté" in states[rejected]
    texts = [row[6] for row in published(service.hospital)]
    assert [sum(f"{name}." in text for text in texts) for name in DECIDED.values()] == [1, 0]
    said = service.hospital.rows(
        "SELECT interval_key, chosen, decided_by, reason FROM deid.decision WHERE decided_by = %s ORDER BY 1",
        (STEWARD,),
    )
    assert said == [(approved, "approve", STEWARD, "lu"), (rejected, "reject", STEWARD, "trop d'alertes")]


def asking(service: Service, interval_key: str) -> str | None:
    """The release run that waits for a person's answer on an interval."""
    runs = {run["dag_run_id"] for run in service.interface.runs(RELEASE) if run["partition_key"] == interval_key}
    asked = [detail["task_instance"]["dag_run_id"] for detail in service.interface.questions(RELEASE)]
    return next((run for run in asked if run in runs), None)


def paused(service: Service, run_id: str) -> bool:
    """True where the scheduler has seen the process end that asked for the answer."""
    said = (service.airflow.logs / "scheduler.log").read_text(encoding="utf-8")
    return f"TaskInstance Finished: dag_id={RELEASE}, task_id=approve, run_id={run_id}," in said


def backfilled(service: Service) -> list[dict[str, Any]] | None:
    runs = [run for run in service.interface.runs(DEIDENTIFY) if run["run_type"] == "backfill"]
    return sorted(runs, key=lambda run: run["logical_date"]) if len(runs) == 3 else None


def released(service: Service) -> list[dict[str, Any]] | None:
    runs = [run for run in service.interface.runs(RELEASE) if run["partition_key"] in NIGHTS]
    return runs if len(runs) >= 3 else None


def done(service: Service, run_id: str, task_id: str) -> int:
    steps = service.interface.steps(DEIDENTIFY, run_id)
    return sum(step["state"] == "success" for step in steps if step["task_id"] == task_id)


def done_in_database(hospital: Database) -> int:
    ((count,),) = hospital.rows(
        "SELECT count(*) FROM deid.document WHERE document_id LIKE 'earlier%%' AND state = 'validated'", ()
    )
    return int(count)
