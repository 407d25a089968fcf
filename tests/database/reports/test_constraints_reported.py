"""Relations between dates that texts keep or violate: counted by the night, told by the report, with PostgreSQL."""

from __future__ import annotations

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
BORN = date(1970, 2, 20)
FRIDAYS = 8
BORN_ON_FRIDAY = """Service de médecine

Compte rendu d'hospitalisation

La patiente, née le vendredi 20 février 1970, a été hospitalisée du 25/02/2026 au 02/03/2026. L'alimentation est bien
prise et le poids a été repris. L'examen est normal et la sortie se fait avec de la vitamine D.
"""


def _open(hospital: Database) -> None:
    """A letter of which the duration holds, and patients whose weekday of birth a birth date cannot keep."""
    open_hospital(hospital)
    put(hospital, "stay", LETTER.replace("25/02/2026 au 02/03/2026", "25/02/2026 au 02/03/2026 (5 jours)"))
    put(hospital, "none", patient="P000002")
    for number in range(FRIDAYS):
        hospital.rows(
            "INSERT INTO cdw.patient VALUES (%s, %s, 'JAUNET', NULL, '{Lou}', 'F', %s, NULL, '', '25000', 'Besançon', "
            "'25056', NULL, NULL, NULL)",
            (f"P1{number}", f"80099{number}", BORN),
            role="owner",
        )
        put(hospital, f"friday-{number}", BORN_ON_FRIDAY, patient=f"P1{number}")


def _lost(text: str) -> bool:
    return "née le vendredi" not in text


def test_a_night_counts_them_and_the_report_says_how_often(deployed: Database, tmp_path: Path) -> None:
    _open(deployed)
    process("night")
    held = reasons(deployed)
    assert set(held.values()) <= {("validate", "residual_identity")}  # a draw may return the birth date
    fridays = FRIDAYS - len(held)
    lengths = dict(deployed.rows("SELECT document_id, constraints -> 'length' FROM deid.document", role="publisher"))
    assert (lengths["stay"], lengths["none"]) == ([1, 1, 0], None)
    counted = dict(
        deployed.rows("SELECT document_id, constraints -> 'weekday_written' FROM deid.document", role="publisher")
    )
    assert (counted["stay"], counted["none"]) == (None, None)
    texts = dict(deployed.rows("SELECT document_id, text FROM deid.candidate WHERE document_id LIKE 'friday%'"))
    texts = {name: text for name, text in texts.items() if name not in held}
    assert {name: counted[name] for name in texts} == {
        name: [1, int(not _lost(text)), int(_lost(text))] for name, text in texts.items()
    }
    lost = sum(map(_lost, texts.values()))
    assert len(texts) == fridays
    assert lost > 0
    figures = gather(KEY)
    assert _of(figures, "length")["stated"] == 1
    assert _of(figures, "weekday_written") == {
        "kind": "weekday_written",
        "stated": fridays,
        "kept": fridays - lost,
        "violated": lost,
        "documents": fridays,
        "documents_violated": lost,
    }
    assert {row["kind"] for row in figures["constraints"]} >= {"length", "order", "range", "gap"}
    row = _said(Path(write_report(KEY, tmp_path)["html"]))
    share = f"{100 * lost / fridays:.2f}".replace(".", ",")
    assert row == [str(fridays), str(fridays - lost), str(lost), f"{share}\u202f%", str(lost)]


def test_documents_in_quarantine_do_not_count_and_a_repeated_step_keeps_the_numbers(deployed: Database) -> None:
    _open(deployed)
    night("night")
    said = gather(KEY)
    night("again", NIGHT)
    assert gather(KEY)["constraints"] == said["constraints"]
    deployed.rows("UPDATE deid.document SET state = 'quarantined' WHERE document_id = 'stay'")
    assert all(row["kind"] != "length" for row in gather(KEY)["constraints"])


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


def _of(figures: dict[str, Any], kind: str) -> dict[str, Any]:
    return next(row for row in figures["constraints"] if row["kind"] == kind)


def _said(page: Path) -> list[str]:
    """The cells of the row of weekdays."""
    tables = LexborHTMLParser(page.read_text(encoding="utf-8")).css("#constraints ~ div tr")
    rows = [[cell.text() for cell in row.css("th, td")] for row in tables]
    return next(cells for name, *cells in rows if name.startswith("Jour de la semaine écrit"))
