"""Airflow as the demo runs it: its settings, its secrets, and the processes that are started and stopped.

Nothing here imports Airflow: it is another program, started by command and spoken to over HTTP.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shlex
import subprocess
import sys
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from deid.config.settings import settings
from deid.database.embedded import HOST, port_taken, write_private
from deid.domain.errors import SettingsError
from deid.schema.provision import read_env

ROOT = Path(__file__).parents[1]
REFERENCES = Path(__file__).with_name("references.yaml")
PORT = 8080
ENV_FILE = "airflow.env"
STEWARD = "intendante"
ADMIN = "admin"
STOP_S = 40
KILLED_S = 10


class Airflow:
    """Airflow under `<home>/airflow`, its metadata in the embedded PostgreSQL. One at a time per home.

    `port` is where the interface listens; None keeps that of the last start, or `PORT`.
    """

    def __init__(self, home: Path, port: int | None = None) -> None:
        self.home = home / "airflow"
        self.logs = self.home / "components"
        self.policy = home / "ask.yaml"  # of `make demo ARGS=--ask`; taken where no setting names another
        self._env_file = home / ENV_FILE
        self._settings_file = home / "nocturne.env"
        self._pid_file = self.home / "supervisor.json"
        self._wanted_port = port

    @property
    def port(self) -> int:
        """Port of the interface, running or not."""
        kept = self._stored().get("AIRFLOW__API__PORT")
        return self._wanted_port or int(kept or PORT)

    @property
    def url(self) -> str:
        """Address of the interface."""
        return f"http://{HOST}:{self.port}"

    @property
    def pages(self) -> str:
        """Address of the stewards' pages."""
        return f"{self.url}/nocturne/"

    @property
    def passwords_file(self) -> Path:
        """JSON, user → password; readable by its owner only."""
        return self.home / "passwords.json"

    def password(self, user: str) -> str:
        """The password of a user of the interface."""
        return str(json.loads(self.passwords_file.read_text(encoding="utf-8"))[user])

    def configure(self) -> dict[str, str]:
        """Write `airflow.env` and the passwords; return the whole environment of Airflow's processes.

        Secrets are drawn once and kept. `set -a; . var/nocturne.env; . var/airflow.env` gives a shell the same.
        """
        kept = self._stored()
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.logs.mkdir(mode=0o700, exist_ok=True)
        if not self.passwords_file.exists():
            users = {user: secrets.token_urlsafe(12) for user in (ADMIN, STEWARD)}
            write_private(self.passwords_file, json.dumps(users))
        deployment = read_env(self._settings_file)
        variables = {**self._variables(deployment["NOCTURNE_AIRFLOW_DSN"]), **_secrets(kept)}
        lines = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
        write_private(self._env_file, "\n".join(["# Written by `make demo` and `make up`.", *lines, ""]))
        # Into a shell's environment it goes by hand, if at all: whoever has a file of their own names it there.
        references = str((settings().references or REFERENCES).resolve())
        policy = settings().policy or (self.policy if self.policy.exists() else None)
        chosen = {"NOCTURNE_POLICY": str(policy.resolve())} if policy else {}
        return {**os.environ, **chosen, **deployment, **variables, "NOCTURNE_REFERENCES": references}

    def running(self) -> bool:
        """True if this home's Airflow is up, or still starting."""
        return self._supervisor() is not None

    @property
    def stopped(self) -> bool:
        """Return whether `stop` was called, here or by another command, since the last start."""
        known = self._recorded()
        return not known or "stopped" in known

    @property
    def pid(self) -> int | None:
        """Process id of what keeps the components, which is also the number of their session; None if none runs."""
        supervisor = self._supervisor()
        return None if supervisor is None else supervisor.pid

    def start(self, *, detached: bool) -> subprocess.Popen[bytes] | None:
        """Start every component in a session of its own, unless they run; return without waiting for them.

        Unless `detached`, they end with this process, however it ends.

        Raises:
            SettingsError: the port is taken.
        """
        if self.running():
            return None
        patience = time.monotonic() + (KILLED_S if self._sweep() else 0)
        while (taken := port_taken(self.port)) and time.monotonic() < patience:
            time.sleep(0.2)  # the kernel takes its time over the sockets of what was killed
        if taken:
            raise SettingsError(
                f"port {self.port} of {HOST} is used by another program: Airflow's interface cannot start.",
                f"Stop that program, or choose a free port: make demo NOCTURNE_AIRFLOW_PORT={self.port + 1}",
            )
        environment = self.configure()
        command = [sys.executable, "-m", "demo.supervisor", str(self.logs), *(["--detached"] if detached else [])]
        with (self.logs / "supervisor.log").open("ab") as log:
            supervisor = subprocess.Popen(  # noqa: S603 - our own module
                command,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL if detached else subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        started = psutil.Process(supervisor.pid).create_time()
        write_private(self._pid_file, json.dumps({"pid": supervisor.pid, "started": started}))
        return supervisor

    def stop(self) -> bool:
        """End every process of this home's Airflow; True if it ran."""
        supervisor = self._supervisor()
        if supervisor is None:
            return False
        known = {"pid": supervisor.pid, "started": supervisor.create_time()}
        write_private(self._pid_file, json.dumps({**known, "stopped": True}))
        supervisor.terminate()
        deadline = time.monotonic() + STOP_S
        while supervisor.is_running() and supervisor.status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
            time.sleep(0.2)
        kill_session(supervisor.pid)
        self._pid_file.unlink(missing_ok=True)
        return True

    def _sweep(self) -> bool:
        """End the tasks that a killed supervisor has left: they would work beside those that start again.

        True if there was a supervisor that nobody stopped.
        """
        if known := self._recorded():
            kill_session(known["pid"], self.home)
        return bool(known)

    def _recorded(self) -> dict[str, Any]:
        try:
            return dict(json.loads(self._pid_file.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return {}

    def _supervisor(self) -> psutil.Process | None:
        try:
            known = self._recorded()
            process = psutil.Process(known["pid"])
            same = abs(process.create_time() - known["started"]) < 1 and process.status() != psutil.STATUS_ZOMBIE
        except (KeyError, psutil.Error):
            return None
        return process if same else None

    def _stored(self) -> dict[str, str]:
        if not self._env_file.exists():
            return {}
        return {name: "".join(shlex.split(value)) for name, value in read_env(self._env_file).items()}

    def _variables(self, dsn: str) -> dict[str, str]:
        bundle = {
            "name": "nocturne",
            "classpath": "airflow.dag_processing.bundles.local.LocalDagBundle",
            "kwargs": {"path": str(ROOT)},
        }
        return {
            "AIRFLOW_HOME": str(self.home),
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": urlsplit(dsn)._replace(scheme="postgresql+psycopg2").geturl(),
            "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps([bundle]),
            "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
            "AIRFLOW__CORE__XCOM_BACKEND": "nocturne_airflow.xcom.GuardedXCom",
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
            "AIRFLOW__CORE__PARALLELISM": str(max(2, min(8, os.cpu_count() or 2))),
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": f"{ADMIN}:admin,{STEWARD}:user",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(self.passwords_file),
            "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{self.url}/execution/",
            "AIRFLOW__API__HOST": HOST,
            "AIRFLOW__API__PORT": str(self.port),
            "AIRFLOW__API__BASE_URL": self.url,
            "AIRFLOW__API__WORKERS": "1",
            # Tasks wait for an API server that starts later than they do, a minute or so, and do not fail.
            "AIRFLOW__WORKERS__EXECUTION_API_RETRIES": "12",
            "AIRFLOW__WORKERS__EXECUTION_API_RETRY_WAIT_MAX": "15",
            # A machine that is switched off in the middle of a night finds its way within a minute, not five.
            "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "60",
            "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "20",
            "AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "15",
            "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
            "GX_ANALYTICS_ENABLED": "False",
        }


def kill_session(leader: int, home: Path | None = None) -> None:
    """Kill the remaining processes of a session, tasks in process groups of their own included, and wait for their end.

    With `home`, only processes of that AIRFLOW_HOME: the number of a session long gone may belong to another.
    """
    deadline = time.monotonic() + KILLED_S
    while (left := _members(leader, home)) and time.monotonic() < deadline:
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.kill()
        time.sleep(0.1)


def _members(leader: int, home: Path | None) -> list[psutil.Process]:
    found = []
    for pid in psutil.pids():
        with contextlib.suppress(OSError, psutil.Error):
            if pid == os.getpid() or os.getsid(pid) != leader:
                continue
            process = psutil.Process(pid)
            ours = home is None or process.environ().get("AIRFLOW_HOME") == str(home)
            if ours and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def _secrets(kept: Mapping[str, str]) -> dict[str, str]:
    fresh = {
        "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_hex(32),
        "AIRFLOW__API__SECRET_KEY": secrets.token_hex(32),
        "AIRFLOW__CORE__FERNET_KEY": urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    }
    return {name: kept.get(name, value) for name, value in fresh.items()}
