"""Usual ranges: robust to bad nights, undefined for too few nights."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.config.policy import load
from deid.release import actions
from deid.reports import gather, render
from deid.reports.intervals import habit
from tests.database.release.ledger import Ledger


def test_a_bad_night_does_not_become_the_habit() -> None:
    steady = [100.0, 102, 98, 101, 99, 100, 103, 97]
    usual = habit([*steady, 900.0, 0.0])
    assert usual is not None
    assert usual.holds(104)
    assert not usual.holds(900)
    assert not usual.holds(60)


def test_steady_nights_leave_room_for_a_tenth() -> None:
    usual = habit([50.0] * 9)
    assert usual is not None
    assert (usual.low, usual.high) == (45, 55)
    none = habit([0.0] * 9, least=0.01)
    assert none is not None
    assert none.holds(0.01)
    assert not none.holds(0.011)


@given(st.lists(st.floats(0, 1e6), max_size=30))
def test_the_range_holds_its_median_and_no_negative(values: list[float]) -> None:
    usual = habit(values)
    assert (usual is None) == (len(values) < 5)
    if usual is not None:
        assert 0 <= usual.low <= usual.median <= usual.high
        assert usual.holds(usual.median)
        assert sum(usual.holds(value) for value in values) >= len(values) / 2


@pytest.mark.slow
def test_a_night_is_held_against_those_before_it(deployed: Any) -> None:
    ledger = Ledger(deployed)
    first, second = load(), load().model_copy(update={"name": "other"})
    for policy in (first, second):
        deployed.rows(
            "INSERT INTO deid.policy (policy_hash, content) VALUES (%s, %s)",
            (policy.digest, json.dumps(policy.content)),
        )
    for day in range(1, 8):
        ledger.night(f"2026-10-0{day}", 60 + day, policy=first.digest)
        actions.summarise(f"2026-10-0{day}")
        actions.publish(f"2026-10-0{day}", {"chosen": "approve", "decided_by": "c.morel"})
    ledger.night("2026-10-08", 64, quarantined=9, density=2.5, policy=second.digest)
    figures = gather("2026-10-08")
    holds = {row["measure"]: row["holds"] for row in figures["usual"]}
    assert holds == {
        "documents_per_day": True,
        "quarantined_share": False,
        "mentions_per_document": False,
        "epsilon_per_document": True,
    }
    assert figures["policy_changes"] == [{"key": "name", "before": "default", "now": "other"}]
    page = render(figures, "fr")
    assert "Inhabituel\u00a0: Part en quarantaine, 14,1" in page
    assert "Nom de la politique" in page
    checks = {check["rule"]: check["usual"] for check in figures["checks"] if check["suite"] == "document"}
    assert checks["drawn_kept"]["intervals"] == 7
    assert checks["drawn_kept"]["holds"]
