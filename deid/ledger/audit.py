"""Append-only audit trail of displays, decisions and removals, with actor and time; lines form a hash chain.

The database computes the chain (`deid.audit_append`), refuses updates and deletions, and grants no role the privilege
for them. A chain alone cannot reveal that its last lines were cut off, or that all were computed anew: signatures do
(`deid.ledger.signatures`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from psycopg2.extensions import connection as Connection
from psycopg2.extensions import cursor as Cursor

from deid.database.queries import execute, one

PAGE = 100
LEAST_REASON, MOST_REASON = 10, 500  # characters of the reason of a removal


class Action(StrEnum):
    """Recorded actions. The French and English wording is the pages'."""

    READ_RELEASE = "read_release"
    READ_TEXT = "read_text"
    READ_ORIGINAL = "read_original"
    READ_FILE = "read_file"
    EXPORT = "export"
    OPEN_REVIEW = "open_review"
    ENLARGE_REVIEW = "enlarge_review"
    MARK = "mark"
    UNMARK = "unmark"
    FINISH_READING = "finish_reading"
    ADJUDICATE = "adjudicate"
    CLOSE_REVIEW = "close_review"
    APPROVE = "approve"
    REJECT = "reject"
    REWORK = "rework"
    VETO = "veto"
    COMMENT = "comment"
    GRANT_RIGHT = "grant_right"
    REVOKE_RIGHT = "revoke_right"
    RECALL = "recall"
    RETRY = "retry"
    RELEASE_DOCUMENT = "release_document"
    DISCARD = "discard"
    WITHDRAW_VERSION = "withdraw_version"
    SEARCH_PATIENT = "search_patient"
    OPT_OUT = "opt_out"
    OPT_OUT_APPLIED = "opt_out_applied"
    TAKE_OVER = "take_over"
    REGISTER_MODEL = "register_model"
    PROMOTE_MODEL = "promote_model"
    REFUSE_MODEL = "refuse_model"
    ROLL_BACK_MODEL = "roll_back_model"
    EXPORT_MODEL = "export_model"
    TRANSLATE_ID = "translate_id"
    LINK_TABLE = "link_table"
    SERVE_DOCUMENT = "serve_document"
    READ_AUDIT = "read_audit"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the trail. `details` holds ids, counts and reasons typed by a person; never a text.

    `actor` is the person whom the client named, `login` the database login that wrote the line, set by the server; None
    in lines older than it.
    """

    seq: int
    at: datetime
    actor: str
    action: str
    object: str
    details: Mapping[str, Any]
    digest: str
    login: str | None


@dataclass(frozen=True, slots=True)
class Head:
    """The last line's number and digest; (0, "") for an empty trail."""

    seq: int
    digest: str


def spaced_reason(reason: str, refused: Callable[[str], Exception]) -> str:
    """Return a reason of 10 to 500 characters with single spaces.

    Raises:
        refused: given `too_short` or `too_long`, whose French and English wording is the pages'.
    """
    reason = " ".join(reason.split())
    if len(reason) < LEAST_REASON:
        raise refused("too_short")
    if len(reason) > MOST_REASON:
        raise refused("too_long")
    return reason


def write(cursor: Cursor, actor: str, action: Action, about: str, /, **details: Any) -> int:
    """Add a line in the caller's transaction and return its number: both are committed or rolled back together.

    `actor` is an account's name, `about` an object ("document D-12"). Writers wait for each other: end it soon after.
    """
    row = {"actor": actor, "action": action.value, "object": about, "details": json.dumps(details)}
    return int(one(execute(cursor, "deid", "audit", "append", row))[0])


def list_lines(
    cursor: Cursor,
    *,
    before: int | None = None,
    actor: str | None = None,
    action: str | None = None,
    about: str | None = None,
    reviewer: str | None = None,
    limit: int = PAGE,
) -> list[Line]:
    """Return lines, newest first, with numbers under `before` if given.

    With `reviewer`, lines on approvals and comments that this account may not know of yet are left out.
    """
    named = {"actor": actor, "action": action, "object": about, "reviewer": reviewer}
    found = execute(cursor, "deid", "audit", "page", {"before": before, "limit": limit, **named})
    return [Line(*row) for row in found.fetchall()]


def read_head(cursor: Cursor) -> Head:
    """Return the head of the trail."""
    return Head(*(execute(cursor, "deid", "audit", "head").fetchone() or (0, "")))


def find_first_break(cursor: Cursor) -> int | None:
    """Return the number of the first line that breaks the hash chain; None for an intact trail."""
    (found,) = one(execute(cursor, "deid", "audit", "broken"))
    return None if found is None else int(found)


def export_lines(link: Connection) -> Iterator[dict[str, str]]:
    """Yield every line that the role may read, oldest first, as `line` (the exact hashed JSON) and `digest` (SHA-256).

    Lines of a version that wrote the hospital's ids are withheld from stewards: the first entry then says up to which
    number (`withheld`), and the digest of the last of them.
    """
    with link.cursor("audit_export") as cursor:
        execute(cursor, "deid", "audit", "export")
        for number, (line, digest, previous, withheld) in enumerate(cursor):
            if number == 0 and withheld:
                yield {"withheld": str(withheld), "digest": previous}
            yield {"line": line, "digest": digest}
