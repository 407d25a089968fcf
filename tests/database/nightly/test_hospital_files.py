"""A night over the files of the synthetic hospital, from the warehouse to the text that is ready to publish."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from deid.config.settings import settings
from deid.nightly import steps
from demo.hospital import Hospital, generate, load
from demo.hospital.files import FORMS
from demo.summary import formats
from tests.conftest import Database
from tests.database.warehouse.light import decide

START = datetime(2026, 10, 1, tzinfo=ZoneInfo("Europe/Paris"))
SOURCE_IDS = "SELECT source_id, {} FROM {} JOIN identity.mapping ON ledger_id = document_id"


@pytest.fixture
def filed(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hospital:
    """The hospital of two nights, three quarters of it files, after the first steps of one night over both."""
    decide(monkeypatch, tmp_path)
    hospital = generate(patients=16, documents=60, nights=2, files=0.75)
    load(deployed.owner, hospital)
    batches = steps.plan(interval_start=START, interval_end=START + timedelta(days=2), triggered_by="files")
    for batch in batches:
        for step in (steps.detect, steps.substitute, steps.validate):
            step(batch["run_id"], batch["batch_id"])
    steps.stage(steps.run_of("files"))
    return hospital


def test_files_come_out_without_their_patient_and_are_counted_by_format(filed: Hospital, deployed: Database) -> None:
    texts = dict(deployed.rows(SOURCE_IDS.format("text", "deid.candidate")))
    held = dict(deployed.rows(SOURCE_IDS.format("reason", "deid.quarantine")))
    people = {one.patient_id: one for one in filed.patients}
    stays = {one.stay_id: one for one in filed.stays}
    files = [one for one in filed.documents if one.form and one.versions[-1].action != "withdraw"]
    for document in files:
        if document.document_id in held:
            continue
        patient, stay = people[document.patient_id or ""], stays[document.stay_id or ""]
        text = texts[document.document_id]
        secrets = [patient.ipp, patient.nir, patient.mobile, patient.email, patient.address, stay.nda]
        secrets += [f"{patient.first_names[0]} {patient.last_name}", f"{patient.last_name} {patient.first_names[0]}"]
        for secret in secrets:
            assert re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", text, re.IGNORECASE) is None, document.document_id
    readable = [one for one in files if FORMS[one.form or ""].read]
    published = [one for one in readable if one.document_id not in held]
    assert len(published) >= 0.9 * len(readable), held
    assert {held.get(one.document_id) for one in files if one.form == "scan"} == {"scanned"}

    counts = formats(settings().dsn("steward"))
    assert sum(count["seen"] for count in counts.values()) == len({*texts, *held})
    assert counts["PDF"]["reason: scanned"] == 1
    assert counts["DOCX"]["seen"] == sum(one.form == "docx" for one in files)
