"""The secret and the databases from Airflow's connections, which a secrets backend or vault may hold."""

from __future__ import annotations

import os
from typing import Any

from deid.config.settings import settings

CONNECTION = "NOCTURNE_SECRET_CONNECTION"
ROLES = ("reader", "identity", "worker", "refresher", "publisher", "steward", "tuning")
# Keys of a connection's extra that libpq knows; Airflow's own are left out.
_LIBPQ = ("sslmode", "sslrootcert", "sslcert", "sslkey", "target_session_attrs", "gssencmode", "channel_binding")


def export_connections() -> None:
    """Set NOCTURNE_SECRET and each NOCTURNE_…_DSN of this process from the Airflow connection that a variable names.

    NOCTURNE_SECRET_CONNECTION names the one whose password is the secret, NOCTURNE_READER_CONNECTION that of the
    reader's database, and so on by role. What is set without a connection stays. A connection without a password is
    an empty secret, which the first step refuses.
    """
    from airflow.sdk import Connection

    found: dict[str, str] = {}
    given = os.environ.get("NOCTURNE_SECRET") or os.environ.get("NOCTURNE_SECRET_FILE")
    if (name := os.environ.get(CONNECTION)) and not given:
        found["NOCTURNE_SECRET"] = Connection.get(name).password or ""
    for role in ROLES:
        variable = f"NOCTURNE_{role.upper()}_DSN"
        if (name := os.environ.get(f"NOCTURNE_{role.upper()}_CONNECTION")) and not os.environ.get(variable):
            found[variable] = _connection_string(Connection.get(name))
    if found:
        os.environ.update(found)
        settings.cache_clear()


# Types of connections of a warehouse that is not PostgreSQL, and how SQLAlchemy names their drivers.
_DRIVERS = {"mysql": "mysql+pymysql", "oracle": "oracle+oracledb", "mssql": "mssql+pyodbc", "odbc": "mssql+pyodbc"}


def _connection_string(connection: Any) -> str:
    """Return the libpq string of a connection of type Postgres, the URL of SQLAlchemy of another.

    The extra of such another is the query of the URL: `ssl_ca`, `service_name`, `driver`…
    """
    from psycopg2.extensions import make_dsn

    if (driver := _DRIVERS.get(connection.conn_type)) is not None:
        from sqlalchemy.engine import URL

        place = {"host": connection.host or None, "port": connection.port, "database": connection.schema or None}
        query = {key: str(value) for key, value in connection.extra_dejson.items()}
        url = URL.create(driver, connection.login or None, connection.password or None, **place, query=query)
        return url.render_as_string(hide_password=False)
    known = {"host": connection.host, "port": connection.port, "dbname": connection.schema}
    extra = {key: value for key, value in connection.extra_dejson.items() if key in _LIBPQ}
    given = {**known, "user": connection.login, "password": connection.password, **extra}
    return make_dsn(**{key: str(value) for key, value in given.items() if value not in (None, "")})
