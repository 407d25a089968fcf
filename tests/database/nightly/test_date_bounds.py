"""Nights whose texts tell of days before they may be read, whatever the order in which their intervals are filled."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from deid.config.policy import Visible, period_around
from deid.config.settings import settings
from deid.domain.document import Document, Patient, Stay
from deid.ledger.date_bounds import keep_date_bounds, read_date_bounds
from deid.nightly import runtime
from tests.conftest import Database, Deploy
from tests.database.warehouse.nights import night, reasons
from tests.database.warehouse.small_hospital import DAY, NIGHT, open_hospital, put

PATIENTS = 12
LATER = NIGHT + 20 * DAY
TODAY = datetime.now(UTC).date()
LONG_AGO = datetime(2026, 3, 10, tzinfo=UTC)
NOTE = """Compte rendu d'hospitalisation

Monsieur Célestin BROUSTET a été hospitalisé du {first:%d/%m/%Y} au {last:%d/%m/%Y} pour une douleur thoracique, déjà
notée le {before:%d/%m/%Y}. Le bilan biologique du {last:%d/%m/%Y} est sans particularité, le rythme est régulier.
"""
DATES = re.compile(r"\b(\d\d)/(\d\d)/(\d{4})\b")


def put_notes(database: Database) -> None:
    """Two notes of one stay for each of some patients, which ended yesterday and arrived in two intervals."""
    open_hospital(database)
    first, last = TODAY - timedelta(days=8), TODAY - timedelta(days=1)
    for at in range(PATIENTS):
        key, stay = f"Q{at:06d}", f"T{at:06d}"
        known = (key, f"80099{at:05d}", "BROUSTET", None, ["Célestin"], "M", date(1948, 11, 2))
        database.rows("INSERT INTO cdw.patient VALUES (%s, %s, %s, %s, %s, %s, %s)", known)
        database.rows(
            "INSERT INTO cdw.stay VALUES (%s, %s, %s, 'CARD', 'Cardiologie', %s, %s)",
            (stay, key, f"2600{at:05d}", first, last),
        )
        for number, at_night in ((1, NIGHT), (2, LATER)):
            written = first + timedelta(days=number)
            text = NOTE.format(first=first, last=written, before=first - timedelta(days=300))
            put(database, f"{key}-{number}", text, patient=key, stay_id=stay, written_on=written, at=at_night)  # type: ignore[arg-type]


def put_notes_again(database: Database) -> None:
    """Correct every note, a day later: its dates stay."""
    database.rows(
        "UPDATE cdw.document SET content = content || convert_to('Suites simples.', 'UTF8'), ingested_at = %s",
        (LATER + DAY,),
    )


@pytest.fixture
def hospital(deploy: Deploy) -> Database:
    """A hospital of recent stays."""
    return deploy(put_notes)


def readable(hospital: Database) -> dict[str, tuple[str, date]]:
    """Text and date of each document that researchers read."""
    rows = hospital.rows("SELECT document_id, text, reference_date FROM research.document", role="researcher")
    return {document: (text, on) for document, text, on in rows}


def days_in(text: str) -> list[date]:
    return [date(int(year), int(month), int(day)) for day, month, year in DATES.findall(text)]


def test_no_date_of_the_past_comes_after_the_day_on_which_a_text_may_be_read(hospital: Database) -> None:
    night("first")
    night("second", LATER)
    found = readable(hospital)
    assert len(found) == 2 * PATIENTS, reasons(hospital)
    last = period_around("weekly", TODAY)[0] - timedelta(days=1)
    assert max(day for text, on in found.values() for day in (*days_in(text), on)) <= last
    # The same draws without a last day: some would lie in the future.
    free, stay = runtime.substitutor(), Stay(TODAY - timedelta(days=8), TODAY - timedelta(days=1))
    alone = (Document("a", "Vu ce jour.", Patient(f"Q{at:06d}"), stay.last, stay=stay) for at in range(PATIENTS))
    assert any((on := free.substitute(one, ()).reference_date) and on > TODAY for one in alone)


def test_a_backfill_in_another_order_publishes_the_same(deploy: Deploy) -> None:
    orders = []
    for starts in ((NIGHT, LATER), (LATER, NIGHT)):
        hospital = deploy(put_notes)
        for start in starts:
            night(f"night {start}", start)
        orders.append(readable(hospital))
    assert orders[0] == orders[1]
    assert len(orders[0]) == 2 * PATIENTS


def test_what_was_first_substituted_long_ago_keeps_its_last_day(hospital: Database) -> None:
    documents = [
        Document(
            f"Q{at:06d}-1",
            "",
            Patient(f"Q{at:06d}", birth_date=date(1948, 11, 2)),
            TODAY - timedelta(days=7),
            stay=Stay(TODAY - timedelta(days=8), TODAY - timedelta(days=1)),
        )
        for at in range(PATIENTS)
    ]
    before = keep_date_bounds(documents, "monthly", LONG_AGO)
    assert {one.bounds and one.bounds.until for one in before} == {date(2026, 2, 28)}
    assert keep_date_bounds(documents, "weekly") == read_date_bounds(documents) == before
    night("first")
    night("second", LATER)
    found = readable(hospital)
    assert max(day for text, on in found.values() for day in (*days_in(text), on)) <= date(2026, 2, 28)
    put_notes_again(hospital)
    night("again", LATER + DAY)
    again = readable(hospital)
    assert all("Suites simples" in text for text, _ in again.values())
    dates = [{key: (days_in(text), on) for key, (text, on) in one.items()} for one in (found, again)]
    assert dates[0] == dates[1]


@pytest.mark.usefixtures("hospital")
def test_two_workers_agree_on_a_last_day() -> None:
    document = Document("a", "", Patient("shared"), TODAY)
    moments = [LONG_AGO + timedelta(days=31 * at) for at in range(8)]
    with ThreadPoolExecutor(4) as pool:
        kept = list(pool.map(lambda now: keep_date_bounds([document], "monthly", now)[0].bounds, moments))
    assert len(set(kept)) == 1
    assert read_date_bounds([document])[0].bounds == kept[0]
    assert read_date_bounds([replace(document, patient=Patient("unknown"))])[0].bounds is None


def test_a_last_day_names_nobody(hospital: Database) -> None:
    night("first")
    rows = hospital.rows("SELECT digest, latest FROM deid.date_bound")
    assert len(rows) == 2 * PATIENTS  # a stay and a birth date each
    assert all(re.fullmatch(r"[0-9a-f]{16}", digest) for digest, _ in rows)
    assert settings().key.hex() not in str(rows)


@pytest.mark.parametrize(
    ("period", "first", "last"),
    [
        ("nightly", "2026-11-26", "2026-11-26"),
        ("weekly", "2026-11-23", "2026-11-29"),
        ("monthly", "2026-11-01", "2026-11-30"),
    ],
)
def test_a_period_holds_its_day(period: Visible, first: str, last: str) -> None:
    assert period_around(period, date(2026, 11, 26)) == (date.fromisoformat(first), date.fromisoformat(last))
