"""Relations between dates that texts keep or violate: counted by the night, told by the report, with PostgreSQL."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from deid.reports import gather, render, write_report
from deid.reports.wording import WORDING
from tests.conftest import Database
from tests.database.release.ledger import Ledger
from tests.database.warehouse.nights import night, process, reasons
from tests.database.warehouse.small_hospital import LETTER, NIGHT, open_hospital, put

KEY = "2026-03-02"
BORN = date(2026, 2, 20)
SAID, SLACK = 9, 1
NEWBORNS = 8
NEWBORN = """Service de médecine

Compte rendu d'hospitalisation

La patiente a été hospitalisée du 20/02/2026 au 02/03/2026, soit 9 jours d'hospitalisation. L'alimentation est bien
prise et le poids a été repris. L'examen est normal et la sortie se fait avec de la vitamine D.
"""


def _open(hospital: Database) -> None:
    """Letters of which the durations hold, and newborns: the days of birth and of the letter both have to stay."""
    open_hospital(hospital)
    put(hospital, "stay", LETTER.replace("25/02/2026 au 02/03/2026", "25/02/2026 au 02/03/2026 (5 jours)"))
    put(hospital, "none", patient="P000002")
    for number in range(NEWBORNS):
        hospital.rows(
            "INSERT INTO cdw.patient VALUES (%s, %s, 'JAUNET', NULL, '{Lou}', 'F', %s, NULL, '', '25000', 'Besançon', "
            "'25056', NULL, NULL, NULL)",
            (f"P1{number}", f"80099{number}", BORN),
            role="owner",
        )
        put(hospital, f"newborn-{number}", NEWBORN, patient=f"P1{number}")


def _lost(text: str) -> bool:
    first, last = (date(int(y), int(m), int(d)) for d, m, y in re.findall(r"(\d\d)/(\d\d)/(\d{4})", text))
    return abs((last - first).days - SAID) > SLACK


def test_a_night_counts_them_and_the_report_says_how_often(deployed: Database, tmp_path: Path) -> None:
    _open(deployed)
    process("night")
    held = reasons(deployed)
    assert set(held.values()) <= {("validate", "residual_identity")}  # a draw may return the birth date
    newborns = NEWBORNS - len(held)
    counted = dict(deployed.rows("SELECT document_id, constraints -> 'length' FROM deid.document", role="steward"))
    assert (counted["stay"], counted["none"]) == ([1, 1, 0], None)
    texts = dict(deployed.rows("SELECT document_id, text FROM deid.candidate WHERE document_id LIKE 'newborn%'"))
    texts = {name: text for name, text in texts.items() if name not in held}
    assert {name: counted[name] for name in texts} == {
        name: [1, int(not _lost(text)), int(_lost(text))] for name, text in texts.items()
    }
    lost = sum(map(_lost, texts.values()))
    assert len(texts) == newborns
    assert lost > 0
    figures = gather(KEY)
    assert _lengths(figures) == {
        "kind": "length",
        "stated": newborns + 1,
        "kept": newborns + 1 - lost,
        "violated": lost,
        "documents": newborns + 1,
        "documents_violated": lost,
    }
    assert {row["kind"] for row in figures["constraints"]} >= {"length", "order", "range", "gap"}
    row = _said(Path(write_report(KEY, tmp_path)["html"]))
    share = f"{100 * lost / (newborns + 1):.2f}".replace(".", ",")
    assert row == [str(newborns + 1), str(newborns + 1 - lost), str(lost), f"{share}\u202f%", str(lost)]


def test_documents_in_quarantine_do_not_count_and_a_repeated_step_keeps_the_numbers(deployed: Database) -> None:
    _open(deployed)
    night("night")
    said = gather(KEY)
    night("again", NIGHT)
    assert gather(KEY)["constraints"] == said["constraints"]
    deployed.rows("UPDATE deid.document SET state = 'quarantined' WHERE document_id = 'stay'")
    assert _lengths(gather(KEY))["stated"] == _lengths(said)["stated"] - 1


def test_a_night_without_any_says_so_in_both_languages(deployed: Database) -> None:
    Ledger(deployed).night(KEY, 12)
    figures = gather(KEY)
    assert figures["constraints"] == []
    for lang, words in WORDING.items():
        assert words["constraints_none"] in render(figures, lang)
    figures["constraints"] = [
        {"kind": "range", "stated": 400, "kept": 380, "violated": 13, "documents": 90, "documents_violated": 9}
    ]
    page = render(figures, "en")
    assert "3.25%" in page
    assert "Bounds of a range" in page


def _lengths(figures: dict[str, Any]) -> dict[str, Any]:
    return next(row for row in figures["constraints"] if row["kind"] == "length")


def _said(page: Path) -> list[str]:
    """The cells of the row of lengths."""
    tables = LexborHTMLParser(page.read_text(encoding="utf-8")).css("#constraints ~ div tr")
    rows = [[cell.text() for cell in row.css("th, td")] for row in tables]
    return next(cells for name, *cells in rows if name.startswith("Durée écrite"))
