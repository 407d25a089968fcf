"""Connections to PostgreSQL; error messages name the failure and never quote a row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg2
from psycopg2.extensions import connection, make_dsn, parse_dsn
from psycopg2.extensions import cursor as Cursor

from deid.config.settings import settings
from deid.domain.errors import WarehouseError, WarehouseUnreachable

Connection = connection
CONNECT_TIMEOUT_S = 10

# SQLSTATE of passing failures: connection lost, server down or starting, too many clients, serialisation, deadlock.
TRANSIENT = ("08", "57P01", "57P02", "57P03", "53300", "40001", "40P01")


@contextmanager
def connect(dsn: str, *, application: str = "nocturne") -> Iterator[Connection]:
    """Open one connection with one transaction, committed when the block ends and rolled back when the block raises.

    `dsn` is a libpq URI or keyword string. Statements are stopped after `settings().statement_timeout_s` seconds,
    and never compiled: plans of pages are estimated to cost much and read little.

    Raises:
        WarehouseUnreachable: nothing answers, or the connection was lost; retrying later is sensible.
        WarehouseError: the server refused the login or a statement; SQLSTATE and constraint name only.
    """
    link = open_link(dsn, application)
    try:
        with translated(dsn), link:
            yield link
    finally:
        link.close()


@contextmanager
def open_cursor(role: str, application: str = "nocturne", *, readonly: bool = False) -> Iterator[Cursor]:
    """Open one transaction as a role of `settings().dsn` ("steward", "publisher"…), under the rules of `connect`."""
    with connect(settings().dsn(role), application=application) as link, link.cursor() as cursor:
        if readonly:
            link.set_session(readonly=True)
        yield cursor


@contextmanager
def open_identity(role: str, application: str = "nocturne identity") -> Iterator[Cursor]:
    """Open one transaction as `open_cursor` does, in the database that holds the schema `identity`.

    It is committed apart from the ledger's: ids of the ledger before the ledger uses them, what is forgotten before
    the ledger forgets it.
    """
    with connect(identity_dsn(role), application=application) as link, link.cursor() as cursor:
        yield cursor


def identity_dsn(role: str) -> str:
    """Return the connection string of a role to the database that holds the schema `identity`."""
    own, elsewhere = settings().dsn(role), settings().identity_database
    if elsewhere is None:
        return own
    try:
        return make_dsn(own, **parse_dsn(elsewhere.get_secret_value()))
    except psycopg2.ProgrammingError:
        raise WarehouseError(
            "NOCTURNE_IDENTITY_DATABASE cannot be read.", "Write it as postgresql://host:port/database."
        ) from None


def open_link(dsn: str, application: str) -> Connection:
    """Return a connection as in `connect`, which the caller closes."""
    timeout_ms = settings().statement_timeout_s * 1000
    try:
        return psycopg2.connect(
            dsn,
            connect_timeout=CONNECT_TIMEOUT_S,
            application_name=application,
            options=f"-c statement_timeout={timeout_ms} -c timezone=UTC -c client_encoding=UTF8 -c jit=off",
        )
    except psycopg2.OperationalError as error:
        # A refused login quotes the role or database and carries FATAL, in every language of the server.
        if "FATAL" in str(error) and '"' in str(error).split("FATAL", 1)[1]:
            raise WarehouseError(
                f"PostgreSQL at {place(dsn)} refused the login.",
                f"Check the role, its password (it may have expired) and the database of {_variable(dsn)}.",
            ) from None
        if "certificate" in str(error) or "SSL" in str(error):
            raise WarehouseError(
                f"PostgreSQL at {place(dsn)}: no connection by TLS as that DSN asks for it.",
                "Check sslmode and sslrootcert of the DSN, and the server's certificate.",
            ) from None
        raise unreachable(dsn) from None
    except psycopg2.ProgrammingError:
        raise WarehouseError(
            "a connection string cannot be read.", "Write it as postgresql://role:password@host:port/database."
        ) from None


@contextmanager
def translated(dsn: str) -> Iterator[None]:
    """Turn the errors of psycopg2, which quote rows, into a WarehouseError, which quotes none."""
    try:
        yield
    except psycopg2.Error as error:
        raise _translate(error, dsn) from None


def _translate(error: psycopg2.Error, dsn: str) -> WarehouseError:
    code = error.pgcode
    lost = code is None and isinstance(error, psycopg2.OperationalError | psycopg2.InterfaceError)
    if lost or (code is not None and code.startswith(TRANSIENT)):
        return unreachable(dsn)
    constraint = getattr(error.diag, "constraint_name", None)
    remedy = {
        "42501": "The role lacks a privilege: run `python -m deid migrate` as the owner, and check the DSN's role.",
        "42P01": "A table is absent: run `python -m deid migrate`.",
        "57014": "It took longer than NOCTURNE_STATEMENT_TIMEOUT_S.",
    }.get(code or "", "")
    detail = f", constraint {constraint}" if constraint else ""
    return WarehouseError(f"PostgreSQL refused a statement (SQLSTATE {code}{detail}).", remedy)


def unreachable(dsn: str) -> WarehouseUnreachable:
    """Return the error for a server that does not answer; the message names host, port and database only."""
    return WarehouseUnreachable(
        f"PostgreSQL at {place(dsn)} does not answer.", f"Start it, or check the host and port of {_variable(dsn)}."
    )


def is_postgresql(dsn: str) -> bool:
    """Return whether a connection string is one of libpq; any other is a URL of SQLAlchemy."""
    scheme, found, _ = dsn.partition("://")
    return not found or scheme in ("postgresql", "postgres")


def _variable(dsn: str) -> str:
    """Return the name of the setting that holds a connection string."""
    held = settings()
    for name in type(held).model_fields:
        value = getattr(held, name)
        if name.endswith("_dsn") and value is not None and value.get_secret_value() == dsn:
            return f"NOCTURNE_{name.upper()}"
    if (elsewhere := held.identity_database) is not None and place(elsewhere.get_secret_value()) == place(dsn):
        return "NOCTURNE_IDENTITY_DATABASE"
    return "that NOCTURNE_…_DSN"


def place(dsn: str) -> str:
    """Return `host:port/database` of a connection string."""
    try:
        parts: dict[str, Any] = parse_dsn(dsn)
    except psycopg2.ProgrammingError:
        return "an unreadable address"
    return f"{parts.get('host', 'local socket')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"
