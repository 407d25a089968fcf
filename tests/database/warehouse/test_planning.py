"""Planned documents: new ones, their patients, and withdrawn ones."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from deid.config.keys import parse_keyring
from deid.config.settings import settings
from deid.domain import PARIS
from deid.domain.errors import ContractBroken, InputRefused, WarehouseUnreachable
from deid.ledger import planning
from deid.ledger.planning import Batch, Interval, Request, Versions, plan_run
from tests.conftest import SECRET, Database
from tests.database.warehouse.small_hospital import DAY, NIGHT, open_hospital, put, withdraw
from tests.ports import reserve_port

KEY = parse_keyring(SECRET, where="the tests").current
VERSIONS = Versions("policy", "pipeline-1", "detector", KEY.version, KEY.fingerprint, {"communes": "2026"})


@pytest.fixture
def hospital(deployed: Database) -> Database:
    open_hospital(deployed)
    return deployed


def _plan(
    trigger: str, *, start: datetime = NIGHT, days: int = 1, versions: Versions = VERSIONS, **rest: object
) -> list:
    return plan_run(Request(Interval(start, start + days * DAY), triggered_by=trigger, versions=versions, **rest))


def _states(hospital: Database) -> dict[str, tuple[str, int]]:
    return {
        name: (state, run)
        for name, state, run in hospital.rows("SELECT document_id, state, run_id FROM deid.document ORDER BY run_id")
    }


@pytest.mark.parametrize(
    ("start", "end", "key"),
    [
        (datetime(2026, 10, 3, 3, 30, tzinfo=PARIS), datetime(2026, 10, 4, 3, 30, tzinfo=PARIS), "2026-10-03"),
        (datetime(2026, 10, 3, 23, 30, tzinfo=UTC), datetime(2026, 10, 4, 23, 30, tzinfo=UTC), "2026-10-04"),
        (datetime(2026, 3, 28, 3, 30, tzinfo=PARIS), datetime(2026, 3, 29, 3, 30, tzinfo=PARIS), "2026-03-28"),
        (datetime(2026, 10, 3, tzinfo=PARIS), datetime(2026, 10, 10, tzinfo=PARIS), "2026-10-03..2026-10-10"),
    ],
)
def test_an_interval_is_named_by_its_dates_in_paris(start: datetime, end: datetime, key: str) -> None:
    assert Interval(start, end).key == key


@pytest.mark.parametrize(
    "bounds",
    [
        (None, NIGHT),
        (NIGHT, None),
        (NIGHT, NIGHT),
        (NIGHT, NIGHT - DAY),
        (NIGHT.replace(tzinfo=None), (NIGHT + DAY).replace(tzinfo=None)),
    ],
)
def test_an_interval_that_cannot_be_used_is_refused(bounds: tuple) -> None:
    with pytest.raises(InputRefused):
        Interval(*bounds)


def test_batches_follow_the_order_of_ids_not_of_arrival_and_are_found_again(hospital: Database) -> None:
    for number in range(5):
        put(hospital, f"d{number}", at=NIGHT + timedelta(minutes=9 - number))
    batches = _plan("night", batch_size=2)
    assert batches == [Batch(1, 1, 2), Batch(1, 2, 2), Batch(1, 3, 1)]
    first = hospital.rows("SELECT document_id FROM deid.document WHERE batch_id = 1 ORDER BY 1")
    assert first == [("d0",), ("d1",)]
    put(hospital, "later", at=NIGHT)
    assert _plan("night", batch_size=2) == batches
    assert hospital.rows("SELECT seen, planned, state, interval_key FROM deid.run") == [(5, 5, "planned", "2026-03-02")]


def test_batches_grow_where_there_would_be_more_than_are_allowed(
    hospital: Database, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(5):
        put(hospital, f"d{number}")
    assert _plan("night", batch_size=2, most_batches=2) == [Batch(1, 1, 3), Batch(1, 2, 2)]
    assert "batches of 3 documents, not 2" in caplog.text
    assert _plan("night", batch_size=2, most_batches=2) == [Batch(1, 1, 3), Batch(1, 2, 2)]


def test_an_interval_of_more_documents_than_batches_hold_is_refused_ahead_of_any_row(
    hospital: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "LARGEST_BATCH", 2)
    for number in range(5):
        put(hospital, f"d{number}")
    for dry_run in (False, True):
        with pytest.raises(InputRefused, match="5 documents are more than 2 batches of 2 hold") as refusal:
            _plan("night", batch_size=1, most_batches=2, dry_run=dry_run)
        assert "AIRFLOW__CORE__MAX_MAP_LENGTH" in str(refusal.value)
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(0,)]
    assert _states(hospital) == {}
    assert len(_plan("night", batch_size=3, most_batches=2)) == 2, "a person may ask for larger ones"


def test_filters_keep_types_and_services(hospital: Database) -> None:
    put(hospital, "a", type_code="CRH")
    put(hospital, "b", type_code="ORD")
    put(hospital, "c", patient="P000002", type_code="ORD")
    _plan("types", document_types=["ORD"], services=["PNEU"])
    assert set(_states(hospital)) == {"c"}
    _plan("rest")
    assert set(_states(hospital)) == {"a", "b", "c"}


def test_a_dry_run_counts_and_leaves_the_documents_alone(hospital: Database) -> None:
    put(hospital, "a")
    put(hospital, "b", type_code="ORD")
    assert _plan("dry", dry_run=True, document_types=["ORD"], reason="essai") == []
    assert _plan("dry", dry_run=True) == []
    assert _states(hospital) == {}
    counts = "SELECT seen, planned, state, reason, finished_at IS NOT NULL FROM deid.run"
    assert hospital.rows(counts) == [(2, 1, "dry_run", "essai", True)]


@pytest.mark.parametrize(
    ("state", "run_state", "silent_s", "taken"),
    [
        ("planned", "planned", 0, False),
        ("detected", "planned", 60, False),
        ("validated", "planned", 8000, True),
        ("planned", "staged", 0, True),
        ("quarantined", "staged", 8000, False),
        ("staged", "staged", 8000, False),
        ("published", "published", 8000, False),
        ("superseded", "published", 0, True),
        ("withdrawn", "published", 0, True),
    ],
)
def test_who_may_take_a_document_over(
    hospital: Database, state: str, run_state: str, silent_s: int, taken: bool
) -> None:
    put(hospital, "a")
    _plan("first")
    hospital.rows("UPDATE deid.document SET state = %s", (state,))
    hospital.rows(
        "UPDATE deid.run SET state = %s, active_at = now() - make_interval(secs => %s)", (run_state, silent_s)
    )
    hospital.rows(
        "INSERT INTO deid.candidate (run_id, document_id, patient_id, text, spans, surrogates)"
        " VALUES (1, 'a', 'P000001', 'x', '[]', '[]')"
    )
    batches = _plan("second")
    assert _states(hospital)["a"] == (("planned", 2) if taken else (state, 1))
    assert batches == ([Batch(2, 1, 1)] if taken else [])
    assert hospital.rows("SELECT count(*) FROM deid.candidate") == [(0 if taken else 1,)]


def test_a_correction_and_a_new_pipeline_are_new_an_unchanged_document_is_not(hospital: Database) -> None:
    put(hospital, "a")
    put(hospital, "b")
    _plan("first")
    hospital.rows("UPDATE deid.document SET state = 'quarantined'")
    put(hospital, "a", "Un autre texte.", at=NIGHT + DAY)
    put(hospital, "b", at=NIGHT + DAY)  # touched, not changed
    assert _plan("second", start=NIGHT + DAY) == [Batch(2, 1, 1)]
    assert hospital.rows("SELECT document_id FROM deid.document WHERE run_id = 2") == [("a",)]
    hospital.rows("UPDATE deid.document SET state = 'published'")
    renewed = Versions("policy", "pipeline-2", "detector", KEY.version, KEY.fingerprint, {})
    assert _plan("third", start=NIGHT + DAY, versions=renewed) == [Batch(3, 1, 2)]


def test_what_the_source_withdrew_or_deleted_is_remembered_once_it_is_ours(hospital: Database) -> None:
    for name in ("kept", "opted_out", "opted_out_long_ago", "deleted", "refused"):
        put(hospital, name)
    _plan("first")
    hospital.rows("UPDATE deid.document SET state = 'published'")
    hospital.rows("UPDATE deid.document SET state = 'quarantined' WHERE document_id = 'refused'")
    put(hospital, "never_seen", at=NIGHT + DAY)
    withdraw(hospital, "never_seen", NIGHT + DAY)
    withdraw(hospital, "opted_out", NIGHT + DAY)
    withdraw(hospital, "refused", NIGHT + DAY)
    withdraw(hospital, "opted_out_long_ago", NIGHT)
    hospital.rows("DELETE FROM cdw.document WHERE document_id = 'deleted'")
    assert _plan("dry", start=NIGHT + DAY, dry_run=True) == []
    assert hospital.rows("SELECT count(*) FROM deid.withdrawal") == [(0,)]
    assert _plan("second", start=NIGHT + DAY) == []
    found = hospital.rows("SELECT document_id FROM deid.withdrawal WHERE run_id = 3 ORDER BY 1")
    assert found == [("deleted",), ("opted_out",), ("opted_out_long_ago",)]


def test_a_source_being_reloaded_does_not_empty_the_research_schema(
    hospital: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "VANISHED_FLOOR", 2)
    for number in range(6):
        put(hospital, f"d{number}")
    _plan("first")
    hospital.rows("UPDATE deid.document SET state = 'published'")
    hospital.rows("DELETE FROM cdw.document WHERE document_id IN ('d0', 'd1', 'd2')")
    with pytest.raises(ContractBroken, match="3 of the 6 documents"):
        _plan("second")
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(1,)]
    hospital.rows("DELETE FROM cdw.document")
    for number in range(6):
        put(hospital, f"d{number}", at=NIGHT + DAY)
        withdraw(hospital, f"d{number}", NIGHT + DAY)
    _plan("third", start=NIGHT + DAY)
    assert hospital.rows("SELECT count(*) FROM deid.withdrawal") == [(6,)]


def test_plans_side_by_side_share_no_document(hospital: Database) -> None:
    for number in range(40):
        put(hospital, f"d{number:02}", at=NIGHT + timedelta(hours=number))
    spans = [("a", NIGHT, 1), ("b", NIGHT, 2), ("c", NIGHT + DAY, 1), ("a", NIGHT, 1)]
    with ThreadPoolExecutor(len(spans)) as pool:
        results = list(pool.map(lambda span: _plan(span[0], start=span[1], days=span[2], batch_size=7), spans))
    assert results[0] == results[3]
    planned = hospital.rows("SELECT count(*), count(DISTINCT document_id) FROM deid.document")
    assert planned == [(40, 40)]
    assert sum(batch.documents for batches in results[:3] for batch in batches) == 40


def test_a_warehouse_that_is_down_leaves_no_run(hospital: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOCTURNE_READER_DSN", f"postgresql://nocturne_reader:x@127.0.0.1:{reserve_port()}/cdw")
    settings.cache_clear()
    with pytest.raises(WarehouseUnreachable, match="does not answer"):
        _plan("night")
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(0,)]


@pytest.mark.parametrize("wrong", [{"batch_size": 0}, {"trigger": ""}])
def test_a_request_that_cannot_be_served_is_refused(wrong: dict) -> None:
    with pytest.raises(InputRefused):
        _plan(**{"trigger": "night", **wrong})
