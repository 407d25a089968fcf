"""A patient's account on a real PostgreSQL: what counts, once, and what a limit keeps out, whatever comes first."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.config.settings import settings
from deid.ledger.steps import list_patient_totals, past_limit
from deid.publication.publish import publish_interval
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, process, reasons, states
from tests.database.warehouse.small_hospital import DAY, NIGHT, open_hospital, put, withdraw

# Each letter tells one date of its own and its own day: 1/180 and 1/200 nat, under the policy that ships.
LETTER = """Compte rendu de consultation

Madame Maëlys VASSEROT est venue pour une douleur thoracique qui dure depuis le {day:02d}/01/2026. L'examen retrouve
une tension artérielle normale et un rythme régulier. Le bilan biologique est sans particularité, et elle sort avec
un traitement par bisoprolol. Elle sera revue dans le service en cas de besoin.
"""
ONE = 1 / 180 + 0.005


@pytest.fixture
def hospital(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    decide(monkeypatch, tmp_path)
    open_hospital(deployed)
    return deployed


def _limit(monkeypatch: pytest.MonkeyPatch, folder: Path, letters: int) -> None:
    """Bound a patient's account to a number of letters."""
    decide(monkeypatch, folder, f"{{max_epsilon_per_patient: {ONE * letters + 0.001}}}")


def _letter(hospital: Database, name: str, day: int, **columns: object) -> None:
    put(hospital, name, LETTER.format(day=day), written_on=date(2026, 2, day), **columns)


def _admitted(hospital: Database) -> set[str]:
    return {name for name, state in states(hospital).items() if state in ("staged", "published")}


def test_the_ledger_counts_what_is_published(hospital: Database) -> None:
    for day in (3, 4, 5):
        _letter(hospital, f"l{day}", day)
    interval = process("night")["interval_key"]
    assert list_patient_totals() == []
    publish_interval(interval)
    assert list_patient_totals() == [(3, pytest.approx(3 * ONE))]


def test_what_is_published_again_counts_once(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same content under another policy that draws alike, and back from a withdrawal."""
    _letter(hospital, "l3", 3)
    night("first")
    texts = hospital.rows("SELECT document_id, text FROM deid.published_document")
    decide(monkeypatch, tmp_path, "{max_epsilon_per_document: 30}")
    assert night("second")["published"] == 1
    assert hospital.rows("SELECT document_id, text FROM deid.published_document") == texts
    withdraw(hospital, "l3", NIGHT + DAY)
    night("third", NIGHT + DAY)
    hospital.rows("UPDATE cdw.document SET withdrawn_at = NULL, ingested_at = %s", (NIGHT + 2 * DAY,))
    assert night("fourth", NIGHT + 2 * DAY)["published"] == 1
    assert hospital.rows("SELECT count(*) > 2 FROM deid.budget WHERE published") == [(True,)]
    assert list_patient_totals() == [(1, pytest.approx(ONE))]


@pytest.mark.parametrize(
    "change", ["{dates: {strategy: episodes, anchor_scale_days: 180, episode_epsilon: 0.05}}", "new key"]
)
def test_what_is_drawn_anew_counts_anew(
    change: str, hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _letter(hospital, "l3", 3)
    night("first")
    if change == "new key":
        monkeypatch.setenv("NOCTURNE_SECRET", f"1:{settings().key.hex()},2:{bytes(range(32)).hex()}")
        settings.cache_clear()
        second = ONE
    else:
        decide(monkeypatch, tmp_path, change)
        second = 0.05  # the patient's shift does not depend on it, and is the same
    night("second")
    assert list_patient_totals() == [(1, pytest.approx(ONE + second))]


def test_past_the_limit_the_latest_documents_are_held_back(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _limit(monkeypatch, tmp_path, 2)
    for day in (9, 3, 6):
        _letter(hospital, f"l{day}", day)
    _letter(hospital, "other", 20, patient="P000002")
    staged = process("night")
    assert (staged["staged"], staged["quarantined"]) == (3, 1)
    assert reasons(hospital) == {"l9": ("stage", "budget_exceeded")}
    assert hospital.rows("SELECT count(*) FROM deid.candidate WHERE document_id = 'l9'") == [(0,)]
    publish_interval(staged["interval_key"])
    assert _admitted(hospital) == {"l3", "l6", "other"}
    assert [round(epsilon, 3) for _, epsilon in list_patient_totals()] == [round(2 * ONE, 3), round(ONE, 3)]


@pytest.mark.parametrize("order", list(permutations((3, 6, 9))))
@pytest.mark.parametrize("batch_size", [1, 10])
def test_neither_arrival_nor_batches_decide_who_is_held_back(
    order: tuple[int, ...], batch_size: int, hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _limit(monkeypatch, tmp_path, 1)
    for place, day in enumerate(order):
        _letter(hospital, f"l{day}", day, at=NIGHT + timedelta(minutes=place))
    process("night", batch_size=batch_size)
    assert _admitted(hospital) == {"l3"}


def test_a_second_closing_and_a_backfill_change_nothing(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _limit(monkeypatch, tmp_path, 2)
    for day in (3, 6, 9):
        _letter(hospital, f"l{day}", day)
    night("night")
    before = states(hospital)
    assert night("again")["published"] == 0
    assert process("backfill", reason="reprise")["planned"] == 0
    assert states(hospital) == before


def test_later_nights_count_earlier_ones(hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what waits for approval; and what was spent stays spent after a withdrawal."""
    _limit(monkeypatch, tmp_path, 2)
    _letter(hospital, "l8", 8)
    night("first")
    _letter(hospital, "l9", 9, at=NIGHT + DAY)
    process("second", NIGHT + DAY)
    withdraw(hospital, "l8", NIGHT + 2 * DAY)
    _letter(hospital, "l3", 3, at=NIGHT + 2 * DAY)  # older than both, but they are out or waiting already
    process("third", NIGHT + 2 * DAY)
    assert reasons(hospital) == {"l3": ("stage", "budget_exceeded")}
    assert states(hospital)["l9"] == "staged"


def test_a_raised_limit_lets_them_through(hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _limit(monkeypatch, tmp_path, 1)
    for day in (3, 6):
        _letter(hospital, f"l{day}", day)
    night("first")
    assert _admitted(hospital) == {"l3"}
    _limit(monkeypatch, tmp_path, 2)
    night("second")
    assert _admitted(hospital) == {"l3", "l6"}
    assert list_patient_totals() == [(2, pytest.approx(2 * ONE))]


COSTS = st.lists(st.integers(0, 40), max_size=12)


@given(costs=COSTS, before=st.integers(0, 60), limit=st.integers(1, 100))
def test_no_account_passes_its_limit_and_nothing_that_fits_is_refused(
    costs: list[int], before: int, limit: int
) -> None:
    quarter = Fraction(1, 4)
    accounts = [("p", f"d{n}", before * quarter, cost * quarter) for n, cost in enumerate(costs)]
    refused = past_limit(accounts, limit * quarter)
    total = before
    for name, cost in zip((account[1] for account in accounts), costs, strict=True):
        fits = cost == 0 or total + cost <= limit
        assert (name in refused) is not fits
        total += cost if fits else 0
    assert total <= max(before, limit)
