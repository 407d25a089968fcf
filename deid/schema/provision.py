"""Set up one machine: embedded server, databases, logins of roles, migrations, file of connection strings."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg2
from psycopg2 import sql
from psycopg2.extensions import ISOLATION_LEVEL_AUTOCOMMIT

from deid.config.settings import settings
from deid.database.connection import connect, translated
from deid.database.embedded import QUIET_LOG, EmbeddedServer, port_taken, write_private
from deid.database.queries import SQL, execute
from deid.schema.migrations import migrate

DATABASE = "nocturne"
ENV_FILE = "nocturne.env"
OWNER = "nocturne_owner"
AIRFLOW = "airflow"

# Name in `settings().dsn(name)` → PostgreSQL role. The night uses neither `researcher` nor `airflow`.
ROLES: Mapping[str, str] = {
    "owner": OWNER,
    "reader": "nocturne_reader",
    "worker": "nocturne_worker",
    "refresher": "nocturne_refresher",
    "publisher": "nocturne_publisher",
    "steward": "nocturne_steward",
    "researcher": "researcher",
}


def provision(home: Path, port: int | None = None) -> Path:
    """Set up the server, databases, roles and secret under `home`; return the path of the settings file.

    The file (`<home>/nocturne.env`, readable by its owner only) holds `NOCTURNE_…` lines for
    `deid.config.settings`. `port` is that of PostgreSQL: None takes NOCTURNE_POSTGRES_PORT, else the last one, else a
    free one. A second call keeps passwords and secret, and finishes what an interrupted one left.

    Raises:
        SettingsError: the port is taken or the folder cannot be used.
        WarehouseError: a migration failed.
    """
    home = home.expanduser().resolve()
    env_file = home / ENV_FILE
    passwords, secret = _read_or_make_secrets(env_file)
    port = port or settings().postgres_port
    server = EmbeddedServer(home, port)
    if port is None and not server.running() and server.port is not None and port_taken(server.port):
        server.forget_port()
    server.start()
    write_private(env_file, _settings_text(home, server, passwords, secret))
    _make_roles_and_databases(server, passwords)
    settings.cache_clear()  # this process may have read its settings before the file was there
    return env_file


def read_env(env_file: Path) -> dict[str, str]:
    """Return the variables of a settings file written by `provision`."""
    lines = env_file.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def _read_or_make_secrets(env_file: Path) -> tuple[dict[str, str], str]:
    """Return the passwords by role and the secret of the file; make the absent ones."""
    known = read_env(env_file) if env_file.exists() else {}
    passwords = {}
    for name in (*ROLES, AIRFLOW):
        password = urlsplit(known.get(f"NOCTURNE_{name.upper()}_DSN", "")).password
        passwords[name] = unquote(password) if password else secrets.token_urlsafe(24)
    return passwords, known.get("NOCTURNE_SECRET") or secrets.token_hex(32)


def _settings_text(home: Path, server: EmbeddedServer, passwords: dict[str, str], secret: str) -> str:
    lines = (
        *("# Written by deid.schema.provision. Whoever reads this file can read patients' data.", ""),
        f"NOCTURNE_HOME={home}",
        *(f"NOCTURNE_{name.upper()}_DSN={server.uri(DATABASE, role, passwords[name])}" for name, role in ROLES.items()),
        # Stays that of this server when NOCTURNE_READER_DSN is set to a hospital's warehouse.
        f"NOCTURNE_IDENTITY_DSN={server.uri(DATABASE, ROLES['reader'], passwords['reader'])}",
        f"NOCTURNE_AIRFLOW_DSN={server.uri(AIRFLOW, AIRFLOW, passwords[AIRFLOW])}",
        f"NOCTURNE_SECRET={secret}",
    )
    return "\n".join(lines) + "\n"


def _make_roles_and_databases(server: EmbeddedServer, passwords: dict[str, str]) -> None:
    superuser = server.uri("postgres")
    make_owner(superuser, passwords["owner"])
    make_login(superuser, AIRFLOW, passwords[AIRFLOW])
    make_database(superuser, DATABASE, OWNER)
    make_database(superuser, AIRFLOW, AIRFLOW)
    migrate(server.uri(DATABASE, OWNER, passwords["owner"]))
    for name, role in ROLES.items():
        if role != OWNER:
            make_login(superuser, role, passwords[name])
    close_channels(server.uri(DATABASE))


# Logins of the database roles, and the setting of the connection string of each role.


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


def close_channels(superuser_dsn: str) -> None:
    """Take from every role what lets one hand bytes to another or hinder it; for a superuser in that database."""
    statement = (SQL / "provision" / "close_channels.sql").read_text(encoding="utf-8")
    with connect(superuser_dsn) as link, link.cursor() as cursor:
        cursor.execute(statement)


def list_open_channels(dsn: str) -> list[str]:
    """Return what `close_channels` would close in a database, by name; any role may ask."""
    with connect(dsn) as link, link.cursor() as cursor:
        return [name for (name,) in execute(cursor, "provision", "channels", "open", {}).fetchall()]


def make_database(superuser_dsn: str, name: str, owner: str) -> None:
    """Make database `name` owned by `owner`, unless it exists; only roles that are granted it may log in there."""
    with translated(superuser_dsn):
        link = psycopg2.connect(superuser_dsn)
        try:
            link.set_isolation_level(ISOLATION_LEVEL_AUTOCOMMIT)  # CREATE DATABASE runs outside transactions
            with link.cursor() as cursor:
                cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,))
                if cursor.fetchone() is None:
                    statement = sql.SQL("CREATE DATABASE {} OWNER {}")
                    cursor.execute(statement.format(sql.Identifier(name), sql.Identifier(owner)))
                cursor.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(sql.Identifier(name)))
        finally:
            link.close()
