"""Progress of a review: its plan, its sampled documents, their readers and marks. Counts and ids, no text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from deid.database.queries import Cursor, execute
from deid.ledger import audit
from deid.reviews import ReviewProblem, refused
from deid.reviews.bounds import Found
from deid.reviews.marks import ErrorKind, Mark, list_marks
from deid.reviews.reading import ReadDocument, lock_for_verdict

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
    sentinels: float
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
        """Number of readings required: none of a document withdrawn or erased before its reading."""
        return (self.sample - self.unreadable) * self.readings

    @property
    def closed(self) -> bool:
        """True if nothing more can be read or marked."""
        return self.closed_at is not None


@dataclass(frozen=True, slots=True)
class Sampled:
    """A sampled document: whether it can still be read, the readers who have finished, and the marks in force.

    `sentinel` is the label of its sentinel and `found_by` who marked it, once that may be known; `marks` then lacks the
    marks within it. `compared`: a reader saw the original before the end, so that the sentinel measures nothing.
    """

    ordinal: int
    document_id: str
    document_type: str | None
    surrogates: int
    readable: bool
    erased_for: str | None
    readers: tuple[str, ...]
    compared: bool
    marks: tuple[Mark, ...]
    sentinel: str | None = None
    found_by: tuple[str, ...] = ()

    @property
    def withdrawn(self) -> bool:
        """True if the source or its patient took the document back: it will not be published."""
        return not self.readable and self.erased_for in (None, "withdrawal")

    @property
    def leaks(self) -> bool:
        """True if any mark in force is of a missed passage."""
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
    return [OpenedReview(*row) for row in execute(cursor, "deid", "review", "list", parameters).fetchall()]


def list_sampled(cursor: Cursor, review_id: int) -> list[Sampled]:
    """Return every document of a review, in its random reading order."""
    by_document: dict[int, list[Mark]] = defaultdict(list)
    for mark in list_marks(cursor, review_id):
        by_document[mark.ordinal].append(mark)
    execute(cursor, "deid", "review_document", "sentinels", {"review_id": review_id})
    hidden: dict[int, list[tuple[str, int, int]]] = defaultdict(list)
    for ordinal, *passage in cursor.fetchall():
        hidden[ordinal].append(tuple(passage))
    execute(cursor, "deid", "review_document", "list", {"review_id": review_id})
    made = []
    for ordinal, document_id, kind, surrogates, readable, erased, readers, compared in cursor.fetchall():
        split = _split_marks(by_document[ordinal], hidden[ordinal])
        known = (ordinal, document_id, kind, surrogates, readable, erased, tuple(readers), compared)
        made.append(Sampled(*known, *split))
    return made


def _split_marks(
    marks: Sequence[Mark], passages: Sequence[tuple[str, int, int]]
) -> tuple[tuple[Mark, ...], str | None, tuple[str, ...]]:
    """Part the marks of a document from those within its sentinel; return them, its label, and who marked it."""
    if not passages:
        return tuple(marks), None, ()
    touching = {
        mark.reader
        for mark in marks
        for _, start, end in passages
        if mark.kind is ErrorKind.MISSED and mark.start < end and start < mark.end
    }
    others = [mark for mark in marks if not any(start <= mark.start and mark.end <= end for _, start, end in passages)]
    return tuple(others), passages[0][0], tuple(sorted(touching))


def count_sentinels(sampled: Iterable[Sampled], reader: str | None = None) -> Found:
    """Count the sentinels that may be known, and those found: by `reader` in what that person read, else by anyone."""
    shown = [
        one
        for one in sampled
        if one.sentinel is not None and not one.compared and (reader is None or reader in one.readers)
    ]
    return Found(sum(reader in one.found_by if reader else bool(one.found_by) for one in shown), len(shown))


@dataclass(frozen=True, slots=True)
class Reader:
    """A person's readings in a review: documents read in `seconds` (None: not recorded), and those read too fast."""

    name: str
    documents: int
    seconds: float | None
    fast: int


def list_readers(cursor: Cursor, review_id: int) -> list[Reader]:
    """Return the people who have finished a reading, by name."""
    execute(cursor, "deid", "review_reading", "times", {"review_id": review_id})
    return [Reader(*row) for row in cursor.fetchall()]


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
    execute(cursor, "deid", "review_mark", "settle", {"mark_id": mark_id, "verdict": verdict, "senior": senior})
    found.write_audit(cursor, senior, audit.Action.ADJUDICATE, mark=mark_id, verdict=verdict)


def _lock_fully_read(cursor: Cursor, review_id: int, ordinal: int, senior: str) -> tuple[ReadDocument, Sampled]:
    found = lock_for_verdict(cursor, review_id, ordinal, senior)
    review = find_review(cursor, review_id)
    one = next(one for one in list_sampled(cursor, review_id) if one.ordinal == ordinal)
    if len(one.readers) < review.readings:
        raise refused(ReviewProblem.NOT_READ, found.about)
    return found, one
