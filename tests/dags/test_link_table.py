"""A table linked through the DAG: the ids and dates of the published notes, counts alone in Airflow."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from deid.config.settings import settings
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night
from tests.database.warehouse.small_hospital import open_hospital, put

TABLE = """patient;sejour;preleve_le;code;valeur;prescripteur
P000001;S000001;2026-02-26;718-7;12,2;TREGUIER Yann
P000001;S000001;hier;718-7;12,1;TREGUIER Yann
P000009;S000009;2026-02-26;718-7;11,0;TREGUIER Yann
"""


def test_a_table_given_in_the_exchange_folder_is_linked(
    deployed: Database, play: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(monkeypatch, tmp_path)
    given = tmp_path / "exchange" / "tables" / "given"
    given.mkdir(parents=True, mode=0o700)
    (given / "biologie.csv").write_text(TABLE, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_EXCHANGE_FOLDER", str(tmp_path / "exchange"))
    settings.cache_clear()
    open_hospital(deployed)
    put(deployed, "letter")
    night("night")
    asked = {"stay_column": "sejour", "date_columns": ["preleve_le"], "keep": ["code", "valeur"]}
    ended = play("link_table", **asked)
    assert (ended.state, ended.steps) == ("success", {"link": ["success"]})
    with (tmp_path / "exchange" / "tables" / "linked" / "biologie.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file, delimiter=";")
    ids = "SELECT patient_id, stay_id, person_id::text, visit_occurrence_id::text FROM research.document"
    assert deployed.rows(ids) == [
        tuple(row[name] for name in ("patient", "sejour", "person_id", "visit_occurrence_id"))
    ]
    assert (row["code"], row["valeur"], "prescripteur" in row) == ("718-7", "12,2", False)
    told = "SELECT details FROM deid.audit WHERE action = 'link_table'"
    assert deployed.rows(told) == [({"rows": 3, "linked": 1, "patients": 1},)]
    assert play("link_table", **{**asked, "keep": ["medecin"]}).state == "failed"
