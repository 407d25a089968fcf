"""Workers on machines of their own, as docker/compose.yaml has them: Celery on Redis, one kind of worker per queue.

They share PostgreSQL and no folder. One is killed in the middle of detection, and another one takes its place.
Detection is by rules.
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
    pytest.mark.timeout(1800),
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


@contextmanager
def redis(home: Path) -> Iterator[str]:
    """A Redis with a password; the address of its broker."""
    port, password = reserve_port(), secrets.token_hex(16)
    told = ("bind", HOST), ("port", port), ("save", '""'), ("dir", home), ("requirepass", password)
    server = subprocess.Popen([str(REDIS), "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert server.stdin
    server.stdin.writelines(f"{name} {value}\n" for name, value in told)
    server.stdin.close()
    try:
        until(lambda: port_taken(port))
        yield f"redis://:{password}@{HOST}:{port}/0"
    finally:
        server.terminate()
        server.wait()


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
def no_mention_is_written(hospital: Database) -> Iterator[None]:
    """Let detection run until it writes what it found, and no further."""
    with closing(psycopg2.connect(hospital.superuser.rsplit("/", 1)[0] + f"/{hospital.name}")) as link:
        link.cursor().execute("LOCK TABLE deid.mention IN SHARE MODE")
        yield


def waiting(hospital: Database) -> int:
    """Count the transactions that have mentions to write and cannot."""
    query = "SELECT count(*) FROM pg_locks WHERE relation = 'deid.mention'::regclass AND NOT granted"
    return int(hospital.rows(query)[0][0])


def test_a_worker_that_dies_in_the_middle_of_detection_loses_nothing(
    deploy: Deploy, postgres_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "policy.yaml"))
    spread, alone = deploy(fill), deploy(fill)
    with ExitStack() as stack:
        metadata = stack.enter_context(metadata_database(postgres_server))
        broker = stack.enter_context(redis(tmp_path))
        write_private(tmp_path / "nocturne.env", f"NOCTURNE_AIRFLOW_DSN={metadata}\n")
        airflow = Components(tmp_path, broker)

        def machine(name: str, service: str) -> tuple[Machine, subprocess.Popen[bytes]]:
            made = Machine(tmp_path / name, service, airflow, spread)
            process = made.start()
            stack.callback(kill_session, process.pid)
            return made, process

        stack.callback(airflow.stop)
        airflow.start(detached=True)
        cpu, _ = machine("cpu", "worker-cpu")
        publication, _ = machine("publication", "worker-publication")
        gpu, dying = machine("gpu", "worker-gpu")
        night("alone", NIGHT[0], batch_size=BATCH)  # on this machine, by no Airflow

        interface = Interface(airflow.url, ADMIN, airflow.password(ADMIN))
        follower = Follower(interface, Progress(), alive=airflow.running)
        until(lambda: interface.healthy() and {DEIDENTIFY, RELEASE} <= set(interface.dags()))
        for dag_id in (DEIDENTIFY, RELEASE):
            interface.unpause(dag_id)
        with no_mention_is_written(spread):
            interface.trigger(DEIDENTIFY, "spread", NIGHT, reason="essai", batch_size=BATCH)
            until(
                lambda: (
                    waiting(spread) or any(step["state"] == "failed" for step in interface.steps(DEIDENTIFY, "spread"))
                )
            )
            assert waiting(spread)
            kill_session(dying.pid)
        assert "planned" in states(spread).values()
        second, _ = machine("second", "worker-gpu")

        assert follower.follow(DEIDENTIFY, "spread", "spread") == "success"
        until(lambda: [run for run in interface.runs(RELEASE) if run["partition_key"] == KEY])
        (release,) = interface.runs(RELEASE)
        assert follower.follow(RELEASE, release["dag_run_id"], "release") == "success"
        tries = [step["try_number"] for step in interface.steps(DEIDENTIFY, "spread") if "detect" in step["task_id"]]

    assert published(spread) == published(alone)
    assert len(published(spread)) > 3
    assert (states(spread), reasons(spread)) == (states(alone), reasons(alone))
    assert max(tries) == 2
    assert gpu.tasks() == second.tasks() == {"batch.detect"}
    assert cpu.tasks() == {"plan", "batch.substitute", "batch.validate", "stage"}
    assert publication.tasks() >= {"summarise", "publish", "report"}
