"""Facts about a database as a role of the product sees it: server, encryption, privileges, log, clock. Reads no row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from psycopg2.extensions import connection as Connection

from deid.database.connection import connect, place
from deid.database.queries import execute
from deid.domain import PARIS
from deid.schema.provision import ROLES

SCHEMAS = ("cdw", "deid", "gold", "identity", "ref", "research")
_LOCAL = ("127.", "::1", "localhost", "/")


@dataclass(frozen=True, slots=True)
class Session:
    """Facts that one connection gives.

    `place` is host:port/database; `version` as PostgreSQL counts it (150003); `local`: the server is on this machine;
    `seconds_ahead`: of the server's clock, and `zone_seconds_ahead` of its time in the zone of the intervals;
    `privileges`: schema → privilege → (tables, name of one of them); `memberships`: roles of the product that the login
    is or may become; `others`: accounts outside the product that hold privileges, with the schema; `writable`: tables
    of any schema that the role may change; `texts`: columns of text outside research that it may read.
    """

    place: str
    version: int
    role: str
    attributes: tuple[str, ...]
    encrypted: bool
    verified: bool
    local: bool
    seconds_ahead: float
    zone_seconds_ahead: float
    settings: Mapping[str, str]
    privileges: Mapping[str, Mapping[str, tuple[int, str]]]
    creates: tuple[str, ...]
    memberships: tuple[str, ...]
    others: tuple[tuple[str, str], ...]
    writable: int
    texts: tuple[str, ...]


def inspect(dsn: str, names: Sequence[str]) -> Session:
    """Return the facts about a database and the role that logs in to it; `names` are settings to read."""
    with connect(dsn, application="nocturne doctor") as link:
        link.set_session(readonly=True)
        return _read(link, dsn, names)


def _read(link: Connection, dsn: str, names: Sequence[str]) -> Session:
    asked = {"schemas": list(SCHEMAS), "roles": list(ROLES.values()), "names": list(names), "zone": PARIS.key}

    def rows(statement: str) -> list[tuple]:  # type: ignore[type-arg]
        with link.cursor() as cursor:
            return execute(cursor, "catalog", "session", statement, asked).fetchall()

    before = datetime.now(UTC)
    ((clock, local_time),) = rows("clock")
    now = before + (datetime.now(UTC) - before) / 2
    ((role, attributes),) = rows("role")
    privileges: dict[str, dict[str, tuple[int, str]]] = {}
    for schema, privilege, tables, example in rows("grants"):
        privileges.setdefault(schema, {})[privilege] = (tables, example)
    host = link.info.host or "/"
    return Session(
        place=place(dsn),
        version=link.server_version,
        role=role,
        attributes=tuple(attributes),
        encrypted=bool(link.info.ssl_in_use),
        verified=link.info.dsn_parameters.get("sslmode") in ("verify-full", "verify-ca"),
        local=host.startswith(_LOCAL),
        seconds_ahead=(clock - now).total_seconds(),
        zone_seconds_ahead=(local_time - clock.astimezone(PARIS).replace(tzinfo=None)).total_seconds(),
        settings=dict(rows("settings")),
        privileges=privileges,
        creates=tuple(schema for (schema,) in rows("creates")),
        memberships=tuple(name for (name,) in rows("memberships")),
        others=tuple((account, schema) for account, schema in rows("others")),
        writable=rows("writes")[0][0],
        texts=tuple(column for (column,) in rows("texts")),
    )
