"""Set up one machine: embedded server, databases, roles, migrations and the file of connection strings."""

from __future__ import annotations

import secrets
from pathlib import Path
from urllib.parse import unquote, urlsplit

from deid.config.settings import settings
from deid.warehouse.embedded import EmbeddedServer, port_taken, write_private
from deid.warehouse.migrations import migrate
from deid.warehouse.roles import AIRFLOW, OWNER, ROLES, make_database, make_login, make_owner

DATABASE = "nocturne"
ENV_FILE = "nocturne.env"


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
        *("# Written by deid.warehouse.provision. Whoever reads this file can read patients' data.", ""),
        f"NOCTURNE_HOME={home}",
        *(f"NOCTURNE_{name.upper()}_DSN={server.uri(DATABASE, role, passwords[name])}" for name, role in ROLES.items()),
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
