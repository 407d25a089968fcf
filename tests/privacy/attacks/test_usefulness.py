"""Utility for research: a shift preserves lengths, noise preserves them by its scale, a tag preserves nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from deid.reference.tables import packaged_tables
from nocturne_lab.evaluation.attacks.document_dates import publish_dates
from nocturne_lab.evaluation.attacks.inputs import Population, with_dates, with_places
from nocturne_lab.evaluation.attacks.usefulness import DateUtility, measure_dates, measure_profiles


def _kept(small: Population, strategy: str, epsilon: Fraction = Fraction(1, 4), **options: Any) -> DateUtility:
    return measure_dates(publish_dates(small.records, with_dates(strategy, epsilon, **options)))


def test_a_shift_errs_by_its_days_and_keeps_lengths(small: Population) -> None:
    found = _kept(small, "uniform_shift", shift_min_days=12, shift_max_days=12)
    assert found.error == pytest.approx(12, abs=0.2)
    assert found.from_document == pytest.approx(0, abs=0.2)
    assert found.number_of_stays > 20
    assert found.lengths > 0.95


def test_noise_has_the_size_of_its_law(small: Population) -> None:
    """Discrete Laplace at 1/4 that is never 0 moves by 4.5 days; dates that are the document's own stay at 0."""
    own = [
        pair.true.index == one.written_on.toordinal()
        for one in publish_dates(small.records, with_dates("metric"))
        for pair in one.pairs
        if pair.true.unit == "day" and not pair.birth
    ]
    found = _kept(small, "metric")
    assert found.from_document is not None
    assert found.from_document < 4.5 * (1 - sum(own) / len(own)) + 0.5
    assert found.from_document > 1


def test_more_epsilon_keeps_more(small: Population) -> None:
    little, much = _kept(small, "metric"), _kept(small, "metric", Fraction(4))
    assert little.stays < much.stays
    assert little.lengths < much.lengths


def test_documents_swap_the_less_the_more_epsilon(small: Population) -> None:
    """Noise on documents' own dates: all pairs swap less than successive ones, and never where all move alike."""
    found = [_kept(small, "metric", Fraction(epsilon), document_date="metric") for epsilon in ("1/16", "1/4", "1")]
    assert all(0 < one.swapped < 1 - one.in_order < 1 for one in found)
    assert found[0].swapped > found[1].swapped > found[2].swapped
    shifted = _kept(small, "metric")
    assert (shifted.swapped, shifted.in_order) == (0.0, 1.0)


def test_a_tag_keeps_nothing(small: Population) -> None:
    found = _kept(small, "tag")
    assert (found.error, found.terms, found.stays) == (None, 0.0, 0.0)


def test_profiles_are_kept_as_epsilon_grows(small: Population) -> None:
    """Of homes whose stratum is of one department, as far as the spot's candidates hold a like one."""
    table, places = packaged_tables().communes, with_places("health_exponential").substitution.places
    uniform, shipped, much = measure_profiles(table, small.residents, places, map(Fraction, ("0", "1/4", "256")))
    assert uniform.kept <= shipped.kept < 0.5 < 0.6 < much.kept
    assert uniform.distance > shipped.distance > much.distance


def test_what_draws_no_commune_has_no_profile(small: Population) -> None:
    places = with_places("tag").substitution.places
    with pytest.raises(ValueError, match="draws no commune"):
        measure_profiles(packaged_tables().communes, small.residents, places, [Fraction(1)])
