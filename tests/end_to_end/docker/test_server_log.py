"""Provoked errors on servers set up as docker/ and as the demo do it: the server's log holds no value."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

from deid.database.embedded import QUIET_LOG, EmbeddedServer, binaries
from deid.schema.migrations import migrate
from deid.schema.provision import DATABASE, ROLES, provision
from tests import ROOT
from tests.end_to_end.docker.test_compose import DOCKER, server_settings
from tests.folders import make_server_folder

CANARY = "VASSEROT-QUILICI"
PASSWORD = "nocturne-tests"
# PostgreSQL's own defaults of what the product sets: the image's server has these, but for what its command says.
DEFAULTS = {
    "log_min_messages": "warning",
    "log_min_error_statement": "error",
    "log_parameter_max_length": "-1",
    "log_parameter_max_length_on_error": "-1",
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_error_verbosity": "default",
}
STATEMENTS = (
    f"SELECT '{CANARY}'::int",
    f"SELECT '{CANARY}'::date, pg_sleep(0)",
    f'SELECT * FROM "{CANARY}"',
    f"SELEKT '{CANARY}'",
    f"DO $$ BEGIN RAISE EXCEPTION 'le patient {CANARY}' USING DETAIL = '{CANARY}', HINT = '{CANARY}'; END $$",
    f"DO $$ BEGIN RAISE WARNING '{CANARY}'; PERFORM 1 / 0; END $$",
    f"SELECT 1 / length('') AS \"{CANARY}\"",
)


@pytest.fixture(scope="module", params=["docker", "demo"])
def log(request: pytest.FixtureRequest) -> Iterator[tuple[Path, dict[str, str]]]:
    """A server's log, and the connection string of each role on it."""
    home = make_server_folder()
    try:
        if request.param == "docker":
            server = EmbeddedServer(home, options={"fsync": "off", **DEFAULTS, **server_settings()})
            server.start()
            _make_as_docker(server, home)
            dsns = {name: server.uri(DATABASE, role, PASSWORD) for name, role in ROLES.items()}
            migrate(dsns["owner"])
        else:
            lines = provision(home).read_text(encoding="utf-8").splitlines()
            server = EmbeddedServer(home)
            dsns = {name: _dsn(lines, name) for name in ROLES}
        yield home / "postgres.log", dsns
    finally:
        EmbeddedServer(home).stop()
        shutil.rmtree(home)


def test_the_defaults_cover_what_is_set() -> None:
    assert DEFAULTS.keys() == QUIET_LOG.keys()


@pytest.mark.parametrize("role", ROLES)
def test_no_error_of_any_role_leaves_a_value_in_the_servers_log(log: tuple[Path, dict[str, str]], role: str) -> None:
    path, dsns = log
    for statement in STATEMENTS:
        with pytest.raises(psycopg2.Error):
            _execute(dsns[role], statement)
    with pytest.raises(psycopg2.Error):
        _execute(dsns[role], "SELECT %s::int", (CANARY,))
    text = path.read_text(encoding="utf-8")
    assert "ready to accept connections" in text
    assert CANARY not in text


def test_no_refused_row_leaves_a_value_in_the_servers_log(log: tuple[Path, dict[str, str]]) -> None:
    path, dsns = log
    _execute(dsns["owner"], "CREATE TABLE IF NOT EXISTS deid.probe (patient text PRIMARY KEY CHECK (patient <> ''))")
    _execute(dsns["owner"], "GRANT SELECT, INSERT ON deid.probe TO nocturne_worker")
    _execute(dsns["worker"], "INSERT INTO deid.probe VALUES (%s)", (CANARY,))
    for statement in ("INSERT INTO deid.probe VALUES (%s)", "INSERT INTO deid.withdrawal VALUES (1, %s)"):
        with pytest.raises(psycopg2.errors.IntegrityError):
            _execute(dsns["worker"], statement, (CANARY,))
    link = psycopg2.connect(dsns["worker"])
    with pytest.raises(psycopg2.Error), link.cursor() as cursor:
        cursor.copy_expert("COPY deid.mention FROM STDIN", io.StringIO(f"{CANARY}\n"))
    link.close()
    assert CANARY not in path.read_text(encoding="utf-8")


def _make_as_docker(server: EmbeddedServer, home: Path) -> None:
    """Run the script of the image's first start against a server of this machine."""
    secrets = home / "secrets"
    secrets.mkdir()
    for role in ("airflow", *ROLES):
        (secrets / f"{role}_password").write_text(PASSWORD, encoding="utf-8")
    script = DOCKER / "postgres" / "10-databases.sh"
    environment = {
        "PATH": f"{binaries()}:{os.environ['PATH']}",
        "SECRETS": str(secrets),
        "PROVISION": str(ROOT / "sql" / "provision"),
        "POSTGRES_USER": "postgres",
        "PGHOST": "127.0.0.1",
        "PGPORT": str(server.port),
        "PGPASSWORD": psycopg2.extensions.parse_dsn(server.uri("postgres"))["password"],
    }
    done = subprocess.run(["bash", str(script)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _dsn(lines: list[str], role: str) -> str:
    (found,) = (line.split("=", 1)[1] for line in lines if line.startswith(f"NOCTURNE_{role.upper()}_DSN="))
    return found


def _execute(dsn: str, statement: str, parameters: object = None) -> None:
    link = psycopg2.connect(dsn)
    try:
        with link, link.cursor() as cursor:
            cursor.execute(statement, parameters)
    finally:
        link.close()
