"""Published texts that leave as a training corpus: what researchers read, with the policy's permission."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deid.cli import main
from deid.config.settings import settings
from deid.database.connection import connect
from deid.ledger import audit
from deid.ledger.opt_outs import apply_opt_outs
from deid.publication.publish import make_visible, publish_interval
from deid.stewardship.opt_outs import PatientKey, record_opt_out
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw

REASON = "projet de recherche 2026-14"


@pytest.fixture
def hospital(deployed: Database) -> Database:
    """Two patients: a letter of one, a page of the other."""
    open_hospital(deployed)
    put(deployed, "letter")
    put(deployed, "page", PAGE, patient="P000002", format="text/html")
    return deployed


def permit(monkeypatch: pytest.MonkeyPatch, folder: Path, *, permitted: bool = True) -> None:
    decide(monkeypatch, folder)
    path = folder / "policy.yaml"
    path.write_text(path.read_text() + f"release: {{training_export: {str(permitted).lower()}}}\n", encoding="utf-8")


def export(folder: Path, *options: str) -> tuple[int, list[dict[str, Any]]]:
    """Run the command; its exit status and the tasks of its file."""
    path = folder / "out.jsonl"
    path.unlink(missing_ok=True)
    status = main(["annotations", "published", str(path), "--format", "doccano", "--reason", REASON, *options])
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return status, [json.loads(line) for line in lines]


def exports(hospital: Database) -> list[dict[str, Any]]:
    """Details of the exports in the audit trail, latest first."""
    with connect(hospital.dsn("steward")) as link, link.cursor() as cursor:
        return [dict(line.details) for line in audit.list_lines(cursor, action=audit.Action.EXPORT)]


def test_what_researchers_read_leaves_with_its_surrogates_marked(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    permit(monkeypatch, tmp_path)
    publish_interval(process("night")["interval_key"])
    drawn = {
        text: [(text[start:end], label) for start, end, label in spans]
        for text, spans in hospital.rows("SELECT text, spans FROM deid.published_document")
    }
    assert export(tmp_path) == (0, []), "published, and not read by researchers yet"
    make_visible("nightly")
    status, tasks = export(tmp_path)
    assert status == 0
    read = hospital.rows("SELECT text FROM research.document", role="researcher")
    assert sorted(task["text"] for task in tasks) == sorted(text for (text,) in read)
    assert len(tasks) == 2
    for task in tasks:
        marked = [(task["text"][start:end], label) for start, end, label in task["label"]]
        assert marked == drawn[task["text"]]
        assert {"PATIENT", "DATE"} <= {label for _, label in marked}
    letter = next(task for task in tasks if "Dr " in task["text"])
    surname = letter["text"].split(", née le ")[0].split("Madame ")[1]
    assert [surname, "PATIENT"] in [[letter["text"][start:end], label] for start, end, label in letter["label"]]
    for identity in ("VASSEROT", "BROUSTET", "Maëlys", "14/05/1961", "03 80 11 22 33", "letter", "P000001"):
        assert identity not in json.dumps(tasks, ensure_ascii=False)
    first, second = reversed(exports(hospital))
    assert first["documents"] == 0
    assert (second["documents"], second["left_out"], second["reason"]) == (2, 0, REASON)
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o077 == 0, "readable by its owner alone"
    assert "un identifiant manqué par la détection reste dans ces textes" in capsys.readouterr().err


def test_a_policy_that_keeps_texts_keeps_them(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    permit(monkeypatch, tmp_path, permitted=False)
    night("first")
    assert hospital.rows("SELECT count(*), count(spans) FROM deid.published_document") == [(2, 0)]
    assert export(tmp_path) == (2, [])
    assert "training_export" in capsys.readouterr().err
    permit(monkeypatch, tmp_path)
    settings.cache_clear()
    assert export(tmp_path) == (0, []), "what another policy published stays"
    assert "2 documents publiés sous une politique qui les garde ici" in capsys.readouterr().err
    assert [(line["documents"], line["left_out"]) for line in exports(hospital)] == [(0, 2)]


def test_a_correction_leaves_once_researchers_read_it(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    permit(monkeypatch, tmp_path)
    night("first")
    put(hospital, "letter", LETTER + "\nSuites simples.\n", at=NIGHT + DAY)
    publish_interval(process("second", NIGHT + DAY)["interval_key"])
    assert len(export(tmp_path)[1]) == 1, "the corrected document is still read in its former version"
    make_visible("nightly")
    assert sum("Suites simples." in task["text"] for task in export(tmp_path)[1]) == 1


def test_withdrawn_documents_and_opted_out_patients_stay(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    permit(monkeypatch, tmp_path)
    put(hospital, "other", LETTER + "\nSuites simples.\n")
    night("first")
    assert len(export(tmp_path)[1]) == 3
    withdraw(hospital, "other", NIGHT + DAY)
    night("second", NIGHT + DAY)
    tasks = export(tmp_path)[1]
    assert len(tasks) == 2
    assert "Suites simples." not in json.dumps(tasks)
    with connect(hospital.dsn("steward")) as link, link.cursor() as cursor:
        record_opt_out(cursor, "c.morel", PatientKey(patient_id="P000001"), "opposition reçue par courrier")
    assert export(tmp_path) == (1, []), "its documents are still in research"
    assert "apply_oppositions" in capsys.readouterr().err
    apply_opt_outs()
    (task,) = export(tmp_path)[1]
    assert "toux" in task["text"]


def test_an_export_has_a_reason_and_a_size(hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    permit(monkeypatch, tmp_path)
    night("first")
    assert export(tmp_path, "--reason", "   court") == (1, [])
    assert exports(hospital) == []
    status, drawn = export(tmp_path, "--size", "1", "--seed", "7")
    assert (status, len(drawn)) == (0, 1)
    assert export(tmp_path, "--size", "1", "--seed", "7")[1] == drawn
    assert {export(tmp_path, "--size", "1", "--seed", str(seed))[1][0]["text"] for seed in range(8)} == {
        text for (text,) in hospital.rows("SELECT text FROM research.document")
    }
