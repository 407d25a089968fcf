"""Every reason for which a review or an original cannot be shown has its page, in both languages."""

from __future__ import annotations

import pytest
from nocturne_pages.language import words
from nocturne_pages.routes import readings, reviews

from deid.ledger import originals
from deid.reviews import ReviewProblem


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_each_reason_is_said_with_what_to_do(lang: str) -> None:
    said = words("errors", lang)
    for prefix, reasons in (("review", list(ReviewProblem)), ("original", list(originals.OriginalProblem))):
        for why in reasons:
            assert said[f"{prefix}_{why}"]
            assert said[f"{prefix}_{why}_next"]


def test_each_reason_has_a_status_that_is_its_kind() -> None:
    selection = {
        "bad_place",
        "not_found",
        "replaced",
        "not_replaced",
        "same_label",
        "no_label",
    }  # about what was selected: 422
    assert {str(why) for why in ReviewProblem} == set(reviews.STATUS) | selection
    assert {readings.STATUS.get(why, 409) for why in originals.OriginalProblem} == {404, 409, 410, 503}
