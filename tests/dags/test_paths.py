"""The ways a night can go, with Airflow's real task code on a real database: done, refused, stopped, tried in vain."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.models import DagRun
from airflow.models.asset import AssetEvent
from airflow.utils.session import create_session
from nocturne_airflow import alerts
from nocturne_airflow.launch import requested_by
from sqlalchemy import select

from deid.config.settings import settings
from deid.nightly import steps
from deid.release.decisions import ANSWERS, APPROVE, REJECT
from deid.release.status import DecisionState, read_status
from demo.airflow import REFERENCES
from tests.conftest import Database
from tests.database.warehouse.nights import published, reasons, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw

pytestmark = pytest.mark.slow
KEY = "2026-03-02"
DEIDENTIFY, RELEASE = "deidentify_documents", "release_dataset"
THIS_NIGHT = {"interval_start": NIGHT.isoformat(), "interval_end": (NIGHT + DAY).isoformat()}


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


def approval(monkeypatch: pytest.MonkeyPatch, folder: Any, when: str, people: int = 1) -> None:
    """Use the policy that ships, but for when people are asked, and how many."""
    from deid.config.policy import DEFAULT
    from deid.config.settings import settings

    text = DEFAULT.read_text(encoding="utf-8")
    assert "approval: on_warning" in text
    policy = folder / "policy.yaml"
    # Four documents are too few for shares: a quarter of them in quarantine is no failure here.
    text = text.replace("approval: on_warning", f"approval: {when}").replace(
        "max_quarantined_share: 0.2", "max_quarantined_share: 0.5"
    )
    policy.write_text(text.replace("approvals: 1", f"approvals: {people}"), encoding="utf-8")
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
        **{step: ["success"] for step in ("summarise", "route", "publish", "report", "end")},
        **{step: ["skipped"] for step in ("approve", "send_back", "rework")},
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


def test_a_new_run_takes_up_what_a_failed_one_held(hospital: Database, play: Any) -> None:
    hospital.rows("ALTER TABLE deid.candidate ADD CONSTRAINT full_disk CHECK (false) NOT VALID")
    assert play(DEIDENTIFY, at=NIGHT + DAY, reason="la nuit").state == "failed"
    hospital.rows("ALTER TABLE deid.candidate DROP CONSTRAINT full_disk")
    again = play(DEIDENTIFY, at=NIGHT + DAY + timedelta(hours=1), reason="reprise", **THIS_NIGHT)
    assert again.state == "success"
    assert sorted(states(hospital).values()) == ["quarantined", "staged", "staged", "staged"]
    ((actor, details),) = hospital.rows("SELECT actor, details FROM deid.audit WHERE action = 'take_over'")
    assert (actor, details["documents"]) == ("airflow", 3), "one is in quarantine already"


def test_a_run_that_finds_everything_held_by_one_at_work_fails_and_can_be_cleared(
    hospital: Database, play: Any
) -> None:
    steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="cli at work")
    held = play(DEIDENTIFY, at=NIGHT + DAY, reason="reprise", **THIS_NIGHT)
    assert (held.state, held.steps["plan"]) == ("failed", ["failed"])
    assert hospital.rows("SELECT triggered_by FROM deid.run") == [("cli at work",)], "nothing was registered"
    assert play(DEIDENTIFY, at=NIGHT + DAY, reason="essai", dry_run=True, **THIS_NIGHT).state == "success"


def test_an_interval_that_has_not_ended_is_refused(hospital: Database, play: Any) -> None:
    ends = {"interval_start": NIGHT.isoformat(), "interval_end": (datetime.now(UTC) + DAY).isoformat()}
    assert play(DEIDENTIFY, at=NIGHT + DAY, reason="essai", **ends).steps["plan"] == ["failed"]
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(0,)]


@pytest.mark.parametrize(("choice", "documents"), [(APPROVE, 3), (REJECT, 0)])
def test_a_person_decides(
    hospital: Database,
    play: Any,
    steward: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
    choice: str,
    documents: int,
) -> None:
    approval(monkeypatch, tmp_path, "always")
    play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    steward |= {"chosen": ANSWERS[choice], "motif": "vu en réunion"}
    release = play(RELEASE, key=KEY)
    assert steward["asked"] == 1
    assert release.state == "success"
    assert release.steps["approve"] == ["success"]
    assert release.steps["publish"] == ["success" if documents else "skipped"]
    assert release.steps["report"] == ["success"]
    assert len(published(hospital)) == documents
    answers = hospital.rows("SELECT chosen, decided_by, reason FROM deid.decision WHERE chosen <> 'proposed'")
    assert answers == [(choice, "steward", "vu en réunion")]
    assert hospital.rows("SELECT interval_key, outcome FROM deid.question") == [(KEY, choice)]
    assert steward["options"] == list(ANSWERS.values())
    ((digest,),) = hospital.rows("SELECT staged_digest FROM deid.question")
    assert steward["form"]["empreinte"]["value"] == digest
    assert steward["form"]["empreinte"]["schema"]["enum"] == [digest], "a choice of one cannot be changed"
    assert hospital.rows("SELECT actor, action FROM deid.audit") == [("steward", choice)]


def test_the_question_stays_open_until_a_second_person_approves(
    hospital: Database, play: Any, steward: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    approval(monkeypatch, tmp_path, "always", people=2)
    play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    steward["people"] = ["morel", "morel", "leroy"]
    release = play(RELEASE, key=KEY)
    assert steward["asked"] == 3
    assert release.steps["publish"] == ["success"]
    assert len(published(hospital)) == 3
    given = hospital.rows("SELECT chosen, decided_by FROM deid.decision WHERE chosen <> 'proposed' ORDER BY decided_at")
    assert given == [("approve", "morel"), ("approve", "leroy")]


def test_whoever_launched_the_night_does_not_approve_it_alone(
    hospital: Database, play: Any, steward: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    approval(monkeypatch, tmp_path, "always")
    play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    assert hospital.rows("SELECT requested_by FROM deid.run") == [("dag_test",)]  # whom Airflow names in such a run
    steward["people"] = ["dag_test", "leroy"]
    assert play(RELEASE, key=KEY).steps["publish"] == ["success"]
    assert steward["asked"] == 2
    assert hospital.rows("SELECT actor, action FROM deid.audit ORDER BY seq") == [
        ("dag_test", "refused"),
        ("leroy", "approve"),
    ]


def test_an_answer_of_a_person_who_may_not_decide_counts_for_nothing(
    hospital: Database, play: Any, steward: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    approval(monkeypatch, tmp_path, "always", people=2)
    play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    steward |= {"people": ["dag_test", "ailleurs", "morel", "leroy"], "barred": ["dag_test"], "unchecked": ["ailleurs"]}
    assert play(RELEASE, key=KEY).steps["publish"] == ["success"]
    assert steward["asked"] == 4
    given = hospital.rows("SELECT decided_by FROM deid.decision WHERE chosen = 'approve' ORDER BY decided_at")
    assert given == [("morel",), ("leroy",)]
    refused = hospital.rows("SELECT DISTINCT actor FROM deid.audit WHERE action = 'refused' ORDER BY 1")
    assert refused == [("ailleurs",), ("dag_test",)]


def test_an_interval_that_is_sent_back_is_done_again(
    hospital: Database, play: Any, steward: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    approval(monkeypatch, tmp_path, "always")
    play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    steward |= {"chosen": "Renvoyer en traitement", "motif": "trop de <noms> masqués"}
    release = play(RELEASE, key=KEY)
    assert release.state == "success"
    assert {step: release.steps[step] for step in ("publish", "send_back", "rework", "report")} == {
        "publish": ["skipped"],
        **{step: ["success"] for step in ("send_back", "rework", "report")},
    }
    assert hospital.rows("SELECT count(*) FROM deid.candidate") == [(0,)]
    assert published(hospital) == []
    (run,) = launched(f"rework__{KEY}__")
    assert run.run_type == "operator_triggered"
    assert run.conf == {
        "reason": "trop de <noms> masqués",
        "interval_start": "2026-03-02T02:30:00+00:00",
        "interval_end": "2026-03-03T02:30:00+00:00",
        "document_types": [],
        "services": [],
        "requested_by": "steward",
    }
    again = play(DEIDENTIFY, **run.conf)  # what the scheduler does with it
    assert again.steps["batch.detect"] == ["success"]
    assert states(hospital) == {"letter0": "staged", "letter1": "staged", "page": "staged", "hollow": "quarantined"}
    steward |= {"chosen": "Approuver", "motif": "", "people": ["leroy"]}
    assert play(RELEASE, key=KEY).steps["publish"] == ["success"]
    assert len(published(hospital)) == 3


def launched(prefix: str) -> list[Any]:
    """Runs of the night's DAG whose name begins so."""
    with create_session() as session:
        return list(session.scalars(select(DagRun).where(DagRun.run_id.startswith(prefix))))


def test_a_publication_that_fails_fails_its_run_and_can_be_decided_and_published_again(
    hospital: Database, play: Any, steward: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    approval(monkeypatch, tmp_path, "always")
    told: list[str] = []
    monkeypatch.setattr(alerts, "_announce", lambda *said: told.append(" ".join(said[:2])))
    play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    ((text,),) = hospital.rows("SELECT text FROM deid.candidate WHERE document_id = 'page'")
    altered = "UPDATE deid.candidate SET text = %s WHERE document_id = 'page'"
    hospital.rows(altered, ("autre chose",))
    failed = play(RELEASE, key=KEY)
    assert failed.state == "failed"
    assert told == [f"waiting {KEY}", f"failed {KEY}"]
    assert {step: failed.steps[step] for step in ("approve", "publish", "report", "end")} == {
        "approve": ["success"],
        "publish": ["failed"],
        "report": ["success"],
        "end": ["upstream_failed"],
    }
    assert published(hospital) == []
    stands = read_status(KEY)
    assert stands is not None
    assert stands.state is DecisionState.FAILED
    steward |= {"chosen": "Rejeter", "motif": "texte altéré"}
    rejected = play(RELEASE, key=KEY)
    assert (steward["asked"], rejected.state, rejected.steps["publish"]) == (2, "success", ["skipped"])
    hospital.rows(altered, (text,))
    steward |= {"chosen": "Approuver", "motif": "texte rétabli"}
    released = play(RELEASE, key=KEY)
    assert (steward["asked"], released.state, released.steps["end"]) == (3, "success", ["success"])
    assert len(published(hospital)) == 3


@pytest.mark.usefixtures("steward")
def test_a_question_whose_task_fails_is_lost_and_is_asked_again(
    hospital: Database, play: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    approval(monkeypatch, tmp_path, "always")
    play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    told: list[str] = []
    monkeypatch.setattr(alerts, "_announce", lambda *said: told.append(" ".join(said[:2])))
    trail = "EXECUTE ON FUNCTION deid.audit_append(text, text, text, jsonb)"
    hospital.rows(f"REVOKE {trail} FROM nocturne_publisher")  # the answer cannot be written
    assert play(RELEASE, key=KEY).state == "failed"
    hospital.rows(f"GRANT {trail} TO nocturne_publisher")
    assert hospital.rows("SELECT outcome FROM deid.question") == [("lost",)]
    assert told == [f"waiting {KEY}", f"lost {KEY}"]
    stands = read_status(KEY)
    assert stands is not None
    assert stands.state is DecisionState.LOST
    assert play(RELEASE, key=KEY).state == "success"
    assert len(published(hospital)) == 3


def test_what_nobody_is_asked_about_is_announced_again_and_once(
    hospital: Database, play: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    approval(monkeypatch, tmp_path, "always")
    play(DEIDENTIFY, at=NIGHT + DAY, reason="essai")
    assert play("ask_again").steps == {"announce": ["skipped"]}, "its release may just be starting"
    hospital.rows("UPDATE deid.run SET finished_at = finished_at - interval '2 hours'")
    assert play("ask_again").steps == {"announce": ["success"]}
    assert play("ask_again").steps == {"announce": ["skipped"]}
    with create_session() as session:
        announced = select(AssetEvent.partition_key).where(AssetEvent.source_dag_id == "ask_again")
        assert session.scalars(announced).all() == [KEY]


def test_only_another_dag_may_say_who_asked() -> None:
    def run(run_type: str, user: str | None, **conf: str) -> SimpleNamespace:
        return SimpleNamespace(run_type=run_type, triggering_user_name=user, conf=conf)

    assert requested_by(run("manual", "morel", requested_by="leroy")) == "morel"
    assert requested_by(run("operator_triggered", "morel", requested_by="leroy")) == "leroy"
    assert requested_by(run("operator_triggered", "morel")) == "morel"
    assert requested_by(run("scheduled", None)) == ""


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


def test_a_source_that_is_too_old_turns_the_refresh_red_and_stays_in_use(loaded: Database, play: Any) -> None:
    """Without a place of its own a source has what ships, which is of 2024 at most."""
    run = play("refresh_references")
    assert run.state == "failed"
    assert {name for name, states in run.steps.items() if states == ["failed"]} == {"ages", "alert"}
    assert loaded.rows("SELECT count(*) FROM ref.release WHERE source = 'streets' AND state = 'in_use'") == [(1,)]
