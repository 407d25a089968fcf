"""Moves of stays, as guessed from the time of arrival (`benchmarks.arrival`)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from benchmarks.arrival import likeliest_move
from deid.reports.arrival import Lags

WEEKS = np.arange(-700, 701, 7)
SCALES = (180.0, 400.0)
MONDAY = 738_000 - 738_000 % 7 + 1


@pytest.mark.parametrize("move", [-350, 7, 350])
def test_a_stay_that_moves_by_whole_weeks_is_found_by_the_week_of_arrival(move: int) -> None:
    lags = Lags(Counter({0: 6, 1: 3, 2: 1}))
    stay = [(MONDAY + day + move, MONDAY + day) for day in (0, 1, 2)]
    assert likeliest_move(stay, lags, "weekly", WEEKS, SCALES) == move
