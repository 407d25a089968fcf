"""Owners of documents: a change of patient is noticed in the next run, and an opt-out holds for the whole person."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.domain.errors import ContractBroken
from deid.ledger import opt_outs, planning, runs
from deid.nightly import steps
from deid.privacy.stream import pseudonym
from deid.publication.publish import make_visible, publish_interval
from tests.conftest import Database
from tests.database.warehouse.nights import night, oppose, process, reasons, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put

KEPT, MERGED = "P000001", "P000002"
TOMORROW: datetime = NIGHT + DAY


@pytest.fixture
def hospital(deployed: Database) -> Database:
    open_hospital(deployed)
    return deployed


def published_of(hospital: Database, patient: str) -> int:
    """Number of rows that researchers read under a patient's pseudonym."""
    name = pseudonym(settings().keyring.current.secret, "patient", patient)
    count = "SELECT count(*) FROM research.document WHERE patient_id = %s"
    return int(hospital.rows(count, (name,), role="researcher")[0][0])


def merge(hospital: Database) -> None:
    """The hospital merges one patient into another: documents move, and the merge is on record."""
    hospital.rows("UPDATE cdw.document SET patient_id = %s WHERE patient_id = %s", (KEPT, MERGED))
    hospital.rows("INSERT INTO cdw.patient_merge VALUES (%s, %s)", (MERGED, KEPT))


def test_a_document_of_another_patient_is_drawn_again_under_the_right_pseudonym(hospital: Database) -> None:
    put(hospital, "letter", LETTER, patient=MERGED)
    night("first")
    assert (published_of(hospital, KEPT), published_of(hospital, MERGED)) == (0, 1)
    hospital.rows("UPDATE cdw.document SET patient_id = %s, stay_id = 'S000001'", (KEPT,))
    release = night("second", TOMORROW)
    assert (release["published"], release["withdrawn"]) == (1, 1)
    assert (published_of(hospital, KEPT), published_of(hospital, MERGED)) == (1, 0)
    assert planned(hospital, "third") == 0


def test_a_night_without_a_change_of_patient_plans_nothing_of_the_past(hospital: Database) -> None:
    put(hospital, "letter", LETTER)
    night("first")
    assert planned(hospital, "second") == 0


def move(hospital: Database, patient: str) -> None:
    """The hospital finds that its documents are another patient's."""
    stay = {KEPT: "S000001", MERGED: "S000002"}[patient]
    hospital.rows("UPDATE cdw.document SET patient_id = %s, stay_id = %s", (patient, stay))


def die(trigger: str, start: datetime) -> None:
    """A run plans its documents, dies, and is declared dead."""
    steps.plan(interval_start=start, interval_end=start + DAY, triggered_by=trigger)
    runs.take_over(steps.run_of(trigger), "exploitante", "machine arrêtée", confirmed=True)


def test_a_moved_document_that_a_dead_run_had_planned_is_moved_by_the_next(hospital: Database) -> None:
    put(hospital, "letter", LETTER, patient=MERGED)
    night("first")
    move(hospital, KEPT)
    die("dead", TOMORROW)
    assert night("again", TOMORROW)["published"] == 1
    assert (published_of(hospital, KEPT), published_of(hospital, MERGED)) == (1, 0)
    assert hospital.rows("SELECT state FROM deid.run WHERE triggered_by = 'dead'") == [("superseded",)]


def test_a_moved_document_that_is_gone_when_its_dead_run_is_done_again_is_withdrawn(hospital: Database) -> None:
    put(hospital, "letter", LETTER, patient=MERGED)
    night("first")
    move(hospital, KEPT)
    die("dead", TOMORROW)
    hospital.rows("DELETE FROM cdw.document")
    night("again", TOMORROW)
    assert published_of(hospital, MERGED) == 0
    assert hospital.rows("SELECT DISTINCT state FROM deid.document") == [("withdrawn",)]
    assert hospital.rows("SELECT state FROM deid.run WHERE triggered_by = 'dead'") == [("superseded",)]


def test_a_retried_document_that_a_dead_run_had_planned_is_taken_by_the_next(hospital: Database) -> None:
    put(hospital, "letter", LETTER, patient=None)
    night("first")
    assert states(hospital) == {"letter": "quarantined"}
    choice = (
        "INSERT INTO deid.quarantine_choice (run_id, document_id, content_hash, reason, choice, chosen_by,"
        " justification) SELECT run_id, document_id, content_hash, reason, 'retry', 'intendante', 'identité complétée'"
        " FROM deid.quarantine"
    )
    hospital.rows(choice, role="steward")
    die("dead", TOMORROW)
    assert process("again", TOMORROW)["planned"] == 1


def test_a_document_moved_back_while_its_first_version_waits_is_published(hospital: Database) -> None:
    put(hospital, "letter", LETTER, patient=MERGED)
    process("first")
    move(hospital, KEPT)
    steps.plan(interval_start=TOMORROW, interval_end=TOMORROW + DAY, triggered_by="moved")
    move(hospital, MERGED)
    assert night("moved back", TOMORROW + DAY)["published"] == 1
    assert (published_of(hospital, KEPT), published_of(hospital, MERGED)) == (0, 1)


def test_a_slow_run_that_stages_the_former_version_does_not_remove_the_right_one(hospital: Database) -> None:
    put(hospital, "letter", LETTER, patient=MERGED)
    batches = steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="slow")
    for step in (steps.detect, steps.substitute, steps.validate):
        step(batches[0]["run_id"], batches[0]["batch_id"])
    move(hospital, KEPT)
    night("moved", TOMORROW)
    assert published_of(hospital, KEPT) == 1
    slow = steps.stage(steps.run_of("slow"))
    put(hospital, "other", LETTER + "\nSuite.", patient=KEPT, at=TOMORROW + DAY)
    night("other", TOMORROW + DAY)
    assert published_of(hospital, KEPT) == 2
    publish_interval(slow["interval_key"])
    make_visible("nightly")
    assert (published_of(hospital, KEPT), published_of(hospital, MERGED)) == (2, 0)


def test_a_move_to_a_patient_who_objected_is_a_change_to_publish(hospital: Database) -> None:
    put(hospital, "letter", LETTER, patient=MERGED)
    night("first")
    oppose(KEPT)
    move(hospital, KEPT)
    staged = process("second", TOMORROW)
    assert (staged["planned"], staged["withdrawn"]) == (0, 1)
    state = "SELECT state FROM deid.interval_state WHERE interval_key = %s"
    assert hospital.rows(state, (staged["interval_key"],)) == [("waiting",)]
    assert publish_interval(staged["interval_key"])["withdrawn"] == 1
    assert published_of(hospital, KEPT) == published_of(hospital, MERGED) == 0


def planned(hospital: Database, trigger: str) -> int:
    """Number of documents that a run over the next day plans."""
    steps.plan(interval_start=TOMORROW, interval_end=TOMORROW + DAY, triggered_by=trigger)
    return int(hospital.rows("SELECT planned FROM deid.run WHERE triggered_by = %s", (trigger,))[0][0])


@pytest.mark.parametrize("objecting", [KEPT, MERGED])
@pytest.mark.parametrize("merged_first", [True, False])
def test_an_opt_out_holds_for_every_patient_id_of_a_person(
    hospital: Database, objecting: str, merged_first: bool
) -> None:
    put(hospital, "one", LETTER, patient=KEPT)
    put(hospital, "other", LETTER + "\nSuite.", patient=MERGED)
    night("first")
    assert published_of(hospital, KEPT) == published_of(hospital, MERGED) == 1
    if merged_first:
        merge(hospital)
        put(hospital, "new", LETTER + "\nFin.", patient=KEPT, at=TOMORROW)
        night("second", TOMORROW)
        oppose(objecting)
    else:
        oppose(objecting)
        opt_outs.apply_opt_outs()
        merge(hospital)
        put(hospital, "new", LETTER + "\nFin.", patient=KEPT, at=TOMORROW)
    night("last", TOMORROW + DAY) if merged_first else night("second", TOMORROW)
    opt_outs.apply_opt_outs()
    assert published_of(hospital, KEPT) == published_of(hospital, MERGED) == 0
    assert "published" not in states(hospital).values()
    assert hospital.rows("SELECT count(*) FROM deid.candidate") == [(0,)]


def test_a_patient_merged_into_two_others_is_one_person_with_both(hospital: Database) -> None:
    hospital.rows(
        "INSERT INTO cdw.patient SELECT 'P000003', '8009999999', 'BROUSTET', NULL, '{Célestin}', 'M', birth_date, NULL,"
        " address, zip, city, insee, phone, mobile, email FROM cdw.patient WHERE patient_id = 'P000002'"
    )
    hospital.rows("ALTER TABLE cdw.patient_merge DROP CONSTRAINT patient_merge_pkey")
    hospital.rows("INSERT INTO cdw.patient_merge VALUES ('P000002', 'P000001'), ('P000002', 'P000003')")
    put(hospital, "letter", LETTER, patient=KEPT)
    night("first")
    oppose("P000003")
    opt_outs.apply_opt_outs()
    assert published_of(hospital, KEPT) == 0


def test_many_documents_that_change_patient_at_once_stop_the_plan(
    hospital: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "VANISHED_FLOOR", 2)
    for number in range(4):
        put(hospital, f"letter{number}", f"{LETTER}\nExemplaire {number}.")
    night("first")
    hospital.rows("UPDATE cdw.document SET patient_id = %s", (MERGED,))
    with pytest.raises(ContractBroken, match="4 of the 4 documents held by Nocturne changed patient at once"):
        night("second", TOMORROW)


def lose_identity(hospital: Database) -> None:
    """The hospital's join breaks: no column of the identity is filled."""
    hospital.rows("ALTER TABLE cdw.patient ALTER last_name DROP NOT NULL, ALTER first_names DROP NOT NULL")
    hospital.rows("ALTER TABLE cdw.patient ALTER ipp DROP NOT NULL")
    hospital.rows(
        "UPDATE cdw.patient SET ipp = NULL, last_name = NULL, birth_name = NULL, first_names = '{}', birth_date = NULL,"
        " nir = NULL, address = NULL, zip = NULL, city = NULL, phone = NULL, mobile = NULL, email = NULL"
    )
    hospital.rows("UPDATE cdw.document SET stay_id = NULL")


def test_a_document_whose_patient_has_no_identity_is_refused(hospital: Database) -> None:
    put(hospital, "letter", LETTER)
    lose_identity(hospital)
    night("first")
    assert reasons(hospital) == {"letter": ("detect", "no_patient")}


def test_the_policy_may_publish_it_with_a_warning(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(hospital, "letter", LETTER)
    lose_identity(hospital)
    policy = tmp_path / "policy.yaml"
    policy.write_text("extends: default\nquality: {unknown_identity: warn}\n", encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(policy))
    settings.cache_clear()
    assert night("first")["published"] == 1
