"""Nights of the synthetic hospital, one after the other: nothing lost, nobody recognisable."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from deid.config.settings import settings
from deid.domain import PARIS
from deid.source.extraction import version_hash
from deid.substitution import pseudonym
from demo.hospital import Hospital, generate, load
from tests.conftest import Database
from tests.database.warehouse.nights import ledger_id, night, reasons, states, version_of

NIGHTS = 4


@pytest.fixture(scope="module")
def hospital() -> Hospital:
    return generate(7, patients=25, documents=90, nights=NIGHTS)


def _nights(hospital: Hospital) -> list[datetime]:
    days = sorted({version.night for document in hospital.documents for version in document.versions})
    first = datetime(days[0].year, days[0].month, days[0].day, tzinfo=PARIS)
    return [first + timedelta(days=number) for number in range((days[-1] - days[0]).days + 1)]


@pytest.mark.slow
def test_nights_of_a_small_hospital(deployed: Database, hospital: Hospital) -> None:
    releases = []
    for start in _nights(hospital):
        load(deployed.owner, hospital, until=start.date())
        releases.append(night(str(start), start, batch_size=20))
    published = dict(deployed.rows("SELECT document_id, text FROM research.document", role="researcher"))
    _nothing_is_lost(deployed, hospital, set(published))
    _nobody_is_recognisable(deployed, hospital)
    assert sum(release["replaced"] for release in releases) > 0
    assert sum(release["withdrawn"] for release in releases) > 0
    assert len(published) > 0.8 * len(hospital.documents)


def _nothing_is_lost(deployed: Database, hospital: Hospital, published: set[str]) -> None:
    """Every document is published in its last version, withdrawn, or in quarantine with a reason."""
    key = settings().key
    last = hospital.as_of(None)
    found, refused = states(deployed), reasons(deployed)
    for document in hospital.documents:
        name = document.document_id
        shown = pseudonym(key, "document", name) in published
        if last[name].action == "withdraw":
            assert not shown
            assert found.get(name) in (None, "withdrawn", "quarantined")
        elif found[name] == "quarantined":
            assert name in refused
        else:
            assert found[name] == "published"
            assert shown
    hashes = dict(deployed.rows("SELECT document_id, content_hash FROM deid.document WHERE state = 'published'"))
    owners = {document.document_id: document.patient_id for document in hospital.documents}
    latest = {
        ledger_id(deployed, name): version_of(deployed, version_hash(version.content_hash, owners[name]))
        for name, version in last.items()
    }
    assert set(hashes) <= set(latest)
    assert all(latest[name] == content_hash for name, content_hash in hashes.items())
    assert deployed.rows("SELECT count(*) FROM deid.candidate") == [(0,)]


def _nobody_is_recognisable(deployed: Database, hospital: Hospital) -> None:
    """Nothing that the warehouse knows of a patient stands in the texts about him.

    Only in those: phones of the hospital and surrogate phones come from the same range, reserved for fiction.
    """
    key = settings().key
    texts: dict[str, list[str]] = {}
    for about, text in deployed.rows(
        "SELECT patient_id, text || coalesce(markup, '') || coalesce(title, '') FROM research.document"
    ):
        texts.setdefault(about, []).append(text)
    stays = {stay.patient_id: stay.nda for stay in hospital.stays}
    for patient in hospital.patients:
        known = (patient.last_name, patient.nir, patient.ipp, patient.email, patient.phone, patient.mobile)
        everything = "\n".join(texts.get(pseudonym(key, "patient", patient.patient_id), ()))
        for value in (*known, stays.get(patient.patient_id)):
            assert not value or value not in everything
