"""Open a review on a random sample of staged documents, close it, and erase the copies of their texts.

Marks and figures outlive the texts: they hold offsets and counts. Marks of a closed review become annotations of the
source documents.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from deid.config.policy import Review
from deid.reviews import ReviewProblem, refused
from deid.reviews.annotations import store_annotations
from deid.reviews.estimate import sample_size
from deid.reviews.progress import list_sampled
from deid.warehouse import audit
from deid.warehouse.publish import digest_of
from deid.warehouse.queries import Cursor, one, query


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """Aim of a sample: a share of at most `target` leaking documents, at `confidence`; `readings` per document."""

    target: float
    confidence: float
    readings: int

    @classmethod
    def of(cls, policy: Review) -> SamplePlan:
        """Return the plan of a policy."""
        return cls(policy.target, policy.confidence, policy.readings)

    def size(self, population: int) -> int:
        """Return the number of documents to read out of `population`."""
        return sample_size(self.target, self.confidence, population=population)


@dataclass(frozen=True, slots=True)
class StagedInterval:
    """A staged interval: its number of documents, and the open or closed review of exactly this content."""

    interval_key: str
    documents: int
    review_id: int | None


def list_staged_intervals(cursor: Cursor, interval_key: str | None = None) -> list[StagedInterval]:
    """Return the intervals that can be reviewed now, latest first; only `interval_key` if given."""
    cursor.execute(query("deid", "review", "staged_intervals"), {"interval_key": interval_key})
    rows = [(key, documents) for key, documents in cursor.fetchall() if documents]
    return [StagedInterval(key, documents, find_current_review(cursor, key)) for key, documents in rows]


def find_current_review(cursor: Cursor, interval_key: str) -> int | None:
    """Return the review of the content staged now in an interval; None without content or review."""
    digest = digest_of(cursor, interval_key)
    cursor.execute(query("deid", "review", "find"), {"interval_key": interval_key, "staged_digest": digest})
    found = cursor.fetchone()
    return None if found is None else int(found[0])


def find_last_review(cursor: Cursor, interval_key: str) -> int | None:
    """Return the latest review of an interval, of any content; None if there is none."""
    cursor.execute(query("deid", "review", "last"), {"interval_key": interval_key})
    return None if (found := one(cursor)[0]) is None else int(found)


def open_review(cursor: Cursor, interval_key: str, plan: SamplePlan, opened_by: str, *, seed: str | None = None) -> int:
    """Draw a sample of the documents staged in an interval, copy their texts, and return the review's number.

    An existing review of the same content is returned unchanged. Documents are ordered by the SHA-256 of a stored seed
    and their id: every prefix of the sample is itself a random sample.

    Raises:
        ReviewRefused: nothing is staged in the interval.
    """
    cursor.execute(query("deid", "review", "lock_opening"))
    digest = digest_of(cursor, interval_key)
    if digest is None:
        raise refused(ReviewProblem.NOTHING_STAGED, f"interval {interval_key}")
    if (found := find_current_review(cursor, interval_key)) is not None:
        return found
    cursor.execute(query("deid", "review", "population"), {"interval_key": interval_key})
    (population,) = one(cursor)
    if not population:
        raise refused(ReviewProblem.NOTHING_STAGED, f"interval {interval_key}")
    counts = {"population": population, "sample": plan.size(population), **asdict(plan)}
    counts["seed"] = seed or secrets.token_hex(16)
    row = {"interval_key": interval_key, "staged_digest": digest, "opened_by": opened_by, **counts}
    cursor.execute(query("deid", "review", "insert"), row)
    review_id = int(one(cursor)[0])
    cursor.execute(query("deid", "review_document", "draw"), row | {"review_id": review_id})
    audit.write(cursor, opened_by, audit.Action.OPEN_REVIEW, f"review {review_id}", interval_key=interval_key, **counts)
    return review_id


def open_review_unasked(cursor: Cursor, interval_key: str, plan: SamplePlan, opened_by: str) -> int | None:
    """Open a review as `open_review` does, unless a person opens one at this moment: None, and nothing waits."""
    cursor.execute(query("deid", "review", "try_lock_opening"))
    return open_review(cursor, interval_key, plan, opened_by) if one(cursor)[0] else None


def close_review(cursor: Cursor, review_id: int, closed_by: str) -> None:
    """Close a review for good: its texts are erased, its standing marks become annotations.

    Raises:
        ReviewRefused: unknown or closed review.
    """
    cursor.execute(query("deid", "review", "lock"), {"review_id": review_id})
    row = cursor.fetchone()
    if row is None:
        raise refused(ReviewProblem.UNKNOWN, f"review {review_id}")
    if row[0]:
        raise refused(ReviewProblem.CLOSED, f"review {review_id}")
    cursor.execute(query("deid", "review", "close"), {"review_id": review_id, "closed_by": closed_by})
    cursor.execute(query("deid", "review_document", "erase_review"), {"review_id": review_id})
    erased = cursor.rowcount
    written = store_annotations(cursor, review_id)
    read = sum(bool(one.readers) for one in list_sampled(cursor, review_id))
    counts = {"read": read, "erased": erased, "annotations": written}
    audit.write(cursor, closed_by, audit.Action.CLOSE_REVIEW, f"review {review_id}", **counts)


def erase_documents(cursor: Cursor, document_ids: Sequence[str]) -> int:
    """Erase the review texts of documents that a patient or the source withdrew; return the number of erased texts.

    For a steward's or the publisher's cursor, in the transaction of the withdrawal.
    """
    cursor.execute(query("deid", "review_document", "erase_documents"), {"document_ids": list(document_ids)})
    return cursor.rowcount


def erase_expired_texts(cursor: Cursor, keep_days: int) -> int:
    """Erase the texts of reviews opened more than `keep_days` days ago, and of withdrawn or opted-out documents.

    Returns the number of erased texts. For the publisher's or a steward's cursor.
    """
    cursor.execute(query("deid", "review_document", "erase_gone"))
    gone = cursor.rowcount
    cursor.execute(query("deid", "review_document", "erase_old"), {"keep_days": keep_days})
    return gone + cursor.rowcount
