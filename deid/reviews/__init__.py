"""Reviews of a random sample: people read de-identified texts and mark errors; the marks bound the share of leaks."""

from __future__ import annotations

from enum import StrEnum

from deid.domain.errors import ReviewRefused


class ReviewProblem(StrEnum):
    """Reason for which an action on a review is refused. The French and English wording is the pages'."""

    UNKNOWN = "unknown"  # no such review, document or mark
    NOTHING_STAGED = "nothing_staged"  # nothing waits for publication in that interval
    NOT_STAGED = "not_staged"  # what the review sampled no longer waits for publication: no further text to draw
    LARGE_ENOUGH = "large_enough"  # reading the sample to its end, or no sample, shows what is wanted
    CLOSED = "closed"  # the review was closed
    WITHDRAWN = "withdrawn"  # the document was withdrawn, its text is gone
    RECALLED = "recalled"  # its release was recalled, its text is gone
    ERASED = "erased"  # the text was erased, its time being over
    TAKEN = "taken"  # as many people as wanted read it already
    UNREAD = "unread"  # the person has not opened that document
    FINISHED = "finished"  # the person has finished that document
    BAD_PLACE = "bad_place"  # nothing is selected, or beyond the text
    NOT_FOUND = "not_found"  # a text to mark occurs nowhere outside surrogates
    REPLACED = "replaced"  # a passage marked as missed was replaced already
    NOT_REPLACED = "not_replaced"  # a passage marked as wrongly replaced was not replaced
    SAME_LABEL = "same_label"  # the right label is the one it has
    NO_LABEL = "no_label"  # a label is needed
    SETTLED = "settled"  # somebody settled that mark already
    OWN_MARK = "own_mark"  # nobody settles what he or she marked
    NOT_READ = "not_read"  # the readings of that document are not finished


def refused(why: ReviewProblem, about: str) -> ReviewRefused:
    """Return the error for `why`; `about` names the review or document, never its text."""
    return ReviewRefused(why, f"{about}: {why}.", "See docs/fr/relecture.md.")
