"""Quarantined documents: reasons and failed checks shown to stewards, and their choices: retry, release, discard.

The first person to choose for a document wins; every choice is justified and written to the audit trail.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from deid.database.queries import Cursor, execute
from deid.domain.document import Mention
from deid.domain.errors import NocturneError, Reason
from deid.ledger import audit
from deid.ledger.audit import Action
from deid.quality.reasons import CHECKS_OF, FOREIGN, WAIVABLE

PAGE = 50
STEPS = ("detect", "substitute", "validate", "stage")  # that put documents in quarantine
COUNTED = 1000  # the index is scanned no further: the pages show "1 000 or more"
MOST_TEXT = 500  # characters
MOST_AT_ONCE = 200
Entry = tuple[int, str]  # run and document


class Choice(StrEnum):
    """A person's decision on a quarantined document."""

    RETRY = "retry"  # process it again at the next run
    RELEASE = "release"  # process it again, with the checks of its reason waived
    DISCARD = "discard"  # exclude it until its content changes


class Standing(StrEnum):
    """State of a quarantined document (column deid.quarantine.standing)."""

    WAITING = "waiting"
    RETRY = "retry"
    RELEASE = "release"
    DISCARD = "discard"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class QuarantinedDocument:
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
    """Criteria of quarantined documents; None accepts all.

    `since` and `before` bound the time of quarantine, `check_name` is a check that the document fails.
    """

    standing: Standing = Standing.WAITING
    reason: Reason | None = None
    step: str | None = None
    document_type: str | None = None
    interval_key: str | None = None
    since: datetime | None = None
    before: datetime | None = None
    check_name: str | None = None
    service: str | None = None


After = tuple[datetime, int, str]  # time, run and document of the last row shown


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A failed check of a document: the observed number, and whether a person had waived the check."""

    check: str
    severity: str
    observed: float | None
    waived: bool


@dataclass(frozen=True, slots=True)
class DocumentEvent:
    """An event of a document: `kind` is state, quarantine, choice or undone; `what` is the state, reason or choice.

    `marks` counts the passages that a choice marked as missed.
    """

    at: datetime
    kind: str
    run_id: int
    interval_key: str
    content_hash: str
    what: str
    who: str
    why: str
    marks: int


LEAST_TEXT = {Choice.RETRY: 0, Choice.RELEASE: 20, Choice.DISCARD: 5}  # characters
_ACTIONS = {Choice.RETRY: Action.RETRY, Choice.RELEASE: Action.RELEASE_DOCUMENT, Choice.DISCARD: Action.DISCARD}


class ChoiceProblem(StrEnum):
    """Reason for which a choice is refused. The French and English wording is the pages'."""

    NOTHING_CHOSEN = "nothing_chosen"
    TOO_MANY = "too_many"
    UNKNOWN = "unknown"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    NOT_WAIVABLE = "not_waivable"
    BAD_MARKS = "bad_marks"


class ChoiceRefused(NocturneError):
    """No choice was recorded. `held` is the document that prevents it, if there is one."""

    def __init__(self, why: ChoiceProblem, held: QuarantinedDocument | None = None, entry: Entry | None = None) -> None:
        about = f" (document {held.document_id})" if held else f" (document {entry[1]})" if entry else ""
        super().__init__(f"nothing was chosen: {why}{about}.")
        self.why, self.held, self.entry = why, held, entry


@dataclass(frozen=True, slots=True)
class ChoiceResult:
    """Result of a choice: documents it was recorded for, and documents taken by another person or a run before."""

    done: tuple[QuarantinedDocument, ...]
    taken: tuple[QuarantinedDocument, ...]


def list_quarantined(
    cursor: Cursor, wanted: Filter, after: After | None = None, limit: int = PAGE
) -> list[QuarantinedDocument]:
    """Return quarantined documents, newest first, after the position `after`."""
    at, run_id, document_id = after or (None, None, None)
    parameters: dict[str, Any] = {
        **{name: getattr(wanted, name) for name in Filter.__dataclass_fields__},
        **{"after_at": at, "after_run": run_id, "after_document": document_id, "limit": limit},
    }
    return [_to_document(row) for row in execute(cursor, "deid", "quarantine", "page", parameters).fetchall()]


def count_waiting(cursor: Cursor) -> list[tuple[Reason, int]]:
    """Return the number of undecided documents by reason, highest first; no count exceeds `COUNTED`."""
    execute(cursor, "deid", "quarantine", "waiting", {"reasons": list(Reason), "most": COUNTED})
    return [(Reason(reason), documents) for reason, documents in cursor.fetchall()]


def list_document_types(cursor: Cursor, standing: Standing) -> list[str]:
    """Return the document types of quarantined documents, for the filter."""
    return [row[0] for row in execute(cursor, "deid", "quarantine", "types", {"standing": standing}).fetchall()]


def find_quarantined(cursor: Cursor, run_id: int, document_id: str) -> QuarantinedDocument | None:
    """Return a document as run `run_id` quarantined it; None if it did not."""
    row = execute(cursor, "deid", "quarantine", "one", {"run_id": run_id, "document_id": document_id}).fetchone()
    return None if row is None else _to_document(row)


def failed_checks(cursor: Cursor, run_id: int, document_id: str) -> list[FailedCheck]:
    """Return the failed checks of a document, critical ones first; none if it was quarantined before the checks."""
    execute(cursor, "deid", "verdict", "failed", {"run_id": run_id, "document_id": document_id})
    return [FailedCheck(*row) for row in cursor.fetchall()]


def document_history(cursor: Cursor, document_id: str) -> list[DocumentEvent]:
    """Return all events of a document, oldest first."""
    execute(cursor, "deid", "quarantine", "history", {"document_id": document_id})
    return [DocumentEvent(*row) for row in cursor.fetchall()]


def find_former(cursor: Cursor, run_id: int, document_id: str) -> tuple[int, str, bool] | None:
    """Return run and interval that published a held-back document before, if any, and whether that version leaves."""
    return execute(cursor, "deid", "quarantine", "former", {"run_id": run_id, "document_id": document_id}).fetchone()


def withdraw_former(cursor: Cursor, actor: str, entry: Entry, former: int, reason: str) -> bool:
    """Have the next publication remove the version that `former` published; False if it is not, or leaves already.

    Raises:
        ChoiceRefused: the reason has fewer than 10 or more than 500 characters.
    """
    reason = audit.spaced_reason(reason, lambda problem: ChoiceRefused(ChoiceProblem(problem)))
    held = {"run_id": entry[0], "document_id": entry[1]}
    if execute(cursor, "deid", "quarantine", "withdraw_former", held | {"former": former}).fetchone() != (True,):
        return False
    audit.write(cursor, actor, Action.WITHDRAW_VERSION, f"document {entry[1]}", run_id=entry[0], reason=reason)
    return True


def _to_document(row: Sequence[Any]) -> QuarantinedDocument:
    *first, reason, at, interval_key, document_type, standing, choice_id, choice, chosen_by, chosen_at, text = row
    known = [*first, Reason(reason), at, interval_key, document_type, Standing(standing), choice_id]
    return QuarantinedDocument(*known, *[Choice(choice) if choice else None, chosen_by, chosen_at, text])


@dataclass(frozen=True, slots=True)
class Marked:
    """Passages of one document that detection missed by a person, in offsets of its source.

    `read`: the person has read the whole document, which joins the annotated ones (`sql/deid/annotation.sql`).
    """

    marks: Sequence[Mention]
    read: bool = False


def fit(marks: Sequence[Mention], characters: int | None) -> bool:
    """Return whether marks, in the order of the text, lie in a text of that length and share none of its characters."""
    following = [*(mark.start for mark in marks[1:]), math.inf if characters is None else characters]
    return all(mark.end <= start for mark, start in zip(marks, following, strict=False))


def record_choice(
    cursor: Cursor, actor: str, choice: Choice, entries: Sequence[Entry], text: str = "", marked: Marked | None = None
) -> ChoiceResult:
    """Record one choice for every document of `entries`, in the caller's transaction, with one audit line each.

    `text` is the justification of a release (at least 20 characters) or the reason of a discard (at least 5), stored
    and shown. `marked` is for a retry of one document: later runs hide its marks. The caller checks the permissions of
    `actor`.

    Raises:
        ChoiceRefused: nothing was written; see `ChoiceProblem`.
    """
    entries = sorted(set(entries))  # locked in one order: two people with the same list do not deadlock
    text = " ".join(text.split())
    if not entries:
        raise ChoiceRefused(ChoiceProblem.NOTHING_CHOSEN)
    if len(entries) > MOST_AT_ONCE:
        raise ChoiceRefused(ChoiceProblem.TOO_MANY)
    if len(text) < LEAST_TEXT[choice]:
        raise ChoiceRefused(ChoiceProblem.TOO_SHORT)
    if len(text) > MOST_TEXT:
        raise ChoiceRefused(ChoiceProblem.TOO_LONG)
    found = [_find_known(cursor, entry) for entry in entries]
    waived = {(one.run_id, one.document_id): _waived_checks(cursor, choice, one) for one in found}
    hidden = sorted(marked.marks) if marked else []
    spans = json.dumps([(one.start, one.end, one.label) for one in hidden])
    done: list[QuarantinedDocument] = []
    taken: list[QuarantinedDocument] = []
    for one in found:
        row = {"run_id": one.run_id, "document_id": one.document_id, "content_hash": one.content_hash}
        chosen = {"choice": choice, "chosen_by": actor, "justification": text, "read": bool(marked and marked.read)}
        stored = json.dumps(waived[one.run_id, one.document_id])
        execute(cursor, "deid", "quarantine_choice", "insert", row | chosen | {"waived": stored, "marks": spans})
        if (written := cursor.fetchone()) and not fit(hidden, written[1]):
            raise ChoiceRefused(ChoiceProblem.BAD_MARKS, one)
        (done if written else taken).append(one)
    for one in done:
        facts = {"run_id": one.run_id, "content_hash": one.content_hash, "reason": one.reason.value}
        checks = {"waived": waived[one.run_id, one.document_id]} if choice is Choice.RELEASE else {}
        said = {"justification": text} if text else {}
        marks = {"marks": len(marked.marks), "read": marked.read} if marked else {}
        audit.write(cursor, actor, _ACTIONS[choice], f"document {one.document_id}", **facts, **checks, **said, **marks)
    return ChoiceResult(tuple(done), tuple(_find_known(cursor, (one.run_id, one.document_id)) for one in taken))


def undo_choice(cursor: Cursor, actor: str, entry: Entry) -> bool:
    """Undo a choice that no run has used; the document waits again. False if there is no such choice."""
    run_id, document_id = entry
    parameters = {"run_id": run_id, "document_id": document_id, "undone_by": actor}
    row = execute(cursor, "deid", "quarantine_choice", "undo", parameters).fetchone()
    if row is None:
        return False
    _, choice, content_hash = row
    details = {"run_id": run_id, "content_hash": content_hash, "undone": True}
    audit.write(cursor, actor, _ACTIONS[Choice(choice)], f"document {document_id}", **details)
    return True


def _find_known(cursor: Cursor, entry: Entry) -> QuarantinedDocument:
    found = find_quarantined(cursor, *entry)
    if found is None:
        raise ChoiceRefused(ChoiceProblem.UNKNOWN, entry=entry)
    return found


def _waived_checks(cursor: Cursor, choice: Choice, one: QuarantinedDocument) -> dict[str, float]:
    """Return the checks that a release waives: failed checks of the reason, up to their observed values."""
    if choice is not Choice.RELEASE:
        return {}
    if one.reason not in WAIVABLE:
        raise ChoiceRefused(ChoiceProblem.NOT_WAIVABLE, one)
    seen = {
        item.check: item.observed
        for item in failed_checks(cursor, one.run_id, one.document_id)
        if item.check in CHECKS_OF[one.reason] and item.observed is not None and math.isfinite(item.observed)
    }
    if one.reason is Reason.NOT_FRENCH and one.step == "detect":  # refused before detection: no check was run
        seen = {FOREIGN: 1.0}
    if not seen:
        raise ChoiceRefused(ChoiceProblem.NOT_WAIVABLE, one)
    return seen
