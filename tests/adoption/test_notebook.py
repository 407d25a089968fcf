"""The researchers' notebook, run cell by cell as `researcher` on a night and a linked table, against what is true."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import psycopg2
import pytest
import yaml

from deid.config.settings import settings
from tests import ROOT
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night
from tests.database.warehouse.small_hospital import LETTER, PAGE, open_hospital, put
from tests.unit.cli.conftest import Call, deid

__all__ = ["deid"]

NOTEBOOK = ROOT / "docs/fr/cahier-chercheur.ipynb"
TABLE = (
    "patient;sejour;preleve_le;code;valeur;unite\n"
    "P000001;S000001;2026-02-24;718-7;11,1;g/dL\n"
    "P000001;S000001;2026-02-26;718-7;12,2;g/dL\n"
    "P000001;S000001;2026-02-26;2160-0;82;µmol/L\n"
    "P000001;S000001;2026-03-02;718-7;13,3;g/dL\n"
)


@pytest.fixture
def hospital(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """Two notes of a stay, five days apart, one of an earlier stay of the same patient, one of another patient."""
    decide(monkeypatch, tmp_path)
    published = {"columns": ["sex", "age_class"], "services": {"CARD": "cardiologie", "PNEU": "pneumologie"}}
    path = tmp_path / "policy.yaml"
    path.write_text(path.read_text("utf-8") + yaml.safe_dump({"publication": published}), "utf-8")
    settings.cache_clear()
    open_hospital(deployed, opaque=True)
    stay = "('S000003', 'P000001', '250012345', 'CARD', 'Cardiologie', '2025-09-01', '2025-09-03')"
    deployed.rows(f"INSERT INTO cdw.stay VALUES {stay}")
    put(deployed, "entry", LETTER + "\nEntrée.", written_on="2026-02-25")
    put(deployed, "exit", LETTER + "\nSortie.", written_on="2026-03-02")
    put(deployed, "before", LETTER + "\nConsultation.", stay_id="S000003", written_on="2025-09-03")
    put(deployed, "page", PAGE, patient="P000002", format="text/html", written_on="2026-02-27")
    night("night")
    return deployed


def test_the_notebook_answers_three_questions(
    hospital: Database, deid: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "biologie.csv").write_text(TABLE, encoding="utf-8")
    command = (ROOT / "docs/fr/guide-chercheur.md").read_text("utf-8").partition("nocturne link ")[2].splitlines()[0]
    assert deid("link", *command.split()).status == 0, "the guide's command"
    monkeypatch.setenv("TABLE_RELIEE", str(tmp_path / "biologie-reliee.csv"))
    monkeypatch.setenv("NOCTURNE_RESEARCHER_DSN", hospital.dsn("researcher"))
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    assert [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"] == [[]] * 5, "no output"
    said: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), said)  # noqa: S102 - as a kernel runs it
    assert said["par_classe"] == [("50-89 ans", "cardiologie", 1, 3), ("50-89 ans", "pneumologie", 1, 1)]
    assert said["dans_un_sejour"] == [5], "exact"
    assert said["sejour"] == 400
    true = (date(2026, 2, 25) - date(2025, 9, 3)).days
    assert [abs(days) for days in said["entre_sejours"]] != [true], "spoilt, as the notebook says"
    assert sorted(said["a_cote"]) == [("11,1", 1), ("13,3", 0)]
    with pytest.raises(psycopg2.Error):
        said["lire"]("CREATE TABLE research.cohorte (n int)")
    said["base"].close()
