"""Where a review stands: its plan, its documents, who has read what. Counts and ids; no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from deid.reviews import Why, refused
from deid.reviews.marks import Mark, of_review
from deid.warehouse.queries import Cursor, query

PAGE = 20


@dataclass(frozen=True, slots=True)
class Review:
    """A review as it was opened, and how many readings of how many are finished; `mine`: by the person who asks."""

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
        """How many readings there are to finish; a document whose text is gone before it was read is not one."""
        return (self.sample - self.unreadable) * self.readings

    @property
    def closed(self) -> bool:
        """Whether nothing more can be read or marked."""
        return self.closed_at is not None


@dataclass(frozen=True, slots=True)
class Sampled:
    """A document of a review: who has finished reading it, and its marks that nobody took back."""

    ordinal: int
    document_id: str
    document_type: str | None
    surrogates: int
    erased_for: str | None
    readers: tuple[str, ...]
    marks: tuple[Mark, ...]

    @property
    def leaks(self) -> bool:
        """Whether any reader's mark of something missed stands."""
        return any(mark.leak for mark in self.marks)


def find(cursor: Cursor, review_id: int, reader: str = "") -> Review:
    """One review.

    Raises:
        ReviewRefused: there is none of that number.
    """
    known = {"review_id": review_id, "reader": reader, "which": "all", "before": None, "limit": 1}
    cursor.execute(query("deid", "review", "list"), known)
    row = cursor.fetchone()
    if row is None:
        raise refused(Why.UNKNOWN, f"review {review_id}")
    return Review(*row)


def page(
    cursor: Cursor, reader: str, which: str = "open", before: int | None = None, limit: int = PAGE
) -> list[Review]:
    """Reviews, the newest first, those numbered under `before` if given.

    `which` is "open", "closed", "mine" (that the person has read in) or "all".
    """
    known = {"review_id": None, "reader": reader, "which": which, "before": before, "limit": limit}
    cursor.execute(query("deid", "review", "list"), known)
    return [Review(*row) for row in cursor.fetchall()]


def documents(cursor: Cursor, review_id: int) -> list[Sampled]:
    """Every document of a review, in the random order in which it is read."""
    by_document: dict[int, list[Mark]] = {}
    for mark in of_review(cursor, review_id):
        by_document.setdefault(mark.ordinal, []).append(mark)
    cursor.execute(query("deid", "review_document", "list"), {"review_id": review_id})
    return [
        Sampled(ordinal, document_id, kind, surrogates, erased, tuple(readers), tuple(by_document.get(ordinal, ())))
        for ordinal, document_id, kind, surrogates, erased, readers in cursor.fetchall()
    ]


def read_by_all(sampled: Sequence[Sampled], readings: int) -> list[Sampled]:
    """The documents that as many people as wanted have finished."""
    return [one for one in sampled if len(one.readers) >= readings]
