"""What a senior steward settles: marks on which two readers differ, and marks of something missed that one made alone.

Until then each mark stands, and its document counts as leaking if it says that something was missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from deid.reviews import Why, reading, refused
from deid.reviews.marks import Mark
from deid.reviews.places import Kind
from deid.reviews.progress import Review, Sampled, documents, find, read_by_all
from deid.warehouse import audit
from deid.warehouse.queries import Cursor, query

Verdict = Literal["upheld", "dismissed"]


def disputed(one: Sampled) -> list[Mark]:
    """The marks of a document that a senior steward should look at, settled or not."""
    by_others = [(mark, [other for other in one.marks if other.reader != mark.reader]) for mark in one.marks]
    alone = len(one.readers) < 2
    return [
        mark
        for mark, others in by_others
        if (mark.kind is Kind.MISSED if alone else not any(mark.agrees(other) for other in others))
    ]


def to_settle(review: Review, sampled: Sequence[Sampled]) -> list[Sampled]:
    """The documents, read by all who should, that hold a disputed mark nobody has settled."""
    ready = read_by_all(sampled, review.readings)
    return [one for one in ready if any(mark.verdict is None for mark in disputed(one))]


def look(cursor: Cursor, review_id: int, ordinal: int, senior: str) -> tuple[reading.Reading, Sampled]:
    """A document that all have read, with its text and everybody's marks; recorded as a text shown.

    Raises:
        ReviewRefused: there is no such document, it is not read by all, the text is gone, or the review is closed.
    """
    found, one = _ready(cursor, review_id, ordinal, senior)
    about = f"document {found.document_id}"
    audit.write(cursor, senior, audit.Action.READ_TEXT, about, review=review_id, ordinal=ordinal)
    return found, one


def settle(cursor: Cursor, review_id: int, ordinal: int, mark_id: int, senior: str, verdict: Verdict) -> None:
    """Uphold or dismiss a mark, once and for all.

    Raises:
        ReviewRefused: as `look`; or there is no such mark, it is settled, or it is the person's own.
    """
    found, one = _ready(cursor, review_id, ordinal, senior)
    mark = next((mark for mark in one.marks if mark.mark_id == mark_id), None)
    if mark is None:
        raise refused(Why.UNKNOWN, f"mark {mark_id}")
    if mark.verdict is not None:
        raise refused(Why.SETTLED, f"mark {mark_id}")
    if mark.reader == senior:
        raise refused(Why.OWN_MARK, f"mark {mark_id}")
    cursor.execute(query("deid", "review_mark", "settle"), {"mark_id": mark_id, "verdict": verdict, "senior": senior})
    audit.write(
        *(cursor, senior, audit.Action.ADJUDICATE, f"document {found.document_id}"),
        review=review_id,
        ordinal=ordinal,
        mark=mark_id,
        verdict=verdict,
    )


def _ready(cursor: Cursor, review_id: int, ordinal: int, senior: str) -> tuple[reading.Reading, Sampled]:
    found = reading.locked(cursor, review_id, ordinal, senior)
    review = find(cursor, review_id)
    one = next(one for one in documents(cursor, review_id) if one.ordinal == ordinal)
    if len(one.readers) < review.readings:
        raise refused(Why.NOT_READ, found.about)
    return found, one
