"""Airflow's API server with the pages, one account per role, a real browser, and a hospital with a staged night."""

import tests.airflow_home  # noqa: F401, I001 - before Airflow is imported

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from deid.config.settings import settings
from tests.conftest import Database, fresh_database
from tests.pages.metadata import postgresql_metadata
from tests.pages.night import stage_night
from tests.pages.open_questions import forget_questions
from tests.pages.serving import PASSWORD, Server, serving

ACCOUNTS = {"lecteur": "viewer", "exploitant": "op", "intendante": "user", "referente": "admin"}
SECOND = "suppleante"  # a senior steward too, for what two people do at once


@pytest.fixture(scope="session")
def staged(postgres_server: str) -> Iterator[Database]:
    """A hospital with one staged night: three documents ready, one in quarantine."""
    with fresh_database(postgres_server) as made:
        stage_night(made)
        yield made


@pytest.fixture(scope="module")
def database(staged: Database) -> Iterator[Database]:
    """The same, of each module its own, under the one name that the server knows."""
    with fresh_database(staged.superuser, copied=staged, name=f"{staged.name}_pages") as made:
        yield made


@pytest.fixture(scope="package")
def _api_server(staged: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The API server, one account per role, over metadata on PostgreSQL, where two answers at once take locks that
    SQLite does not have; it connects to the database of the day at each request.
    """
    folder, shown = tmp_path_factory.mktemp("api-server"), Database(staged.superuser, f"{staged.name}_pages")
    with (
        postgresql_metadata(staged.superuser) as metadata,
        serving(shown, folder, **metadata, **make_accounts(folder)) as running,
    ):
        yield running


def make_accounts(folder: Path) -> dict[str, str]:
    """The variables of a server with one account per role and a second senior steward."""
    passwords, known = folder / "passwords.json", ACCOUNTS | {SECOND: "admin"}
    passwords.write_text(json.dumps(dict.fromkeys(known, PASSWORD)), encoding="utf-8")
    return {
        "NOCTURNE_GUIDES": "https://guides.example/nocturne/",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": ",".join(f"{name}:{role}" for name, role in known.items()),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
    }


@pytest.fixture(scope="module")
def server(_api_server: Server, database: Database) -> Iterator[Server]:
    """The API server over the hospital of this module."""
    assert _api_server.database == database
    yield _api_server
    forget_questions()


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
    """The same database, with `deid.config.settings` of this process pointing at it."""
    for name, value in database.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("NOCTURNE_HOME", str(tmp_path))
    settings.cache_clear()
    return database
