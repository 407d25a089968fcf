"""Source contracts: what they give, and what is said when they no longer do."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.domain import PARIS
from deid.domain.document import Stay
from deid.domain.errors import ContractBroken, SettingsError
from deid.source import contract, extraction
from deid.source.contract import CONTRACT, Source, open_source
from deid.source.extraction import (
    Listed,
    list_documents,
    present_documents,
    read_contents,
    read_staff_rows,
    version_hash,
)
from deid.source.links import SourceLink
from tests.conftest import Database
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw


@pytest.fixture
def hospital(deployed: Database) -> Database:
    open_hospital(deployed)
    return deployed


@pytest.fixture
def own_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hospital's own copy of the eHOP-like contract, to be broken."""
    shipped = contract.SQL / "sources" / "ehop"
    folder = tmp_path / "contracts" / "mine"
    folder.mkdir(parents=True)
    for path in shipped.iterdir():
        (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_SOURCES", str(folder.parent))
    settings.cache_clear()
    return folder


def test_the_omop_contract_gives_the_same_documents(hospital: Database) -> None:
    put(hospital, "D000001", title="Compte rendu")
    put(hospital, "D000002", PAGE, patient="P000002", format="text/html", at=NIGHT + timedelta(hours=1))
    put(hospital, "D000003", "Fièvre.".encode("latin-1"), charset="latin1", patient=None, at=NIGHT + timedelta(hours=2))
    put(hospital, "D000010", b"\xff\xfe", at=NIGHT + timedelta(hours=3))
    withdraw(hospital, "D000003", NIGHT + timedelta(hours=2))
    with open_source("tests") as link:
        omop, ehop = (list(_pages(link, name)) for name in ("omop", "ehop"))
        assert [row.document_id for row in omop] == ["1", "2", "3", "10"]
        for ours, theirs in zip(omop, ehop, strict=True):
            assert (ours.ingested_at, ours.withdrawn) == (theirs.ingested_at, theirs.withdrawn)
            assert (ours.document_type, ours.service) == (theirs.document_type, theirs.service)
        assert [row.patient_id for row in omop] == ["1", "2", None, "1"]
        assert present_documents(link, Source("omop"), ["1", "2", "3", "4"]) == {"1": "1", "2": "2"}
        found = read_contents(link, Source("omop"), ["1", "2", "3", "10"])
        expected = read_contents(link, Source("ehop"), ["D000001", "D000002"])
        professionals = read_staff_rows(link, Source("omop"))
    assert found["3"].content.decode() == "Fièvre."
    assert found["10"].content == b""
    for number, name in (("1", "D000001"), ("2", "D000002")):
        ours, theirs = found[number], expected[name]
        assert replace(ours.patient, key=None) == replace(theirs.patient, key=None)
        assert ours.patient_id == ours.patient.key == number
        for field in ("content", "format", "title", "loinc_code", "document_type", "reference_date"):
            assert getattr(ours, field) == getattr(theirs, field)
    assert [(one["first_name"], one["last_name"]) for one in professionals] == [("Yann", "TREGUIER")]


def test_a_stay_that_begins_during_another_gives_the_dates_of_the_first(hospital: Database) -> None:
    """Three stays that overlap in a row have the dates of the first, in either contract; a later one has its own."""
    hospital.rows(
        """INSERT INTO cdw.stay VALUES
        ('S000003', 'P000001', '260012346', 'CARD', 'Cardiologie', '2026-02-28', '2026-03-10'),
        ('S000004', 'P000001', '260012347', 'CARD', 'Cardiologie', '2026-03-05', '2026-03-06'),
        ('S000005', 'P000001', '260012348', 'CARD', 'Cardiologie', '2026-03-11', NULL),
        ('S000006', 'P000001', '260012349', 'CARD', 'Cardiologie', '2026-03-20', '2026-03-21')""",
        role="owner",
    )
    names = [f"D00000{number}" for number in range(1, 7)]
    for number, name in enumerate(names, 1):
        put(hospital, name, patient="P000002" if number == 2 else "P000001", stay_id=f"S00000{number}")
    first = Stay(date(2026, 2, 25), date(2026, 3, 2))
    going_on = Stay(date(2026, 3, 11))
    with open_source("tests") as link:
        ehop = read_contents(link, Source("ehop"), names)
        omop = read_contents(link, Source("omop"), list("12345"))
    assert [ehop[name].stay for name in names] == [first, Stay(date(2026, 2, 27)), first, first, going_on, going_on]
    # An open visit of OMOP ends on its first day, so that nothing goes on from it.
    for number in "12345":
        ours, theirs = omop[number].stay, ehop[f"D00000{number}"].stay
        assert ours is not None
        assert theirs is not None
        assert ours.first == theirs.first


def _pages(link: SourceLink, source: str) -> Iterator[Listed]:
    for page in list_documents(link, Source(source), NIGHT, NIGHT + DAY):
        yield from page


def _listed(source: str = "ehop") -> list[str]:
    with open_source("tests") as link:
        return [row.document_id for page in list_documents(link, Source(source), NIGHT, NIGHT + DAY) for row in page]


def test_the_interval_is_half_open(hospital: Database) -> None:
    for name, shift in {"before": -1, "start": 0, "last": 86_399, "end": 86_400}.items():
        put(hospital, name, at=NIGHT + timedelta(seconds=shift))
    assert _listed() == ["start", "last"]


@pytest.mark.parametrize("changes", [date(2026, 3, 29), date(2026, 10, 25)], ids=["spring", "autumn"])
@pytest.mark.parametrize("local", [False, True], ids=["instants", "local times"])
def test_a_night_that_ends_where_the_clock_changes_loses_and_repeats_nothing(
    hospital: Database, own_source: Path, changes: date, local: bool
) -> None:
    """Bounds in the zone of Paris; local times lack an hour in spring, and show one twice in autumn."""
    if local:
        plan = own_source / "plan.sql"
        text = plan.read_text(encoding="utf-8")
        read = "(timezone('Europe/Paris', x.ingested_at) AT TIME ZONE 'Europe/Paris') AS ingested_at"
        columns = "x.document_id, x.content, x.patient_id, x.stay_id, x.type_code, x.withdrawn_at"
        shown = f"FROM (SELECT {columns}, {read} FROM cdw.document AS x) AS d"
        plan.write_text(text.replace("FROM cdw.document AS d", shown), encoding="utf-8")
    midnight = datetime.combine(changes, time(), UTC)
    names = [f"d{quarter:02}" for quarter in range(16)]
    for quarter, name in enumerate(names):
        put(hospital, name, at=midnight + timedelta(minutes=15 * quarter))
    with open_source("tests") as link:
        for quarter in range(17):
            bound = (midnight + timedelta(minutes=15 * quarter)).astimezone(PARIS)
            nights = [(midnight - DAY, bound), (bound, midnight + DAY)]
            pages = [page for start, end in nights for page in list_documents(link, Source("mine"), start, end)]
            assert sorted(row.document_id for page in pages for row in page) == names


def test_pages_meet_without_loss_or_repeat(hospital: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "PAGE", 3)
    for number in range(10):
        put(hospital, f"d{number}", at=NIGHT + timedelta(seconds=number // 4))  # several share one instant
    assert _listed() == [f"d{number}" for number in range(10)]


def test_a_listed_document_has_its_digest_filters_and_withdrawal(hospital: Database) -> None:
    put(hospital, "kept")
    put(hospital, "gone")
    withdraw(hospital, "gone", NIGHT)
    with open_source("tests") as link:
        gone, kept = next(list_documents(link, Source("ehop"), NIGHT, NIGHT + DAY))
        assert present_documents(link, Source("ehop"), ["kept", "gone", "never"]) == {"kept": "P000001"}
    assert (gone.withdrawn, kept.withdrawn) == (True, False)
    assert (kept.document_type, kept.service) == ("CRH", "CARD")
    content = hashlib.sha256(LETTER.encode()).hexdigest()
    assert kept.content_hash == version_hash(content, "P000001") != version_hash(content, "P000002")


def test_contents_carry_the_patient_and_leave_unknowns_out(hospital: Database) -> None:
    put(hospital, "one")
    put(hospital, "two", "", patient="P000002")
    with open_source("tests") as link:
        found = read_contents(link, Source("ehop"), ["two", "one", "never"])
    assert set(found) == {"one", "two"}
    assert found["one"].content.decode() == LETTER
    assert found["one"].reference_date == date(2026, 3, 2)
    patient = found["one"].patient
    assert (patient.key, patient.last_name, patient.birth_name) == ("P000001", "VASSEROT", "QUILLEC")
    assert (patient.first_names, patient.phones) == (("Maëlys", "Anne"), ("03 80 11 22 33",))
    assert (patient.nda, patient.birth_date) == ("260012345", date(1961, 5, 14))
    assert found["two"].content == b""
    assert found["two"].patient.addresses == ()
    assert found["two"].patient.phones == ("06 12 34 56 78",)
    assert found["two"].patient.nir is None


@pytest.mark.usefixtures("hospital")
def test_staff_have_the_columns_of_the_contract() -> None:
    with open_source("tests") as link:
        (professional,) = read_staff_rows(link, Source("ehop"))
    assert set(professional) == set(CONTRACT["staff"])
    assert professional["last_name"] == "TREGUIER"


@pytest.mark.parametrize("step", CONTRACT)
def test_a_column_that_the_warehouse_dropped_is_named_with_the_file(hospital: Database, step: str) -> None:
    columns = {"plan": "type_code", "present": "withdrawn_at", "contents": "loinc_code", "staff": "rpps"}
    column = {**columns, "merges": "merged_into", "codes": "code"}[step]
    table = {"staff": "staff", "merges": "patient_merge", "codes": "diagnosis"}.get(step, "document")
    hospital.rows(f"ALTER TABLE cdw.{table} RENAME COLUMN {column} TO renamed")
    with (
        open_source("tests") as link,
        pytest.raises(ContractBroken, match=rf"sql/sources/ehop/{step}\.sql:\d+: the column .*{column} does not exist"),
    ):
        Source("ehop").verify(link, step)


def test_a_table_that_is_gone_or_forbidden_is_said(hospital: Database) -> None:
    hospital.rows("REVOKE SELECT ON cdw.document FROM nocturne_reader")
    with pytest.raises(ContractBroken, match="the reader role lacks SELECT"):
        _listed()
    hospital.rows("DROP TABLE cdw.document CASCADE")
    with pytest.raises(ContractBroken, match=r"table cdw\.document does not exist"):
        _listed()


@pytest.mark.usefixtures("hospital")
@pytest.mark.parametrize(
    ("find", "put_instead", "said"),
    [
        ("AS service", "AS ward", "the query does not give the column service"),
        (
            "d.type_code AS document_type",
            "42 AS document_type",
            "a column is not of the expected type: document_type text",
        ),
        (
            "d.ingested_at,",
            "d.ingested_at::timestamp,",
            "a column is not of the expected type: ingested_at timestamptz",
        ),
        ("SELECT", "SELEC", "the server refuses the query near"),
    ],
)
def test_a_query_that_breaks_the_contract_is_named(own_source: Path, find: str, put_instead: str, said: str) -> None:
    query = own_source / "plan.sql"
    text = query.read_text(encoding="utf-8")
    assert find in text
    query.write_text(text.replace(find, put_instead, 1), encoding="utf-8")
    with pytest.raises(ContractBroken, match=rf"{own_source}/plan\.sql(:\d+)?: {said}"):
        _listed("mine")


def test_pages_out_of_order_are_refused_since_they_would_lose_documents(hospital: Database, own_source: Path) -> None:
    query = own_source / "plan.sql"
    text = query.read_text(encoding="utf-8").replace("ORDER BY d.ingested_at", "ORDER BY d.ingested_at DESC")
    query.write_text(text, encoding="utf-8")
    put(hospital, "a")
    put(hospital, "b", at=NIGHT + timedelta(hours=1))
    with pytest.raises(ContractBroken, match="not ordered"):
        _listed("mine")


def test_an_unknown_or_incomplete_source_names_what_there_is(own_source: Path) -> None:
    with pytest.raises(SettingsError, match="one of ehop, export_folder, mine, omop"):
        Source("theirs")
    (own_source / "staff.sql").unlink()
    with pytest.raises(SettingsError, match=r"lacks .*staff\.sql"):
        Source("mine")


def test_a_source_outside_the_code_is_read_beside_those_that_ship(hospital: Database, own_source: Path) -> None:
    put(hospital, "one")
    assert _listed("mine") == _listed("ehop") == ["one"]
    own_source.rename(own_source.with_name("ehop"))
    (own_source.with_name("ehop") / "present.sql").write_text("SELECT '' AS document_id, '' AS patient_id WHERE false")
    with open_source("tests") as link:
        assert present_documents(link, Source("ehop"), ["one"]) == {}, "the hospital's own comes first"


def test_a_folder_of_sources_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOCTURNE_SOURCES", str(tmp_path / "gone"))
    settings.cache_clear()
    with pytest.raises(SettingsError, match=r"NOCTURNE_SOURCES: .*gone is no folder"):
        Source("ehop")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1961-05-14", (date(1961, 5, 14), None)),
        ("1961-05", (None, "1961-05")),
        ("1961", (None, "1961")),
        ("inconnue", (None, None)),
    ],
)
def test_a_birth_date_may_be_text_and_partial(
    hospital: Database, own_source: Path, written: str, expected: tuple[object, object]
) -> None:
    put(hospital, "one")
    contents = own_source / "contents.sql"
    query = contents.read_text(encoding="utf-8")
    assert "p.birth_date," in query
    contents.write_text(query.replace("p.birth_date,", f"'{written}'::text AS birth_date,"), encoding="utf-8")
    with open_source("tests") as link:
        patient = read_contents(link, Source(own_source.name), ["one"])["one"].patient
    assert (patient.birth_date, patient.birth_period) == expected
    assert patient.last_name == "VASSEROT"
