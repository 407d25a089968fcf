"""A table of laboratory values under the ids and dates of the published notes, on a real PostgreSQL."""

from __future__ import annotations

import csv
import re
from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from deid.config.keys import make_key, write_keyring
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.ledger import audit
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, oppose
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put
from tests.unit.cli.conftest import Call

HEADER = "ipp_entrepot;sejour;preleve_le;valide_le;code;valeur;prescripteur\n"
ROWS = """P000002;S000002;2026-02-27;;2160-0;82;TREGUIER Yann
P000001;S000001;2026-02-24T23:30:00Z;2026-03-02;718-7;13,2;TREGUIER Yann
P000009;S000009;2026-02-25;;718-7;11,0;TREGUIER Yann
P000001;S000001;2010-01-04;;718-7;12,8;TREGUIER Yann
P000001;S000001;vers midi;;718-7;12,1;TREGUIER Yann
P000001;;2026-01-15;;718-7;12,9;TREGUIER Yann
"""
# Of another time than the stay: 40 days before its first day, in reach of the letter.
EARLIER = "\nUn premier bilan avait été fait le 15/01/2026.\n"
KEEP = ("--keep", "code,valeur")
COLUMNS = ("--patient-column", "ipp_entrepot", "--stay-column", "sejour", "--date-columns", "preleve_le,valide_le")


@pytest.fixture
def hospital(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    decide(monkeypatch, tmp_path)
    open_hospital(deployed, opaque=True)
    put(deployed, "letter", LETTER + EARLIER)
    put(deployed, "page", PAGE, patient="P000002", format="text/html")
    night("night")
    return deployed


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "bio.csv"
    path.write_text(HEADER + ROWS, encoding="utf-8")
    return path


def linked(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def notes(hospital: Database) -> dict[str, tuple]:
    """Published rows by sex of the texts: "Madame", "Monsieur"."""
    rows = hospital.rows(
        "SELECT patient_id, person_id, stay_id, visit_occurrence_id, reference_date, text FROM research.document",
        role="researcher",
    )
    return {"Madame" if "Madame" in row[-1] else "Monsieur": row for row in rows}


def test_a_laboratory_value_has_the_ids_and_the_dates_of_the_notes(hospital: Database, table: Path, deid: Call) -> None:
    out = table.with_name("out.csv")
    said = deid("link", table, *COLUMNS, *KEEP, "--out", out)
    assert said.status == 1
    assert said.lines == [{"rows": 6, "linked": 3, "patients": 2, "columns_left_out": 1}]
    assert re.findall(r"\d+ ligne\(s\).* : ([\d, ]+)$", said.err, re.MULTILINE) == ["3", "4", "5"]
    rows, read = linked(out), notes(hospital)
    madame, monsieur = read["Madame"], read["Monsieur"]
    by_value = {row["valeur"]: row for row in rows}
    first, last = re.findall(r"du\s+(\d\d/\d\d/\d{4}) au (\d\d/\d\d/\d{4})", madame[-1])[0]
    (before,) = re.findall(r"bilan avait été fait le (\d\d/\d\d/\d{4})", madame[-1])
    told = {name: datetime.strptime(text, "%d/%m/%Y").date().isoformat() for name, text in
            {"first": first, "last": last, "before": before}.items()}  # fmt: skip
    assert by_value["13,2"]["preleve_le"] == told["first"] != "2026-02-25"
    assert by_value["13,2"]["valide_le"] == told["last"] == madame[4].isoformat()
    assert by_value["12,9"]["preleve_le"] == told["before"]
    for value, row in (("13,2", madame), ("82", monsieur)):
        ids = [by_value[value][name] for name in ("ipp_entrepot", "person_id", "sejour", "visit_occurrence_id")]
        assert ids == [str(cell) for cell in row[:4]]
    assert by_value["12,9"]["visit_occurrence_id"] == ""
    words = re.findall(r"le (\d{1,2}) (\w+) (\d{4})", monsieur[-1])
    assert int(words[0][0]) == date.fromisoformat(by_value["82"]["preleve_le"]).day
    assert [row["ipp_entrepot"] for row in rows] == sorted(row["ipp_entrepot"] for row in rows)


@pytest.mark.usefixtures("hospital")
def test_nothing_of_the_source_leaves_but_what_is_kept(table: Path, deid: Call) -> None:
    out = table.with_name("out.csv")
    said = deid("link", table, *COLUMNS, *KEEP, "--out", out)
    everything = out.read_text("utf-8") + said.out + said.err
    assert not re.search(r"P00000|S00000|TREGUIER|prescripteur|2026-02-2|08:30|vers midi", everything)
    with open_cursor("steward") as cursor:
        (line,) = [one for one in audit.list_lines(cursor) if one.action == "link_table"]
    assert dict(line.details) == {"rows": 6, "linked": 3, "patients": 2}


@pytest.mark.usefixtures("hospital")
def test_who_opted_out_or_was_published_otherwise_is_not_linked(
    table: Path, deid: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = table.with_name("out.csv")
    oppose("P000002")
    assert deid("link", table, *COLUMNS, *KEEP, "--out", out).lines[0]["patients"] == 1
    assert not [row for row in linked(out) if row["valeur"] == "82"]
    decide(monkeypatch, tmp_path, "{dates: {anchor_scale_days: 90}}")
    assert deid("link", table, *COLUMNS, *KEEP, "--out", out).lines[0]["linked"] == 0
    decide(monkeypatch, tmp_path, "{dates: {moves: day}}")
    said = deid("link", table, *COLUMNS, *KEEP, "--out", out)
    assert (said.status, "correspondance" in said.err) == (2, True)


def test_each_project_links_the_patients_of_its_part(
    hospital: Database, table: Path, deid: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_keyring(tmp_path / "partition", [make_key(1)])
    monkeypatch.setenv("NOCTURNE_PARTITION_SECRET_FILE", str(tmp_path / "partition"))
    policy, out, parts = tmp_path / "policy.yaml", table.with_name("out.csv"), []
    for take in (1, 2):
        decide(monkeypatch, tmp_path)
        policy.write_text(f"{policy.read_text('utf-8')}patients: {{of: 2, take: {take}}}\n", encoding="utf-8")
        settings.cache_clear()
        deid("link", table, *COLUMNS, *KEEP, "--out", out)
        parts.append({row["ipp_entrepot"] for row in linked(out)})
    assert parts[0].isdisjoint(parts[1])
    assert parts[0] | parts[1] == {row[0] for row in notes(hospital).values()}


def test_a_document_that_the_source_has_changed_since_maps_nothing(hospital: Database, table: Path, deid: Call) -> None:
    out = table.with_name("out.csv")
    put(hospital, "page", PAGE, patient="P000001", format="text/html")  # the page was filed under the wrong patient
    deid("link", table, *COLUMNS, *KEEP, "--out", out)
    assert [row["valeur"] for row in linked(out) if row["valeur"] == "82"] == []
    put(hospital, "letter", LETTER + "\nCorrigé.")
    assert deid("link", table, *COLUMNS, *KEEP, "--out", out).lines[0]["linked"] == 0


def test_two_stays_of_a_patient_each_move_their_own_values(hospital: Database, table: Path, deid: Call) -> None:
    hospital.rows(
        "INSERT INTO cdw.stay VALUES ('S000003', 'P000001', '260099999', 'CARD', 'Cardiologie', '2024-05-06',"
        " '2024-05-10')"
    )
    text = LETTER.replace("25/02/2026", "06/05/2024").replace("02/03/2026", "10/05/2024")
    put(hospital, "other", text, at=NIGHT + DAY, stay_id="S000003", written_on="2024-05-10")
    night("second", NIGHT + DAY)
    table.write_text(
        "ipp_entrepot,preleve_le\nP000001,2024-05-06\nP000001,2026-02-25\nP000001,2024-05-10\n", encoding="utf-8"
    )
    out = table.with_name("out.csv")
    asked = ("--patient-column", "ipp_entrepot", "--date-columns", "preleve_le")
    assert deid("link", table, *asked, "--out", out).status == 0
    texts = hospital.rows("SELECT text FROM research.document WHERE text LIKE '%%Madame%%'", role="researcher")
    told = {day for (text,) in texts for day in re.findall(r"du\s+(\S+) au (\S+) pour", text)[0]}
    with out.open(encoding="utf-8") as file:
        days = {datetime.fromisoformat(row["preleve_le"]).strftime("%d/%m/%Y") for row in csv.DictReader(file)}
    assert len(days) == 3
    assert days < told


def test_where_the_policy_publishes_no_stays_a_table_gives_none(
    hospital: Database, table: Path, deid: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = table.with_name("out.csv")
    decide(monkeypatch, tmp_path, "{labels: {NDA: {provider: mask}}}")
    with (tmp_path / "policy.yaml").open("a") as policy:
        policy.write("publication: {stay: drop}\n")
    said = deid("link", table, *COLUMNS, *KEEP, "--out", out)
    assert (said.status, "--stay-column" in said.err, out.exists()) == (2, True, False)
    put(hospital, "third", LETTER + "\nAutre.", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    assert deid("link", table, *COLUMNS[:2], *COLUMNS[4:], *KEEP, "--out", out).lines[0]["linked"] > 0
    assert "visit_occurrence_id" not in linked(out)[0]


def test_parquet_keeps_its_types(hospital: Database, table: Path, deid: Call) -> None:
    given, out = table.with_suffix(".parquet"), table.with_name("out.parquet")
    columns = {"patient": ["P000001", None], "day": [datetime(2026, 2, 25, 8, 30), None], "value": [13.2, 1.0]}
    parquet.write_table(pa.table(columns), given)
    asked = ("--patient-column", "patient", "--date-columns", "day", "--keep", "value", "--out", out)
    assert deid("link", given, *asked).status == 1
    read = parquet.read_table(out)
    assert read.schema.field("day").type == pa.date32()
    ((name, person),) = {row[:2] for row in notes(hospital).values() if "Madame" in row[-1]}
    assert read.select(["patient", "person_id", "value"]).to_pylist() == [
        {"patient": name, "person_id": person, "value": 13.2}
    ]


@pytest.mark.parametrize(
    ("content", "asked"),
    [
        ("ipp,d\nP000001,2026-02-25\n", ("--patient-column", "id", "--date-columns", "d")),
        ("ipp,d\nP000001,2026-02-25\n", ("--patient-column", "ipp", "--date-columns", "d", "--keep", "d")),
        ("ipp,d\nP000001,2026-02-25,1\n", ("--patient-column", "ipp", "--date-columns", "d")),
        ("ipp,person_id\nP000001,3\n", ("--patient-column", "ipp", "--keep", "person_id")),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_whole(
    tmp_path: Path, deid: Call, content: str, asked: tuple[str, ...]
) -> None:
    given, out = tmp_path / "t.csv", tmp_path / "out.csv"
    given.write_text(content, encoding="utf-8")
    said = deid("link", given, *asked, "--out", out)
    assert (said.status, out.exists(), "P000001" in said.err) == (2, False, False)
