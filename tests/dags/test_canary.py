"""A planted patient, through nights that succeed and nights that fail: no trace of her where people may look."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.airflow_home import HOME
from tests.conftest import SEARCHED, Database
from tests.dags import searching
from tests.dags.test_paths import DEIDENTIFY, KEY, RELEASE, approval
from tests.database.warehouse.nights import published, states
from tests.database.warehouse.small_hospital import DAY, NIGHT, PAGE, open_hospital, put

RAISE_WITH_THE_ROW = """
CREATE FUNCTION quote_the_row() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'refused: %', NEW.text USING DETAIL = NEW.text, HINT = NEW.text; END $$;
CREATE TRIGGER quote_the_row BEFORE INSERT ON deid.candidate FOR EACH ROW EXECUTE FUNCTION quote_the_row()
"""


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """The planted patient's documents: a good one, one that lost its owner, and one of somebody else."""
    open_hospital(deployed)
    deployed.rows(searching.PATIENT, role="owner")
    put(deployed, "canary", searching.LETTER, patient="P000009", stay_id="S000009")
    put(deployed, "orphan", searching.LETTER, patient=None)
    put(deployed, "page", PAGE, patient="P000002", format="text/html")
    approval(monkeypatch, tmp_path, "always")
    return deployed


@pytest.fixture
def traces(
    hospital: Database,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> Callable[[], set[str]]:
    """Return the places of the planted words outside the hospital's own tables and the unverified text."""

    def search() -> set[str]:
        printed = capfd.readouterr()
        places = [
            *searching.sqlite_cells(HOME / "airflow.db"),
            *searching.files(HOME / "logs", tmp_path),
            *searching.postgres_cells(hospital.dsn("owner"), ["deid", "research", "ref"], but=["deid.candidate"]),
            ("stdout", printed.out),
            ("stderr", printed.err),
        ]
        found = searching.found(places)
        record_property(SEARCHED, [len(places), len({name for name, _ in places}), len(found)])
        return found

    return search


def test_the_search_finds_what_is_there(hospital: Database, tmp_path: Path) -> None:
    assert searching.found(searching.postgres_cells(hospital.dsn("owner"), ["cdw"])) >= {
        *("cdw.patient.last_name", "cdw.patient.nir", "cdw.document.content"),
    }
    (tmp_path / "log").write_text("Mme quervillydesnoes")
    assert searching.found(searching.files(tmp_path)) == {str(tmp_path / "log")}


def test_no_trace_when_all_goes_well(
    hospital: Database, play: Any, steward: dict[str, Any], traces: Callable[[], set[str]]
) -> None:
    assert play(DEIDENTIFY, at=NIGHT + DAY, reason="essai").state == "success"
    assert play(RELEASE, key=KEY).state == "success"
    assert steward["asked"] == 1
    assert states(hospital) == {"canary": "published", "orphan": "quarantined", "page": "published"}
    assert len(published(hospital)) == 2
    assert traces() == set()


def test_no_trace_when_the_database_quotes_a_row(hospital: Database, play: Any, traces: Callable[[], set[str]]) -> None:
    hospital.rows(RAISE_WITH_THE_ROW)
    night = play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    assert night.state == "failed"
    assert night.steps["batch.substitute"] == ["failed"]
    assert traces() == set()


@pytest.mark.parametrize("step", ["detect", "substitute", "validate"])
def test_no_trace_of_an_error_that_nobody_foresaw(
    play: Any,
    traces: Callable[[], set[str]],
    monkeypatch: pytest.MonkeyPatch,
    step: str,
) -> None:
    def choke(run_id: int, batch_id: int) -> None:
        try:
            {}[searching.LETTER]
        except KeyError as error:
            raise ValueError(f"run {run_id}, batch {batch_id}: {searching.LETTER}") from error

    monkeypatch.setattr(f"deid.nightly.steps.{step}", choke)
    night = play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    assert night.state == "failed"
    assert night.steps[f"batch.{step}"][0] in {"failed", "up_for_retry"}
    assert traces() == set()


def test_a_step_that_returns_text_fails_and_leaves_none(
    play: Any, traces: Callable[[], set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deid.nightly.steps.detect", lambda *ids: {"ids": ids, "text": searching.LETTER})
    assert play(DEIDENTIFY, at=NIGHT + DAY, reason="essai").state == "failed"
    assert traces() == set()
