"""Airflow's API server as a process of its own, over a given database, and how a script speaks to it."""

import tests.airflow_home  # noqa: F401, I001 - before Airflow is imported

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.airflow_home import ROOT
from tests.ports import reserve_port
from tests.conftest import Database

PASSWORD = "nocturne-pages"
# The API server draws no surrogate and owns nothing: neither the secret nor these roles are given to it.
_KEPT_FROM_PAGES = ("NOCTURNE_SECRET", "NOCTURNE_OWNER_DSN", "NOCTURNE_WORKER_DSN", "NOCTURNE_REFRESHER_DSN")


@dataclass(frozen=True)
class Server:
    """A running API server: `url` of Airflow, `pages` of the product's pages, and the database that they read."""

    url: str
    database: Database

    @property
    def pages(self) -> str:
        return f"{self.url}/nocturne"

    def token(self, account: str) -> str:
        """A fresh session of an account."""
        answer = requests.post(f"{self.url}/auth/token", json={"username": account, "password": PASSWORD}, timeout=30)
        answer.raise_for_status()
        return str(answer.json()["access_token"])

    def get(self, path: str, account: str | None = "intendante", **options: Any) -> requests.Response:
        """An HTTP answer as a script of that account gets it; None is nobody."""
        return self.ask("GET", path, account, **options)

    def ask(self, method: str, path: str, account: str | None, **options: Any) -> requests.Response:
        """The same, by any method."""
        headers = dict(options.pop("headers", {}))
        if account is not None:
            headers.setdefault("Authorization", f"Bearer {self.token(account)}")
        return requests.request(
            method, f"{self.pages}{path}", headers=headers, timeout=60, allow_redirects=False, **options
        )


def environment(database: Database, folder: Path, **variables: str) -> Mapping[str, str]:
    """The variables of an API server that keeps its files in `folder`."""
    return {
        **os.environ,
        **{name: value for name, value in database.environment.items() if name not in _KEPT_FROM_PAGES},
        "NOCTURNE_HOME": str(folder),
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "plugins"))),
        **variables,
    }


@contextmanager
def serving(
    database: Database, folder: Path, *, python: Sequence[str] = (sys.executable,), **variables: str
) -> Iterator[Server]:
    """An API server while the block lasts; its Airflow has its tables already."""
    port = reserve_port()
    url = f"http://127.0.0.1:{port}"
    known = environment(
        database,
        folder,
        AIRFLOW__API__BASE_URL=url,
        AIRFLOW__API__WORKERS="1",
        AIRFLOW__API__PORT=str(port),
        **variables,
    )
    command = [*python, "-m", "airflow", "api-server", "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "api-server.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=known, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            _wait(process, url, folder / "api-server.log")
            yield Server(url, database)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            if requests.get(f"{url}/api/v2/version", timeout=2).ok:
                return
        except requests.RequestException:
            pass
        time.sleep(0.3)
    pytest.fail("the API server did not start:\n" + log.read_text(encoding="utf-8", errors="replace")[-3000:])
