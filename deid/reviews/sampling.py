"""Open a review: how many documents, which ones, and a copy of their de-identified texts to read from."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from deid.config.policy import Review
from deid.reviews import Why, refused
from deid.reviews.bounds import sample_size
from deid.warehouse import audit
from deid.warehouse.publish import digest_of
from deid.warehouse.queries import Cursor, one, query


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sample must show: at most a share `target` of documents leaking, at `confidence`; readers per document."""

    target: float
    confidence: float
    readings: int

    @classmethod
    def of(cls, policy: Review) -> Plan:
        """What the policy wants."""
        return cls(policy.target, policy.confidence, policy.readings)

    def size(self, population: int) -> int:
        """How many of `population` documents are to be read."""
        return sample_size(self.target, self.confidence, population=population)


@dataclass(frozen=True, slots=True)
class Waiting:
    """An interval that waits for publication: its staged documents, and the open or closed review of just these."""

    interval_key: str
    documents: int
    review_id: int | None


def waiting(cursor: Cursor, interval_key: str | None = None) -> list[Waiting]:
    """The intervals that can be reviewed now, the latest first; one of them if it is named."""
    cursor.execute(query("deid", "review", "staged_intervals"), {"interval_key": interval_key})
    rows = [(key, documents) for key, documents in cursor.fetchall() if documents]
    return [Waiting(key, documents, reviewed(cursor, key)) for key, documents in rows]


def reviewed(cursor: Cursor, interval_key: str) -> int | None:
    """The review of exactly what is staged now in an interval; None where nothing is, or nobody opened one."""
    digest = digest_of(cursor, interval_key)
    cursor.execute(query("deid", "review", "find"), {"interval_key": interval_key, "staged_digest": digest})
    found = cursor.fetchone()
    return None if found is None else int(found[0])


def last_of(cursor: Cursor, interval_key: str) -> int | None:
    """The latest review of an interval, whatever was staged then; None where nobody opened one."""
    cursor.execute(query("deid", "review", "last"), {"interval_key": interval_key})
    return None if (found := one(cursor)[0]) is None else int(found)


def open_review(cursor: Cursor, interval_key: str, plan: Plan, opened_by: str, *, seed: str | None = None) -> int:
    """Draw a sample of what is staged in an interval and copy its texts; returns the review.

    One that was opened on just the same content is returned as it is. The order of documents is that of the SHA-256 of
    a stored seed and their id: any first part of the sample is itself a random sample.

    Raises:
        ReviewRefused: nothing is staged there.
    """
    cursor.execute(query("deid", "review", "alone"), {"interval_key": interval_key})
    digest = digest_of(cursor, interval_key)
    if digest is None:
        raise refused(Why.NOTHING_STAGED, f"interval {interval_key}")
    if (found := reviewed(cursor, interval_key)) is not None:
        return found
    cursor.execute(query("deid", "review", "population"), {"interval_key": interval_key})
    (population,) = one(cursor)
    if not population:
        raise refused(Why.NOTHING_STAGED, f"interval {interval_key}")
    row = {
        "interval_key": interval_key,
        "staged_digest": digest,
        "population": population,
        "sample": plan.size(population),
        "target": plan.target,
        "confidence": plan.confidence,
        "readings": plan.readings,
        "seed": seed or secrets.token_hex(16),
        "opened_by": opened_by,
    }
    cursor.execute(query("deid", "review", "insert"), row)
    review_id = int(one(cursor)[0])
    cursor.execute(query("deid", "review_document", "draw"), row | {"review_id": review_id})
    counts = {name: row[name] for name in ("population", "sample", "target", "confidence", "readings", "seed")}
    audit.write(cursor, opened_by, audit.Action.OPEN_REVIEW, f"review {review_id}", interval_key=interval_key, **counts)
    return review_id
