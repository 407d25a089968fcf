"""Airflow's own tables on PostgreSQL, as in production, for this process and for a server: SQLite elsewhere."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg2
import pytest
from airflow import settings
from airflow.utils.db import initdb
from psycopg2 import sql

from tests.conftest import drop_database

VARIABLE = "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"


@contextmanager
def postgresql_metadata(superuser: str) -> Iterator[Mapping[str, str]]:
    """The variables of a server whose metadata is on PostgreSQL, which this process reads too while the block lasts."""
    name = f"airflow_test_{uuid.uuid4().hex[:12]}"
    link = psycopg2.connect(superuser)
    try:
        link.autocommit = True
        with link.cursor() as cursor:
            cursor.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    finally:
        link.close()
    address = urlsplit(superuser)._replace(scheme="postgresql+psycopg2", path=f"/{name}").geturl()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, address)
        _reconnect()
        initdb()
        yield {VARIABLE: os.environ[VARIABLE]}
    _reconnect()
    drop_database(superuser, name)


def _reconnect() -> None:
    settings.dispose_orm(do_log=False)
    settings.configure_vars()
    settings.configure_orm()
