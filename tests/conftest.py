"""Fixtures that every test may use: an environment of its own, and a real PostgreSQL.

`NOCTURNE_TEST_DSN` (a superuser's URI) makes the database tests use a server that is already there; without it one
embedded server serves the whole session.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg2
import pytest
from hypothesis import settings as hypothesis_settings
from playwright.sync_api import Browser, expect, sync_playwright
from psycopg2 import sql

from deid.config.settings import Settings, settings
from deid.database.embedded import EmbeddedServer
from deid.schema.migrations import migrate
from deid.schema.provision import OWNER, ROLES, close_channels, make_database, make_login, make_owner
from tests.folders import make_server_folder

# Time is measured by the tests of growth, not by Hypothesis: an example may take long on a busy machine.
# The same examples in every run; `make fuzz` looks for new ones (HYPOTHESIS_PROFILE).
hypothesis_settings.register_profile("nocturne", deadline=None, derandomize=True)
hypothesis_settings.register_profile("fuzz", deadline=None, max_examples=2_000)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "nocturne"))

PASSWORD = "nocturne-tests"
SECRET = "5e05a1c7d2983b4f6e70b9c8114d2fa3968e7bd05c42ef1936a8d4107b5fc2e9"
CHROMIUM = next((path for path in map(Path, ("/usr/bin/chromium", "/usr/bin/chromium-browser")) if path.exists()), None)
# As migration 0001 grants them.
DATABASE_RIGHTS = {
    **dict.fromkeys(("reader", "steward", "researcher"), "CONNECT"),
    **dict.fromkeys(("worker", "refresher", "publisher"), "CONNECT, TEMPORARY"),
}
SLOW_S = 300
# Folders whose modules share an Airflow, its API server and the references loaded; some start one of their own.
SHARING = ("tests/dags/", "tests/pages/")
ALONE = tuple(f"tests/dags/test_{name}.py" for name in ("broker", "celery", "service"))
# Fixtures of a module or session come before `_own_environment`.
for variable in [name for name in os.environ if name.startswith("NOCTURNE_") and name != "NOCTURNE_TEST_DSN"]:
    del os.environ[variable]
Settings.model_config["env_file"] = None
SEARCHED = "searched for planted words"  # property of a test: cells, places, places found
TEMPLATE = f"nocturne_template_{uuid.uuid4().hex[:8]}"


@dataclass(frozen=True)
class Database:
    """Create a fresh, migrated database; `dsn("worker")` and `superuser` are the connection strings of roles."""

    superuser: str
    name: str

    @property
    def owner(self) -> str:
        """Connection string of the role that owns every schema."""
        return self.dsn("owner")

    def dsn(self, role: str) -> str:
        """Connection string of a role of `deid.schema.provision.ROLES`."""
        return _login(_database(self.superuser, self.name), ROLES[role])

    @property
    def environment(self) -> Mapping[str, str]:
        """The `NOCTURNE_…` variables that `deid.config.settings` reads.

        Without the pages of Great Expectations, which take longer than all else of a summary: they have their tests.
        """
        dsns = {f"NOCTURNE_{role.upper()}_DSN": self.dsn(role) for role in ROLES}
        return dsns | {"NOCTURNE_SECRET": SECRET, "NOCTURNE_DATA_DOCS": "false"}

    def rows(self, query: str, parameters: object = None, role: str | None = None) -> list[tuple]:
        """Run one statement, as the superuser unless a role is named, and return what it returns."""
        link = psycopg2.connect(self.dsn(role) if role else _database(self.superuser, self.name))
        try:
            with link, link.cursor() as cursor:
                cursor.execute(query, parameters)
                return cursor.fetchall() if cursor.description else []
        finally:
            link.close()


Fill = Callable[[Database], None]
Deploy = Callable[[Fill], Database]


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test sees the settings of the machine it runs on, nor those of another test."""
    for name in [name for name in os.environ if name.startswith("NOCTURNE_") and name != "NOCTURNE_TEST_DSN"]:
        monkeypatch.delenv(name)
    # A pytest that a test starts would write its coverage over that of this process.
    monkeypatch.delenv("SLIPCOVER_ENABLED", raising=False)
    monkeypatch.setitem(Settings.model_config, "env_file", None)
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.fixture
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line speaks English, as the errors of the library do."""
    monkeypatch.setenv("NOCTURNE_LANG", "en")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A superuser's connection string to a server whose roles can log in and whose template is migrated."""
    if (given := os.environ.get("NOCTURNE_TEST_DSN")) is None:
        with embedded_server() as server:
            yield server.uri("postgres")
        return
    try:
        _fill_server(given)
        yield given
    finally:
        drop_database(given, TEMPLATE)


@contextmanager
def embedded_server() -> Iterator[EmbeddedServer]:
    """A server of its own while the block lasts, with the roles and the template of `fresh_database`."""
    home = make_server_folder()
    server = EmbeddedServer(home, options={"fsync": "off", "scram_iterations": "1", "timezone": "UTC"})
    try:
        server.start()
        _fill_server(server.uri("postgres"))
        yield server
    finally:
        server.stop()
        shutil.rmtree(home)


def _fill_server(superuser: str) -> None:
    make_owner(superuser, PASSWORD)
    make_database(superuser, TEMPLATE, OWNER)
    migrate(_login(_database(superuser, TEMPLATE), OWNER))
    for role in ROLES.values():
        if role != OWNER:
            make_login(superuser, role, PASSWORD)
    close_channels(_database(superuser, TEMPLATE))


@contextmanager
def fresh_database(
    postgres_server: str, *, copied: Database | None = None, name: str | None = None
) -> Iterator[Database]:
    """A database of its own, dropped at the end: migrated, or with all that `copied` holds."""
    database = Database(postgres_server, name or f"nocturne_test_{uuid.uuid4().hex[:12]}")
    own, model = sql.Identifier(database.name), sql.Identifier(copied.name if copied else TEMPLATE)
    grant = sql.SQL("GRANT {} ON DATABASE {} TO {}")
    _autocommit(
        postgres_server,
        # A copy of files takes half the time of one through the log, where nothing is written to disk at once.
        sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {} STRATEGY FILE_COPY").format(own, model, sql.Identifier(OWNER)),
    )
    try:
        # CREATE DATABASE copies tables and their privileges, not those of the database itself.
        _autocommit(
            postgres_server,
            sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(own),
            *(
                grant.format(sql.SQL(rights), own, sql.Identifier(ROLES[role]))
                for role, rights in DATABASE_RIGHTS.items()
            ),
        )
        yield database
    finally:
        drop_database(postgres_server, database.name)


@pytest.fixture
def postgres(postgres_server: str) -> Iterator[Database]:
    """A migrated database of this test alone."""
    with fresh_database(postgres_server) as database:
        yield database


@pytest.fixture
def deployed(postgres: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """The same database, with `deid.config.settings` pointing at it through every role."""
    monkeypatch.setenv("NOCTURNE_HOME", str(tmp_path))
    return _point_at(postgres, monkeypatch)


@pytest.fixture(scope="session")
def _filled() -> Iterator[tuple[dict[Fill, Database], ExitStack]]:
    """The databases that copies of one content are made from, and what drops them at the end."""
    with ExitStack() as stack:
        yield {}, stack


@pytest.fixture
def deploy(
    postgres_server: str,
    _filled: tuple[dict[Fill, Database], ExitStack],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Deploy]:
    """`deploy(fill)` is a deployment of its own with what `fill` writes, which is written once for all tests."""
    monkeypatch.setenv("NOCTURNE_HOME", str(tmp_path))
    made, kept = _filled
    with ExitStack() as stack:

        def copy(fill: Fill) -> Database:
            if fill not in made:
                with ExitStack() as filling:  # a database that was not filled to its end is nobody's model
                    model = filling.enter_context(fresh_database(postgres_server))
                    fill(_point_at(model, monkeypatch))
                    kept.enter_context(filling.pop_all())
                made[fill] = model
            return _point_at(stack.enter_context(fresh_database(postgres_server, copied=made[fill])), monkeypatch)

        yield copy


def _point_at(database: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    for name, value in database.environment.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    return database


def _database(dsn: str, name: str) -> str:
    return urlunsplit(urlsplit(dsn)._replace(path=f"/{name}"))


def _login(dsn: str, role: str) -> str:
    parts = urlsplit(dsn)
    host = f"{parts.hostname}:{parts.port or 5432}"
    return urlunsplit(parts._replace(netloc=f"{quote(role)}:{quote(PASSWORD)}@{host}"))


def drop_database(superuser: str, name: str) -> None:
    """Drop a database, whoever is connected to it."""
    _autocommit(superuser, sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _autocommit(superuser: str, *statements: sql.Composable) -> None:
    link = psycopg2.connect(superuser)
    try:
        link.autocommit = True
        with link.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
    finally:
        link.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; a machine without it skips these tests, and says so.

    One at a time: playwright refuses a second, and its event loop would stand in the way of other modules' own.
    """
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (Debian: apt install chromium)")
    with sync_playwright() as play:
        expect.set_options(timeout=30_000)  # a busy machine takes many times the usual second
        made = play.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield made
        made.close()


def pytest_configure(config: pytest.Config) -> None:
    """Refuse several processes on one given server: tests alter roles, which all of its databases share."""
    if "NOCTURNE_TEST_DSN" in os.environ and (config.getoption("numprocesses", 0) or 0) > 1:
        raise pytest.UsageError("NOCTURNE_TEST_DSN names one server, whose roles tests alter: add WORKERS=1.")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """First what goes to one process as a whole, then modules with slow tests.

    None of them is left to run alone at the end, when the other processes have finished.

    A slow test has five minutes, since a busy machine takes many times the ten seconds that make it one; so has a test
    that may be the first to start Airflow's API server.
    """
    slow = {item for item in items if item.get_closest_marker("slow")}
    for item in items:
        late = item in slow or "_api_server" in getattr(item, "fixturenames", ())
        if late and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(SLOW_S))
    modules = {item.path for item in slow}
    items.sort(key=lambda item: (scope_of(item.nodeid) not in SHARING, item.path not in modules))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """In a run of all tests, give the modules that share an Airflow to one process: each other would start one too."""
    from xdist.scheduler import LoadFileScheduling

    class ByServer(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return scope_of(nodeid)

    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    return ByServer(config, log) if whole and config.getoption("dist") == "loadfile" else None


def scope_of(test: str) -> str:
    """Return the tests that run in one process with a test: those of its module, or all that share its Airflow."""
    module = test.partition("::")[0]
    folder = next((one for one in SHARING if module.startswith(one)), None)
    return module if folder is None or module in ALONE else folder


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Sum what searches for planted words looked at: cells and files, and among them columns and files."""
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    searches = [value for one in reports for name, value in one.user_properties if name == SEARCHED]
    if searches:
        cells, places, traces = zip(*searches, strict=True)
        terminalreporter.write_line(
            f"planted words: {len(searches)} searches of {sum(cells):,} cells and files,"
            f" each in at most {max(places):,} columns and files; found in {sum(traces)}"
        )
