"""Linkage by known dates: chance where nothing is told, certainty where a shift keeps all, less with more noise."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deid.config.policy import Policy
from nocturne_lab.evaluation.attacks.document_dates import DocumentDates, publish_dates
from nocturne_lab.evaluation.attacks.inputs import Population, with_dates
from nocturne_lab.evaluation.attacks.reidentification import Linkage, Source, link_known_dates, linkages


def _linked(small: Population, policy: Policy, source: Source, known: int) -> Linkage:
    return link_known_dates(publish_dates(small.records, policy), policy.substitution.dates, source, known)


def test_tags_leave_chance(small: Population) -> None:
    found = _linked(small, with_dates("tag"), "text", 3)
    assert found.top_1 == pytest.approx(found.chance_1) == pytest.approx(1 / 30)
    assert found.top_10 == pytest.approx(found.chance_10)


def test_a_shift_gives_the_patient_away(small: Population) -> None:
    assert _linked(small, with_dates("uniform_shift"), "text", 5).top_1 > 0.8


def test_noise_over_a_whole_class_hides_more_than_a_shift(large: Population) -> None:
    bounded = _linked(large, with_dates("bounded_laplace"), "text", 3)
    shifted = _linked(large, with_dates("uniform_shift"), "text", 3)
    assert bounded.top_1 < shifted.top_1 / 2


def test_the_dates_of_documents_are_only_shifted_under_metric_too(large: Population) -> None:
    """The weakness that docs/privacy.md states, and what `document_date: metric` mends of it."""
    shifted = _linked(large, with_dates("metric"), "document", 3)
    noisy = _linked(large, with_dates("metric", document_date="metric"), "document", 3)
    assert shifted.top_1 > 0.6
    assert noisy.top_1 < 0.5 * shifted.top_1


def test_a_month_says_less_than_a_shifted_day(small: Population) -> None:
    months = _linked(small, with_dates("generalise"), "document", 3)
    assert months.chance_1 < months.top_1 < 1.0


def test_more_known_dates_say_more(small: Population) -> None:
    policy = with_dates("metric", Fraction(4))
    found = list(linkages(publish_dates(small.records, policy), policy.substitution.dates))
    text = [one.top_1 for one in found if one.source == "text"]
    assert len(text) == 4
    assert text[-1] > text[0]


def test_the_order_of_documents_does_not_matter(small: Population) -> None:
    policy = with_dates("metric")
    there: list[DocumentDates] = publish_dates(small.records, policy)
    dates = policy.substitution.dates
    assert link_known_dates(there, dates, "text", 2) == link_known_dates(there[::-1], dates, "text", 2)


def test_nobody_with_so_many_dates(small: Population) -> None:
    with pytest.raises(ValueError, match="no patient has 500 dates"):
        _linked(small, with_dates("metric"), "text", 500)
