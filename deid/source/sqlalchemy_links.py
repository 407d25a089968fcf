"""Databases of a source that SQLAlchemy reads, other than PostgreSQL; what their errors quote of a row is not kept.

Tried with MariaDB (PyMySQL) and DuckDB (duckdb-engine). A query's types are known from its values: a time without a
zone is of UTC, 0 and 1 are booleans where one is due, and a list is an array or a text, JSON array or lone value.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from deid.config.settings import settings
from deid.database import queries
from deid.database.connection import CONNECT_TIMEOUT_S
from deid.domain import read_lists
from deid.domain.errors import SettingsError, WarehouseError, WarehouseUnreachable
from deid.source.links import Account, Asked, FaultKind, QueryFault, SourceLink, StatementRefused, Table

_IDS_AT_ONCE = 1000  # Oracle takes no longer list
_ROWS_AT_ONCE = 20  # of contents, which may be long, in memory
_SYNTAX = re.compile(r"%(?:%|\((\w+)\)s)|:")
_NAMES = {"mysql": "MySQL", "mariadb": "MariaDB", "duckdb": "DuckDB", "oracle": "Oracle"}
_MYSQL = ("mysql", "mariadb")
_CATALOGUES = ("information_schema", "performance_schema", "mysql", "sys")
_KNOWN: Mapping[str, Mapping[str, Any]] = read_lists(__file__)
_DRIVERS, _ZONES = _KNOWN["drivers"], _KNOWN["zones"]
_KINDS = {code: FaultKind(kind) for kind, codes in _KNOWN["faults"].items() for code in codes.split()}
_LOGIN, _PASSING = (frozenset(_KNOWN["errors"][kind].split()) for kind in ("login", "passing"))
_TYPE_NAMES: Sequence[tuple[type[sa.types.TypeEngine[Any]], str]] = (
    *((sa.ARRAY, "ARRAY"), (sa.Boolean, "boolean"), (sa.Date, "date"), (sa.types._Binary, "bytea")),
    *((sa.Integer, "integer"), (sa.Numeric, "numeric"), (sa.String, "text")),
)
_DUCKDB_TYPES = {told: name for name, types in _KNOWN["types"].items() for told in types}
# Identifier that an error names; quotes around anything else may hold a value.
_IDENTIFIER = re.compile(
    r"Table '([\w.$]+)' doesn't exist|Unknown column '([\w.$]+)'|Table with name \"?([\w.]+)\"? does not exist"
    r'|Referenced (?:column|table) "([\w.]+)" not found|does not have a column named "([\w.]+)"'
    r"|(?:Function|Macro) with name \"?(\w+)\"? does not exist|syntax error at or near \"(\w+)\""
)
_CSV_LINE = re.compile(r"CSV Error on Line: (\d+)")


@contextmanager
def open_link(dsn: str, application: str) -> Iterator[SourceLink]:
    """Open a transaction on the database of a SQLAlchemy URL, rolled back at the end.

    Raises:
        SettingsError: the URL cannot be read, or its driver is not installed.
        WarehouseUnreachable: nothing answers, or the connection was lost; retrying later is sensible.
        WarehouseError: the server refused the login or a statement.
    """
    url, engine = _make_engine(dsn, application)
    place = f"{url.host}:{url.port or 'default port'}/{url.database or ''}" if url.host else (url.database or "memory")
    named = f"{_NAMES.get(engine.dialect.name, engine.dialect.name)} at {place}"
    try:
        with _translated(named), engine.connect() as connection:
            yield SqlalchemyLink(connection, place)
    finally:
        engine.dispose()


def _make_engine(dsn: str, application: str) -> tuple[URL, sa.Engine]:
    try:
        url = sa.make_url(dsn)
        dialect = url.get_backend_name()
        given: dict[str, Any] = {}
        if dialect in _MYSQL and url.get_driver_name() == "pymysql":
            silence = settings().statement_timeout_s + CONNECT_TIMEOUT_S
            given = {"program_name": application, "connect_timeout": CONNECT_TIMEOUT_S, "read_timeout": silence}
        elif dialect == "duckdb":
            given = {"config": {"autoinstall_known_extensions": "false"}}
            given |= {"read_only": True} if url.database not in (None, "", ":memory:") else {}
        return url, sa.create_engine(url, poolclass=NullPool, hide_parameters=True, connect_args=given)
    except (NoSuchModuleError, ModuleNotFoundError):
        if dialect not in _DRIVERS:
            raise SettingsError(
                f"NOCTURNE_READER_DSN: SQLAlchemy knows no {dialect}:// here.",
                f"Write one of {', '.join(sorted(_DRIVERS))}, or install the dialect's package on every worker.",
            ) from None
        begin, packages = _DRIVERS[dialect]
        raise SettingsError(
            f"NOCTURNE_READER_DSN: the driver of {url.drivername}:// is not installed.",
            f"On every worker: pip install {packages}; the address begins with {begin}.",
        ) from None
    except (ArgumentError, ValueError):
        begins = ", ".join(["postgresql://", *(begin for begin, _ in _DRIVERS.values())])
        raise SettingsError(
            "NOCTURNE_READER_DSN cannot be read as the address of a database.",
            f"It begins with one of {begins}; write @ : / ? of a password as %40 %3A %2F %3F.",
        ) from None


class SqlalchemyLink:
    """A transaction of SQLAlchemy that reads a source."""

    def __init__(self, connection: sa.Connection, place: str) -> None:
        self._connection, self.place = connection, place
        self._driver: Any = connection.connection.driver_connection
        dialect = connection.dialect
        self.dialect = "mariadb" if getattr(dialect, "is_mariadb", False) else dialect.name
        seconds = settings().statement_timeout_s
        if limit := _KNOWN["limits"].get(self.dialect):
            setattr(self._driver, limit[0], seconds * limit[1])
        for statement in _KNOWN["session"].get(self.dialect, ()):
            connection.exec_driver_sql(statement.format(s=seconds, ms=seconds * 1000))
        self._set_zone(0)
        self._begin()

    def _set_zone(self, hours: int) -> None:
        if zone := _ZONES.get(self.dialect):
            self._connection.exec_driver_sql(zone.format(hours, -hours))

    def _begin(self) -> None:
        self._connection.rollback()
        if begin := _KNOWN["transaction"].get(self.dialect):
            self._connection.exec_driver_sql(begin)

    def columns(self, statement: str, parameters: Mapping[str, Any]) -> Mapping[str, frozenset[str] | None]:
        """Return the columns of a query, whose types its values tell.

        Raises:
            StatementRefused: the server refuses it, or converts times with zones that it does not know.
        """
        if self.dialect in _MYSQL and "convert_tz" in statement.lower():
            asked = "SELECT CONVERT_TZ('2026-01-01 00:00:00', 'Europe/Paris', 'UTC')"
            if self._connection.exec_driver_sql(asked).scalar() is None:
                raise StatementRefused(QueryFault(FaultKind.NO_ZONES))
        with self._executing(self._asked(statement, parameters, "*", 0), parameters) as result:
            return dict.fromkeys(result.keys())

    def rows(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """Yield rows; see `SourceLink`. Long lists of ids are asked for in parts."""
        statement, parameters, kinds, chosen, most, cut = asked
        ids = list(parameters.get("document_ids", ()))
        for start in range(0, max(1, len(ids)), _IDS_AT_ONCE):
            part = {**parameters, "document_ids": ids[start : start + _IDS_AT_ONCE]} if ids else dict(parameters)
            columns: Any = "*" if not chosen else [self._column(name, cut) for name in kinds]
            query = self._asked(statement, part, columns if chosen or most is not None else None, most)
            with self._executing(query, part) as result:
                given = list(result.keys())
                wanted = [(column, kind, given.index(column)) for column, kind in kinds.items()]
                for row in result:
                    yield {column: _convert(column, kind, row[position]) for column, kind, position in wanted}

    def _column(self, name: str, cut: int | None) -> Any:
        column: sa.ColumnElement[Any] = sa.column(name)
        if name != "content" or cut is None:
            return column
        if self.dialect == "duckdb":  # whose substring takes no bytes
            return sa.literal_column(f"(content)[1:{int(cut)}]").label(name)
        return sa.func.substring(column, 1, cut).label(name) if self.dialect in (*_MYSQL, "mssql") else column

    def _asked(self, statement: str, parameters: Mapping[str, Any], columns: Any, most: int | None) -> Any:
        """Return a statement of the contract for SQLAlchemy, alone or as the subquery of which columns are taken."""
        places = {found[1] for found in _SYNTAX.finditer(statement) if found[1]}
        for unknown in sorted(places - set(parameters)):
            raise StatementRefused(QueryFault(FaultKind.REFUSED, f"%({unknown})s", "no such parameter"))
        clause = sa.text(_SYNTAX.sub(_rewritten, statement)).bindparams(
            *(
                sa.bindparam(name, expanding=True, type_=sa.String())
                if isinstance(parameters[name], list)
                else sa.bindparam(name)
                for name in sorted(places)
            )
        )
        if columns is None:
            return clause
        taken = [sa.literal_column("*")] if columns == "*" else columns
        return sa.select(*taken).select_from(clause.columns().subquery("c")).limit(most)

    @contextmanager
    def _executing(self, asked: Any, parameters: Mapping[str, Any]) -> Iterator[sa.CursorResult[Any]]:
        """Run a statement, whose rows are not held in memory, and name the fault of its query."""
        options = {"stream_results": True, "max_row_buffer": _ROWS_AT_ONCE}
        bound = {name: _naive(value) for name, value in parameters.items()}
        watch = threading.Timer(settings().statement_timeout_s, getattr(self._driver, "interrupt", lambda: None))
        watch.daemon = True
        if self.dialect == "duckdb":  # which has no limit of its own
            watch.start()
        try:
            with self._connection.execute(asked, bound, execution_options=options) as result:
                yield result
        except UnicodeDecodeError:
            raise StatementRefused(QueryFault(FaultKind.ENCODING)) from None
        except DBAPIError as error:
            if (fault := _fault(error)) is None:
                raise
            raise StatementRefused(fault) from None
        finally:
            watch.cancel()

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Let reading go on, in another transaction, after a StatementRefused that leaves the block."""
        try:
            yield
        except StatementRefused:
            self._begin()
            raise

    @contextmanager
    def earlier(self, hours: int) -> Iterator[None]:
        """Read in a session of another zone, where the server has sessions with one; see `SourceLink`."""
        self._set_zone(hours)
        try:
            with self.attempt():
                yield
        except StatementRefused:
            self._set_zone(0)
            raise
        self._set_zone(0)

    def check_replay(self, until: datetime) -> None:
        """Do nothing: whether such a server is a late replica is not known."""

    def account(self) -> Account:
        """Return the server's time, of MySQL and MariaDB."""
        if self.dialect not in _MYSQL:
            return Account()
        clock = self._connection.exec_driver_sql("SELECT UTC_TIMESTAMP(6)").scalar_one()
        return Account(clock=clock.replace(tzinfo=UTC))

    def tables(self, schemas: Sequence[str]) -> list[Table]:
        """Return the tables and views that the session may read, of all schemas if none is named."""
        quote = self._connection.dialect.identifier_preparer.quote
        found: dict[str, dict[str, str]] = {}
        for schema, table, column, kind in self._columns_of(schemas):
            found.setdefault(f"{quote(schema)}.{quote(table)}", {})[quote(column)] = kind
        return [Table(name, columns) for name, columns in found.items()]

    def _columns_of(self, schemas: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
        """Yield schema, table, column and PostgreSQL's name of the type of each column that may be read."""
        if self.dialect == "duckdb":
            for schema, table, column, kind in self._connection.exec_driver_sql(
                queries.query("catalog", "duckdb", "columns")
            ):
                if not schemas or schema in schemas:
                    yield schema, table, column, _DUCKDB_TYPES.get(kind.partition("(")[0], "other")
            return
        inspector = sa.inspect(self._connection)
        for schema in schemas or [one for one in inspector.get_schema_names() if one not in _CATALOGUES]:
            for table in sorted({*inspector.get_table_names(schema), *inspector.get_view_names(schema)}):
                for told in inspector.get_columns(table, schema):
                    yield schema, table, told["name"], self._type_name(told["type"])

    def _type_name(self, kind: sa.types.TypeEngine[Any]) -> str:
        """Return PostgreSQL's name of a type, near enough to draft a contract from."""
        if isinstance(kind, sa.DateTime):  # MySQL gives a TIMESTAMP in the session's zone, which is UTC
            zoned = kind.timezone or (self.dialect in _MYSQL and isinstance(kind, sa.TIMESTAMP))
            return f"timestamp {'with' if zoned else 'without'} time zone"
        return next((name for known, name in _TYPE_NAMES if isinstance(kind, known)), "other")


def _rewritten(found: re.Match[str]) -> str:
    """Return a parameter, per cent sign or colon of the contract's syntax in the syntax of `sqlalchemy.text`."""
    if found[1]:
        return f":{found[1]}"
    return "%" if found[0] == "%%" else r"\:"


def _naive(value: Any) -> Any:
    """Return a time as one of UTC without its zone, which most drivers would drop."""
    return value.astimezone(UTC).replace(tzinfo=None) if isinstance(value, datetime) and value.tzinfo else value


def _convert(column: str, kind: str, value: Any) -> Any:
    """Return a value of a driver as one of a type of the contract.

    Raises:
        StatementRefused: it is of another type.
    """
    found: Any = StatementRefused
    if value is None or (isinstance(value, str) and "date" in kind and value.startswith("0000-00-00")):
        return None  # MySQL's date of nothing
    if kind == "text[]" and isinstance(value, str | list | tuple):
        found = _list(value)
    elif kind == "boolean" and value in (0, 1):
        found = bool(value)
    elif kind == "timestamptz" and isinstance(value, datetime):
        found = value if value.tzinfo else value.replace(tzinfo=UTC)
    elif "date" in kind and isinstance(value, date):
        found = value.date() if isinstance(value, datetime) else value
    elif "bytea" in kind and isinstance(value, bytes | bytearray | memoryview):
        found = bytes(value)
    elif "text" in kind and kind != "text[]" and isinstance(value, str):
        found = value
    if found is StatementRefused:
        raise StatementRefused(QueryFault(FaultKind.COLUMN_TYPE, column, kind))
    return found


def _list(value: str | Sequence[Any]) -> list[str]:
    """Return the texts of an array, of a JSON array, or of a lone text."""
    items: Any = [value] if isinstance(value, str) else value
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError):
            items = json.loads(value)
    return [str(item) for item in items if item not in (None, "")]


def _code(error: DBAPIError) -> str:
    """Return the driver's code of an error, or its class: never its message."""
    cause: Any = error.orig
    first = cause.args[0] if cause is not None and cause.args else ""
    found = getattr(first, "full_code", first)
    return str(found) if re.fullmatch(r"\d+|[A-Z]{3}-\d+|[0-9A-Z]{5}", str(found)) else type(cause).__name__


def _fault(error: DBAPIError) -> QueryFault | None:
    """Return the fault of a query from an error; None if the error is of the login or the connection."""
    code, message = _code(error), str(error.orig)
    if code in _LOGIN or code in _PASSING or error.connection_invalidated:
        return None
    match = _IDENTIFIER.search(message)
    name = next((group for group in match.groups() if group), "…") if match else "…"
    kind = _KINDS.get(code, FaultKind.REFUSED)
    if code == "CatalogException" and "Table with name" in message:
        kind = FaultKind.TABLE_ABSENT
    elif code == "BinderException" and ("Referenced column" in message or "a column named" in message):
        kind = FaultKind.COLUMN_ABSENT
    elif line := _CSV_LINE.search(message):
        return QueryFault(FaultKind.FILE, detail=f"CSV, line {line[1]}")
    elif "Schema mismatch" in message or "Error when sniffing" in message:
        return QueryFault(FaultKind.FILE, detail="CSV, other columns or separator than expected")
    elif "is not latin-1 encoded" in message or "is not utf-8 encoded" in message:
        return QueryFault(FaultKind.FILE, detail="CSV, another encoding")
    if kind is FaultKind.FILE:
        return QueryFault(kind, detail="no such file" if "No files found" in message else code)
    return QueryFault(kind, name, code)


@contextmanager
def _translated(named: str) -> Iterator[None]:
    """Turn the errors of drivers, which quote rows and addresses, into a WarehouseError, which quotes none."""
    try:
        yield
    except DBAPIError as error:
        code, message = _code(error), str(error.orig)
        if code in _LOGIN:
            raise WarehouseError(
                f"{named} refused the login.",
                "Check the account, its password (it may have expired) and the database of NOCTURNE_READER_DSN.",
            ) from None
        if "does not exist" in message and code == "IOException":
            raise WarehouseUnreachable(
                f"{named}: there is no such file.", "Mount its folder, or correct the path of NOCTURNE_READER_DSN."
            ) from None
        if "lock" in message and code == "IOException":
            raise WarehouseUnreachable(
                f"{named} is open for writing in another process.", "Wait for its load, or read a copy of the file."
            ) from None
        if code == "IOException":
            raise WarehouseError(
                f"{named}: the file is not one that this version of DuckDB reads.",
                "Write it again with the version of DuckDB that is installed here, or correct the path.",
            ) from None
        if code in _PASSING or error.connection_invalidated or code == "OperationalError":
            raise WarehouseUnreachable(
                f"{named} does not answer.", "Start it, or check the host and port of NOCTURNE_READER_DSN."
            ) from None
        raise WarehouseError(f"{named} refused a statement ({code}).") from None
