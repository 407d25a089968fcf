"""The ways a night can go, with Airflow's real task code on a real database: done, refused, stopped, tried in vain."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from deid.demo.airflow import REFERENCES
from deid.settings import settings
from tests.conftest import Database
from tests.warehouse.nights import published, reasons, states
from tests.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw

KEY = "2026-03-02"
DEIDENTIFY, RELEASE = "deidentify_documents", "release_dataset"


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Database:
    """Four documents in a warehouse, one of them bad; the policy asks nobody."""
    open_hospital(deployed)
    for number in range(2):
        put(deployed, f"letter{number}", LETTER + f"\nExemplaire {'ab'[number]}.")
    put(deployed, "page", PAGE, patient="P000002", format="text/html")
    put(deployed, "hollow", b"   ")
    approval(monkeypatch, tmp_path, "never")
    return deployed


def approval(monkeypatch: pytest.MonkeyPatch, folder: Any, when: str) -> None:
    """Use the policy that ships, but for when a person is asked."""
    from deid.policy import DEFAULT
    from deid.settings import settings

    text = DEFAULT.read_text(encoding="utf-8")
    assert "approval: on_warning" in text
    policy = folder / "policy.yaml"
    # Four documents are too few for shares: a quarter of them in quarantine is no failure here.
    text = text.replace("approval: on_warning", f"approval: {when}").replace(
        "max_quarantined_share: 0.2", "max_quarantined_share: 0.5"
    )
    policy.write_text(text, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(policy))
    settings.cache_clear()


def test_a_night_from_warehouse_to_research(hospital: Database, play: Any) -> None:
    night = play(DEIDENTIFY, at=NIGHT + DAY, reason="essai", batch_size=2)
    assert night.state == "success"
    assert night.steps == {
        "plan": ["success"],
        **{f"batch.{step}": ["success"] * 2 for step in ("detect", "substitute", "validate")},
        "stage": ["success"],
    }
    assert states(hospital) == {"letter0": "staged", "letter1": "staged", "page": "staged", "hollow": "quarantined"}
    assert reasons(hospital)["hollow"][1] == "empty"
    assert published(hospital) == []

    release = play(RELEASE, key=KEY)
    assert release.state == "success"
    assert release.steps == {
        **{step: ["success"] for step in ("summarise", "route", "publish", "report")},
        "approve": ["skipped"],
    }
    rows = published(hospital)
    assert len(rows) == 3

    assert play(RELEASE, key=KEY).state == "success"
    assert published(hospital) == rows


@pytest.mark.usefixtures("hospital")
def test_the_same_interval_again_stages_nothing(play: Any) -> None:
    play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    again = play(DEIDENTIFY, at=NIGHT + DAY + timedelta(hours=1), reason="encore")
    assert again.state == "success"
    assert again.steps["stage"] == ["skipped"]
    assert again.steps["batch.detect"] == ["skipped"]


def test_a_night_of_withdrawals_alone_is_released(hospital: Database, play: Any) -> None:
    play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    play(RELEASE, key=KEY)
    withdraw(hospital, "page", NIGHT + DAY)
    night = play(DEIDENTIFY, at=NIGHT + 2 * DAY, reason="retrait")
    assert night.steps["batch.detect"] == ["skipped"]
    assert night.steps["stage"] == ["success"]
    assert play(RELEASE, key="2026-03-03").state == "success"
    assert len(published(hospital)) == 2


def test_a_launch_by_hand_needs_a_reason(hospital: Database, play: Any) -> None:
    night = play(DEIDENTIFY, at=NIGHT + DAY)
    assert night.state == "failed"
    assert night.steps["plan"] == ["failed"]
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(0,)]


def test_the_interval_of_the_form_wins(hospital: Database, play: Any) -> None:
    put(hospital, "older", LETTER + "\nAncien.", at=NIGHT - 5 * DAY)
    form = {"interval_start": "2026-02-20T03:30:00", "interval_end": "2026-03-01T03:30:00"}
    assert play(DEIDENTIFY, reason="rattrapage", **form).state == "success"
    assert states(hospital) == {"older": "staged"}


def test_filters_of_the_form(hospital: Database, play: Any) -> None:
    put(hospital, "lab", LETTER + "\nBiologie.", type_code="BIO")
    play(DEIDENTIFY, at=NIGHT + DAY, reason="essai", document_types=["BIO"], services=["CARD"])
    assert set(states(hospital)) == {"lab"}


def test_a_dry_run_counts_and_stops(hospital: Database, play: Any) -> None:
    night = play(DEIDENTIFY, at=NIGHT + DAY, reason="essai", dry_run=True)
    assert night.state == "success"
    assert night.steps["stage"] == ["skipped"]
    assert hospital.rows("SELECT seen, planned, dry_run FROM deid.run") == [(4, 4, True)]
    assert hospital.rows("SELECT count(*) FROM deid.document") == [(0,)]


def test_a_batch_that_fails_holds_the_interval_back(hospital: Database, play: Any) -> None:
    hospital.rows(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'text: %', NEW.text; END $$;"
        "CREATE TRIGGER refuse BEFORE INSERT ON deid.candidate FOR EACH ROW EXECUTE FUNCTION refuse()",
        role=None,
    )
    night = play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    assert night.state == "failed"
    assert night.steps["batch.detect"] == ["success"]
    assert set(night.steps["batch.substitute"]) <= {"failed", "up_for_retry"}
    assert night.steps["stage"] != ["success"]
    assert "staged" not in states(hospital).values()


@pytest.mark.parametrize(("chosen", "documents"), [("Approve", 3), ("Reject", 0)])
def test_a_person_decides(
    hospital: Database,
    play: Any,
    steward: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
    chosen: str,
    documents: int,
) -> None:
    approval(monkeypatch, tmp_path, "always")
    play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    steward |= {"chosen": chosen, "motif": "vu en réunion"}
    release = play(RELEASE, key=KEY)
    assert steward["asked"] == 1
    assert release.state == "success"
    assert release.steps["approve"] == ["success"]
    assert release.steps["publish"] == ["success" if documents else "skipped"]
    assert release.steps["report"] == ["success"]
    assert len(published(hospital)) == documents
    answers = hospital.rows("SELECT chosen, decided_by, reason FROM deid.decision WHERE chosen <> 'proposed'")
    assert answers == [(chosen.lower(), "steward", "vu en réunion")]


@pytest.mark.usefixtures("hospital")
def test_a_release_by_hand_needs_its_key(play: Any) -> None:
    assert play(RELEASE).steps["summarise"] == ["failed"]


def test_references_are_refreshed(deployed: Database, play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOCTURNE_REFERENCES", str(REFERENCES))
    settings.cache_clear()
    run = play("refresh_references")
    assert run.state == "success"
    assert run.steps["alert"] == ["skipped"]
    assert deployed.rows("SELECT count(*) > 30000 FROM ref.commune") == [(True,)]
    assert list(settings().lookups.glob("*.lookup")), "detection need not build it at night"


def test_a_source_that_is_too_old_turns_the_refresh_red_and_stays_in_use(deployed: Database, play: Any) -> None:
    """Without a place of its own a source has what ships, which is of 2024 at most."""
    run = play("refresh_references")
    assert run.state == "failed"
    assert {name for name, states in run.steps.items() if states == ["failed"]} == {"ages", "alert"}
    assert deployed.rows("SELECT count(*) FROM ref.release WHERE source = 'streets' AND state = 'in_use'") == [(1,)]
