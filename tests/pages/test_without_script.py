"""The stewards' tasks in a browser without JavaScript: decide, choose in quarantine, review, record an opt-out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from deid.publication.publish import make_visible, publish_interval
from tests.conftest import Database
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, NIGHT, put
from tests.pages.open_questions import ask_people, read_answer
from tests.pages.serving import Server
from tests.pages.test_reviews import take_time

KEY = "2026-03-02"
Plain = Callable[[str], Page]


@pytest.fixture
def plain(visit: Callable[..., Page], stewards: Database) -> Plain:
    """`plain("intendante")` is a page in which no script runs."""

    def opened(account: str, **options: Any) -> Page:
        return visit(account, java_script_enabled=False, **options)

    assert stewards
    return opened


def test_a_night_is_rejected(plain: Plain, server: Server) -> None:
    ask_people("asset__plain", KEY)
    page = plain("intendante")
    page.goto(f"{server.pages}/releases/{KEY}")
    page.locator("details.folded > summary").filter(has_text="Quarantaine").click()
    expect(page.get_by_role("table").filter(has_text="Caractères illisibles").first).to_be_visible()
    page.get_by_label("Rejeter").check()
    page.get_by_label("Motif").fill("un nom dans le titre")
    page.get_by_role("button", name="Continuer").click()
    page.get_by_role("button", name="Rejeter").click()
    expect(page.get_by_role("status")).to_contain_text("Votre rejet est transmis")
    assert read_answer("asset__plain")[1:3] == ("intendante", ["Rejeter"])


def test_documents_in_quarantine_are_chosen_one_by_one(plain: Plain, server: Server, database: Database) -> None:
    page = plain("intendante")
    page.goto(f"{server.pages}/quarantine")
    expect(page.locator("#all")).to_be_hidden()
    page.get_by_role("checkbox", name="D000004").check()
    page.get_by_role("button", name="Traiter à nouveau").click()
    expect(page.get_by_role("status")).to_be_visible()
    assert database.rows("SELECT choice FROM deid.quarantine_choice") == [("retry",)]


def test_a_review_is_read_to_its_end_and_says_what_needs_a_script(
    plain: Plain, server: Server, database: Database
) -> None:
    page = plain("intendante")
    page.goto(f"{server.pages}/reviews/new/{KEY}")
    page.get_by_role("button", name="Tirer l'échantillon").click()
    page.get_by_role("link", name="Commencer la lecture").click()
    page.get_by_label("Texte oublié").fill("traitement")
    page.get_by_role("combobox").select_option("DOCTOR")
    page.get_by_role("button", name="Marquer ce texte").click()
    missed = "SELECT DISTINCT kind, label FROM deid.review_mark WHERE removed_at IS NULL"
    assert database.rows(missed) == [("missed", "DOCTOR")]
    page.locator("#needs-script").get_by_role("button").last.click()
    assert database.rows(missed) == []
    for _ in range(3):
        expect(page.get_by_text("Sélectionner un passage demande JavaScript")).to_be_visible()
        expect(page.locator("#reading")).to_be_visible()
        expect(page.locator("dialog")).to_be_hidden()
        take_time(database)
        page.get_by_role("button", name="Rien à signaler").click()
    expect(page.get_by_text("Vous n'avez plus rien à lire")).to_be_visible()
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Clore la relecture").click()
    expect(page.get_by_text("Les textes sont effacés ; les marques")).to_be_visible()


def test_an_opt_out_is_recorded(plain: Plain, server: Server, database: Database) -> None:
    page = plain("intendante")
    page.goto(f"{server.pages}/opt-outs")
    page.get_by_label("Identifiant de l'hôpital").fill("P000077")
    page.get_by_role("button", name="Chercher").last.click()
    page.get_by_label("Motif").fill("courrier du 12 octobre")
    page.get_by_role("button", name="Continuer").click()
    page.get_by_role("button", name="Retirer de toutes les publications").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Preuve de retrait")
    assert database.rows("SELECT count(*) FROM deid.opt_out") == [(1,)]


def test_a_release_is_recalled(plain: Plain, server: Server, database: Database) -> None:
    later = NIGHT + 3 * DAY
    put(database, "D000032", at=later)
    process("recalled", later)
    publish_interval(str(later.date()))
    make_visible("nightly")
    page = plain("intendante")
    page.goto(f"{server.pages}/releases/{later.date()}")
    page.get_by_role("link", name="Rappeler la publication").click()
    page.get_by_label("Motif").fill("des initiales dans les en-têtes")
    page.get_by_role("button", name="Continuer").click()
    page.get_by_role("button", name="Retirer de la recherche").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Preuve du rappel n°")
    assert database.rows("SELECT count(*) FROM research.document", role="researcher") == [(0,)]
