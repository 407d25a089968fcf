"""The corpus of distant supervision from a warehouse, under the ledger's ids."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deid.cli import app, lines
from deid.database.connection import connect
from deid.ledger import audit
from nocturne_lab.evaluation.corpus import load_corpus
from tests.conftest import Database
from tests.database.warehouse.small_hospital import NIGHT, PAGE, open_hospital, put, withdraw

SINCE = (NIGHT - timedelta(days=1)).date().isoformat()
COMMAND = ["annotations", "distant", "--warehouse", SINCE, "--out", "c"]
WRITTEN = ["annotations", "documents", "lettres.jsonl", "--since", SINCE]


def test_a_corpus_of_the_warehouse(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_hospital(deployed, opaque=True)
    put(deployed, "D000001")
    put(deployed, "D000002", PAGE, patient="P000002", format="text/html", at=NIGHT + timedelta(hours=1))
    put(deployed, "D000003", patient=None, at=NIGHT + timedelta(hours=2))
    put(deployed, "D000004", at=NIGHT + timedelta(hours=3))
    withdraw(deployed, "D000004", NIGHT + timedelta(hours=4))
    put(deployed, "D000005", at=NIGHT - timedelta(days=30))
    said = CliRunner().invoke(app, COMMAND)
    assert said.exit_code == 1  # a document without a patient
    assert "D000003" in said.stderr
    corpus = {one.document.id: one for one in load_corpus(tmp_path / "c")}
    ids = _ids(deployed, "document")
    assert corpus.keys() == {ids["D000001"], ids["D000002"]}
    assert {one.document.patient.key for one in corpus.values()} == set(_ids(deployed, "patient").values())
    page = corpus[ids["D000002"]]
    assert page.document.service == "PNEU"
    assert page.document.reference_date is not None
    assert "<b>" not in page.document.text
    found = {(page.document.text[one.start : one.end], str(one.label)) for one in page.mentions}
    assert {("Célestin BROUSTET", "PATIENT"), ("Besançon", "CITY"), ("27 février 2026", "DATE")} <= found

    deployed.rows(
        "INSERT INTO deid.opt_out (patient_id, asked_by) VALUES (%s, 'test')",
        (_ids(deployed, "patient")["P000001"],),
    )
    CliRunner().invoke(app, COMMAND)
    assert [one.document.id for one in load_corpus(tmp_path / "c")] == [ids["D000002"]]

    put(deployed, "D000006", b"\xff\xfe\x00", patient="P000002")
    said = CliRunner().invoke(app, [*WRITTEN, "--reason", "premier modèle"])
    assert said.exit_code == 1, "one of the documents is no text"
    assert _ids(deployed, "document")["D000006"] in said.stderr
    (line,) = (tmp_path / "lettres.jsonl").read_text(encoding="utf-8").splitlines()
    given = lines.read_incoming(json.loads(line)).document
    assert (given.id, given.text, given.service) == (page.document.id, page.document.text, "PNEU")
    assert given.patient.last_name == "BROUSTET"
    assert given.stay is not None
    with connect(deployed.dsn("steward")) as link, link.cursor() as cursor:
        (recorded,) = audit.list_lines(cursor, action=audit.Action.EXPORT)
    assert recorded.details == {"documents": 1, "left_out": 1, "reason": "premier modèle"}
    assert CliRunner().invoke(app, [*WRITTEN, "--reason", "court"]).exit_code == 2


def _ids(database: Database, kind: str) -> dict[str, str]:
    return dict(database.rows("SELECT source_id, ledger_id FROM identity.mapping WHERE kind = %s", (kind,)))
