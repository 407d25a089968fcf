"""Ceilings of the structure: nothing grows by accident; `benchmarks.structure --record` sets them."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from benchmarks import walk
from benchmarks.structure import FALLING, LOADED, RECORD, REST, figures, keep, loaded, rest
from tests import ROOT

CEILINGS = json.loads(RECORD.read_text(encoding="utf-8"))
REMEDY = "see docs/decisions/2026-11-28-ceilings.md"


@pytest.fixture(scope="module")
def now() -> dict[str, int]:
    return figures(ROOT)


def test_no_figure_is_above_its_ceiling(now: dict[str, int]) -> None:
    assert {name for name in CEILINGS if not name.startswith("modules loaded")} == now.keys(), REMEDY
    assert {name: value for name, value in now.items() if value > CEILINGS[name]} == {}, REMEDY
    assert {name: now[name] for name in FALLING if now.get(name, CEILINGS[name]) < CEILINGS[name]} == {}, REMEDY


def test_a_night_without_forms_of_language_and_files_stays_small(now: dict[str, int]) -> None:
    assert 0 < rest(now) <= REST, "see docs/decisions/2026-11-30-size.md"


@pytest.mark.parametrize("process", LOADED)
def test_no_process_loads_more_than_it_did(process: str) -> None:
    name = f"modules loaded by the {process}"
    assert loaded(ROOT, process) <= CEILINGS[name], REMEDY


@pytest.mark.parametrize("name", FALLING)
def test_a_rise_of_what_only_falls_is_not_recorded(name: str, tmp_path: Path) -> None:
    record = tmp_path / "structure.json"
    record.write_text(json.dumps(CEILINGS), encoding="utf-8")
    worse = CEILINGS | {name: CEILINGS[name] + 1}
    with pytest.raises(SystemExit, match=f"{name} {CEILINGS[name]} → {worse[name]}"):
        keep(worse, record)
    assert json.loads(record.read_text(encoding="utf-8")) == CEILINGS
    better = CEILINGS | {name: CEILINGS[name] - 1, "lines of deid": CEILINGS["lines of deid"] + 1}
    keep(better, record)
    assert json.loads(record.read_text(encoding="utf-8")) == better


def test_a_figure_that_has_no_record_yet_is_recorded(tmp_path: Path) -> None:
    record = tmp_path / "structure.json"
    record.write_text(json.dumps({name: value for name, value in CEILINGS.items() if name != FALLING[0]}))
    keep(CEILINGS, record)
    assert json.loads(record.read_text(encoding="utf-8")) == CEILINGS


def test_a_run_is_followed_through_few_functions_and_back_up_through_fewer() -> None:
    found = walk.walk(ROOT)
    assert {"deid.ledger.steps.read_run", "deid.ledger.steps.BatchStep.refuse"} <= found.reached <= found.everywhere
    assert len(found.reached) <= 20
    assert len(found.upward) <= 3


def test_a_walk_sees_methods_names_of_packages_and_functions_that_are_handed_down(tmp_path: Path) -> None:
    layers = 'layers = ["deid.high", "deid.low | deid.other"]'
    (tmp_path / "pyproject.toml").write_text(f'[[tool.importlinter.contracts]]\ntype = "layers"\n{layers}\n')
    written = {
        "high": """
            from deid import low
            def start(run_id): step = low.begin(run_id); step.keep(); untold(); low.each(run_id, told)
            def told(step: low.Step): pass
            def untold(name): low.begin(name)
            """,
        "low/__init__": "from deid.low.steps import Step, begin\ndef each(run_id, do): pass",
        "low/steps": """
            class Run: run_id: int
            class Step:
                run: Run
                def keep(self): self.end()
                def end(self): pass
                def never(self): pass
            def begin(run_id) -> Step: pass
            """,
    }
    for name, text in written.items():
        path = tmp_path / "deid" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    found = walk.walk(tmp_path, "deid.high.start")
    steps = {f"deid.low.steps.{name}" for name in ("begin", "Step.keep", "Step.end")}
    assert found.reached == {"deid.high.start", "deid.high.told", "deid.low.each", *steps}
    assert found.everywhere == found.reached | {"deid.low.steps.Step.never"}
    assert found.upward == (("deid.low.each", "deid.high.told"),)
