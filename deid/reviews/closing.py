"""Close a review, and erase texts: when it is closed, when its time is over, when a document is withdrawn.

Marks and figures stay: they hold offsets and counts. What readers said becomes annotations of the source documents.
"""

from __future__ import annotations

from collections.abc import Sequence

from deid.reviews import Why, refused, store
from deid.reviews.progress import documents
from deid.warehouse import audit
from deid.warehouse.queries import Cursor, query


def close(cursor: Cursor, review_id: int, closed_by: str) -> None:
    """Close a review for good: its texts are erased, the marks that stand become annotations.

    Raises:
        ReviewRefused: there is no such review, or it is closed already.
    """
    cursor.execute(query("deid", "review", "hold"), {"review_id": review_id})
    row = cursor.fetchone()
    if row is None:
        raise refused(Why.UNKNOWN, f"review {review_id}")
    if row[0]:
        raise refused(Why.CLOSED, f"review {review_id}")
    cursor.execute(query("deid", "review", "close"), {"review_id": review_id, "closed_by": closed_by})
    cursor.execute(query("deid", "review_document", "erase_review"), {"review_id": review_id})
    erased = cursor.rowcount
    written = store.keep(cursor, review_id)
    read = sum(bool(one.readers) for one in documents(cursor, review_id))
    audit.write(
        *(cursor, closed_by, audit.Action.CLOSE_REVIEW, f"review {review_id}"),
        read=read,
        erased=erased,
        annotations=written,
    )


def erase_documents(cursor: Cursor, document_ids: Sequence[str]) -> int:
    """Erase what reviews hold of documents that a patient or the source withdrew; returns how many texts went.

    For a steward's or the publisher's cursor, in the transaction of the withdrawal.
    """
    cursor.execute(query("deid", "review_document", "erase_documents"), {"document_ids": list(document_ids)})
    return cursor.rowcount


def tidy(cursor: Cursor, keep_days: int) -> int:
    """Erase the texts of reviews opened more than `keep_days` days ago, and of documents that were withdrawn or whose
    patient has objected; returns how many went. For the publisher's or a steward's cursor.
    """
    cursor.execute(query("deid", "review_document", "erase_gone"))
    gone = cursor.rowcount
    cursor.execute(query("deid", "review_document", "erase_old"), {"keep_days": keep_days})
    return gone + cursor.rowcount
