"""Intervals of shares, one and many."""

from __future__ import annotations

import numpy as np
import pytest

from deid.reviews.bounds import clopper_pearson
from nocturne_lab.evaluation.intervals import DRAWS, drawn_interval, redrawn, resampled, share_bounds, share_interval


@pytest.mark.parametrize(("found", "tried"), [(27, 30), (30, 30), (0, 3)])
def test_an_interval_is_that_of_the_pages(found: int, tried: int) -> None:
    assert share_interval(found, tried) == pytest.approx(clopper_pearson(found, tried, 0.95))


def test_arrays_have_the_intervals_of_their_counts() -> None:
    found = np.arange(31)
    low, high = share_bounds(found, 30, 0.9)
    assert [*zip(low, high, strict=True)] == [share_interval(one, 30, 0.9) for one in found.tolist()]


def test_counts_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="0 <= found <= tried"):
        share_interval(4, 3)
    assert share_interval(0, 0) == (0.0, 1.0)


def test_units_drawn_by_place_and_by_number_give_the_same_interval_of_a_mean() -> None:
    values = np.arange(40.0)
    by_place = values[redrawn(40)].mean(axis=1)
    by_number = resampled(40, resamples=DRAWS) @ values / 40
    error = 1.96 * values.std() / np.sqrt(40)
    for drawn in (by_place, by_number, [*by_place, np.nan]):
        assert drawn_interval(drawn) == pytest.approx((19.5 - error, 19.5 + error), abs=0.3)
