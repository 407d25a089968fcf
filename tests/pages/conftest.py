"""Airflow's API server with the pages, one account per role, a real browser, and a hospital with a staged night."""

import tests.airflow_home  # noqa: F401, I001 - before Airflow is imported

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from airflow.utils.db import initdb
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from deid.settings import settings
from tests.airflow_home import ROOT
from tests.conftest import Database, fresh_database
from tests.pages.night import stage_night

ACCOUNTS = {"lecteur": "viewer", "exploitant": "op", "intendante": "user", "referente": "admin"}
PASSWORD = "nocturne-pages"
CHROMIUM = next((path for path in map(Path, ("/usr/bin/chromium", "/usr/bin/chromium-browser")) if path.exists()), None)


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


@pytest.fixture(scope="module")
def database(postgres_server: str) -> Iterator[Database]:
    """A hospital with one staged night: three documents ready, one in quarantine."""
    with fresh_database(postgres_server) as made:
        stage_night(made)
        yield made


@pytest.fixture(scope="module")
def server(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The API server over that hospital, as a process of its own."""
    folder = tmp_path_factory.mktemp("api-server")
    passwords = folder / "passwords.json"
    passwords.write_text(json.dumps(dict.fromkeys(ACCOUNTS, PASSWORD)), encoding="utf-8")
    port = _free_port()
    initdb()
    environment = {
        **os.environ,
        **{name: value for name, value in database.environment.items() if name not in _KEPT_FROM_PAGES},
        "NOCTURNE_HOME": str(folder),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": ",".join(f"{name}:{role}" for name, role in ACCOUNTS.items()),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
        "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{port}",
        "AIRFLOW__API__WORKERS": "1",
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "plugins"))),
    }
    log = (folder / "api-server.log").open("wb")
    command = [sys.executable, "-m", "airflow", "api-server", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait(process, url, folder / "api-server.log")
        yield Server(url, database)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        log.close()


# The API server draws no surrogate and owns nothing: neither the secret nor these roles are given to it.
_KEPT_FROM_PAGES = ("NOCTURNE_SECRET", "NOCTURNE_OWNER_DSN", "NOCTURNE_WORKER_DSN", "NOCTURNE_REFRESHER_DSN")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium; a machine without it skips these tests, and says so."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (Debian: apt install chromium)")
    with sync_playwright() as play:
        made = play.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def visit(server: Server, browser: Browser) -> Iterator[Callable[..., Page]]:
    """`visit("intendante")` is a page of a fresh browser in which that person is signed in.

    The test fails at its end if a page wrote an error to the console, unless it says `visit(…, errors=True)`.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def opened(account: str | None, *, errors: bool = False, lang: str = "fr", **options: Any) -> Page:
        context = browser.new_context(locale="fr-FR", timezone_id="Europe/Paris", **options)
        contexts.append(context)
        if account is not None:
            cookie = {"name": "_token", "value": server.token(account), "url": server.url, "httpOnly": True}
            context.add_cookies([cookie])
        context.add_cookies([{"name": "nocturne_lang", "value": lang, "url": f"{server.url}/nocturne/"}])
        page = context.new_page()
        if not errors:
            page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def stewards(database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """The same database, with `deid.settings` of this process pointing at it."""
    for name, value in database.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("NOCTURNE_HOME", str(tmp_path))
    settings.cache_clear()
    return database


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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
