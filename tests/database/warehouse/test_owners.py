"""Whose a document is: a change of patient is noticed in the next run, and an opt-out holds for the whole person."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.domain.errors import ContractBroken
from deid.nightly import steps
from deid.privacy.stream import pseudonym
from deid.warehouse import opt_outs, planning
from tests.conftest import Database
from tests.database.warehouse.nights import night, reasons, states
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


def object_to_research(hospital: Database, patient: str) -> None:
    """Record a patient's opt-out, by the hospital's id."""
    statement = "INSERT INTO deid.opt_out (patient_id, asked_by, reason) VALUES (%s, 'intendante', 'à sa demande')"
    hospital.rows(statement, (patient,), role="steward")


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
        object_to_research(hospital, objecting)
    else:
        object_to_research(hospital, objecting)
        opt_outs.apply_opt_outs()
        merge(hospital)
        put(hospital, "new", LETTER + "\nFin.", patient=KEPT, at=TOMORROW)
    night("last", TOMORROW + DAY) if merged_first else night("second", TOMORROW)
    opt_outs.apply_opt_outs()
    assert published_of(hospital, KEPT) == published_of(hospital, MERGED) == 0
    assert "published" not in states(hospital).values()
    assert hospital.rows("SELECT count(*) FROM deid.candidate") == [(0,)]


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
