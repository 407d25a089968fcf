"""Locks: nobody stands in the way of work that is not theirs, and each lock does what it is for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg2
import pytest
from psycopg2.extensions import cursor as Cursor

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.domain.errors import WarehouseError
from deid.ledger import opt_outs
from deid.publication.publish import make_visible, publish_interval
from deid.release import actions
from deid.schema.migrations import migrate
from deid.schema.provision import ROLES
from deid.stewardship.opt_outs import PatientKey, record_opt_out
from tests.conftest import Database
from tests.database.release.ledger import Ledger
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import open_hospital, put

NIGHT = "2026-10-03"
# Keys that the product has used for advisory locks, which are open to every role that may connect.
KEYS = (0x6E6F6374, 0x7075626C, 0x73746167, 0x6F707073, 0x706C616E, 0x61756469)
NAMES = ("decision {}", "review {}", "ref.release communes")
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
LOCKS = {
    "lock_planning": {"worker"},
    "lock_staging": {"worker"},
    "lock_publication": {"publisher"},
    "try_lock_publication": {"publisher"},
    "lock_decisions": {"publisher"},
    "lock_reviews": {"publisher", "steward"},
    "try_lock_reviews": {"publisher", "steward"},
    "lock_opt_outs": {"publisher"},
    "share_opt_outs": {"publisher"},
}


@pytest.fixture
def impatient(deployed: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """The deployed database; a statement that waits for two seconds fails."""
    monkeypatch.setenv("NOCTURNE_STATEMENT_TIMEOUT_S", "2")
    settings.cache_clear()
    return deployed


@pytest.fixture
def ledger(deployed: Database) -> Ledger:
    """Nights to be written into the deployed database."""
    return Ledger(deployed)


@contextmanager
def open_transaction(dsn: str, *statements: str) -> Iterator[Cursor]:
    """A transaction that has run these statements, and stays open while the block lasts."""
    link = psycopg2.connect(dsn)
    try:
        with link.cursor() as cursor:
            cursor.execute("SET statement_timeout = '20s'")
            for statement in statements:
                cursor.execute(statement)
            yield cursor
    finally:
        link.close()


@pytest.mark.parametrize("role", ["researcher", "reader"])
def test_a_role_that_may_only_read_stops_no_work(impatient: Database, role: str) -> None:
    """On a server where nobody has run close_channels.sql; elsewhere these roles take no lock at all."""
    impatient.rows("GRANT EXECUTE ON FUNCTION pg_advisory_lock(bigint) TO PUBLIC")
    open_hospital(impatient)
    put(impatient, "D000001")
    named = [name.format(key) for name in NAMES for key in (NIGHT, "2026-03-02")]
    taken = [f"SELECT pg_advisory_lock({key})" for key in KEYS]
    taken += [f"SELECT pg_advisory_lock(hashtextextended('{name}', 0))" for name in named]
    with open_transaction(impatient.dsn(role), *taken):
        key = process("nuit-1")["interval_key"]
        actions.summarise(key)
        actions.publish(key, {"chosen": "approve", "decided_by": "morel", "reason": "lu"})
        with open_cursor("steward") as cursor:
            record_opt_out(cursor, "morel", PatientKey(None, "P000001"), "demande écrite")
        assert opt_outs.apply_opt_outs()["removed"] == 1
        assert migrate(impatient.owner) == []


@pytest.mark.parametrize("name", LOCKS)
def test_each_lock_is_for_the_roles_that_need_it(deployed: Database, name: str) -> None:
    takers = set()
    for role in set(ROLES) - {"owner"}:
        try:
            deployed.rows(f"SELECT deid.{name}()", role=role)
            takers.add(role)
        except psycopg2.errors.InsufficientPrivilege:
            pass
    assert takers == LOCKS[name]


@pytest.mark.parametrize("role", sorted(set(ROLES) - {"owner"}))
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT FROM deid.lock FOR UPDATE",
        "SELECT FROM deid.lock FOR KEY SHARE",
        "LOCK TABLE deid.lock IN ACCESS SHARE MODE",
        "DELETE FROM deid.lock",
        "SELECT deid.lock_row('publish')",
        "LOCK TABLE public.nocturne_migration IN ACCESS SHARE MODE",
    ],
)
def test_no_role_reaches_the_rows_themselves(deployed: Database, role: str, statement: str) -> None:
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        deployed.rows(statement, role=role)


def test_one_publication_at_a_time(impatient: Database, ledger: Ledger) -> None:
    ledger.night(NIGHT, 20)
    actions.summarise(NIGHT)
    with (
        open_transaction(impatient.dsn("publisher"), "SELECT deid.lock_publication()"),
        pytest.raises(WarehouseError, match="57014"),
    ):
        actions.publish(NIGHT)
    assert actions.publish(NIGHT)["published"] == 19


def test_one_migration_at_a_time(impatient: Database) -> None:
    waiting = "LOCK TABLE public.nocturne_migration IN ACCESS EXCLUSIVE MODE"
    with open_transaction(impatient.owner, waiting), pytest.raises(WarehouseError, match="57014"):
        migrate(impatient.owner)
    assert migrate(impatient.owner) == []


def test_a_publication_of_many_batches_does_not_overtake_an_opposition(deployed: Database) -> None:
    publisher = deployed.dsn("publisher")
    recorded = threading.Event()

    def record() -> None:
        deployed.rows("INSERT INTO deid.opt_out (pseudonym, asked_by) VALUES ('P1', 'x')", role="steward")
        recorded.set()

    with open_transaction(publisher, "SELECT deid.share_opt_outs()") as first:
        person = threading.Thread(target=record)
        person.start()
        _until(deployed, WAITING, [(1,)])
        with (
            open_transaction(publisher, "SET lock_timeout = '500ms'") as second,
            pytest.raises(psycopg2.errors.LockNotAvailable),
        ):
            second.execute("SELECT deid.share_opt_outs()")
        assert not recorded.is_set()
        first.connection.commit()
        person.join(10)
        assert recorded.is_set()


def test_an_opposition_recorded_during_the_rewriting_takes_its_rows_along(deployed: Database) -> None:
    open_hospital(deployed)
    put(deployed, "D000001")
    publish_interval(process("nuit-1")["interval_key"])
    make_visible("nightly")
    ((pseudonym,),) = deployed.rows("SELECT patient_id FROM research.document", role="researcher")

    def record() -> None:
        with open_cursor("steward") as cursor:
            record_opt_out(cursor, "morel", PatientKey(pseudonym), "demande écrite")

    rewriting, person = threading.Thread(target=make_visible, args=("nightly",)), threading.Thread(target=record)
    with open_transaction(deployed.owner, "LOCK TABLE deid.rewriting IN SHARE MODE"):  # holds up its last statement
        rewriting.start()
        _until(deployed, WAITING, [(1,)])
        person.start()
        _until(deployed, WAITING, [(2,)])
    rewriting.join(10)
    person.join(10)
    assert deployed.rows("SELECT count(*) FROM deid.opt_out") == [(1,)]
    assert deployed.rows("SELECT count(*) FROM research.document", role="researcher") == [(0,)]


def test_the_rewriting_takes_the_time_that_its_rows_need(impatient: Database) -> None:
    failed: list[WarehouseError] = []

    def rewrite() -> None:
        try:
            make_visible("nightly")
        except WarehouseError as error:
            failed.append(error)

    rewriting = threading.Thread(target=rewrite)
    with open_transaction(impatient.owner, "LOCK TABLE deid.rewriting IN SHARE MODE"):
        rewriting.start()
        rewriting.join(3)  # a second more than a statement may take
        assert rewriting.is_alive()
    rewriting.join(10)
    assert not failed
    assert impatient.rows("SELECT count(*) FROM deid.rewriting") == [(1,)]


def test_two_batches_share_the_lock_of_oppositions(deployed: Database) -> None:
    publisher = deployed.dsn("publisher")
    with (
        open_transaction(publisher, "SELECT deid.share_opt_outs()"),
        open_transaction(publisher, "SET lock_timeout = '500ms'", "SELECT deid.share_opt_outs()"),
    ):
        pass


def test_a_steward_who_opens_a_review_does_not_hold_up_the_summary(
    impatient: Database, ledger: Ledger, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "policy.yaml").write_text("extends: default\nrelease: {review: {automatic: true}}\n", encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "policy.yaml"))
    settings.cache_clear()
    ledger.night(NIGHT, 40)
    with open_transaction(impatient.dsn("steward"), "SELECT deid.lock_reviews()"):
        assert actions.summarise(NIGHT)["staged"] == 39
    assert impatient.rows("SELECT count(*) FROM deid.review") == [(0,)]
    actions.summarise(NIGHT)
    assert impatient.rows("SELECT count(*) FROM deid.review") == [(1,)]


def _until(database: Database, statement: str, expected: list[tuple]) -> None:
    for _ in range(100):
        if database.rows(statement) == expected:
            return
        threading.Event().wait(0.1)
    pytest.fail("it did not come to that")
