"""Averaging attacks: without gain under `scope: patient`, with the documented gain under `scope: document`."""

from __future__ import annotations

import pytest

from nocturne_lab.evaluation.attacks.averaging import average_dates
from nocturne_lab.evaluation.attacks.inputs import with_dates


def test_a_remembered_surrogate_cannot_be_averaged() -> None:
    one, many = average_dates(with_dates("metric"), [1, 32], patients=40)
    assert many.error > 0.9 * one.error
    assert many.alone > 0.9 * one.alone


def test_surrogates_of_each_document_can() -> None:
    one, many = average_dates(with_dates("metric", scope="document"), [1, 32], patients=40)
    assert many.error < one.error / 3
    assert many.alone < one.alone / 3


def test_a_shift_leaves_the_shift_only() -> None:
    (found,) = average_dates(with_dates("uniform_shift"), [4], patients=40)
    assert found.alone == 0
    assert 120 < found.error < 250


def test_what_is_no_day_has_no_mean() -> None:
    with pytest.raises(ValueError, match="no whole day"):
        average_dates(with_dates("generalise"), [1], patients=1)
