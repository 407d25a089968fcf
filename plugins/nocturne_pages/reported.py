"""The review of a sample that is told to who decides: on the page of a release, and before an approval."""

from __future__ import annotations

from deid.database.connection import open_cursor
from deid.reviews import lifecycle, progress
from deid.reviews.estimate import Estimate, bound_in_words, estimate_leaks

Reported = tuple[lifecycle.StagedInterval | None, progress.OpenedReview | None, Estimate | None]


def find_reported(interval_key: str) -> Reported:
    """Return what is staged of an interval, the review to report, and its estimate so far."""
    with open_cursor("steward", "nocturne pages") as cursor:
        staged, review = lifecycle.find_reported_review(cursor, interval_key)
        return (
            staged,
            review,
            estimate_leaks(review, progress.list_sampled(cursor, review.review_id)) if review else None,
        )


def reported_words(interval_key: str, lang: str) -> str:
    """Say how many documents the review of what is staged shows to reveal an identity; empty before any was read."""
    staged, _, found = find_reported(interval_key)
    return bound_in_words(found, lang) if staged and found else ""
