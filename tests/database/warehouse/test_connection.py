"""Messages of a failing database, without connection secrets or data."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deid.database.connection import connect
from deid.domain.errors import WarehouseError, WarehouseUnreachable
from tests.conftest import Database
from tests.ports import reserve_port

SECRET_NAME = "VASSEROT"


def test_a_server_that_is_down_is_named_without_its_password() -> None:
    port = reserve_port()
    with (
        pytest.raises(WarehouseUnreachable, match=rf"127\.0\.0\.1:{port}/cdw does not answer") as caught,
        connect(f"postgresql://reader:hidden@127.0.0.1:{port}/cdw"),
    ):
        pass
    assert "hidden" not in str(caught.value)
    assert "Start it" in caught.value.remedy


@pytest.mark.parametrize(
    "change", [("nocturne-tests", "wrong"), ("nocturne_reader", "nobody"), ("nocturne_test_", "x_")]
)
def test_a_refused_login_is_not_worth_a_retry(postgres: Database, change: tuple[str, str]) -> None:
    dsn = postgres.dsn("reader").replace(*change)
    with pytest.raises(WarehouseError, match="refused the login") as caught, connect(dsn):
        pass
    assert not isinstance(caught.value, WarehouseUnreachable)


def test_an_unreadable_connection_string_is_not_shown() -> None:
    with pytest.raises(WarehouseError, match="cannot be read") as caught, connect("host=a pass word=hidden"):
        pass
    assert "hidden" not in str(caught.value)


def test_a_lost_connection_is_worth_a_retry(deployed: Database) -> None:
    def end_it(pid: int) -> str:
        deployed.rows("SELECT pg_terminate_backend(%s)", (pid,))
        return "SELECT 1"

    with pytest.raises(WarehouseUnreachable):
        _run(deployed.owner, end_it)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (f"SELECT '{SECRET_NAME}'::int", "SQLSTATE 22P02"),
        (f"INSERT INTO people VALUES ('{SECRET_NAME}'), ('{SECRET_NAME}')", "SQLSTATE 23505, constraint people_pkey"),
        ("SELECT * FROM deid.nothing", "python -m deid migrate"),
        ("SET LOCAL statement_timeout = 5; SELECT pg_sleep(1)", "NOCTURNE_STATEMENT_TIMEOUT_S"),
    ],
)
def test_a_refused_statement_gives_code_and_constraint_and_no_value(
    deployed: Database, statement: str, said: str
) -> None:
    table = "CREATE TEMPORARY TABLE people (name text PRIMARY KEY)"
    with pytest.raises(WarehouseError, match=said) as caught:
        _run(deployed.owner, lambda _: f"{table}; {statement}")
    assert SECRET_NAME not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_block_is_one_transaction(deployed: Database) -> None:
    def attempt(fail: bool) -> None:
        with connect(deployed.owner) as link, link.cursor() as cursor:
            cursor.execute("CREATE TABLE public.kept (a int)")
            if fail:
                raise RuntimeError

    with pytest.raises(RuntimeError):
        attempt(fail=True)
    assert deployed.rows("SELECT to_regclass('public.kept')") == [(None,)]
    attempt(fail=False)
    assert deployed.rows("SELECT to_regclass('public.kept')") == [("kept",)]


def test_statements_are_stopped_after_the_time_of_the_settings(deployed: Database) -> None:
    with connect(deployed.owner) as link, link.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("10min",)


def _run(dsn: str, statement: Callable[[int], str]) -> None:
    with connect(dsn) as link, link.cursor() as cursor:
        cursor.execute(statement(link.info.backend_pid))
