"""The synthetic hospital in PostgreSQL."""

from __future__ import annotations

from datetime import timedelta

import psycopg2
import pytest

from demo.hospital import Hospital, generate, load
from demo.hospital.load import icd10_labels
from tests.conftest import Database

COUNTS = """
SELECT (SELECT count(*) FROM cdw.patient), (SELECT count(*) FROM cdw.stay), (SELECT count(*) FROM cdw.document)
"""
STATE = "SELECT document_id, encode(sha256(content), 'hex'), withdrawn_at IS NOT NULL FROM cdw.document"


@pytest.fixture(scope="module")
def tiny() -> Hospital:
    return generate(patients=15, documents=70, nights=4)


def state(hospital: Hospital, nights: int | None) -> set[tuple[str, str, bool]]:
    night = None if nights is None else hospital.first_night + timedelta(days=nights - 1)
    versions = hospital.as_of(night).values()
    return {(one.document_id, one.content_hash, one.action == "withdraw") for one in versions}


def test_loading_twice_changes_nothing(postgres: Database, tiny: Hospital) -> None:
    changed = load(postgres.owner, tiny)
    assert changed["documents"] == len(tiny.documents)
    before = postgres.rows("SELECT * FROM cdw.document ORDER BY 1")
    assert set(load(postgres.owner, tiny).values()) == {0}
    assert postgres.rows("SELECT * FROM cdw.document ORDER BY 1") == before
    assert postgres.rows(COUNTS) == [(len(tiny.patients), len(tiny.stays), len(tiny.documents))]


def test_a_warehouse_of_before_the_labels_of_diagnoses_gets_their_column(postgres: Database, tiny: Hospital) -> None:
    load(postgres.owner, tiny)
    postgres.rows("ALTER TABLE cdw.diagnosis DROP COLUMN label")
    postgres.rows("DELETE FROM cdw.diagnosis WHERE position = 1")
    load(postgres.owner, tiny)
    labels = icd10_labels()
    rows = postgres.rows("SELECT stay_id, code, label FROM cdw.diagnosis WHERE position = 1")
    assert set(rows) == {(one.stay_id, one.diagnoses[0], labels[one.diagnoses[0]]) for one in tiny.stays}


def test_nights_are_added_one_after_the_other(postgres: Database, tiny: Hospital) -> None:
    for nights in (1, 2, 4):
        load(postgres.owner, tiny, until=tiny.first_night + timedelta(days=nights - 1))
        assert set(postgres.rows(STATE)) == state(tiny, nights)
    load(postgres.owner, tiny, until=tiny.first_night)
    assert set(postgres.rows(STATE)) == state(tiny, None), "a document never goes back"


def test_gold_of_every_version_is_kept(postgres: Database, tiny: Hospital) -> None:
    load(postgres.owner, tiny)
    wanted = {
        (version.document_id, version.content_hash, mention.start, mention.end, str(mention.label))
        for version in tiny.events
        for mention in version.gold
    }
    columns = "document_id, content_hash, start_offset, end_offset, label"
    assert set(postgres.rows(f"SELECT {columns} FROM gold.mention")) == wanted


def test_the_reader_reads_the_warehouse_and_nobody_reads_gold(postgres: Database, tiny: Hospital) -> None:
    load(postgres.owner, tiny)
    assert postgres.rows("SELECT count(*) FROM cdw.document", role="reader") == [(len(tiny.documents),)]
    for role in ("reader", "worker", "publisher", "steward"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            postgres.rows("SELECT count(*) FROM gold.mention", role=role)


def test_the_omop_views_show_the_same_warehouse(postgres: Database, tiny: Hospital) -> None:
    load(postgres.owner, tiny)
    notes = postgres.rows("SELECT count(*), count(DISTINCT note_id), count(note_text) FROM cdw.note", role="reader")
    # Neither the badly encoded document nor the PDF is text.
    assert notes == [(len(tiny.documents), len(tiny.documents), len(tiny.documents) - 2)]
    assert postgres.rows(
        "SELECT count(*) FROM cdw.note JOIN cdw.person USING (person_id) JOIN cdw.location USING (location_id)",
        role="reader",
    ) == [(len(tiny.documents) - 1,)]
    assert postgres.rows("SELECT count(*) FROM cdw.visit_occurrence JOIN cdw.person USING (person_id)") == [
        (len(tiny.stays),)
    ]
