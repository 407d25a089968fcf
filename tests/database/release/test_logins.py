"""The database login beside the person: set by the server, part of the trail, and what an approval counts by."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg2
import pytest
from psycopg2 import sql

from deid.database.connection import connect
from deid.domain.errors import ReleaseRefused
from deid.ledger import audit
from deid.release import actions
from tests.conftest import PASSWORD, Database
from tests.database.audit_exports import is_intact
from tests.database.release.ledger import Ledger

NIGHT = "2026-10-03"
APPROVE = """
    INSERT INTO deid.decision (interval_key, run_id, chosen, decided_by, staged_digest, login)
    SELECT %s, max(run_id), 'approve', 'c.morel', max(staged_digest), 'nocturne_publisher' FROM deid.run
"""
# What a steward's process writes, each with a login that is not its own.
WRITTEN = {
    "review": """
        INSERT INTO deid.review (interval_key, staged_digest, population, sample, target, confidence, readings, seed,
            opened_by, login) VALUES ('2026-10-03', 'd', 1, 1, 0.1, 0.9, 1, 's', 'c.morel', 'somebody')
    """,
    "opt_out": "INSERT INTO deid.opt_out (asked_by, reason) VALUES ('c.morel', 'demande écrite')",
    "annotation": """
        INSERT INTO deid.annotation (document_id, content_hash, start_offset, end_offset, annotator, origin, login)
        VALUES ('D1', 'h', 0, 1, 'c.morel', 'review 1', 'somebody')
    """,
}


@pytest.fixture
def night(deployed: Database, ledger: Ledger) -> Database:
    """An interval that waits for a person."""
    ledger.night(NIGHT, 40, warned=30)
    assert actions.needs_approval(actions.summarise(NIGHT))
    return deployed


@pytest.fixture
def own_login(postgres_server: str) -> Iterator[str]:
    """A login of the hospital's own, with the publisher's rights."""
    _as_superuser(postgres_server, "CREATE ROLE publication_chu LOGIN PASSWORD %s IN ROLE nocturne_publisher", PASSWORD)
    yield "publication_chu"
    _as_superuser(postgres_server, "DROP ROLE publication_chu")


def test_a_decision_carries_the_login_that_recorded_it(night: Database, own_login: str) -> None:
    night.rows(APPROVE, (NIGHT,), role="publisher")
    parts = urlsplit(night.dsn("publisher"))
    own = urlunsplit(parts._replace(netloc=parts.netloc.replace("nocturne_publisher", own_login, 1)))
    link = psycopg2.connect(own)
    with link, link.cursor() as cursor:
        cursor.execute("SET ROLE nocturne_publisher")
        cursor.execute(APPROVE, (NIGHT,))
    link.close()
    logins = night.rows("SELECT login FROM deid.decision WHERE chosen = 'approve' ORDER BY decided_at")
    assert logins == [("nocturne_publisher",), (own_login,)]
    assert actions.publish(NIGHT)["published"] == 39


@pytest.mark.parametrize("role", [None, "owner"])
def test_what_an_administrator_writes_approves_nothing(night: Database, role: str | None) -> None:
    night.rows(APPROVE, (NIGHT,), role=role)
    with pytest.raises(ReleaseRefused, match="needs a person's approval"):
        actions.publish(NIGHT)


@pytest.mark.parametrize("role", ["steward", "worker", "reader", "researcher", "refresher"])
def test_no_other_role_records_a_decision(night: Database, role: str) -> None:
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        night.rows(
            APPROVE.replace("max(run_id)", "1").replace("max(staged_digest)", "'d'").replace("FROM deid.run", ""),
            (NIGHT,),
            role=role,
        )


@pytest.mark.parametrize("table", WRITTEN)
def test_no_client_chooses_its_login(deployed: Database, table: str) -> None:
    deployed.rows(WRITTEN[table], role="steward")
    assert deployed.rows(f"SELECT login FROM deid.{table}") == [("nocturne_steward",)]


def test_what_is_changed_later_carries_its_login_too(deployed: Database) -> None:
    deployed.rows(WRITTEN["review"], role="steward")
    deployed.rows("UPDATE deid.review SET closed_by = 'c.morel', closed_at = now()", role="steward")
    deployed.rows(WRITTEN["opt_out"], role="steward")
    deployed.rows("UPDATE deid.opt_out SET revoked_by = 'c.morel', revoked_at = now()", role="worker")
    assert deployed.rows("SELECT closed_login FROM deid.review") == [("nocturne_steward",)]
    assert deployed.rows("SELECT revoked_login FROM deid.opt_out") == [("nocturne_worker",)]


def test_the_trail_names_the_login_and_keeps_its_older_lines(deployed: Database) -> None:
    line = json.dumps([1, "2026-01-02T03:04:05.000000Z", "c.morel", "approve", "release", {}, ""])
    old = (hashlib.sha256(line.encode()).hexdigest(),)
    deployed.rows(
        "INSERT INTO deid.audit (seq, at, actor, action, object, details, previous, digest)"
        " VALUES (1, '2026-01-02T03:04:05Z', 'c.morel', 'approve', 'release', '{}', '', %s)",
        old,
    )
    with connect(deployed.dsn("steward")) as link:
        with link.cursor() as cursor:
            audit.write(cursor, "c.morel", audit.Action.REJECT, "release 2026-10-03")
            assert audit.find_first_break(cursor) is None
            assert [found.login for found in audit.list_lines(cursor)] == ["nocturne_steward", None]
        lines = list(audit.export_lines(link))
    assert is_intact(iter(lines))
    assert lines[0]["line"] == line
    assert json.loads(lines[1]["line"])[6] == "nocturne_steward"
    deployed.rows("ALTER TABLE deid.audit DISABLE TRIGGER append_only")
    deployed.rows("UPDATE deid.audit SET login = 'another' WHERE seq = 2")
    with connect(deployed.dsn("steward")) as link, link.cursor() as cursor:
        assert audit.find_first_break(cursor) == 2


def _as_superuser(superuser: str, statement: str, *parameters: Any) -> None:
    link = psycopg2.connect(superuser)
    with link, link.cursor() as cursor:
        cursor.execute(sql.SQL(statement), parameters or None)
    link.close()
