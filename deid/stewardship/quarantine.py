"""The quarantine desk: what is held back and why, and what people choose: do it again, let it pass, leave it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from deid.domain.errors import Reason
from deid.warehouse.queries import Cursor, query

PAGE = 50
COUNTED = 1000  # more than anybody reads: "1 000 or more" is said, and the index is walked no further


class Choice(StrEnum):
    """What a person decides of a quarantined document."""

    RETRY = "retry"  # do it again at the next run
    RELEASE = "release"  # do it again, and do not let the reason alone hold it back
    DISCARD = "discard"  # leave it out until its content changes


class Standing(StrEnum):
    """Where a quarantined document stands on the desk (deid.quarantine.standing)."""

    WAITING = "waiting"
    RETRY = "retry"
    RELEASE = "release"
    DISCARD = "discard"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Held:
    """One quarantined document version, and the choice in force, if any."""

    run_id: int
    document_id: str
    content_hash: str
    step: str
    reason: Reason
    at: datetime
    interval_key: str
    document_type: str
    standing: Standing
    choice_id: int | None = None
    choice: Choice | None = None
    chosen_by: str | None = None
    chosen_at: datetime | None = None
    justification: str | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """What a page of the desk shows; None shows all. `since` and `before` bound the time of quarantine."""

    standing: Standing = Standing.WAITING
    reason: Reason | None = None
    step: str | None = None
    document_type: str | None = None
    interval_key: str | None = None
    since: datetime | None = None
    before: datetime | None = None


After = tuple[datetime, int, str]  # time, run and document of the last row shown


@dataclass(frozen=True, slots=True)
class Failed:
    """One failed check of a document: the number seen, and whether a person had waived it."""

    check: str
    severity: str
    observed: float | None
    waived: bool


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to a document: `kind` is state, quarantine, choice or undone; `what` says which."""

    at: datetime
    kind: str
    run_id: int
    interval_key: str
    content_hash: str
    what: str
    who: str
    why: str


def held(cursor: Cursor, wanted: Filter, after: After | None = None, limit: int = PAGE) -> list[Held]:
    """Documents of the desk, the newest first, those after `after`."""
    at, run_id, document_id = after or (None, None, None)
    parameters: dict[str, Any] = {
        **{name: getattr(wanted, name) for name in Filter.__dataclass_fields__},
        **{"after_at": at, "after_run": run_id, "after_document": document_id, "limit": limit},
    }
    cursor.execute(query("deid", "quarantine", "page"), parameters)
    return [_held(row) for row in cursor.fetchall()]


def waiting(cursor: Cursor) -> list[tuple[Reason, int]]:
    """How many documents wait for a person, by reason, the most first; no count goes beyond `COUNTED`."""
    cursor.execute(query("deid", "quarantine", "waiting"), {"reasons": list(Reason), "most": COUNTED})
    return [(Reason(reason), documents) for reason, documents in cursor.fetchall()]


def types(cursor: Cursor, standing: Standing) -> list[str]:
    """Document types on the desk, for the filter."""
    cursor.execute(query("deid", "quarantine", "types"), {"standing": standing})
    return [row[0] for row in cursor.fetchall()]


def find(cursor: Cursor, run_id: int, document_id: str) -> Held | None:
    """The document as that run quarantined it."""
    cursor.execute(query("deid", "quarantine", "one"), {"run_id": run_id, "document_id": document_id})
    row = cursor.fetchone()
    return None if row is None else _held(row)


def failed_checks(cursor: Cursor, run_id: int, document_id: str) -> list[Failed]:
    """The checks that failed, critical ones first; none where the document never reached them."""
    cursor.execute(query("deid", "verdict", "failed"), {"run_id": run_id, "document_id": document_id})
    return [Failed(*row) for row in cursor.fetchall()]


def history(cursor: Cursor, document_id: str) -> list[Event]:
    """Everything that happened to a document, oldest first."""
    cursor.execute(query("deid", "quarantine", "history"), {"document_id": document_id})
    return [Event(*row) for row in cursor.fetchall()]


def _held(row: Sequence[Any]) -> Held:
    run_id, document_id, content_hash, step, reason, at, interval_key, document_type, standing, *chosen = row
    choice_id, choice, *rest = chosen
    return Held(
        *(run_id, document_id, content_hash, step, Reason(reason), at, interval_key, document_type),
        Standing(standing),
        choice_id,
        Choice(choice) if choice else None,
        *rest,
    )
