"""Migrations: applied once, whole or absent, side by side in one cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid.database.queries import SQL
from deid.domain.errors import WarehouseError
from deid.schema.migrations import migrate
from tests.conftest import Database


def test_a_second_call_applies_nothing(postgres: Database) -> None:
    assert migrate(postgres.owner) == []


def test_every_file_is_applied(postgres: Database) -> None:
    applied = {name for (name,) in postgres.rows("SELECT migration_id FROM _yoyo_migration")}
    assert applied == {path.stem for path in (SQL / "migrations").glob("*.sql")}


def test_a_failing_migration_leaves_nothing_and_is_named(postgres: Database, tmp_path: Path) -> None:
    (tmp_path / "9001_half.sql").write_text("CREATE TABLE deid.half (a int);\nSELECT 'DUPONT'::int;\n")
    with pytest.raises(WarehouseError, match=r"9001_half .*SQLSTATE 22P02") as caught:
        migrate(postgres.owner, tmp_path)
    assert "DUPONT" not in str(caught.value)
    assert postgres.rows("SELECT to_regclass('deid.half')") == [(None,)]
    (tmp_path / "9001_half.sql").write_text("CREATE TABLE deid.half (a int);\n")
    assert migrate(postgres.owner, tmp_path) == ["9001_half"]


def test_a_lock_left_by_a_killed_process_stops_nothing(postgres: Database) -> None:
    postgres.rows("INSERT INTO yoyo_lock VALUES (1, now(), 999999)")
    assert migrate(postgres.owner) == []
