"""Where each night stands, and what stands out among them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from deid.settings import settings
from deid.warehouse.connection import connect
from deid.warehouse.queries import query

LATEST = 30


@dataclass(frozen=True, slots=True)
class Interval:
    """One interval that was worked on; `seen` and `planned` count documents."""

    key: str
    start: datetime
    seen: int
    planned: int


def latest(limit: int = LATEST) -> list[Interval]:
    """The latest intervals, the newest first.

    Raises:
        WarehouseUnreachable, WarehouseError: they could not be read.
    """
    with connect(settings().dsn("steward"), application="nocturne pages") as link, link.cursor() as cursor:
        link.set_session(readonly=True)
        cursor.execute(query("deid", "overview", "latest"), {"limit": limit})
        return [Interval(*row) for row in cursor.fetchall()]
