"""What waits for people, as the ledger knows it: asked, closed, found; and what a rework asks Airflow to run."""

from __future__ import annotations

from typing import Any

from deid.release import room
from deid.release.permissions import REWORK
from deid.warehouse.queries import query


def ask(airflow_run: str, interval_key: str, digest: str, *, requested_by: str | None = None) -> None:
    """Remember that a release run asks people about a content; asked again, it waits anew.

    Raises:
        InputRefused: the key is not one of an interval.
        WarehouseUnreachable, WarehouseError: nothing was stored.
    """
    room.check_key(interval_key)
    row = {
        "airflow_run": airflow_run,
        "interval_key": interval_key,
        "staged_digest": digest,
        "requested_by": requested_by or "",
    }
    with room.publisher() as cursor:
        cursor.execute(query("deid", "question", "ask"), row)


def close(airflow_run: str, outcome: str) -> None:
    """Remember that the question of a release run waits no more: approve, reject, rework, stale or expired."""
    with room.publisher() as cursor:
        cursor.execute(query("deid", "question", "close"), {"airflow_run": airflow_run, "outcome": outcome})


def rework(interval_key: str) -> dict[str, Any] | None:
    """The run that an interval that was sent back asks for: its name, and its launch as the form would give it.

    None if the last decision was another. The name is the decision's own, so that a repeat asks for the same run.
    """
    with room.publisher() as cursor:
        cursor.execute(query("deid", "decision", "last"), {"interval_key": interval_key})
        last = cursor.fetchone()
        if last is None or last[0] != REWORK:
            return None
        _, _, decided_by, reason, decided_at = last
        cursor.execute(query("deid", "run", "scope"), {"interval_key": interval_key, "decided_at": decided_at})
        scope = cursor.fetchone()
    if scope is None:
        return None
    start, end, document_types, services = scope
    period = interval_key.replace("..", "_to_")  # Airflow refuses two dots in the name of a run
    return {
        "run": f"rework__{period}__{decided_at:%Y%m%dT%H%M%S%f}",
        "conf": {
            "reason": reason,
            "interval_start": start.isoformat(),
            "interval_end": end.isoformat(),
            "document_types": list(document_types),
            "services": list(services),
            "requested_by": decided_by,
        },
    }
