"""The plot of an evaluation takes the attack that surely finds most, not one of a few targets."""

from __future__ import annotations

from typing import Any

import pytest

from deid.reports.evaluation import shown_evaluation
from deid.reports.numbers import Writer
from deid.reports.wording import WORDING

KEY = "2026-10-03"


def measured(measure: str, value: float, low: float | None, high: float | None) -> dict[str, Any]:
    return {"interval_key": KEY, "measure": measure, "value": value, "low": low, "high": high, "n": 9, "at": KEY}


@pytest.mark.parametrize(
    ("low", "plotted"), [(0.47, "evaluation_attack.person"), (0.9, "evaluation_attack.known_times")]
)
def test_the_strongest_attack_is_that_of_the_highest_lower_bound(low: float, plotted: str) -> None:
    rows = [
        measured("attack.chance", 0.1, None, None),
        measured("attack.known_times", 1, low, 1),
        measured("attack.person", 0.7, 0.6, 0.8),
        measured("utility.constraints_kept", 0.9, 0.85, 0.95),
    ]
    (point,) = shown_evaluation(rows, KEY, WORDING["fr"], Writer("fr"))["chart"].points
    assert WORDING["fr"][plotted] in point.label
