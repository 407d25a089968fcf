"""An evaluation through the DAG, by hand and after a release: from the sample to the report."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from deid.config.settings import settings
from tests.conftest import Database
from tests.dags.conftest import Ended, follow_assets, unpause
from tests.database.warehouse import light
from tests.database.warehouse.nights import night, process
from tests.database.warehouse.small_hospital import DAY, NIGHT, PAGE, open_hospital, put


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


def test_a_release_is_evaluated_if_the_policy_says_so_and_not_otherwise(
    deployed: Database, play: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def released(name: str, start: datetime, evaluate: bool) -> tuple[Ended, list[tuple]]:
        """Publish an interval under a policy, and run what the release starts; return it and what was measured."""
        light.decide(monkeypatch, tmp_path)
        policy = tmp_path / "policy.yaml"
        asked = f"release: {{approval: never, evaluate: {str(evaluate).lower()}}}\n"
        policy.write_text(policy.read_text(encoding="utf-8") + asked, encoding="utf-8")
        settings.cache_clear()
        put(deployed, f"letter {name}", at=start)
        put(deployed, f"page {name}", PAGE, patient="P000002", format="text/html", at=start)
        key = process(name, start)["interval_key"]
        assert play("release_dataset", key=key).state == "success"
        ((dag_id, run_id),) = follow_assets(key)
        assert dag_id == "evaluate_release"
        ended = play(dag_id, run_id=run_id)
        found = "SELECT measure FROM deid.evaluation JOIN deid.release USING (release_id) WHERE interval_key = %s"
        return ended, deployed.rows(found, (key,))

    open_hospital(deployed)
    unpause("evaluate_release")
    steps = ("choose", "attack", "utility", "report")
    ended, measured = released("unwanted", NIGHT, False)
    assert ended.steps == {step: ["skipped"] for step in steps}
    assert measured == []
    ended, measured = released("wanted", NIGHT + DAY, True)
    assert ended.state == "success"
    assert ended.steps == {step: ["success"] for step in steps}
    assert ("attack.person",) in measured
    assert ("utility.constraints_kept",) in measured
