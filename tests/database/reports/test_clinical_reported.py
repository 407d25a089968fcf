"""Clinical values that changed: counted by the night, told by the report, held back as the policy says."""

from __future__ import annotations

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from deid.config.policy import load
from deid.config.settings import settings
from deid.reports import gather, render, write_report
from deid.reports.run_checks import run_checks
from deid.reports.wording import WORDING
from tests.conftest import Database
from tests.database.release.ledger import Ledger
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import process, reasons
from tests.database.warehouse.small_hospital import LETTER, open_hospital, put

KEY = "2026-03-02"
VALUES = "\nPlaquettes à 163000/mm3, CRP à 12 mg/L, bisoprolol 5 mg, Glasgow 15.\n"


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """Two documents with values; one of these is equal to the number of a patient, and is replaced by it."""
    decide(monkeypatch, tmp_path)
    open_hospital(deployed)
    deployed.rows("UPDATE cdw.patient SET ipp = '163000' WHERE patient_id = 'P000001'", role="owner")
    put(deployed, "changed", LETTER + VALUES)
    put(deployed, "kept", LETTER + VALUES, patient="P000002")
    return deployed


def test_a_night_counts_them_and_the_report_says_what_is_kept(hospital: Database, tmp_path: Path) -> None:
    process("night")
    assert not reasons(hospital)
    (text,) = hospital.rows("SELECT text FROM deid.candidate WHERE document_id = 'changed'")[0]
    assert "163000" not in text
    figures = gather(KEY)
    counts = figures["clinical"]
    assert (counts["changed"], counts["documents_changed"], counts["documents"]) == (1, 1, 2)
    assert counts["items"] >= 10
    share = f"{100 - 100 / counts['items']:.2f}".replace(".", ",")
    page = Path(write_report(KEY, tmp_path)["html"]).read_text(encoding="utf-8")
    said = LexborHTMLParser(page).css_first("#clinical")
    assert said is not None
    assert said.text().startswith(f"{share}\u202f% des valeurs")
    assert f"1 ont changé sur {counts['items']} relevés" in said.text()


def test_a_share_above_the_policy_s_asks_a_person(hospital: Database) -> None:
    process("night")
    ((run_id,),) = hospital.rows("SELECT max(run_id) FROM deid.run")
    failed = {item.rule for item in run_checks(run_id, load(settings().policy)) if not item.success}
    assert "clinical_changed_share_high" in failed


def test_the_policy_holds_a_document_back(hospital: Database) -> None:
    path = settings().policy
    strict = path.read_text(encoding="utf-8").replace("quality: {", "quality: {max_clinical_changes: 0, ")
    path.write_text(strict, encoding="utf-8")
    process("night")
    assert reasons(hospital) == {"changed": ("validate", "clinical_content_changed")}
    assert gather(KEY)["clinical"]["changed"] == 0  # what is in quarantine is read by nobody


def test_a_night_without_any_says_so_in_both_languages(deployed: Database) -> None:
    Ledger(deployed).night(KEY, 12)
    figures = gather(KEY)
    figures["clinical"] = {"items": 0, "changed": 0, "documents": 12, "documents_changed": 0}
    for lang, words in WORDING.items():
        assert words["clinical_none"] in render(figures, lang)
    figures["clinical"] = {"items": 4000, "changed": 3, "documents": 12, "documents_changed": 2}
    assert "99.92% of clinical values and terms are kept: 3 of 4,000 changed" in render(figures, "en")
