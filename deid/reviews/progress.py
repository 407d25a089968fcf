"""Progress of a review: its plan, its sampled documents, their readers and marks. Counts and ids, no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from deid.reviews import ReviewProblem, refused
from deid.reviews.marks import ErrorKind, Mark, list_marks
from deid.reviews.reading import ReadDocument, lock_for_verdict
from deid.warehouse import audit
from deid.warehouse.queries import Cursor, query

# A senior steward settles a mark; an unsettled mark of a missed passage counts as a leak.
Verdict = Literal["upheld", "dismissed"]

PAGE = 20


@dataclass(frozen=True, slots=True)
class OpenedReview:
    """A review as it was opened, with its number of finished readings; `mine` counts those of the asking person."""

    review_id: int
    interval_key: str
    staged_digest: str
    population: int
    sample: int
    target: float
    confidence: float
    readings: int
    seed: str
    opened_by: str
    opened_at: datetime
    closed_by: str | None
    closed_at: datetime | None
    finished: int
    mine: int
    unreadable: int

    @property
    def wanted(self) -> int:
        """Number of readings required; a document erased before its reading requires none."""
        return (self.sample - self.unreadable) * self.readings

    @property
    def closed(self) -> bool:
        """True if nothing more can be read or marked."""
        return self.closed_at is not None


@dataclass(frozen=True, slots=True)
class Sampled:
    """A sampled document: the readers who have finished, and the marks in force."""

    ordinal: int
    document_id: str
    document_type: str | None
    surrogates: int
    erased_for: str | None
    readers: tuple[str, ...]
    marks: tuple[Mark, ...]

    @property
    def leaks(self) -> bool:
        """True if any mark of a missed passage stands."""
        return any(mark.leak for mark in self.marks)


def find_review(cursor: Cursor, review_id: int, reader: str = "") -> OpenedReview:
    """Return one review.

    Raises:
        ReviewRefused: unknown number.
    """
    found = _list_reviews(cursor, review_id=review_id, reader=reader, which="all", before=None, limit=1)
    if not found:
        raise refused(ReviewProblem.UNKNOWN, f"review {review_id}")
    return found[0]


def list_reviews(
    cursor: Cursor, reader: str, which: str = "open", before: int | None = None, limit: int = PAGE
) -> list[OpenedReview]:
    """Return reviews, newest first, with numbers under `before` if given.

    `which` is "open", "closed", "mine" (with a reading of `reader`) or "all".
    """
    return _list_reviews(cursor, review_id=None, reader=reader, which=which, before=before, limit=limit)


def _list_reviews(cursor: Cursor, **parameters: object) -> list[OpenedReview]:
    cursor.execute(query("deid", "review", "list"), parameters)
    return [OpenedReview(*row) for row in cursor.fetchall()]


def list_sampled(cursor: Cursor, review_id: int) -> list[Sampled]:
    """Return every document of a review, in its random reading order."""
    by_document: dict[int, list[Mark]] = {}
    for mark in list_marks(cursor, review_id):
        by_document.setdefault(mark.ordinal, []).append(mark)
    cursor.execute(query("deid", "review_document", "list"), {"review_id": review_id})
    return [
        Sampled(ordinal, document_id, kind, surrogates, erased, tuple(readers), tuple(by_document.get(ordinal, ())))
        for ordinal, document_id, kind, surrogates, erased, readers in cursor.fetchall()
    ]


def read_by_all(sampled: Sequence[Sampled], readings: int) -> list[Sampled]:
    """Return the documents with the required number of finished readings."""
    return [one for one in sampled if len(one.readers) >= readings]


def disputed_marks(one: Sampled) -> list[Mark]:
    """Return the marks of a document that need a senior steward, settled or not."""
    by_others = [(mark, [other for other in one.marks if other.reader != mark.reader]) for mark in one.marks]
    alone = len(one.readers) < 2
    return [
        mark
        for mark, others in by_others
        if (mark.kind is ErrorKind.MISSED if alone else not any(mark.agrees(other) for other in others))
    ]


def documents_to_settle(review: OpenedReview, sampled: Sequence[Sampled]) -> list[Sampled]:
    """Return the fully read documents with a disputed mark that has no verdict."""
    ready = read_by_all(sampled, review.readings)
    return [one for one in ready if any(mark.verdict is None for mark in disputed_marks(one))]


def open_adjudication(cursor: Cursor, review_id: int, ordinal: int, senior: str) -> tuple[ReadDocument, Sampled]:
    """Show a fully read document with its text and all marks; the display is recorded.

    Raises:
        ReviewRefused: unknown document, unfinished readings, erased text, or closed review.
    """
    found, one = _lock_fully_read(cursor, review_id, ordinal, senior)
    found.write_audit(cursor, senior, audit.Action.READ_TEXT)
    return found, one


def settle_mark(cursor: Cursor, review_id: int, ordinal: int, mark_id: int, senior: str, verdict: Verdict) -> None:
    """Uphold or dismiss a mark, once and for all.

    Raises:
        ReviewRefused: as `open_adjudication`; or the mark is unknown, settled, or the person's own.
    """
    found, one = _lock_fully_read(cursor, review_id, ordinal, senior)
    mark = next((mark for mark in one.marks if mark.mark_id == mark_id), None)
    if mark is None:
        raise refused(ReviewProblem.UNKNOWN, f"mark {mark_id}")
    if mark.verdict is not None:
        raise refused(ReviewProblem.SETTLED, f"mark {mark_id}")
    if mark.reader == senior:
        raise refused(ReviewProblem.OWN_MARK, f"mark {mark_id}")
    cursor.execute(query("deid", "review_mark", "settle"), {"mark_id": mark_id, "verdict": verdict, "senior": senior})
    found.write_audit(cursor, senior, audit.Action.ADJUDICATE, mark=mark_id, verdict=verdict)


def _lock_fully_read(cursor: Cursor, review_id: int, ordinal: int, senior: str) -> tuple[ReadDocument, Sampled]:
    found = lock_for_verdict(cursor, review_id, ordinal, senior)
    review = find_review(cursor, review_id)
    one = next(one for one in list_sampled(cursor, review_id) if one.ordinal == ordinal)
    if len(one.readers) < review.readings:
        raise refused(ReviewProblem.NOT_READ, found.about)
    return found, one
