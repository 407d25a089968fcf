"""Logins: each role of the migrations, and the setting of its connection string."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import psycopg2
from psycopg2 import sql
from psycopg2.extensions import ISOLATION_LEVEL_AUTOCOMMIT

from deid.warehouse.connection import translated
from deid.warehouse.embedded import QUIET_LOG

OWNER = "nocturne_owner"
AIRFLOW = "airflow"

# Name in `settings().dsn(name)` → PostgreSQL role. `researcher` and `airflow` are no part of the nightly work.
ROLES: Mapping[str, str] = MappingProxyType(
    {
        "owner": OWNER,
        "reader": "nocturne_reader",
        "worker": "nocturne_worker",
        "refresher": "nocturne_refresher",
        "publisher": "nocturne_publisher",
        "steward": "nocturne_steward",
        "researcher": "researcher",
    }
)


def make_owner(superuser_dsn: str, password: str) -> None:
    """Make (or refresh) the role that owns the product's database and may create the other roles."""
    _login(superuser_dsn, OWNER, password, "CREATEROLE")


def make_login(superuser_dsn: str, role: str, password: str) -> None:
    """Let `role` log in with `password`, and keep what it does out of the server's log."""
    _login(superuser_dsn, role, password, "")


def make_database(superuser_dsn: str, name: str, owner: str) -> None:
    """Make database `name` owned by `owner`, unless it is there."""
    with translated(superuser_dsn):
        link = psycopg2.connect(superuser_dsn)
        try:
            link.set_isolation_level(ISOLATION_LEVEL_AUTOCOMMIT)  # CREATE DATABASE runs outside transactions
            with link.cursor() as cursor:
                cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,))
                if cursor.fetchone() is None:
                    statement = sql.SQL("CREATE DATABASE {} OWNER {}")
                    cursor.execute(statement.format(sql.Identifier(name), sql.Identifier(owner)))
        finally:
            link.close()


def _login(superuser_dsn: str, role: str, password: str, attributes: str) -> None:
    name = sql.Identifier(role)
    with translated(superuser_dsn):
        link = psycopg2.connect(superuser_dsn)
        try:
            with link, link.cursor() as cursor:
                cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,))
                if cursor.fetchone() is None:
                    cursor.execute(sql.SQL("CREATE ROLE {}").format(name))
                statement = sql.SQL("ALTER ROLE {} LOGIN PASSWORD %s " + attributes)
                cursor.execute(statement.format(name), (password,))
                for parameter, value in QUIET_LOG.items():
                    setting = sql.SQL("ALTER ROLE {} SET {} = %s").format(name, sql.Identifier(parameter))
                    cursor.execute(setting, (value,))
        finally:
            link.close()
