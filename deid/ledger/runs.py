"""Unfinished runs: what each holds, and the take-over of one that died."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg2.extensions import cursor as Cursor

from deid.database.connection import open_cursor
from deid.database.queries import execute
from deid.domain.errors import InputRefused, RunAlive
from deid.ledger import audit

QUIET_S = 600  # without a sign of life; a step shows one when it begins and when it ends
MIN_REASON = 5  # characters


@dataclass(frozen=True, slots=True)
class UnfinishedRun:
    """A run that was planned and not staged; `documents` counts those that it still has to process.

    `active_at` is its last sign of life: the beginning or the end of a step. `taken_over_at` is when a person declared
    it dead, if anyone did.
    """

    run_id: int
    triggered_by: str
    interval_key: str
    active_at: datetime
    taken_over_at: datetime | None
    documents: int


def list_unfinished() -> list[UnfinishedRun]:
    """Return the unfinished runs, oldest first."""
    with open_cursor("worker", "nocturne runs") as cursor:
        return _read_unfinished(cursor, None)


def take_over(run_id: int, actor: str, reason: str, *, confirmed: bool = False) -> UnfinishedRun:
    """Declare a run dead and record it in the audit trail: the next run planned takes its documents.

    A run that works on after all keeps what the next run has not taken. `confirmed` overrules a recent sign of life.

    Raises:
        InputRefused: there is no such unfinished run, or no reason is given.
        RunAlive: it showed a sign of life less than `QUIET_S` seconds ago, and `confirmed` is false.
    """
    if len(reason.strip()) < MIN_REASON:
        raise InputRefused("a take-over needs a reason.", f"Give one of at least {MIN_REASON} characters.")
    with open_cursor("worker", "nocturne runs") as cursor:
        found = _read_unfinished(cursor, run_id)
        if not found:
            raise InputRefused(f"there is no unfinished run {run_id}.", "See `python -m deid runs list`.")
        (run,) = found
        execute(cursor, "deid", "run", "take_over", {"run_id": run_id, "confirmed": confirmed, "quiet_s": QUIET_S})
        if cursor.fetchone() is None:
            raise RunAlive(
                f"run {run_id} showed a sign of life at {run.active_at:%Y-%m-%d %H:%M:%S} UTC,"
                f" less than {QUIET_S // 60} minutes ago.",
                "Make sure that nothing works on it any more, then confirm (--confirm).",
            )
        details = {
            "triggered_by": run.triggered_by,
            "active_at": run.active_at.isoformat(timespec="seconds"),
            "documents": run.documents,
            "confirmed": confirmed,
            "reason": reason.strip(),
        }
        audit.write(cursor, actor, audit.Action.TAKE_OVER, f"run {run_id}", **details)
    return run


def _read_unfinished(cursor: Cursor, run_id: int | None) -> list[UnfinishedRun]:
    return [UnfinishedRun(*row) for row in execute(cursor, "deid", "run", "unfinished", {"run_id": run_id}).fetchall()]
