"""Read a document of a review: whose turn it is, what is shown, and when it is done. Each text shown is recorded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from deid.reviews import Why, refused
from deid.reviews.places import Span, spans
from deid.warehouse import audit
from deid.warehouse.queries import Cursor, query

HELD_HOURS = 1  # after that, an unfinished reading no longer keeps others from the document


@dataclass(frozen=True, slots=True)
class Reading:
    """A document as one person reads it. Offsets count in `text`, the de-identified one."""

    review_id: int
    ordinal: int
    sample: int
    interval_key: str
    run_id: int
    document_id: str
    content_hash: str
    document_type: str | None
    text: str
    surrogates: tuple[Span, ...]
    finished_at: datetime | None

    @property
    def about(self) -> str:
        """What messages and the audit trail call it."""
        return about(self.review_id, self.ordinal)


def about(review_id: int, ordinal: int) -> str:
    """What messages call a document of a review."""
    return f"review {review_id}, document {ordinal}"


def begin(cursor: Cursor, review_id: int, ordinal: int, reader: str) -> Reading:
    """Show a document to a person, who becomes one of its readers; recorded.

    Raises:
        ReviewRefused: there is no such document, the review is closed, the text is gone, or others read it already.
    """
    known = {"review_id": review_id, "ordinal": ordinal, "reader": reader, "held_hours": HELD_HOURS}
    found, taken, readings, mine = _held(cursor, known)
    if not mine and taken >= readings:
        raise refused(Why.TAKEN, found.about)
    cursor.execute(query("deid", "review_reading", "begin"), known)
    audit.write(
        cursor,
        reader,
        audit.Action.READ_TEXT,
        f"document {found.document_id}",
        review=review_id,
        ordinal=ordinal,
    )
    return found


def held(cursor: Cursor, review_id: int, ordinal: int, reader: str) -> Reading:
    """A document that a person is reading, locked, so that it can be marked.

    Raises:
        ReviewRefused: as `begin`; or the person has not opened it, or has finished it.
    """
    known = {"review_id": review_id, "ordinal": ordinal, "reader": reader, "held_hours": HELD_HOURS}
    found, _, _, mine = _held(cursor, known)
    if not mine:
        raise refused(Why.UNREAD, found.about)
    if found.finished_at is not None:
        raise refused(Why.FINISHED, found.about)
    return found


def locked(cursor: Cursor, review_id: int, ordinal: int, person: str) -> Reading:
    """A document that somebody who need not be a reader of it looks at.

    Raises:
        ReviewRefused: there is no such document, the review is closed, or the text is gone.
    """
    known = {"review_id": review_id, "ordinal": ordinal, "reader": person, "held_hours": HELD_HOURS}
    return _held(cursor, known)[0]


def finish(cursor: Cursor, review_id: int, ordinal: int, reader: str) -> None:
    """The person has read the document and marked all there is to mark. A second time changes nothing.

    Raises:
        ReviewRefused: the review is closed, the text is gone, or the person never opened it.
    """
    known = {"review_id": review_id, "ordinal": ordinal, "reader": reader, "held_hours": HELD_HOURS}
    found, _, _, mine = _held(cursor, known)
    if not mine:
        raise refused(Why.UNREAD, found.about)
    if found.finished_at is not None:
        return
    cursor.execute(query("deid", "review_reading", "finish"), known)
    audit.write(
        cursor,
        reader,
        audit.Action.FINISH_READING,
        f"document {found.document_id}",
        review=review_id,
        ordinal=ordinal,
    )


def following(cursor: Cursor, review_id: int, reader: str) -> int | None:
    """The document that this person should read next: one left unfinished, else the first that lacks a reader."""
    known = {"review_id": review_id, "reader": reader, "held_hours": HELD_HOURS}
    cursor.execute(query("deid", "review_reading", "following"), known)
    found = cursor.fetchone()
    return None if found is None else int(found[0])


def _held(cursor: Cursor, known: dict[str, object]) -> tuple[Reading, int, int, bool]:
    """The document, locked; how many others read it, how many should, and whether this person does."""
    review_id, ordinal = int(str(known["review_id"])), int(str(known["ordinal"]))
    cursor.execute(query("deid", "review_document", "hold"), known)
    row = cursor.fetchone()
    if row is None:
        raise refused(Why.UNKNOWN, about(review_id, ordinal))
    *shown, text, stored, erased_for, withdrawn, closed = row
    if closed:
        raise refused(Why.CLOSED, f"review {review_id}")
    if withdrawn or erased_for == "withdrawal":
        raise refused(Why.WITHDRAWN, about(review_id, ordinal))
    if text is None:
        raise refused(Why.ERASED, about(review_id, ordinal))
    # Counted once the row is locked: whoever waited for it sees who came before.
    cursor.execute(query("deid", "review_reading", "readers"), known)
    row = cursor.fetchone()
    others, mine, finished_at = (0, False, None) if row is None else row
    readings, sample, interval_key, run_id, document_id, content_hash, document_type = shown
    found = Reading(
        *(review_id, ordinal, sample, interval_key, run_id, document_id, content_hash, document_type, text),
        *(spans(stored), finished_at),
    )
    return found, others, readings, mine
