"""Nobody without the secret links a row that researchers read to the hospital's ids: by order, time, column, digest."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta

import pytest

from deid.publication import publish
from deid.publication.publish import make_visible, publish_interval, staged_digest
from deid.release.decisions import take_answer
from tests.conftest import Database
from tests.database.warehouse.nights import night, process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put

WEDNESDAY = datetime(2026, 3, 4, 12, tzinfo=UTC)
MONDAY = WEDNESDAY + timedelta(days=5)
VISIBLE = {
    "document": {
        *("document_id", "patient_id", "stay_id", "document_type", "loinc_code", "title", "text", "markup"),
        *("reference_date", "visible_from", "policy_hash", "pipeline_version", "detector_version", "key_fingerprint"),
        *("file", "file_type", "file_suffix", "sex", "age_class", "birth_year", "service", "spans"),
        *("note_id", "person_id", "visit_occurrence_id"),
    },
    "document_file": {"document_id", "patient_id", "media_type", "suffix", "size", "file"},
    "release": {"visible_from", "documents", "policy_hashes", "pipeline_versions", "detector_versions"},
    "withdrawn_document": {"document_id", "withdrawn_in", "note_id"},
    "loinc_concept": {"loinc_code", "concept_id"},
    "visibility": {"rewritten_on", "period", "unchanged_until"},
    "perturbation": {
        *("policy_hash", "element", "part", "strategy", "effect", "bound", "scale", "unit", "epsilon", "epsilon_per"),
    },
}
OMOP = {"note", "note_nlp", "person", "visit_occurrence"}


@pytest.fixture
def hospital(deployed: Database) -> Database:
    open_hospital(deployed, opaque=True)
    return deployed


def read(hospital: Database) -> list[str]:
    """Ids of the documents that a researcher reads, as they lie in the table."""
    return [
        row[0] for row in hospital.rows("SELECT document_id FROM research.document ORDER BY ctid", role="researcher")
    ]


def test_rows_lie_in_the_order_of_keyed_ids_whatever_night_brought_them(hospital: Database) -> None:
    for number in range(20):
        put(hospital, f"letter{number:02}", f"{LETTER}\nExemplaire {number}.", at=NIGHT + (number % 2) * DAY)
    for start in (NIGHT, NIGHT + DAY):
        night(f"night of {start}", start)
    seen = read(hospital)
    assert len(seen) == 20
    assert seen == sorted(seen)
    by_id = hospital.rows("SELECT note_source_value FROM research.note ORDER BY note_id", role="researcher")
    assert [row[0] for row in by_id] != seen
    assert hospital.rows("SELECT count(DISTINCT xmin::text) FROM research.document", role="researcher") == [(1,)]


def test_no_column_tells_the_run_the_release_or_the_time(hospital: Database) -> None:
    readable = hospital.rows(
        "SELECT table_name, array_agg(column_name::text) FROM information_schema.columns"
        " WHERE table_schema NOT IN ('pg_catalog', 'information_schema') GROUP BY 1",
        role="researcher",
    )
    columns = {table: set(names) for table, names in readable}
    assert {name: names for name, names in columns.items() if name not in OMOP} == VISIBLE
    assert columns.keys() - VISIBLE.keys() == OMOP


def test_rows_become_visible_together_at_the_first_release_of_a_week(hospital: Database) -> None:
    put(hospital, "first", LETTER)
    publish_interval(process("first")["interval_key"])
    assert make_visible("weekly", now=WEDNESDAY) == {"documents": 1, "added": 1}
    put(hospital, "second", LETTER + "\nSuite.", at=NIGHT + DAY)
    publish_interval(process("second", NIGHT + DAY)["interval_key"])
    hospital.rows("UPDATE deid.rewriting SET rewritten_at = %s", (WEDNESDAY,))
    assert make_visible("weekly", now=WEDNESDAY + timedelta(days=4)) is None
    assert make_visible("monthly", now=MONDAY) is None
    assert len(read(hospital)) == 1
    assert make_visible("weekly", now=MONDAY) == {"documents": 2, "added": 1}
    assert len(read(hospital)) == 2
    months = hospital.rows("SELECT visible_from, documents FROM research.release", role="researcher")
    assert months == [("2026-03", 2)]


def test_a_publication_killed_between_corrections_hides_no_row(
    hospital: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        put(hospital, f"letter{number}", f"{LETTER}\nExemplaire {number}.")
    night("first", batch_size=2)
    before = hospital.rows("SELECT document_id, text FROM research.document", role="researcher")
    for number in range(6):
        put(hospital, f"letter{number}", f"{LETTER}\nExemplaire {number}, corrigé.", at=NIGHT + DAY)
    interval = process("second", NIGHT + DAY, batch_size=2)["interval_key"]
    write, batches = publish._publish_batch, []

    def die_at_the_second(*given: object) -> None:
        if batches:
            raise KeyboardInterrupt
        batches.append(given)
        write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(publish, "_publish_batch", die_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        publish_interval(interval)
    monkeypatch.undo()
    make_visible("nightly")
    assert hospital.rows("SELECT document_id, text FROM research.document", role="researcher") == before
    publish_interval(interval)
    make_visible("nightly")
    after = dict(hospital.rows("SELECT document_id, text FROM research.document", role="researcher"))
    assert set(after) == {row[0] for row in before}
    assert all("corrigé" in text for text in after.values())


def test_no_digest_confirms_a_guess_of_the_hospitals_ids(hospital: Database) -> None:
    put(hospital, "letter", LETTER)
    night("night")
    (row,) = hospital.rows(
        "SELECT document_type, loinc_code, title, text, markup, reference_date FROM research.document",
        role="researcher",
    )
    content = hashlib.sha256(LETTER.encode()).hexdigest()
    guess = [content, "P000001", "S000001", *row[:5], row[5] and row[5].isoformat()]
    digest = hashlib.sha256(json.dumps(guess, ensure_ascii=False).encode()).hexdigest()
    assert hospital.rows("SELECT count(*) FROM deid.staged_content", role="steward") == [(0,)]
    assert hospital.rows("SELECT count(*) FROM deid.run WHERE staged_digest = %s", (digest,), role="steward") == [(0,)]
    with pytest.raises(Exception, match="permission denied"):
        hospital.rows("SELECT salt FROM deid.staging_salt", role="steward")


def test_no_digest_is_left_of_a_run_that_was_sent_back_or_replaced(hospital: Database) -> None:
    put(hospital, "letter", LETTER)
    key = process("sent back")["interval_key"]
    answer = {"chosen": "rework", "decided_by": "morel", "reason": "à refaire"}
    take_answer(key, answer, digest=str(staged_digest(key)))
    assert kept_digests(hospital) == []
    replaced = process("replaced")
    put(hospital, "letter", f"{LETTER}\nCorrigé.")
    newest = process("newest")
    assert newest["run_id"] > replaced["run_id"]
    assert kept_digests(hospital) == [(newest["run_id"],)] * 2


def kept_digests(hospital: Database) -> list[tuple]:
    """Runs of which a salt or a digest is kept."""
    both = "SELECT run_id FROM deid.staging_salt UNION ALL SELECT run_id FROM deid.staged_content"
    return hospital.rows(both)


def test_removal_does_not_wait_for_the_period(hospital: Database) -> None:
    put(hospital, "letter", LETTER)
    put(hospital, "other", LETTER + "\nSuite.")
    night("first")
    put(hospital, "other", LETTER, at=NIGHT + DAY, withdrawn_at=NIGHT + DAY)
    publish_interval(process("second", NIGHT + DAY)["interval_key"])
    assert len(read(hospital)) == 1
