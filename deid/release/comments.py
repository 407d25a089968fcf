"""Comments between the people who decide on a release; written on the stewards' pages, and shown there alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from deid.database.connection import open_cursor
from deid.database.queries import Cursor, execute
from deid.ledger import audit
from deid.release.status import DecisionStatus

MAX_COMMENT = 1000  # characters


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: account, time, words; `about_this` if on the content staged now."""

    account: str
    written_at: datetime
    comment: str
    about_this: bool


def list_comments(cursor: Cursor, status: DecisionStatus, reader: str) -> list[Comment]:
    """Return the comments on an interval that an account may read, oldest first.

    In a blind review, whoever has not answered reads no comment of others on what is staged.
    """
    hidden = status.blind and status.airflow_run is not None and reader not in status.approvers
    about = {"interval_key": status.interval_key, "staged_digest": status.digest or ""}
    execute(cursor, "deid", "release_comment", "of_interval", about | {"reader": reader if hidden else None})
    return [Comment(*row) for row in cursor.fetchall()]


def write_comment(status: DecisionStatus, account: str, text: str) -> None:
    """Keep a comment of 1 to `MAX_COMMENT` characters; the audit trail has a line without its text."""
    row = {"interval_key": status.interval_key, "staged_digest": status.digest or "", "account": account}
    with open_cursor("steward", "nocturne pages") as cursor:
        execute(cursor, "deid", "release_comment", "insert", row | {"comment": text})
        audit.write(cursor, account, audit.Action.COMMENT, f"release {status.interval_key}")
