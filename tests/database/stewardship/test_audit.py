"""The audit trail: chained, append-only, checkable with no database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg2
import pytest
from psycopg2.extensions import cursor as Cursor

from deid.database.connection import connect
from deid.domain.errors import WarehouseError
from deid.ledger import audit
from deid.ledger.audit import Action
from tests.conftest import Database
from tests.database.audit_exports import is_intact


@contextmanager
def steward(database: Database) -> Iterator[Cursor]:
    with connect(database.dsn("steward")) as link, link.cursor() as cursor:
        yield cursor


def fill(database: Database, lines: int = 3) -> None:
    for number in range(lines):
        with steward(database) as cursor:
            audit.write(cursor, "intendante", Action.READ_TEXT, f"document D{number}", review=1)


def test_lines_come_back_the_newest_first_and_can_be_filtered(deployed: Database) -> None:
    fill(deployed)
    with steward(deployed) as cursor:
        audit.write(cursor, "référente", Action.APPROVE, "release 2026-03-02", digest="ab" * 32)
        assert [line.seq for line in audit.list_lines(cursor)] == [4, 3, 2, 1]
        assert [line.seq for line in audit.list_lines(cursor, before=3, limit=1)] == [2]
        (line,) = audit.list_lines(cursor, actor="référente", action="approve", about="release 2026-03-02")
        assert line.details == {"digest": "ab" * 32}
        assert audit.read_head(cursor) == audit.Head(4, line.digest)
        assert audit.find_first_break(cursor) is None


def test_what_is_rolled_back_leaves_no_line_and_no_gap(deployed: Database) -> None:
    fill(deployed, 1)
    with pytest.raises(WarehouseError), steward(deployed) as cursor:
        _write_and_fail(cursor)
    fill(deployed, 1)
    with steward(deployed) as cursor:
        assert [line.seq for line in audit.list_lines(cursor)] == [2, 1]
        assert audit.find_first_break(cursor) is None


def _write_and_fail(cursor: Cursor) -> None:
    audit.write(cursor, "intendante", Action.APPROVE, "release 2026-03-02")
    cursor.execute("SELECT 1 / 0")


def test_lines_written_at_the_same_moment_form_one_chain(deployed: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: fill(deployed, 5), range(8)))
    with steward(deployed) as cursor:
        assert audit.read_head(cursor).seq == 40
        assert audit.find_first_break(cursor) is None


@pytest.mark.parametrize("role", ["steward", "publisher", "worker", "reader", "researcher"])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE deid.audit SET actor = 'x'",
        "DELETE FROM deid.audit",
        "TRUNCATE deid.audit",
        "INSERT INTO deid.audit VALUES (9, now(), 'x', 'approve', 'x', '{}', '', '')",
    ],
)
def test_nobody_can_rewrite_the_trail(deployed: Database, role: str, statement: str) -> None:
    fill(deployed, 1)
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        deployed.rows(statement, role=role)


def test_not_even_the_owner_rewrites_it_by_mistake(deployed: Database) -> None:
    fill(deployed, 1)
    for statement in ("UPDATE deid.audit SET actor = 'x'", "DELETE FROM deid.audit", "TRUNCATE deid.audit"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            deployed.rows(statement, role="owner")


@pytest.mark.parametrize(
    ("tampering", "where"),
    [
        ("UPDATE deid.audit SET actor = 'un autre' WHERE seq = 2", 2),
        ("""UPDATE deid.audit SET details = '{"review": 2}' WHERE seq = 1""", 1),
        ("UPDATE deid.audit SET at = at + interval '1 second' WHERE seq = 3", 3),
        ("DELETE FROM deid.audit WHERE seq = 2", 3),
        ("DELETE FROM deid.audit WHERE seq = 1", 2),
    ],
)
def test_an_administrator_who_rewrites_it_is_found_out(deployed: Database, tampering: str, where: int) -> None:
    fill(deployed, 4)
    deployed.rows("ALTER TABLE deid.audit DISABLE TRIGGER append_only")
    deployed.rows(tampering)
    with connect(deployed.dsn("steward")) as link, link.cursor() as cursor:
        assert audit.find_first_break(cursor) == where
        assert not is_intact(audit.export_lines(link))


def test_a_cut_tail_is_found_by_the_head_kept_elsewhere(deployed: Database) -> None:
    fill(deployed, 3)
    with steward(deployed) as cursor:
        kept = audit.read_head(cursor)
    deployed.rows("ALTER TABLE deid.audit DISABLE TRIGGER append_only")
    deployed.rows("DELETE FROM deid.audit WHERE seq = 3")
    with steward(deployed) as cursor:
        assert audit.find_first_break(cursor) is None
        assert audit.read_head(cursor) != kept


def test_an_export_is_checked_without_the_database(deployed: Database) -> None:
    fill(deployed, 3)
    with connect(deployed.dsn("steward")) as link:
        lines = list(audit.export_lines(link))
    assert is_intact(iter(lines))
    assert json.loads(lines[0]["line"])[2:5] == ["intendante", "read_text", "document D0"]
    lines[1]["line"] = lines[1]["line"].replace("intendante", "quelqu'un")
    assert not is_intact(iter(lines))
    assert not is_intact(iter(lines[1:]))
