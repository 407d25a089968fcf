"""Logins of the database roles, and the setting of the connection string of each role."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import psycopg2
from psycopg2 import sql
from psycopg2.extensions import ISOLATION_LEVEL_AUTOCOMMIT

from deid.warehouse.connection import connect, translated
from deid.warehouse.embedded import QUIET_LOG

OWNER = "nocturne_owner"
AIRFLOW = "airflow"

# Name in `settings().dsn(name)` → PostgreSQL role. The night uses neither `researcher` nor `airflow`.
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
    """Make or refresh the role that owns the product's database and may create the other roles."""
    make_login(superuser_dsn, OWNER, password, "CREATEROLE")


def make_login(superuser_dsn: str, role: str, password: str, attributes: str = "") -> None:
    """Let `role` log in with `password`, and keep its statements out of the server's log."""
    name = sql.Identifier(role)
    with connect(superuser_dsn) as link, link.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,))
        if cursor.fetchone() is None:
            cursor.execute(sql.SQL("CREATE ROLE {}").format(name))
        cursor.execute(sql.SQL("ALTER ROLE {} LOGIN PASSWORD %s " + attributes).format(name), (password,))
        for parameter, value in QUIET_LOG.items():
            setting = sql.SQL("ALTER ROLE {} SET {} = %s").format(name, sql.Identifier(parameter))
            cursor.execute(setting, (value,))


def make_database(superuser_dsn: str, name: str, owner: str) -> None:
    """Make database `name` owned by `owner`, unless it exists."""
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
