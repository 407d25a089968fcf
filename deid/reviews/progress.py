"""Progress of a review: its plan, its sampled documents, their readers and marks. Counts and ids, no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from deid.reviews import ReviewProblem, refused
from deid.reviews.marks import Mark, list_marks
from deid.warehouse.queries import Cursor, query

PAGE = 20


@dataclass(frozen=True, slots=True)
class Review:
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


def find_review(cursor: Cursor, review_id: int, reader: str = "") -> Review:
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
) -> list[Review]:
    """Return reviews, newest first, with numbers under `before` if given.

    `which` is "open", "closed", "mine" (with a reading of `reader`) or "all".
    """
    return _list_reviews(cursor, review_id=None, reader=reader, which=which, before=before, limit=limit)


def _list_reviews(cursor: Cursor, **parameters: object) -> list[Review]:
    cursor.execute(query("deid", "review", "list"), parameters)
    return [Review(*row) for row in cursor.fetchall()]


def list_documents(cursor: Cursor, review_id: int) -> list[Sampled]:
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
