"""Apply the migrations that a database lacks."""

from __future__ import annotations

import logging
from pathlib import Path

import psycopg2
from psycopg2 import sql
from psycopg2.extensions import parse_dsn
from yoyo import read_migrations
from yoyo.backends.core.postgresql import PostgresqlBackend
from yoyo.connections import DatabaseURI
from yoyo.migrations import default_migration_table

from deid.database.connection import connect, place, translated
from deid.database.queries import SQL
from deid.domain.errors import WarehouseError

# One migration of a database at a time. The owner's own table: whoever else may connect cannot lock it.
LOCK_TABLE = "public.nocturne_migration"


def migrate(dsn: str, folder: Path = SQL / "migrations") -> list[str]:
    """Apply the migrations of `folder` that the database lacks, in order; return their names.

    `dsn` is the owner's. A killed process leaves each migration either whole or absent.

    Raises:
        WarehouseError: a migration failed; names it and the SQLSTATE.
    """
    logging.getLogger("yoyo.migrations").setLevel(logging.WARNING)
    with connect(dsn, application="nocturne migrate") as guard, guard.cursor() as cursor:
        _make_lock_table(dsn)
        # The lock ends with this connection, hence with the process; yoyo's own lock row would outlive a kill.
        cursor.execute(f"LOCK TABLE {LOCK_TABLE} IN ACCESS EXCLUSIVE MODE")
        with translated(dsn):
            backend = PostgresqlBackend(_uri(dsn), default_migration_table)
            backend.init_database()
        try:
            return _apply(backend, folder, dsn)
        finally:
            backend.connection.close()


def _make_lock_table(dsn: str) -> None:
    with connect(dsn, application="nocturne migrate") as link, link.cursor() as cursor:
        # Two processes that find no table at the same moment both make one, and one of them is refused.
        cursor.execute("SAVEPOINT before")
        try:
            cursor.execute(f"CREATE TABLE IF NOT EXISTS {LOCK_TABLE} ()")
        except (psycopg2.errors.UniqueViolation, psycopg2.errors.DuplicateTable):
            cursor.execute("ROLLBACK TO SAVEPOINT before")


def compare_migrations(dsn: str) -> tuple[list[str], list[str]]:
    """Return the migrations that the database lacks, and those it has that this version does not know.

    `dsn` is the owner's; nothing is changed.
    """
    known = {str(migration.id) for migration in read_migrations(str(SQL / "migrations"))}
    applied = _applied(dsn, "public._yoyo_migration", "nocturne doctor")
    return sorted(known - applied), sorted(applied - known)


def require_migrations(dsn: str) -> None:
    """Refuse a database that lacks a migration which this version has.

    `dsn` is that of any role that a task may have.

    Raises:
        WarehouseError: it lacks one; the remedy is the command that applies it.
    """
    known = {path.stem for path in (SQL / "migrations").glob("*.sql")}
    if lacking := sorted(known - _applied(dsn, "ref.applied_migration", "nocturne task")):
        raise WarehouseError(
            f"{place(dsn)} has not the form of this version: it lacks {lacking[-1]}.",
            "Run `python -m deid migrate` with NOCTURNE_OWNER_DSN, then clear the task.",
        )


def _applied(dsn: str, table: str, application: str) -> set[str]:
    """Return the migrations that a table or view names; none where it is not there, or its schema is closed."""
    with connect(dsn, application=application) as link, link.cursor() as cursor:
        schema, _, name = table.partition(".")
        cursor.execute(
            "SELECT FROM pg_class AS c INNER JOIN pg_namespace AS n ON c.relnamespace = n.oid"
            " WHERE n.nspname = %s AND c.relname = %s AND has_schema_privilege(n.oid, 'USAGE')"
            " AND has_table_privilege(c.oid, 'SELECT')",
            (schema, name),
        )
        if cursor.fetchone() is None:
            return set()
        cursor.execute(sql.SQL("SELECT migration_id FROM {}").format(sql.Identifier(schema, name)))
        return {migration for (migration,) in cursor.fetchall()}


def _apply(backend: PostgresqlBackend, folder: Path, dsn: str) -> list[str]:
    applied = []
    backend.ensure_internal_schema_updated()
    for migration in backend.to_apply(read_migrations(str(folder))):
        try:
            # One transaction with the mark: yoyo's apply_one uses two, and a kill between them applies it twice.
            with backend.transaction():
                migration.process_steps(backend, "apply")
                backend.log_migration(migration, "apply")
                backend.mark_one(migration, log=False)
        except psycopg2.Error as error:
            raise WarehouseError(
                f"migration {migration.id} failed on {place(dsn)} (SQLSTATE {error.pgcode}).",
                "The database is as it was before it. Check that NOCTURNE_OWNER_DSN may create roles and schemas.",
            ) from None
        applied.append(str(migration.id))
    return applied


def _uri(dsn: str) -> DatabaseURI:
    parts = dict(parse_dsn(dsn))
    user, password, host, port, database = (
        parts.pop(name, None) for name in ("user", "password", "host", "port", "dbname")
    )
    return DatabaseURI("postgresql", user, password, host, port, database, parts)
