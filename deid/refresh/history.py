"""The releases of each source, and the way back to a former one."""

from __future__ import annotations

import logging
from typing import Any

from deid.domain.errors import ReferenceRefused
from deid.refresh.configuration import configured
from deid.refresh.load import LOAD_TIMEOUT_S, in_use, outcome
from deid.warehouse.connection import connect
from deid.warehouse.queries import query

logger = logging.getLogger(__name__)


def releases(dsn: str, source: str | None = None) -> list[dict[str, Any]]:
    """Every release ever loaded, the latest of a source first: its version, state, rows, when, by whom, from where.

    Raises:
        ReferenceRefused: there is no such source. WarehouseError: the database does not answer.
    """
    if source is not None:
        configured(source)
    with connect(dsn) as link, link.cursor() as cursor:
        cursor.execute(query("ref", "release", "history"), {"source": source})
        columns = [column.name for column in cursor.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def rollback(source: str, *, dsn: str, to: int | None = None) -> dict[str, int | str]:
    """Put the former release of `source` back in use (or release number `to`), in one transaction.

    The release left is withdrawn: it keeps its rows until the next load, `to` can bring it back, and a refresh that
    finds the same file again leaves it aside ("held"). `dsn` is the refresher's. Returns what `refresh` does, with the
    state "rolled_back"; runs from now on cite the version put back.

    Raises:
        ReferenceRefused: there is no such source, or no former release that still has its rows.
        WarehouseError: the database refused a statement.
    """
    wanted = configured(source)
    with connect(dsn, application=f"nocturne rollback {source}") as link, link.cursor() as cursor:
        cursor.execute(query("ref", "release", "lock"), {"source": source, "timeout_ms": str(LOAD_TIMEOUT_S * 1000)})
        cursor.execute(query("ref", "release", "former"), {"source": source, "release_id": to})
        row = cursor.fetchone()
        if row is None:
            raise ReferenceRefused(
                f"{source} has no former release{'' if to is None else f' {to}'} that still has its rows.",
                f"`python -m deid references list {source}` shows which there are.",
            )
        cursor.execute(query("ref", "release", "withdraw"), {"source": source})
        cursor.execute(query("ref", "release", "restore"), {"release_id": row[0]})
        result = outcome(wanted, in_use(cursor, source)[source], "rolled_back")
    logger.warning("%s was rolled back to release %s (%s)", source, result["release_id"], result["version"])
    return result
