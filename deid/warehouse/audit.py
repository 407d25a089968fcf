"""The audit trail: who saw, decided or took away what, and when; append-only, each line sealed with the one before.

The database does the chaining (`deid.audit_append`), refuses any rewriting, and gives no role the right to try. A chain
alone cannot tell that its last lines were cut off: keep the seal (`head`) elsewhere from time to time; every export
and every release report carries it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from psycopg2.extensions import connection as Connection
from psycopg2.extensions import cursor as Cursor

from deid.warehouse.queries import one, query

PAGE = 100


class Action(StrEnum):
    """What is written down. The French and English words are the pages'."""

    READ_RELEASE = "read_release"
    READ_TEXT = "read_text"
    READ_ORIGINAL = "read_original"
    EXPORT = "export"
    OPEN_REVIEW = "open_review"
    MARK = "mark"
    UNMARK = "unmark"
    FINISH_READING = "finish_reading"
    ADJUDICATE = "adjudicate"
    CLOSE_REVIEW = "close_review"
    APPROVE = "approve"
    REJECT = "reject"
    REWORK = "rework"
    RETRY = "retry"
    RELEASE_DOCUMENT = "release_document"
    DISCARD = "discard"
    SEARCH_PATIENT = "search_patient"
    OPT_OUT = "opt_out"
    OPT_OUT_APPLIED = "opt_out_applied"
    READ_AUDIT = "read_audit"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the trail. `details` holds ids, counts and reasons that a person typed; never a text."""

    seq: int
    at: datetime
    actor: str
    action: str
    object: str
    details: Mapping[str, Any]
    digest: str


@dataclass(frozen=True, slots=True)
class Seal:
    """The last line's number and digest; (0, "") for an empty trail."""

    seq: int
    digest: str


def write(cursor: Cursor, actor: str, action: Action, about: str, /, **details: Any) -> int:
    """Add a line in the caller's transaction and return its number: what is undone is not written, nor the reverse.

    `actor` is the account's name, `about` the object ("release 2026-10-03", "document D-12"). Lines are added one
    at a time: keep the transaction short after it.
    """
    row = {"actor": actor, "action": action.value, "object": about, "details": json.dumps(details)}
    cursor.execute(query("deid", "audit", "append"), row)
    return int(one(cursor)[0])


def page(
    cursor: Cursor,
    *,
    before: int | None = None,
    actor: str | None = None,
    action: str | None = None,
    about: str | None = None,
    limit: int = PAGE,
) -> list[Line]:
    """Lines, the newest first, those numbered under `before` if given."""
    cursor.execute(
        query("deid", "audit", "page"),
        {"before": before, "actor": actor, "action": action, "object": about, "limit": limit},
    )
    return [Line(*row) for row in cursor.fetchall()]


def head(cursor: Cursor) -> Seal:
    """The seal of the whole trail."""
    cursor.execute(query("deid", "audit", "head"))
    return Seal(*(cursor.fetchone() or (0, "")))


def first_break(cursor: Cursor) -> int | None:
    """Number of the first line that does not follow from the one before it; None for a sound trail."""
    cursor.execute(query("deid", "audit", "broken"))
    found = cursor.fetchone()
    return None if found is None else int(found[0])


def exported(link: Connection) -> Iterator[dict[str, str]]:
    """Every line, oldest first, as `line` (the exact sealed JSON) and `digest` (its SHA-256)."""
    with link.cursor("audit_export") as cursor:
        cursor.execute(query("deid", "audit", "export"))
        for line, digest in cursor:
            yield {"line": line, "digest": digest}


def sound(lines: Iterator[Mapping[str, str]]) -> bool:
    """Whether an export is whole and unaltered from its first line on, with no database at hand."""
    previous = ""
    for number, entry in enumerate(lines, start=1):
        seq, *_, link = json.loads(entry["line"])
        if (seq, link) != (number, previous) or hashlib.sha256(entry["line"].encode()).hexdigest() != entry["digest"]:
            return False
        previous = entry["digest"]
    return True
