"""Indirect identifiers that texts keep and words of uniqueness: counted by report and annex, written by neither."""

from __future__ import annotations

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.ledger import audit
from deid.publication.publish import make_visible, publish_interval
from deid.reports import gather, write_report
from deid.reports.annex import gather_annex, write_annex
from deid.stewardship.releases import unique_texts
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, process, reasons
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put, withdraw

KEY = "2026-03-02"
TOLD = "Facteur d'orgues, le dernier du département. Divorcée, deux enfants. Elle travaille comme fleuriste.\n"


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    decide(monkeypatch, tmp_path)
    open_hospital(deployed)
    put(deployed, "told", LETTER + TOLD)
    put(deployed, "plain", LETTER)
    return deployed


def test_what_the_policy_keeps_is_counted_and_never_holds_back(hospital: Database, tmp_path: Path) -> None:
    night("night")
    assert not reasons(hospital)
    figures = gather(KEY, "held")
    kept = {row["label"]: (row["mentions"], row["documents"]) for row in figures["indirect"]["kept"]}
    assert figures["indirect"]["read"] == 2
    assert (kept["FAMILY"], kept["PROFESSION"][1]) == ((2, 1), 1)
    (check,) = [one for one in figures["checks"] if one["rule"] == "unique_person"]
    assert (check["severity"], check["unexpected"], check["elements"]) == ("warning", 1, 2)
    page = Path(write_report(KEY, tmp_path)["html"]).read_text(encoding="utf-8")
    found = LexborHTMLParser(page).css_first("#indirect")
    assert found is not None
    annex = write_annex(gather_annex(KEY))
    assert "| Situation familiale | 2 | 1 (50" in annex
    assert "| Religion | 0 | 0 (0" in annex
    assert "une personne seule de son genre (contrôle `unique_person`) : 1." in annex
    for written in (page, annex):
        assert "fleuriste" not in written
        assert "Divorcée" not in written


def test_what_the_policy_finds_and_keeps_is_counted_too(hospital: Database, tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    rules = path.read_text(encoding="utf-8").replace("{name: identity}", "{name: identity}, {name: indirect}")
    path.write_text(rules.replace("substitution: {}", "substitution: {labels: {FAMILY: {provider: keep}}}"), "utf-8")
    settings.cache_clear()
    night("night")
    ((text,),) = hospital.rows("SELECT text FROM research.document WHERE text LIKE '%orgues%'", role="researcher")
    assert ("Divorcée, deux enfants" in text, "fleuriste" in text) == (True, False)
    kept = {row["label"]: row["mentions"] for row in gather(KEY, "held")["indirect"]["kept"]}
    assert kept == {"FAMILY": 2}, "what is replaced is not kept"
    assert "| Situation familiale | 2 | 1 (50" in write_annex(gather_annex(KEY))


def test_published_texts_with_such_words_are_listed_by_researchers_ids_as_long_as_they_are_read(
    hospital: Database,
) -> None:
    def listed() -> set[str]:
        with open_cursor("steward") as cursor:
            return set(unique_texts(cursor, "intendante", ""))

    def read() -> dict[str, bool]:
        rows = hospital.rows("SELECT document_id, text FROM research.document", role="researcher")
        return {document_id: "orgues" in text for document_id, text in rows}

    night("night")
    names = read()
    assert listed() == {name for name, told in names.items() if told}
    assert len(names) == 2
    put(hospital, "told", LETTER, at=NIGHT + DAY)
    put(hospital, "plain", LETTER + TOLD, at=NIGHT + DAY)
    publish_interval(process("second", NIGHT + DAY)["interval_key"])
    assert listed() == {name for name, told in names.items() if told}, "before the rewriting nothing tells of a night"
    make_visible("nightly")
    assert listed() == {name for name, told in names.items() if not told} == {n for n, told in read().items() if told}
    with open_cursor("steward") as cursor:
        lines = audit.list_lines(cursor, action=audit.Action.READ_RELEASE)
    assert {(line.actor, line.object) for line in lines} == {("intendante", "published unique_person")}
    withdraw(hospital, "plain", NIGHT + 2 * DAY)
    night("third", NIGHT + 2 * DAY)
    assert listed() == set()


def test_what_an_earlier_version_processed_is_said_to_be_uncounted(hospital: Database) -> None:
    night("night")
    hospital.rows("UPDATE deid.document SET indirect = NULL")
    assert gather(KEY, "held")["indirect"] == {"read": 0, "kept": []}
    assert "non comptés" in write_annex(gather_annex(KEY))
