"""Workers on machines of their own, as docker/compose.yaml has them: Celery on Redis, one kind of worker per queue.

They share PostgreSQL and no folder. The broker is away when the night begins; a worker is killed in the middle of
detection and one in the middle of publication, and others take their places, with clocks an hour off. Detection is by
rules.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from deid.database.embedded import HOST, port_taken, write_private
from deid.schema.provision import OWNER, make_database
from demo.airflow import ADMIN, Airflow, kill_session
from demo.hospital import generate, load
from demo.hospital.calendar import FIRST_NIGHT
from demo.progress import Follower, Progress
from demo.rest import Interface
from demo.scenario import DEIDENTIFY, RELEASE, bounds
from tests import ROOT
from tests.conftest import SECRET, Database, Deploy, drop_database
from tests.database.warehouse.nights import night, published, reasons, states
from tests.end_to_end.docker.test_compose import COMPOSE, SERVICES, secrets_named_by
from tests.ports import reserve_port

REDIS = shutil.which("redis-server")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),  # two waits of ten minutes: a broker that comes back, tasks of workers that died
    pytest.mark.skipif(REDIS is None, reason="redis-server is not installed (Debian: apt install redis-server)"),
    pytest.mark.skipif(
        find_spec("airflow.providers.celery") is None, reason="apache-airflow-providers-celery is not installed"
    ),
]
POLICY = """
extends: rules
name: workers
release: {approval: never, visible: nightly}
"""
KEY = FIRST_NIGHT.isoformat()
NIGHT = bounds(FIRST_NIGHT, FIRST_NIGHT)
BATCH = 7
CHOSEN = {"CPU_QUEUES": "cpu", "CPU_CONCURRENCY": "1"}  # what an operator with a GPU sets for compose.yaml
# What compose.yaml tells every component about executor, broker and queues.
SETTINGS = {
    name: str(value)
    for name, value in COMPOSE["x-environment"].items()
    if re.match("AIRFLOW__(CORE__EXECUTOR|CELERY|OPERATORS)", name)
}
# A task whose machine is dead is given up after a minute, not five; a scheduler that is slow is none that is dead.
PATIENCE = {
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "60",
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_DETECTION_INTERVAL": "2",
    "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "300",
    "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "3600",
}
# A worker whose clock is wrong, where Debian's library for that is installed (apt install faketime).
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
CODE = ("dags", "deid", "docker", "plugins", "sql", ".airflowignore")


def fill(hospital: Database) -> None:
    """One night of the synthetic hospital."""
    load(hospital.owner, generate(5, patients=5, documents=14, nights=1, files=0.0))


class Components(Airflow):
    """Airflow's components without a task to run, nor any connection string or secret of the product."""

    def __init__(self, home: Path, broker: str) -> None:
        super().__init__(home, reserve_port())
        self.broker = broker

    def configure(self) -> dict[str, str]:
        """Return the environment of the components, with the settings of compose.yaml and this broker."""
        given = super().configure()
        database = given["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"]
        own = {name: value for name, value in given.items() if not re.match("NOCTURNE_(SECRET|.*_DSN)", name)}
        addresses = {"AIRFLOW__CELERY__BROKER_URL": self.broker, "AIRFLOW__CELERY__RESULT_BACKEND": f"db+{database}"}
        return {**own, **SETTINGS, **addresses, **PATIENCE}


@dataclass
class Machine:
    """A machine of one worker: its folders, and the processes of a service of compose.yaml."""

    home: Path
    service: str
    components: Components
    hospital: Database
    clock: str = ""

    def start(self) -> subprocess.Popen[bytes]:
        """Start the worker by the image's entry point, with the queue, settings and secrets of its service."""
        code, log = self.home / "nocturne", self.home / "worker.log"
        code.mkdir(parents=True)
        for name in CODE:
            (code / name).symlink_to(ROOT / name)
        (self.home / "policy.yaml").write_text(POLICY, encoding="utf-8")
        words = (re.sub(r"\$\{(\w+):-(.*?)\}", self._chosen, word) for word in SERVICES[self.service]["command"])
        own = ("--celery-hostname", self.home.name, "--skip-serve-logs")
        with log.open("ab") as sink:
            return subprocess.Popen(
                [str(code / "docker" / "entrypoint.sh"), *words, *own],
                env=self._environment(code),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def tasks(self) -> set[str]:
        """The tasks that ran here, by their logs."""
        return {path.name.removeprefix("task_id=") for path in (self.home / "airflow" / "logs").rglob("task_id=*")}

    def _environment(self, code: Path) -> dict[str, str]:
        known = self.components.configure()
        named = SERVICES[self.service]["environment"]
        folder = self._secrets(secrets_named_by(SERVICES[self.service]), known)
        own = {name: value.replace("/run/secrets", str(folder)) for name, value in named.items()}
        shared = ("DATABASE__SQL_ALCHEMY_CONN", "CELERY__BROKER_URL", "CELERY__RESULT_BACKEND")
        addresses = {name: known[name] for name in (f"AIRFLOW__{part}" for part in shared)}
        return {
            **own,
            **addresses,
            **PATIENCE,
            "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": known["AIRFLOW__CORE__EXECUTION_API_SERVER_URL"],
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "AIRFLOW_HOME": str(self.home / "airflow"),
            "NOCTURNE_ROOT": str(code),
            "NOCTURNE_HOME": str(self.home / "reports"),
            "NOCTURNE_POLICY": str(self.home / "policy.yaml"),
            **({"LD_PRELOAD": str(FAKETIME), "FAKETIME": self.clock} if self.clock and FAKETIME.exists() else {}),
        }

    def _secrets(self, names: set[str], known: dict[str, str]) -> Path:
        """Write the secrets that the service is given, a file each; return their folder."""
        folder = self.home / "secrets"
        folder.mkdir()
        values = {
            "fernet_key": known["AIRFLOW__CORE__FERNET_KEY"],
            "jwt_secret": known["AIRFLOW__API_AUTH__JWT_SECRET"],
            "api_secret_key": known["AIRFLOW__API__SECRET_KEY"],
            "airflow_password": "in the address",
            "redis_password": "in the address",
            "nocturne_secret": SECRET,
        }
        for name in names:
            value = self.hospital.dsn(name.removesuffix("_dsn")) if name.endswith("_dsn") else values[name]
            write_private(folder / name, value)
        return folder

    @staticmethod
    def _chosen(variable: re.Match[str]) -> str:
        return CHOSEN.get(variable[1], variable[2])


class Redis:
    """A broker with a password, which forgets everything when it stops."""

    def __init__(self, home: Path) -> None:
        self.port, self.password = reserve_port(), secrets.token_hex(16)
        self.home = home

    @property
    def address(self) -> str:
        """URL of the broker."""
        return f"redis://:{self.password}@{HOST}:{self.port}/0"

    def start(self) -> None:
        """Start the server, and wait until it listens."""
        told = ("bind", HOST), ("port", self.port), ("save", '""'), ("dir", self.home), ("requirepass", self.password)
        self.server = subprocess.Popen([str(REDIS), "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        assert self.server.stdin
        self.server.stdin.writelines(f"{name} {value}\n" for name, value in told)
        self.server.stdin.close()
        until(lambda: port_taken(self.port))

    def stop(self) -> None:
        """End the server."""
        self.server.terminate()
        self.server.wait()


@contextmanager
def metadata_database(server: str) -> Iterator[str]:
    """An empty database for Airflow; its owner's connection string."""
    made = Database(server, f"nocturne_test_{uuid.uuid4().hex[:12]}")
    make_database(server, made.name, OWNER)
    try:
        yield made.owner
    finally:
        drop_database(server, made.name)


def until(condition: Callable[[], object], seconds: float = 600) -> None:
    """Wait for something to be true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.5)


@contextmanager
def nothing_is_written_to(hospital: Database, table: str) -> Iterator[None]:
    """Let a step run until it writes to the table, and no further."""
    with closing(psycopg2.connect(hospital.superuser.rsplit("/", 1)[0] + f"/{hospital.name}")) as link:
        link.cursor().execute(f"LOCK TABLE {table} IN SHARE MODE")
        yield


def waiting(hospital: Database, table: str) -> int:
    """Count the transactions that have rows to write to a table and cannot."""
    query = "SELECT count(*) FROM pg_locks WHERE relation = %s::regclass AND NOT granted"
    return int(hospital.rows(query, (table,))[0][0])


class Night:
    """A night of Airflow on machines of one worker each."""

    def __init__(self, home: Path, hospital: Database, metadata: str, ending: ExitStack) -> None:
        write_private(home / "nocturne.env", f"NOCTURNE_AIRFLOW_DSN={metadata}\n")
        self.home, self.hospital, self.ending = home, hospital, ending
        self.broker = Redis(home)
        self.broker.start()
        ending.callback(lambda: self.broker.stop())
        self.airflow = Components(home, self.broker.address)
        ending.callback(self.airflow.stop)
        self.airflow.start(detached=True)
        self.interface = Interface(self.airflow.url, ADMIN, self.airflow.password(ADMIN))
        self.follower = Follower(self.interface, Progress(), alive=self.airflow.running)

    def machine(self, name: str, service: str, clock: str = "") -> tuple[Machine, subprocess.Popen[bytes]]:
        """Start a worker; return its machine and its process."""
        made = Machine(self.home / name, service, self.airflow, self.hospital, clock)
        process = made.start()
        self.ending.callback(kill_session, process.pid)
        return made, process

    def unpause(self) -> None:
        """Let the DAGs run, once they are read."""
        until(lambda: self.interface.healthy() and {DEIDENTIFY, RELEASE} <= set(self.interface.dags()))
        for dag_id in (DEIDENTIFY, RELEASE):
            self.interface.unpause(dag_id)

    def said(self, words: str) -> bool:
        """Return whether the scheduler's log holds the words."""
        return words in (self.airflow.logs / "scheduler.log").read_text(encoding="utf-8")

    def steps(self, dag_id: str, run_id: str, name: str) -> list[dict[str, Any]]:
        """Return the instances of a step."""
        return [step for step in self.interface.steps(dag_id, run_id) if step["task_id"] == name]

    def kill_at(self, table: str, dying: subprocess.Popen[bytes]) -> None:
        """Kill a worker once it has rows to write to the table, which is held."""
        until(lambda: waiting(self.hospital, table))
        kill_session(dying.pid)

    def release(self) -> str:
        """Return the id of the release's run, once there is one."""
        until(lambda: [run for run in self.interface.runs(RELEASE) if run["partition_key"] == KEY])
        (run,) = self.interface.runs(RELEASE)
        return str(run["dag_run_id"])


def test_a_broker_that_is_away_and_workers_that_die_lose_nothing(
    deploy: Deploy, postgres_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "policy.yaml"))
    spread, alone = deploy(fill), deploy(fill)
    with ExitStack() as stack:
        there = Night(tmp_path, spread, stack.enter_context(metadata_database(postgres_server)), stack)
        cpu, _ = there.machine("cpu", "worker-cpu")
        publication, publishing = there.machine("publication", "worker-publication")
        gpu, detecting = there.machine("gpu", "worker-gpu")
        night("alone", NIGHT[0], batch_size=BATCH)  # on this machine, by no Airflow
        there.unpause()

        there.broker.stop()
        there.interface.trigger(DEIDENTIFY, "spread", NIGHT, reason="essai", batch_size=BATCH)
        until(lambda: there.said("[Try 5 of "))  # Airflow's default is three
        there.broker.start()

        with nothing_is_written_to(spread, "deid.mention"):
            there.kill_at("deid.mention", detecting)
        assert "planned" in states(spread).values()
        until(lambda: there.said("tasks wait in the queue gpu, which no worker serves"))
        second, _ = there.machine("second", "worker-gpu", clock="+1h")
        with nothing_is_written_to(spread, "deid.published_document"):
            assert there.follower.follow(DEIDENTIFY, "spread", "spread") == "success"
            release = there.release()
            there.kill_at("deid.published_document", publishing)
        assert published(spread) == []
        successor, _ = there.machine("successor", "worker-publication", clock="-1h")
        assert there.follower.follow(RELEASE, release, "release") == "success"
        tries = {
            name: max(step["try_number"] for step in there.steps(dag_id, run_id, name))
            for dag_id, run_id, name in (
                *((DEIDENTIFY, "spread", name) for name in ("plan", "batch.detect")),
                (RELEASE, release, "publish"),
            )
        }

    assert published(spread) == published(alone)
    assert len(published(spread)) > 3
    assert (states(spread), reasons(spread)) == (states(alone), reasons(alone))
    assert tries == {"plan": 1, "batch.detect": 2, "publish": 2}
    assert gpu.tasks() == second.tasks() == {"batch.detect"}
    assert cpu.tasks() == {"plan", "batch.substitute", "batch.validate", "stage"}
    assert publication.tasks() >= {"summarise", "publish"}
    assert successor.tasks() >= {"publish", "report"}


def test_the_probe_of_a_worker_says_whether_it_answers(tmp_path: Path) -> None:
    """docker/healthy.sh, which compose.yaml asks each minute, with the settings of a worker and one broker."""
    broker = Redis(tmp_path)
    broker.start()
    store = f"sqlite:///{tmp_path / 'airflow.db'}"
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{ROOT / 'docker'}:{os.environ['PATH']}",
        "AIRFLOW_HOME": str(tmp_path),
        "NOCTURNE_ROOT": str(ROOT),
        **SETTINGS,
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": store,
        "AIRFLOW__CELERY__BROKER_URL": broker.address,
        "AIRFLOW__CELERY__RESULT_BACKEND": f"db+{store}",
    }

    def healthy() -> bool:
        probe = [ROOT / "docker" / "healthy.sh", "worker"]
        return subprocess.run(probe, env=environment, capture_output=True, check=False).returncode == 0

    command = (ROOT / "docker" / "entrypoint.sh", "celery", "worker", "--queues", "cpu", "--concurrency", "1")
    with (tmp_path / "worker.log").open("wb") as log:
        worker = subprocess.Popen(
            [*command, "--skip-serve-logs"], env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        until(healthy)
        kill_session(worker.pid)
        assert not healthy()
    finally:
        kill_session(worker.pid)
        broker.stop()
