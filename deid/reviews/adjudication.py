"""Adjudication by a senior steward: marks on which two readers differ, and marks of missed passages by a single reader.

An unsettled mark stands: its document counts as leaking if the mark reports a missed passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from deid.reviews import ReviewProblem, refused
from deid.reviews.marks import Kind, Mark
from deid.reviews.progress import Review, Sampled, find_review, list_documents, read_by_all
from deid.reviews.reading import Reading, lock_for_verdict
from deid.warehouse import audit
from deid.warehouse.queries import Cursor, query

Verdict = Literal["upheld", "dismissed"]


def disputed_marks(one: Sampled) -> list[Mark]:
    """Return the marks of a document that need a senior steward, settled or not."""
    by_others = [(mark, [other for other in one.marks if other.reader != mark.reader]) for mark in one.marks]
    alone = len(one.readers) < 2
    return [
        mark
        for mark, others in by_others
        if (mark.kind is Kind.MISSED if alone else not any(mark.agrees(other) for other in others))
    ]


def documents_to_settle(review: Review, sampled: Sequence[Sampled]) -> list[Sampled]:
    """Return the fully read documents with a disputed mark that has no verdict."""
    ready = read_by_all(sampled, review.readings)
    return [one for one in ready if any(mark.verdict is None for mark in disputed_marks(one))]


def open_adjudication(cursor: Cursor, review_id: int, ordinal: int, senior: str) -> tuple[Reading, Sampled]:
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


def _lock_fully_read(cursor: Cursor, review_id: int, ordinal: int, senior: str) -> tuple[Reading, Sampled]:
    found = lock_for_verdict(cursor, review_id, ordinal, senior)
    review = find_review(cursor, review_id)
    one = next(one for one in list_documents(cursor, review_id) if one.ordinal == ordinal)
    if len(one.readers) < review.readings:
        raise refused(ReviewProblem.NOT_READ, found.about)
    return found, one
