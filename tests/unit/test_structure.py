"""Ceilings of the structure: nothing grows by accident; `benchmarks.structure --record` sets them."""

from __future__ import annotations

import json

import pytest

from benchmarks.structure import LOADED, RECORD, figures, loaded
from tests import ROOT

CEILINGS = json.loads(RECORD.read_text(encoding="utf-8"))
# These only fall, and a gain is recorded: what no check holds is lost within days.
FALLING = (
    "packages in an import cycle",
    "modules in an import cycle",
    "longest import chain",
    "public names defined in two or more modules",
    "modules loaded by the publisher",
)
REMEDY = "see docs/decisions/2026-11-28-ceilings.md"


def test_no_figure_is_above_its_ceiling() -> None:
    now = figures(ROOT)
    assert {name for name in CEILINGS if not name.startswith("modules loaded")} == now.keys(), REMEDY
    assert {name: value for name, value in now.items() if value > CEILINGS[name]} == {}, REMEDY
    assert {name: now[name] for name in FALLING if now.get(name, CEILINGS[name]) < CEILINGS[name]} == {}, REMEDY


@pytest.mark.parametrize("process", LOADED)
def test_no_process_loads_more_than_it_did(process: str) -> None:
    name = f"modules loaded by the {process}"
    assert loaded(ROOT, process) <= CEILINGS[name], REMEDY
