"""The secret from an Airflow connection, for a deployment whose secrets are in Airflow's backend or a vault."""

from __future__ import annotations

import os

from deid.config.settings import settings

CONNECTION = "NOCTURNE_SECRET_CONNECTION"


def export_secret() -> None:
    """Set NOCTURNE_SECRET from the password of the connection named by NOCTURNE_SECRET_CONNECTION.

    For this process only, and only if neither NOCTURNE_SECRET nor NOCTURNE_SECRET_FILE is set. A connection without
    a password is an empty secret, which the first step refuses.
    """
    name = os.environ.get(CONNECTION)
    if not name or os.environ.get("NOCTURNE_SECRET") or os.environ.get("NOCTURNE_SECRET_FILE"):
        return
    from airflow.sdk import Connection

    os.environ["NOCTURNE_SECRET"] = Connection.get(name).password or ""
    settings.cache_clear()
