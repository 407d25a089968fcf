"""The contract `omop` on tables of the OMOP CDM 5.4 with the types of OHDSI, and the site tables of the page."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.database.queries import SQL
from deid.source.contract import Source, open_source
from deid.source.contract_check import check_source
from deid.source.extraction import read_contents, read_staff_rows
from nocturne_lab.hospital.evaluations import read_codes
from tests import ROOT
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night
from tests.database.warehouse.small_hospital import LETTER

PAGE = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
NIGHT = datetime(2026, 3, 2, 2, 30, tzinfo=UTC)
ROWS = """
INSERT INTO omop.location VALUES (1, '12 rue des Lilas', NULL, 'Dijon', NULL, '21000');
INSERT INTO omop.care_site VALUES (4, 'Cardiologie', 0, NULL, 'CARD');
INSERT INTO omop.provider VALUES
    (7, 'TREGUIER Yann', NULL, NULL, 0, 4, NULL, 0, '10001234567', 'médecin'),
    (8, 'Anne-Lise LE GOFF', NULL, NULL, 0, 4, NULL, 0, NULL, NULL),
    (9, 'Kerbrat, Camille', NULL, NULL, 0, 4, NULL, 0, NULL, NULL),
    (10, 'Jean Martin', NULL, NULL, 0, 4, NULL, 0, NULL, NULL);
INSERT INTO omop.person VALUES (12, 8532, 1961, 5, 14, NULL, 0, 0, 1), (13, 8507, 1948, 11, NULL, NULL, 0, 0, 1);
INSERT INTO omop.person_identity VALUES
    (12, 'VASSEROT', 'QUILLEC', '{Maëlys,Anne}', '03 80 11 22 33', NULL, NULL, '8001234567');
INSERT INTO omop.visit_occurrence VALUES
    (31, 12, 9201, '2026-02-25', NULL, '2026-03-02', NULL, 32817, 7, 4, '260012345');
INSERT INTO omop.note_arrival VALUES
    (100, '2026-03-02 02:30Z', NULL, 'CRH', 'text/plain'), (101, '2026-01-02 02:30Z', NULL, 'CRH', 'text/plain');
INSERT INTO omop.concept VALUES
    (1, 'Angine de poitrine', 'Condition', 'CIM10', 'ICD10 code', NULL, 'I20.9', '1970-01-01', '2099-12-31', NULL),
    (3, 'Discharge summary', 'Note', 'LOINC', 'Note Type', 'S', '34105-7', '1970-01-01', '2099-12-31', NULL),
    (2, 'Chest pain', 'Condition', 'SNOMED', 'Disorder', 'S', '29857009', '1970-01-01', '2099-12-31', NULL);
INSERT INTO omop.condition_occurrence VALUES
    (1, 12, 0, '2026-02-25', NULL, NULL, NULL, 32817, NULL, NULL, 7, 31, NULL, 'I10', 0),
    (2, 12, 2, '2026-02-25', NULL, NULL, NULL, 32817, 32908, NULL, 7, 31, NULL, 'R074', 2),
    (3, 12, 0, '2026-02-25', NULL, NULL, NULL, 32817, 32902, NULL, 7, 31, NULL, 'ANGOR', 1),
    (4, 12, 0, '2020-01-07', NULL, NULL, NULL, 32817, 32902, NULL, 7, NULL, NULL, 'Z000', 0);
"""


def test_a_site_of_omop_publishes_by_the_page(
    deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployed.rows((ROOT / "tests" / "adoption" / "omop.sql").read_text(encoding="utf-8"))
    (site_tables,) = re.findall(r"```sql\n(CREATE TABLE omop\.note_arrival.*?)```", PAGE, re.DOTALL)
    deployed.rows(site_tables + ROWS)
    deployed.rows(
        "INSERT INTO omop.note VALUES"
        " (100, 12, '2026-03-02', NULL, 32817, 3, 'Compte rendu', %s, 0, 0, 7, 31, NULL, 'DPI:118'),"
        " (101, 13, '2026-03-02', NULL, 32817, 0, 'Compte rendu', 'x', 0, 0, 7, NULL, NULL, 'DPI:119')",
        (LETTER,),
    )
    deployed.rows("GRANT USAGE ON SCHEMA omop TO nocturne_reader")
    deployed.rows("GRANT SELECT ON ALL TABLES IN SCHEMA omop TO nocturne_reader")
    assert r"sed -i 's/cdw\./omop./g'" in PAGE
    folder = tmp_path / "sources" / "chu"
    folder.mkdir(parents=True)
    for path in (SQL / "sources" / "omop").iterdir():
        (folder / path.name).write_text(path.read_text(encoding="utf-8").replace("cdw.", "omop."), encoding="utf-8")
    decide(monkeypatch, tmp_path)
    monkeypatch.setenv("NOCTURNE_SOURCES", str(folder.parent))
    monkeypatch.setenv("NOCTURNE_SOURCE", "chu")
    settings.cache_clear()
    assert check_source(Source("chu"), NIGHT, NIGHT + timedelta(days=1)).errors == []
    assert night("n", NIGHT)["published"] == 1
    ((ledger_id,),) = deployed.rows("SELECT document_id FROM deid.document")
    assert read_codes([ledger_id]) == {ledger_id: ("31", ("I20.9", "I10", "R074"))}
    read = "SELECT text, document_type, loinc_code FROM research.document"
    ((text, kind, loinc),) = deployed.rows(read, role="researcher")
    assert (kind, loinc) == ("CRH", "34105-7"), "the concept's code, not what the source wrote"
    with open_source("tests") as link:
        found = read_contents(link, Source("chu"), ["100", "101"])
        named = {row["last_name"]: row["first_name"] for row in read_staff_rows(link, Source("chu"))}
    assert (found["100"].patient.birth_date, found["101"].patient.birth_period) == (date(1961, 5, 14), "1948-11")
    assert found["101"].loinc_code is None
    assert named == {"TREGUIER": "Yann", "LE GOFF": "Anne-Lise", "Kerbrat": "Camille", "Martin": "Jean"}
    assert "bisoprolol 2,5 mg" in text
    assert not re.search("VASSEROT|Maëlys|TREGUIER|Lilas|Dijon|03 80 11 22 33", text)
