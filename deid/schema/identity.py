"""Move of the schema `identity` between the ledger's database and another, which a backup of the first then lacks."""

from __future__ import annotations

import io

from psycopg2 import sql
from psycopg2.extensions import cursor as Cursor

from deid.database.connection import connect, identity_dsn, place
from deid.database.queries import execute, one, query
from deid.domain.errors import WarehouseError
from deid.schema.provision import ROLES

TABLES = ("salt", "mapping", "opt_out", "discarded")  # the salt first: it takes its place where nothing used another
APPLICATION = "nocturne migrate"


def may_use_identity(cursor: Cursor, role: str | None = None) -> bool:
    """Return whether a database lets a role (None: the role of the cursor) use its own schema `identity`."""
    cursor.execute("SELECT has_schema_privilege(coalesce(%s, current_user), 'identity', 'USAGE')", (role,))
    return bool(one(cursor)[0])


def move_identity(owner_dsn: str, *, back: bool = False) -> int:
    """Move the rows of `identity` to the database of NOCTURNE_IDENTITY_DATABASE, or `back`, and close it where it was.

    Both databases have the form of this version. The rows are committed there before they are removed here: a killed
    process leaves them here, or in both, and a second call ends the work. Returns the number of ids that left.

    Raises:
        WarehouseUnreachable: one of both does not answer.
        WarehouseError: it is the same database, or holds the ids of another ledger; nothing was removed.
    """
    origin, target = (owner_dsn, identity_dsn("owner"))[:: -1 if back else 1]
    with connect(origin, application=APPLICATION) as link, link.cursor() as here:
        if not may_use_identity(here, ROLES["worker"]):
            return 0
        here.execute("LOCK TABLE identity.mapping, identity.opt_out, identity.discarded, identity.salt")
        with connect(target, application=APPLICATION) as other, other.cursor() as there:
            _refuse_itself(here, there, owner_dsn)
            for table in TABLES:
                _copy(here, there, table)
            if one(execute(there, "identity", "move", "lacking"))[0]:
                raise WarehouseError(
                    f"{place(target)} holds the ids of another ledger.",
                    "Give NOCTURNE_IDENTITY_DATABASE a database of its own.",
                )
            execute(there, "identity", "move", "open")
        here.execute("SELECT count(*) FROM identity.mapping")
        (moved,) = one(here)
        execute(here, "identity", "move", "close")
        return int(moved)


def _refuse_itself(here: Cursor, there: Cursor, owner_dsn: str) -> None:
    """Refuse to move the rows of a database to itself, by whatever name of its server."""
    found = []
    for cursor in (here, there):
        cursor.execute(
            "SELECT s.system_identifier, d.oid FROM pg_control_system() AS s, pg_database AS d"
            " WHERE d.datname = current_database()"
        )
        found.append(one(cursor))
    if found[0] == found[1]:
        raise WarehouseError(
            f"NOCTURNE_IDENTITY_DATABASE is the database of the ledger, {place(owner_dsn)}.",
            "Give it another database, or leave it out.",
        )


def _copy(here: Cursor, there: Cursor, table: str) -> None:
    names = {"own": sql.Identifier("identity", table), "moved": sql.Identifier(f"moved_{table}")}
    rows = io.BytesIO()
    here.copy_expert(sql.SQL("COPY (SELECT * FROM {own}) TO STDOUT").format(**names), rows)
    rows.seek(0)
    there.execute(sql.SQL("CREATE TEMPORARY TABLE {moved} ON COMMIT DROP AS TABLE {own} WITH NO DATA").format(**names))
    there.copy_expert(sql.SQL("COPY {moved} FROM STDIN").format(**names), rows)
    there.execute(query("identity", "move", table))
