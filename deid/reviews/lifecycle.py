"""Open a review on a random sample of staged documents, close it, and erase the copies of their texts.

Marks and figures outlive the texts: they hold offsets and counts. Marks of a closed review become annotations of the
source documents.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, replace

from deid.config.policy import Review
from deid.database.queries import Cursor, execute, one
from deid.ledger import audit
from deid.publication.publish import digest_of
from deid.reviews import ReviewProblem, refused
from deid.reviews.bounds import sample_size
from deid.reviews.estimate import Outlook, foresee
from deid.reviews.progress import OpenedReview, count_sentinels, find_review, list_sampled

TARGETS = (0.005, 0.01, 0.02, 0.05, 0.1)  # shares of leaking documents that a person may aim at


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """Aim of a sample: a share of at most `target` leaking documents, at `confidence`; `readings` per document.

    A share `sentinels` of the sampled documents holds a sentinel.
    """

    target: float
    confidence: float
    readings: int
    sentinels: float = 0.0

    @classmethod
    def of(cls, policy: Review) -> SamplePlan:
        """Return the plan of a policy."""
        return cls(policy.target, policy.confidence, policy.readings, policy.sentinels)

    def size(self, population: int) -> int:
        """Return the number of documents to read out of `population`, if none leaks and every sentinel is found."""
        return sample_size(self.target, self.confidence, population, sentinels=self.sentinels)


def offer_targets(policy: Review, population: int) -> dict[float, int]:
    """Return the shares that a person may aim at, the finest first, with the documents to read for each.

    Of those that take as many documents one is offered: the policy's if it is among them, else the finest.
    """
    offered: dict[int, float] = {}
    for target in (policy.target, *sorted(TARGETS)):
        offered.setdefault(replace(SamplePlan.of(policy), target=target).size(population), target)
    return {target: size for size, target in sorted(offered.items(), reverse=True)}


@dataclass(frozen=True, slots=True)
class StagedInterval:
    """A staged interval: its number of documents, and the open or closed review of exactly this content."""

    interval_key: str
    documents: int
    review_id: int | None


def list_staged_intervals(cursor: Cursor, interval_key: str | None = None) -> list[StagedInterval]:
    """Return the intervals that can be reviewed now, latest first; only `interval_key` if given."""
    execute(cursor, "deid", "review", "staged_intervals", {"interval_key": interval_key})
    rows = [(key, documents) for key, documents in cursor.fetchall() if documents]
    return [StagedInterval(key, documents, find_current_review(cursor, key)) for key, documents in rows]


def find_current_review(cursor: Cursor, interval_key: str) -> int | None:
    """Return the review of the content staged now in an interval; None without content or review."""
    digest = digest_of(cursor, interval_key)
    execute(cursor, "deid", "review", "find", {"interval_key": interval_key, "staged_digest": digest})
    found = cursor.fetchone()
    return None if found is None else int(found[0])


def find_last_review(cursor: Cursor, interval_key: str) -> int | None:
    """Return the latest review of an interval, of any content; None if there is none."""
    execute(cursor, "deid", "review", "last", {"interval_key": interval_key})
    return None if (found := one(cursor)[0]) is None else int(found)


def find_reported_review(cursor: Cursor, interval_key: str) -> tuple[StagedInterval | None, OpenedReview | None]:
    """Return the staged content of an interval, and the review to report: the staged content's, else the latest one."""
    staged = next(iter(list_staged_intervals(cursor, interval_key)), None)
    review_id = staged.review_id if staged else find_last_review(cursor, interval_key)
    return staged, None if review_id is None else find_review(cursor, review_id)


def open_review(cursor: Cursor, interval_key: str, plan: SamplePlan, opened_by: str, *, seed: str | None = None) -> int:
    """Draw a sample of the documents staged in an interval, copy their texts, and return the review's number.

    An existing review of the same content is returned unchanged. Documents are ordered by the SHA-256 of a stored seed
    and their id: every prefix of the order is itself a random sample, and `enlarge_review` takes the next of them.

    Raises:
        ReviewRefused: nothing is staged in the interval.
    """
    execute(cursor, "deid", "review", "lock_opening")
    digest = digest_of(cursor, interval_key)
    if digest is None:
        raise refused(ReviewProblem.NOTHING_STAGED, f"interval {interval_key}")
    if (found := find_current_review(cursor, interval_key)) is not None:
        return found
    (population,) = one(execute(cursor, "deid", "review", "population", {"interval_key": interval_key}))
    if not population:
        raise refused(ReviewProblem.NOTHING_STAGED, f"interval {interval_key}")
    counts = {"population": population, "sample": plan.size(population), **asdict(plan)}
    counts["seed"] = seed or secrets.token_hex(16)
    row = {"interval_key": interval_key, "staged_digest": digest, "opened_by": opened_by, **counts}
    review_id = int(one(execute(cursor, "deid", "review", "insert", row))[0])
    execute(cursor, "deid", "review_document", "draw", row | {"review_id": review_id})
    audit.write(cursor, opened_by, audit.Action.OPEN_REVIEW, f"review {review_id}", interval_key=interval_key, **counts)
    return review_id


def open_review_unasked(cursor: Cursor, interval_key: str, plan: SamplePlan, opened_by: str) -> int | None:
    """Open a review as `open_review` does, unless a person opens one at this moment: None, and nothing waits."""
    execute(cursor, "deid", "review", "try_lock_opening")
    return open_review(cursor, interval_key, plan, opened_by) if one(cursor)[0] else None


def enlarge_review(cursor: Cursor, review_id: int, sample: int, enlarged_by: str) -> int:
    """Enlarge a sample of `sample` documents to the size that its target needs now; return the size it has.

    A sample that is no longer of `sample` documents was enlarged meanwhile, and stays.

    Raises:
        ReviewRefused: unknown or closed review; no larger sample is needed or helps; or what was sampled no longer
            waits for publication, so that nothing can be drawn any more.
    """
    execute(cursor, "deid", "review", "lock_opening")
    _lock_open(cursor, review_id)
    review = find_review(cursor, review_id)
    if review.sample != sample:
        return review.sample
    if find_current_review(cursor, review.interval_key) != review_id:
        raise refused(ReviewProblem.NOT_STAGED, f"review {review_id}")
    outlook, wanted = foresee(review, list_sampled(cursor, review_id))
    if outlook is not Outlook.TOO_SMALL:
        raise refused(ReviewProblem.LARGE_ENOUGH, f"review {review_id}")
    row = {"review_id": review_id, "sample": wanted}
    execute(cursor, "deid", "review_document", "draw", row)
    (reached,) = one(execute(cursor, "deid", "review", "enlarge", row))
    audit.write(
        *(cursor, enlarged_by, audit.Action.ENLARGE_REVIEW, f"review {review_id}"), before=sample, sample=reached
    )
    return int(reached)


def _lock_open(cursor: Cursor, review_id: int) -> None:
    row = execute(cursor, "deid", "review", "lock", {"review_id": review_id}).fetchone()
    if row is None:
        raise refused(ReviewProblem.UNKNOWN, f"review {review_id}")
    if row[0]:
        raise refused(ReviewProblem.CLOSED, f"review {review_id}")


def close_review(cursor: Cursor, review_id: int, closed_by: str) -> None:
    """Close a review for good: its texts are erased, its standing marks become annotations.

    Raises:
        ReviewRefused: unknown or closed review.
    """
    _lock_open(cursor, review_id)
    execute(cursor, "deid", "review", "close", {"review_id": review_id, "closed_by": closed_by})
    erased = execute(cursor, "deid", "review_document", "erase_review", {"review_id": review_id}).rowcount
    written = execute(cursor, "deid", "annotation", "keep", {"review_id": review_id}).rowcount
    sampled = list_sampled(cursor, review_id)
    found = count_sentinels(one for one in sampled if one.readers)
    read = sum(bool(one.readers) for one in sampled)
    counts = {
        "read": read,
        "sentinels": found.planted,
        "sentinels_found": found.found,
        "erased": erased,
        "annotations": written,
    }
    audit.write(cursor, closed_by, audit.Action.CLOSE_REVIEW, f"review {review_id}", **counts)


def erase_expired_texts(cursor: Cursor, keep_days: int) -> int:
    """Erase the texts of reviews opened more than `keep_days` days ago, and of withdrawn or opted-out documents.

    Returns the number of erased texts. For the publisher's or a steward's cursor.
    """
    gone = execute(cursor, "deid", "review_document", "erase_gone").rowcount
    return gone + execute(cursor, "deid", "review_document", "erase_old", {"keep_days": keep_days}).rowcount
