"""Transactions that read the database of a source and write nothing; PostgreSQL's, by psycopg2.

`deid.source.sqlalchemy_links` has that of the other databases. A query is written as psycopg2 reads it everywhere:
parameters as `%(name)s`, a per cent sign as `%%`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

import psycopg2
from psycopg2 import sql
from psycopg2.extensions import connection as Connection

from deid.database.connection import place
from deid.database.queries import execute, one
from deid.domain import read_entries
from deid.domain.errors import WarehouseUnreachable

# Schemas of the product in PostgreSQL, and of the catalogues
_OWN = ("deid", "identity", "gold", "ref", "research", "tuning", "information_schema", "pg_catalog")

# Type names of the contract → type oids of PostgreSQL that satisfy it (pg_type.dat).
_TYPES: Mapping[str, frozenset[int]] = {
    "text": frozenset({25, 1043, 1042}),
    "text[]": frozenset({1009, 1015}),
    "bytea or text": frozenset({17, 25, 1043, 1042}),
    "boolean": frozenset({16}),
    "date": frozenset({1082}),
    "date or text": frozenset({1082, 25, 1043, 1042}),
    "timestamptz": frozenset({1184}),
}
_KINDS: Mapping[int, frozenset[str]] = {
    oid: frozenset(kind for kind, known in _TYPES.items() if oid in known) for oids in _TYPES.values() for oid in oids
}


# Kind of fault → whether it stops or falsifies a night (`error`), `message`, `remedy`.
FAULTS: Mapping[str, Mapping[str, Any]] = read_entries("source_faults")


class FaultKind(StrEnum):
    """Kind of fault of a query. The server reports all that precede TOO_LONG in this list before it gives a row."""

    COLUMN_MISSING = "column_missing"  # the query does not give it
    COLUMN_TYPE = "column_type"
    COLUMN_ABSENT = "column_absent"  # a table read lacks it
    TABLE_ABSENT = "table_absent"
    NO_SELECT = "no_select"
    NO_ZONES = "no_zones"  # the server knows no time zones
    REFUSED = "refused"  # by the server, for another reason
    TOO_LONG = "too_long"
    ENCODING = "encoding"  # a text is not in the one that the database says
    VALUE = "value"  # a value cannot be converted
    FILE = "file"  # a file that the query reads is absent, or not as the query says


_DETAILED = (FaultKind.COLUMN_TYPE, FaultKind.REFUSED, FaultKind.FILE)


@dataclass(frozen=True, slots=True)
class QueryFault:
    """A fault of a query: `name` is a column, a table or where the server stopped, `detail` a type or SQLSTATE.

    `line` is the line of the query, from 1, where the server tells one; else 0.
    """

    kind: FaultKind
    name: str = ""
    detail: str = ""
    line: int = 0

    @property
    def told(self) -> str:
        """Names in the message of the fault: of a column or table, with a type or code."""
        return f"{self.name} {self.detail}".strip() if self.kind in _DETAILED else self.name

    def __str__(self) -> str:
        return str(FAULTS[self.kind]["message"]).format(detail=self.told, names=self.told)


class StatementRefused(Exception):
    """A statement on a source failed by a fault of its query; holds no value of a row."""

    def __init__(self, fault: QueryFault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Account(NamedTuple):
    """Facts on a session from a server: the end of its password, its encoding and its time; None: unknown."""

    expires: datetime | None = None
    encoding: str = ""
    clock: datetime | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view: its name as written in SQL, and its columns with their types as PostgreSQL names them."""

    name: str
    columns: Mapping[str, str]

    def find(self, names: str) -> list[str]:
        """Return the columns that have one of the names, in the order of the names."""
        lower = {column.lower(): column for column in self.columns}
        return [lower[name] for name in names.split() if name in lower]


class Asked(NamedTuple):
    """A query, and the columns of its rows that are wanted (`kinds`), of these types of the contract.

    `chosen`: the server gives these columns alone; `most`: and so many rows at most; `cut`: of the column "content" so
    many bytes or characters at most. The last needs `chosen`.
    """

    statement: str
    parameters: Mapping[str, Any]
    kinds: Mapping[str, str]
    chosen: bool = False
    most: int | None = None
    cut: int | None = None


class SourceLink(Protocol):
    """A transaction that reads a source.

    Methods that run a statement raise StatementRefused, WarehouseUnreachable or WarehouseError.
    """

    dialect: str  # of SQLAlchemy: "postgresql", "mariadb", "mysql", "duckdb"…
    place: str  # host:port/database, or a file

    def columns(self, statement: str, parameters: Mapping[str, Any]) -> Mapping[str, frozenset[str] | None]:
        """Return the columns of a query and the types of the contract that each satisfies; None: its values tell."""
        ...

    def rows(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """Yield the columns that are asked for of each row of a query."""
        ...

    def attempt(self) -> AbstractContextManager[None]:
        """Let the transaction go on after a StatementRefused that leaves the block."""
        ...

    def earlier(self, hours: int) -> AbstractContextManager[None]:
        """Read in a session of another zone, where a time that takes the session's is so many hours earlier."""
        ...

    def check_replay(self, until: datetime) -> None:
        """Check that a replica has what its primary had at `until`: later documents would never be planned.

        Raises:
            WarehouseUnreachable: it lags; a retry later is sensible.
        """
        ...

    def account(self) -> Account:
        """Return what the server says of the session."""
        ...

    def tables(self, schemas: Sequence[str]) -> list[Table]:
        """Return the tables and views that the session may read, of all schemas if none is named."""
        ...


class PostgresqlLink:
    """A transaction of psycopg2 that reads a source in PostgreSQL."""

    dialect = "postgresql"

    def __init__(self, link: Connection, dsn: str) -> None:
        self._link = link
        self.place = place(dsn)

    def columns(self, statement: str, parameters: Mapping[str, Any]) -> Mapping[str, frozenset[str] | None]:
        """Return each column with the types of the contract that its type satisfies."""
        with self._link.cursor() as cursor:
            try:
                cursor.execute(sql.SQL("SELECT * FROM ({}) AS q LIMIT 0").format(sql.SQL(statement)), dict(parameters))
            except psycopg2.ProgrammingError as error:
                raise StatementRefused(_fault(cursor, error)) from None
            return {column.name: _KINDS.get(column.type_code, frozenset()) for column in cursor.description or ()}

    def rows(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """Yield rows; see `SourceLink`."""
        statement, parameters, kinds, chosen, most, cut = asked
        query: sql.Composable = sql.SQL(statement)
        if chosen or most is not None:
            shortened = sql.SQL("substring(c.content FOR {}) AS content").format(sql.Literal(cut))
            columns = [
                shortened if name == "content" and cut is not None else sql.Identifier("c", name) for name in kinds
            ]
            selected = sql.SQL(", ").join(columns) if chosen else sql.SQL("*")
            query = sql.SQL("SELECT {} FROM ({}) AS c").format(selected, query)
        if most is not None:
            query = sql.SQL("{} LIMIT {}").format(query, sql.Literal(most))
        with _named(), self._link.cursor() as cursor:
            cursor.execute(query, dict(parameters))
            given = [column.name for column in cursor.description or ()]
            wanted = [(column, given.index(column)) for column in kinds]
            for row in cursor:
                yield {column: row[position] for column, position in wanted}

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Let the transaction go on after a StatementRefused that leaves the block."""
        with self._link.cursor() as cursor:
            cursor.execute("SAVEPOINT nocturne_attempt")
            try:
                yield
            except StatementRefused:
                cursor.execute("ROLLBACK TO SAVEPOINT nocturne_attempt; RELEASE SAVEPOINT nocturne_attempt")
                raise
            cursor.execute("RELEASE SAVEPOINT nocturne_attempt")

    @contextmanager
    def earlier(self, hours: int) -> Iterator[None]:
        """Read in a session of another zone, which a transaction that goes back leaves; see `SourceLink`."""
        with self.attempt(), self._link.cursor() as cursor:
            cursor.execute("SET TIME ZONE %s", (f"Etc/GMT-{hours}",))
            yield
            cursor.execute("SET TIME ZONE 'UTC'")

    def check_replay(self, until: datetime) -> None:
        """Check that a replica has what its primary had at `until`; see `SourceLink`."""
        with self._link.cursor() as cursor:
            replica, replayed, up_to_date = one(execute(cursor, "catalog", "source", "replay", {"until": until}))
        if replica and not up_to_date:
            reached = "nothing" if replayed is None else f"{replayed:%Y-%m-%d %H:%M:%S%z}"
            raise WarehouseUnreachable(
                f"the warehouse is a replica that has replayed {reached} of its primary, and the interval ends at "
                f"{until:%Y-%m-%d %H:%M:%S%z}.",
                "Wait for it, or mend the replication, then run again; or read the primary (NOCTURNE_READER_DSN).",
            )

    def account(self) -> Account:
        """Return what the server says of the session."""
        with self._link.cursor() as cursor:
            return Account(*one(execute(cursor, "catalog", "source", "account")))

    def tables(self, schemas: Sequence[str]) -> list[Table]:
        """Return the tables and views that the session may read, of all schemas if none is named."""
        with self._link.cursor() as cursor:
            execute(cursor, "catalog", "source", "columns", {"schemas": list(schemas), "own": list(_OWN)})
            return [Table(name, dict(zip(columns, types, strict=True))) for name, columns, types in cursor.fetchall()]


@contextmanager
def _named() -> Iterator[None]:
    """Name the fault of a query while its rows are read."""
    try:
        yield
    except psycopg2.errors.QueryCanceled:
        raise StatementRefused(QueryFault(FaultKind.TOO_LONG)) from None
    except (UnicodeDecodeError, psycopg2.errors.UntranslatableCharacter, psycopg2.errors.CharacterNotInRepertoire):
        raise StatementRefused(QueryFault(FaultKind.ENCODING)) from None
    except psycopg2.DataError as error:
        raise StatementRefused(QueryFault(FaultKind.VALUE, detail=error.pgcode or "")) from None


def _fault(cursor: Any, error: psycopg2.Error) -> QueryFault:
    """Name the fault of a refused statement from its SQLSTATE and position: no value, in any language of the server."""
    position, code = error.diag.statement_position, error.pgcode or ""
    if position is None:
        name, line = "…", 0
    else:
        sent = cursor.query.decode("utf-8", "replace")
        name = sent[int(position) - 1 :].split()[0].strip("(),;")
        line = sent.count("\n", 0, int(position) - 1) + 1
    kinds = {"42703": FaultKind.COLUMN_ABSENT, "42P01": FaultKind.TABLE_ABSENT, "42501": FaultKind.NO_SELECT}
    return QueryFault(kinds.get(code, FaultKind.REFUSED), name, code, line)
