"""Between roles: no role hands bytes to another, or hinders it, by what PostgreSQL opens to everybody."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import psycopg2
import pytest

from deid.cli import main
from deid.config.settings import settings
from deid.schema.provision import OWNER, ROLES, close_channels, list_open_channels, make_database
from tests.conftest import Database

WORKING = sorted(set(ROLES) - {"owner"})
CANARY = "VASSEROT-QUILICI"
BYTES = "SELECT lo_from_bytea(0, convert_to('x', 'UTF8'))"
REFUSED = {
    "make a large object": BYTES,
    "create one": "SELECT lo_create(0)",
    "create one of the old kind": "SELECT lo_creat(-1)",
    "write to one": "SELECT lo_put(1, 0, 'x')",
    "read one": "SELECT lo_get(1)",
    "open one": "SELECT lo_open(1, 262144)",
    "take an advisory lock": "SELECT pg_advisory_lock(1)",
    "share one": "SELECT pg_try_advisory_xact_lock_shared(1, 2)",
    "read what sessions call themselves": "SELECT application_name FROM pg_stat_activity",
    "read the settings of roles": "SELECT rolconfig FROM pg_roles",
    "read those of users": "SELECT useconfig FROM pg_user",
    "read those by database": "SELECT setconfig FROM pg_db_role_setting",
    "make a table in public": "CREATE TABLE public.mine (a int)",
    "make a schema": "CREATE SCHEMA mine",
}


@pytest.mark.parametrize("role", WORKING)
@pytest.mark.parametrize("act", REFUSED)
def test_no_role_leaves_bytes_for_another(postgres: Database, role: str, act: str) -> None:
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        postgres.rows(REFUSED[act], role=role)


@pytest.mark.parametrize("role", ["reader", "steward", "researcher"])
def test_roles_that_only_read_make_no_temporary_table(postgres: Database, role: str) -> None:
    """Names and comments of temporary tables stand in the catalogue, which every role reads."""
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        postgres.rows("CREATE TEMPORARY TABLE mine (a int)", role=role)


def test_what_a_role_sets_for_itself_is_its_own(postgres: Database) -> None:
    postgres.rows(f"ALTER ROLE nocturne_reader SET search_path = '{CANARY}'", role="reader")
    try:
        held = "SELECT count(*) FROM pg_db_role_setting WHERE setconfig::text LIKE %s"
        assert postgres.rows(held, (f"%{CANARY}%",)) == [(1,)]
        for view, column in (("pg_roles", "rolconfig"), ("pg_user", "useconfig"), ("pg_db_role_setting", "setconfig")):
            with pytest.raises(psycopg2.errors.InsufficientPrivilege):
                postgres.rows(f"SELECT {column} FROM {view}", role="researcher")
        names = postgres.rows("SELECT rolname FROM pg_roles WHERE rolname = 'nocturne_reader'", role="researcher")
        assert names == [("nocturne_reader",)]
    finally:
        postgres.rows("ALTER ROLE nocturne_reader RESET search_path")


@pytest.mark.parametrize("role", WORKING)
@pytest.mark.parametrize("database", ["postgres", "template1"])
def test_no_role_meets_another_in_a_database_of_the_server(postgres: Database, role: str, database: str) -> None:
    elsewhere = urlunsplit(urlsplit(postgres.dsn(role))._replace(path=f"/{database}"))
    with pytest.raises(psycopg2.OperationalError, match="permission denied for database"):
        psycopg2.connect(elsewhere)


def test_a_researchers_login_leaves_connections_and_disk_to_the_night(postgres: Database) -> None:
    assert postgres.rows("SELECT rolconnlimit FROM pg_roles WHERE rolname = 'researcher'") == [(20,)]
    assert postgres.rows("SHOW temp_file_limit", role="researcher") == [("4GB",)]
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        postgres.rows("SET temp_file_limit = -1", role="researcher")


@pytest.fixture
def as_installed(postgres_server: str) -> Iterator[Database]:
    """A database as PostgreSQL makes it."""
    name = "nocturne_test_open"
    make_database(postgres_server, name, OWNER)
    made = Database(postgres_server, name)
    made.rows(f"GRANT CONNECT ON DATABASE {name} TO PUBLIC")
    yield made
    link = psycopg2.connect(postgres_server)
    link.autocommit = True
    link.cursor().execute(f"DROP DATABASE {name} WITH (FORCE)")
    link.close()


def test_what_is_open_is_named_until_a_superuser_closes_it(
    as_installed: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = set(list_open_channels(as_installed.owner))
    named = {"function lo_put(oid,bigint,bytea)", "column pg_roles.rolconfig", f"database {as_installed.name}"}
    assert named <= found
    monkeypatch.setenv("NOCTURNE_OWNER_DSN", as_installed.owner)
    settings.cache_clear()
    assert main(["migrate"]) == 0
    assert "close_channels.sql" in capsys.readouterr().err
    for _ in range(2):
        close_channels(urlunsplit(urlsplit(as_installed.superuser)._replace(path=f"/{as_installed.name}")))
        assert list_open_channels(as_installed.owner) == []
    assert main(["migrate"]) == 0
    assert capsys.readouterr().err == ""


def test_what_monitoring_reads_stays(postgres: Database) -> None:
    postgres.rows("CREATE ROLE nocturne_test_monitor LOGIN PASSWORD 'x' IN ROLE pg_monitor")
    try:
        reads = "SELECT has_function_privilege('nocturne_test_monitor', 'pg_stat_get_activity(int)', 'EXECUTE')"
        assert postgres.rows(reads) == [(True,)]
    finally:
        postgres.rows("DROP ROLE nocturne_test_monitor")
