"""The audit page: read, filtered, checked and exported, in a real browser and by a script."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from deid.database.connection import connect
from deid.ledger import audit
from deid.ledger.audit import Action
from tests.conftest import Database
from tests.database.audit_exports import is_intact
from tests.pages.serving import Server

HOSTILE = "<script>document.title = 'pris'</script>"


@pytest.fixture(scope="module", autouse=True)
def _lines(database: Database) -> None:
    with connect(database.dsn("steward")) as link, link.cursor() as cursor:
        for number in range(audit.PAGE + 3):
            audit.write(cursor, "intendante", Action.READ_TEXT, f"document D{number}", review=1)
        audit.write(cursor, "referente", Action.REJECT, "release 2026-03-02", reason=HOSTILE)


def test_a_steward_reads_filters_and_checks_with_the_keyboard_alone(visit: Callable[..., Page], server: Server) -> None:
    page = visit("intendante")
    page.goto(f"{server.pages}/audit")
    rows = page.get_by_role("table").get_by_role("row")
    expect(rows).to_have_count(audit.PAGE + 1)
    expect(rows.nth(1)).to_contain_text("a rejeté")
    expect(rows.nth(1)).to_contain_text("publication 2026-03-02")
    expect(rows.nth(1)).to_contain_text(HOSTILE)
    assert page.title() == "Journal · Nocturne"
    page.get_by_label("Qui").focus()
    page.keyboard.type("referente")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(2)
    page.goto(f"{server.pages}/audit?about=publication+2026-03-02")
    expect(rows).to_have_count(2)
    page.get_by_role("link", name="Vérifier toute la chaîne").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("La chaîne est intacte")


def test_older_lines_are_a_page_away(visit: Callable[..., Page], server: Server) -> None:
    page = visit("intendante", lang="en")
    page.goto(f"{server.pages}/audit?actor=intendante&action=read_text")
    page.get_by_role("link", name="Older lines").click()
    expect(page.get_by_role("table").get_by_role("row")).to_have_count(4)
    assert "actor=intendante" in page.url


def test_the_digest_of_each_line_is_on_the_screen(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    with connect(database.dsn("steward")) as link, link.cursor() as cursor:
        said = {"why": "not_allowed", "chosen": "approve", "reason": 12 * "un motif assez long "}
        audit.write(cursor, "referente", Action.REFUSED, "release 2026-03-02..2026-03-09", **said)
    page = visit("intendante", viewport={"width": 1440, "height": 900})
    page.goto(f"{server.pages}/audit")
    expect(page.get_by_role("table")).to_contain_text("pourquoi : sans le droit de décider · réponse : approuver")
    assert page.locator(".scroll").evaluate("one => one.scrollWidth - one.clientWidth") == 0


def test_a_tampered_chain_is_shouted_out(server: Server, database: Database) -> None:
    database.rows("ALTER TABLE deid.audit DISABLE TRIGGER append_only")
    database.rows("UPDATE deid.audit SET actor = 'personne' WHERE seq = 7")
    said = server.get("/audit?check=true", headers={"Accept": "text/html"}).text
    database.rows("UPDATE deid.audit SET actor = 'intendante' WHERE seq = 7")
    database.rows("ALTER TABLE deid.audit ENABLE TRIGGER append_only")
    assert "La chaîne est rompue à la ligne 7" in said
    assert "La chaîne est intacte" in server.get("/audit?check=true", headers={"Accept": "text/html"}).text


def test_the_export_is_whole_is_recorded_and_proves_itself(server: Server) -> None:
    answer = server.get("/audit/export")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="nocturne-audit.jsonl"'
    entries: list[dict[str, Any]] = [json.loads(line) for line in answer.text.splitlines()]
    assert is_intact(iter(entries))
    assert json.loads(entries[-1]["line"])[2:5] == ["intendante", "export", "audit"]


def test_an_address_with_nonsense_is_answered_by_a_page(server: Server) -> None:
    answer = server.get("/audit?before=zero", headers={"Accept": "text/html"})
    assert answer.status_code == 422
    assert "Cette demande est incomplète" in answer.text
