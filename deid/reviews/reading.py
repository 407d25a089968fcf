"""Readings of a sampled document: opening, marking, finishing. The audit trail records every display of a text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from deid.database.queries import Cursor, execute, one
from deid.domain.labels import Label
from deid.domain.outcomes import StoredFile
from deid.ledger import audit
from deid.reviews import ReviewProblem, refused
from deid.reviews.marks import ErrorKind, Mark, Span, find_passages, list_marks, locate_passage, read_spans

HELD_HOURS = 1  # after that, an unfinished reading no longer keeps others from the document


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as one person reads it. Offsets are those of `text`, the de-identified text."""

    review_id: int
    ordinal: int
    sample: int
    interval_key: str
    run_id: int
    document_id: str
    content_hash: str
    document_type: str | None
    has_file: bool
    text: str
    surrogates: tuple[Span, ...]
    finished_at: datetime | None

    @property
    def about(self) -> str:
        """Name of the document in messages."""
        return _document_name(self.review_id, self.ordinal)

    def write_audit(self, cursor: Cursor, actor: str, action: audit.Action, **details: object) -> None:
        """Add a line about this document to the audit trail."""
        about = f"document {self.document_id}"
        audit.write(cursor, actor, action, about, review=self.review_id, ordinal=self.ordinal, **details)


def begin_reading(cursor: Cursor, review_id: int, ordinal: int, reader: str) -> ReadDocument:
    """Show a document to a person, who becomes one of its readers; the display is recorded.

    Raises:
        ReviewRefused: unknown document, closed review, erased text, or enough other readers.
    """
    found, taken, readings, mine = _lock_document(cursor, review_id, ordinal, reader)
    if not mine and taken >= readings:
        raise refused(ReviewProblem.TAKEN, found.about)
    execute(cursor, "deid", "review_reading", "begin", _parameters(review_id, ordinal, reader))
    found.write_audit(cursor, reader, audit.Action.READ_TEXT)
    return found


def read_file(cursor: Cursor, review_id: int, ordinal: int, reader: str) -> StoredFile | None:
    """Return the rewritten file of a document that a person reads, recorded; None where there is none, or no more.

    Raises:
        ReviewRefused: closed review, erased text, or a document that the person never opened.
    """
    found = _lock_own(cursor, review_id, ordinal, reader)
    row = execute(cursor, "deid", "review_document", "file", _parameters(review_id, ordinal, reader)).fetchone()
    if row is None:
        return None
    found.write_audit(cursor, reader, audit.Action.READ_FILE)
    return StoredFile(row[0], row[1], bytes(row[2]))


def lock_for_verdict(cursor: Cursor, review_id: int, ordinal: int, person: str) -> ReadDocument:
    """Lock a document for a person who need not be one of its readers.

    Raises:
        ReviewRefused: unknown document, closed review, or erased text.
    """
    return _lock_document(cursor, review_id, ordinal, person)[0]


def note_comparison(cursor: Cursor, review_id: int, ordinal: int, reader: str) -> None:
    """Record that a reader sees the original before the end: the document's sentinel no longer measures anything."""
    execute(cursor, "deid", "review_reading", "compare", _parameters(review_id, ordinal, reader))


def finish_reading(cursor: Cursor, review_id: int, ordinal: int, reader: str, fastest: float = 0) -> bool:
    """Record that the person has read and marked the document; return whether the reading counts.

    It does not if it was faster than `fastest` characters per second (0: no limit): the document is then read again. A
    second call changes nothing.

    Raises:
        ReviewRefused: closed review, erased text, or a document that the person never opened.
    """
    found = _lock_own(cursor, review_id, ordinal, reader)
    if found.finished_at is not None:
        return True
    known = _parameters(review_id, ordinal, reader) | {"fastest": fastest, "characters": len(found.text)}
    row = execute(cursor, "deid", "review_reading", "finish", known).fetchone()
    if row is None:  # finished already, too fast
        return False
    found.write_audit(cursor, reader, audit.Action.FINISH_READING, seconds=round(row[0], 1), fast=row[1])
    return not row[1]


def next_document(cursor: Cursor, review_id: int, reader: str) -> int | None:
    """Return the ordinal that this person should read next: an unfinished one, else the first that lacks a reader."""
    known = {"review_id": review_id, "reader": reader, "held_hours": HELD_HOURS}
    found = execute(cursor, "deid", "review_reading", "following", known).fetchone()
    return None if found is None else int(found[0])


def add_mark(
    cursor: Cursor,
    review_id: int,
    ordinal: int,
    reader: str,
    kind: ErrorKind,
    label: Label | None,
    start: int,
    end: int,
) -> Mark:
    """Mark `[start, end)` of the text that a person reads. A mark that is sent again is returned as stored.

    Raises:
        ReviewRefused: the person does not read this document, or has finished; the kind does not fit the passage.
    """
    read = _lock_unfinished(cursor, review_id, ordinal, reader)
    where = locate_passage(read.text, read.surrogates, kind, label, start, end, read.about)
    for known in list_marks(cursor, review_id, ordinal=ordinal, reader=reader):
        if (known.kind, known.label, known.start, known.end) == (kind, label, where.start, where.end):
            return known
    row = {"review_id": review_id, "ordinal": ordinal, "reader": reader, "kind": kind.value, **where._asdict()}
    row["label"] = None if label is None else str(label)
    (mark_id,) = one(execute(cursor, "deid", "review_mark", "insert", row))
    read.write_audit(cursor, reader, audit.Action.MARK, mark=mark_id, kind=kind.value, label=row["label"])
    return Mark(mark_id, ordinal, reader, kind, row["label"], *where, None, None)


def mark_everywhere(
    cursor: Cursor, review_id: int, ordinal: int, reader: str, label: Label, start: int, end: int
) -> list[Mark]:
    """Mark as missed each whole-word occurrence of `[start, end)` that is not replaced, the selected one first.

    Raises:
        ReviewRefused: as `add_mark`; nothing is marked then.
    """
    read = _lock_unfinished(cursor, review_id, ordinal, reader)
    first = add_mark(cursor, review_id, ordinal, reader, ErrorKind.MISSED, label, start, end)
    found = find_passages(read.text, read.surrogates, read.text[first.start : first.end])
    others = [place for place in found if place != (first.start, first.end)]
    return [first, *(add_mark(cursor, review_id, ordinal, reader, ErrorKind.MISSED, label, *place) for place in others)]


def mark_text(cursor: Cursor, review_id: int, ordinal: int, reader: str, label: Label, wanted: str) -> list[Mark]:
    """Mark as missed each whole-word occurrence of a text that is not replaced.

    Raises:
        ReviewRefused: as `add_mark`; or the text occurs nowhere.
    """
    read = _lock_unfinished(cursor, review_id, ordinal, reader)
    places = find_passages(read.text, read.surrogates, wanted)
    if not places:
        raise refused(ReviewProblem.NOT_FOUND, read.about)
    return [add_mark(cursor, review_id, ordinal, reader, ErrorKind.MISSED, label, *place) for place in places]


def remove_mark(cursor: Cursor, review_id: int, ordinal: int, reader: str, mark_id: int) -> None:
    """Remove one's own mark before the reading is finished. A second call changes nothing.

    Raises:
        ReviewRefused: as `add_mark`; or the mark is not this person's on this document.
    """
    read = _lock_unfinished(cursor, review_id, ordinal, reader)
    row = {"review_id": review_id, "ordinal": ordinal, "reader": reader, "mark_id": mark_id}
    found = execute(cursor, "deid", "review_mark", "own", row).fetchone()
    if found is None:
        raise refused(ReviewProblem.UNKNOWN, f"mark {mark_id}")
    if found[0]:
        return
    execute(cursor, "deid", "review_mark", "remove", row)
    read.write_audit(cursor, reader, audit.Action.UNMARK, mark=mark_id)


def _lock_unfinished(cursor: Cursor, review_id: int, ordinal: int, reader: str) -> ReadDocument:
    """Lock a document that a person is reading."""
    found = _lock_own(cursor, review_id, ordinal, reader)
    if found.finished_at is not None:
        raise refused(ReviewProblem.FINISHED, found.about)
    return found


def _lock_own(cursor: Cursor, review_id: int, ordinal: int, reader: str) -> ReadDocument:
    """Lock a document that a person has opened."""
    found, _, _, mine = _lock_document(cursor, review_id, ordinal, reader)
    if not mine:
        raise refused(ReviewProblem.UNREAD, found.about)
    return found


def _lock_document(cursor: Cursor, review_id: int, ordinal: int, person: str) -> tuple[ReadDocument, int, int, bool]:
    """Lock a document; return it with its number of other readers, the number wanted, and whether `person` reads it."""
    known = _parameters(review_id, ordinal, person)
    row = execute(cursor, "deid", "review_document", "lock", known).fetchone()
    about = _document_name(review_id, ordinal)
    if row is None:
        raise refused(ReviewProblem.UNKNOWN, about)
    *shown, text, stored, erased_for, withdrawn, closed = row
    if closed:
        raise refused(ReviewProblem.CLOSED, f"review {review_id}")
    if withdrawn or erased_for == "withdrawal":
        raise refused(ReviewProblem.WITHDRAWN, about)
    if erased_for == "recall":
        raise refused(ReviewProblem.RECALLED, about)
    if text is None:
        raise refused(ReviewProblem.ERASED, about)
    # Counted under the lock: a person who waited for it sees the readers who came before.
    execute(cursor, "deid", "review_reading", "readers", known)
    others, mine, finished_at = cursor.fetchone() or (0, False, None)
    readings, *rest = shown
    found = ReadDocument(*(review_id, ordinal, *rest, text, read_spans(stored), finished_at))
    return found, others, readings, mine


def _parameters(review_id: int, ordinal: int, reader: str) -> dict[str, object]:
    return {"review_id": review_id, "ordinal": ordinal, "reader": reader, "held_hours": HELD_HOURS}


def _document_name(review_id: int, ordinal: int) -> str:
    return f"review {review_id}, document {ordinal}"
