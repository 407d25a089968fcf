"""An evaluation by hand through the DAG: from the sample to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deid.config.settings import settings
from tests.conftest import Database
from tests.database.warehouse import light
from tests.database.warehouse.nights import night
from tests.database.warehouse.small_hospital import PAGE, open_hospital, put


def test_an_evaluation_ends_in_the_report(
    deployed: Database, play: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_hospital(deployed)
    light.decide(monkeypatch, tmp_path)
    put(deployed, "letter")
    put(deployed, "page", PAGE, patient="P000002", format="text/html")
    night("first")
    ended = play("evaluate_release", key="2026-03-02", size=10)
    assert ended.state == "success"
    assert ended.steps == {step: ["success"] for step in ("choose", "attack", "utility", "report")}
    report = (settings().home / "reports" / "2026-03-02.html").read_text(encoding="utf-8")
    assert "utility.constraints_kept" in report
    assert "attack.person" in report
