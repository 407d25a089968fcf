"""Recall of the releases of an interval: their documents leave research, and a proof says what left and what is found.

The privacy budget that the documents spent stays spent: what was read cannot be unread.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial

from deid.database.queries import Cursor, execute, one
from deid.domain.errors import NocturneError
from deid.ledger import audit
from deid.ledger.audit import Action, Line


class RecallProblem(StrEnum):
    """Reason for which a recall is refused. The French and English wording is the pages'."""

    NOTHING = "nothing"  # nothing of the interval is in research
    BUSY = "busy"  # a publication or a rewriting is under way
    CHANGED = "changed"  # another release of the interval is complete since the person was shown
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"


class RecallRefused(NocturneError):
    """A recall cannot be made; nothing was changed."""

    def __init__(self, why: RecallProblem) -> None:
        super().__init__(f"the release was not recalled: {why}.", "See docs/stewards.md.")
        self.why = why


@dataclass(frozen=True, slots=True)
class Recallable:
    """Complete releases of an interval, oldest first; number of documents they hold, and that researchers can read."""

    release_ids: tuple[int, ...]
    documents: int
    readable: int


@dataclass(frozen=True, slots=True)
class Recall:
    """One recall: number, interval, account, reason and time."""

    recall_id: int
    interval_key: str
    recalled_by: str
    reason: str
    recalled_at: datetime


@dataclass(frozen=True, slots=True)
class RemovedType:
    """Number of documents of one type that a recall removed, and of those that researchers could read."""

    document_type: str
    documents: int
    read_before: int


@dataclass(frozen=True, slots=True)
class RecallProof:
    """Documents that a recall removed, and what is found of them at `checked_at`.

    `readable` is the number of recalled ids that researchers read now, `again` of those that another release holds,
    `waiting` the number of rows of the recalled releases. `lines` are those of the audit trail.
    """

    recall: Recall
    removed: tuple[RemovedType, ...]
    readable: int
    waiting: int
    again: int
    checked_at: datetime
    lines: tuple[Line, ...]

    @property
    def documents(self) -> int:
        """Number of documents removed."""
        return sum(one.documents for one in self.removed)

    @property
    def read_before(self) -> int:
        """Number of removed documents that researchers could read."""
        return sum(one.read_before for one in self.removed)

    @property
    def complete(self) -> bool:
        """True if nothing of the recalled releases is in research."""
        return self.waiting == 0 and self.readable <= self.again


def find_recallable(cursor: Cursor, interval_key: str) -> Recallable | None:
    """Return what a recall of an interval would remove; None if no part is published."""
    execute(cursor, "deid", "recall", "releases", {"interval_key": interval_key})
    release_ids, documents, readable = one(cursor)
    return Recallable(tuple(release_ids), documents, readable) if documents or readable else None


def list_recalls(cursor: Cursor, interval_key: str) -> list[Recall]:
    """Return the recalls of an interval, newest first."""
    execute(cursor, "deid", "recall", "of_interval", {"interval_key": interval_key})
    return [Recall(*row) for row in cursor.fetchall()]


def make_recall(cursor: Cursor, actor: str, interval_key: str, shown: tuple[int, ...], reason: str) -> int:
    """Take out of research all that the releases `shown` hold, with a line of the audit trail; return its number.

    The documents' state is then `recalled`: a scheduled run does not take the same content up under the same pipeline,
    a run that a person asks for does.

    Raises:
        RecallRefused: nothing is published, a publication is under way, the releases are others, or see `check_reason`.
    """
    reason = check_reason(reason)
    found = find_recallable(cursor, interval_key)
    if found is None:
        raise RecallRefused(RecallProblem.NOTHING)
    if found.release_ids != shown:
        raise RecallRefused(RecallProblem.CHANGED)
    row = {"interval_key": interval_key, "release_ids": list(shown), "recalled_by": actor, "reason": reason}
    (recall_id,) = one(execute(cursor, "deid", "recall", "make", row))
    if recall_id is None:
        raise RecallRefused(RecallProblem.BUSY)
    removed = sum(one.documents for one in _removed(cursor, recall_id))
    if not removed:  # somebody else's recall ended since the look above; the caller's transaction is undone
        raise RecallRefused(RecallProblem.NOTHING)
    details = {"recall": recall_id, "reason": reason, "documents": removed}
    audit.write(cursor, actor, Action.RECALL, f"release {interval_key}", **details)
    return int(recall_id)


def prove_recall(cursor: Cursor, recall_id: int) -> RecallProof | None:
    """Return what a recall removed and what a new search finds; None for an unknown number."""
    row = execute(cursor, "deid", "recall", "read", {"recall_id": recall_id}).fetchone()
    if row is None:
        return None
    recall, removed = Recall(*row), _removed(cursor, recall_id)
    readable, waiting, again, checked_at = one(execute(cursor, "deid", "recall", "check", {"recall_id": recall_id}))
    lines = audit.list_lines(cursor, about=f"release {recall.interval_key}", action=Action.RECALL)
    return RecallProof(recall, removed, readable, waiting, again, checked_at, tuple(reversed(lines)))


# Returns a reason with single spaces; RecallRefused for fewer than 10 or more than 500 characters.
check_reason = partial(audit.spaced_reason, refused=lambda problem: RecallRefused(RecallProblem(problem)))


def _removed(cursor: Cursor, recall_id: int) -> tuple[RemovedType, ...]:
    execute(cursor, "deid", "recall", "removed", {"recall_id": recall_id})
    return tuple(RemovedType(*row) for row in cursor.fetchall())
