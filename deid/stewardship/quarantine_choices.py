"""Choosing for quarantined documents: the first person wins, every choice is justified, recorded and can be told."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from deid.domain.errors import NocturneError, Reason
from deid.quality.waivers import CHECKS_OF, FOREIGN, WAIVABLE
from deid.stewardship.quarantine import Choice, Held, failed_checks, find
from deid.warehouse import audit
from deid.warehouse.audit import Action
from deid.warehouse.queries import Cursor, query

LEAST_JUSTIFICATION = 20  # characters, for a release
LEAST_REASON = 5  # characters, for a discard
MOST_TEXT = 500
MOST_AT_ONCE = 200
_ACTIONS = {Choice.RETRY: Action.RETRY, Choice.RELEASE: Action.RELEASE_DOCUMENT, Choice.DISCARD: Action.DISCARD}

Entry = tuple[int, str]  # run and document


class Why(StrEnum):
    """Why a choice is not taken. The French and English words are the pages'."""

    NOTHING_CHOSEN = "nothing_chosen"
    TOO_MANY = "too_many"
    UNKNOWN = "unknown"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    NOT_WAIVABLE = "not_waivable"


class ChoiceRefused(NocturneError):
    """Nothing was chosen for any of the documents. `held` is the one that cannot be, where it is about one."""

    def __init__(self, why: Why, held: Held | None = None, entry: Entry | None = None) -> None:
        about = f" (document {held.document_id})" if held else f" (document {entry[1]})" if entry else ""
        super().__init__(f"nothing was chosen: {why}{about}.")
        self.why, self.held, self.entry = why, held, entry


@dataclass(frozen=True, slots=True)
class Chosen:
    """What became of a choice: documents it was written for, and those that somebody or a run was quicker for."""

    done: tuple[Held, ...]
    taken: tuple[Held, ...]


def choose(cursor: Cursor, actor: str, choice: Choice, entries: Sequence[Entry], text: str = "") -> Chosen:
    """Write one choice for every document of `entries`, in the caller's transaction, with a line of the trail each.

    `text` is the justification of a release (at least 20 characters) or the reason of a discard (at least 5); it is
    kept and shown. Whether `actor` may choose so is the caller's to know.

    Raises:
        ChoiceRefused: nothing was written: see `Why`.
    """
    entries = sorted(set(entries))  # always locked in one order: two people with the same list do not block each other
    text = " ".join(text.split())
    if not entries:
        raise ChoiceRefused(Why.NOTHING_CHOSEN)
    if len(entries) > MOST_AT_ONCE:
        raise ChoiceRefused(Why.TOO_MANY)
    _check_text(choice, text)
    found = [_known(cursor, entry) for entry in entries]
    waived = {(one.run_id, one.document_id): _waived(cursor, choice, one) for one in found}
    done: list[Held] = []
    taken: list[Held] = []
    for one in found:
        row = {
            **{"run_id": one.run_id, "document_id": one.document_id, "content_hash": one.content_hash},
            **{"choice": choice, "chosen_by": actor, "justification": text},
            "waived": json.dumps(waived[one.run_id, one.document_id]),
        }
        cursor.execute(query("deid", "quarantine_choice", "insert"), row)
        (done if cursor.fetchone() else taken).append(one)
    for one in done:
        facts = {"run_id": one.run_id, "content_hash": one.content_hash, "reason": one.reason.value}
        checks = {"waived": waived[one.run_id, one.document_id]} if choice is Choice.RELEASE else {}
        said = {"justification": text} if text else {}
        audit.write(cursor, actor, _ACTIONS[choice], f"document {one.document_id}", **facts, **checks, **said)
    return Chosen(tuple(done), tuple(_known(cursor, (one.run_id, one.document_id)) for one in taken))


def undo(cursor: Cursor, actor: str, entry: Entry) -> bool:
    """Take back a choice that no run has used yet; the document waits again. False if there is none."""
    run_id, document_id = entry
    parameters = {"run_id": run_id, "document_id": document_id, "undone_by": actor}
    cursor.execute(query("deid", "quarantine_choice", "undo"), parameters)
    row = cursor.fetchone()
    if row is None:
        return False
    _, choice, content_hash = row
    details = {"run_id": run_id, "content_hash": content_hash, "undone": True}
    audit.write(cursor, actor, _ACTIONS[Choice(choice)], f"document {document_id}", **details)
    return True


def waivable(reason: Reason) -> bool:
    """Whether a person may let documents pass that this reason alone holds back."""
    return reason in WAIVABLE


def _check_text(choice: Choice, text: str) -> None:
    least = {Choice.RELEASE: LEAST_JUSTIFICATION, Choice.DISCARD: LEAST_REASON}.get(choice, 0)
    if len(text) < least:
        raise ChoiceRefused(Why.TOO_SHORT)
    if len(text) > MOST_TEXT:
        raise ChoiceRefused(Why.TOO_LONG)


def _known(cursor: Cursor, entry: Entry) -> Held:
    found = find(cursor, *entry)
    if found is None:
        raise ChoiceRefused(Why.UNKNOWN, entry=entry)
    return found


def _waived(cursor: Cursor, choice: Choice, one: Held) -> dict[str, float]:
    """The checks that a release waives: those of its reason that failed, no further than what they showed."""
    if choice is not Choice.RELEASE:
        return {}
    if not waivable(one.reason):
        raise ChoiceRefused(Why.NOT_WAIVABLE, one)
    seen = {
        item.check: item.observed
        for item in failed_checks(cursor, one.run_id, one.document_id)
        if item.check in CHECKS_OF[one.reason] and item.observed is not None and math.isfinite(item.observed)
    }
    if one.reason is Reason.NOT_FRENCH and one.step == "detect":  # refused before it was searched: no check was reached
        seen = {FOREIGN: 1.0}
    if not seen:
        raise ChoiceRefused(Why.NOT_WAIVABLE, one)
    return seen
