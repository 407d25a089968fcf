"""The recall of a release in a real browser: shown, confirmed, proven; and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import unescape

import pytest
from playwright.sync_api import Page, expect

from deid.database.connection import open_cursor
from deid.publication.publish import make_visible, publish_interval
from deid.reviews.lifecycle import SamplePlan, open_review
from deid.reviews.reading import begin_reading
from tests.conftest import Database
from tests.pages.night import as_deployed
from tests.pages.serving import Server
from tests.pages.test_accessibility import violations

KEY = "2026-03-02"
PATH = f"/releases/{KEY}/recall"
HTML = {"Accept": "text/html"}
WHY = "des initiales sont restées <b>dans les en-têtes</b>"


@pytest.fixture(scope="module", autouse=True)
def published(database: Database) -> Iterator[None]:
    """The staged night is published and readable, and one of its texts is being read."""
    with as_deployed(database):
        with open_cursor("steward") as cursor:
            review_id = open_review(cursor, KEY, SamplePlan(0.01, 0.95, 1), "referente")
            begin_reading(cursor, review_id, 1, "intendante")
        publish_interval(KEY)
        make_visible("nightly")
        yield


def readers_see(database: Database) -> int:
    return int(database.rows("SELECT count(*) FROM research.document", role="researcher")[0][0])


def form(database: Database, **more: str) -> dict[str, str]:
    """A recall as a script sends it, which needs no token against forgery."""
    ((releases,),) = database.rows("SELECT string_agg(release_id::text, ' ' ORDER BY release_id) FROM deid.release")
    return {"releases": str(releases), "reason": WHY, **more}


def test_a_recall_is_refused_with_its_reason_and_changes_nothing(server: Server, database: Database) -> None:
    before = readers_see(database)
    assert before > 0
    answers = {
        "nobody": server.ask("POST", PATH, None, data=form(database), headers=HTML),
        "operator": server.ask("POST", PATH, "exploitant", data=form(database), headers=HTML),
        "short": server.ask("POST", PATH, "intendante", data=form(database, reason="trop"), headers=HTML),
        "others": server.ask("POST", PATH, "intendante", data=form(database, releases="98 99"), headers=HTML),
        "forged": server.ask("POST", PATH, "intendante", data=form(database, releases="1; DROP"), headers=HTML),
        "unknown": server.ask("GET", "/releases/2020-01-01/recall", "intendante", headers=HTML),
        "no proof": server.ask("GET", "/recalls/99", "intendante", headers=HTML),
        "not confirmed": server.ask("POST", PATH, "intendante", data=form(database), headers=HTML),
    }
    assert {name: answer.status_code for name, answer in answers.items()} == {
        **{"nobody": 401, "operator": 403, "short": 422, "others": 409, "forged": 422},
        **{"unknown": 409, "no proof": 404, "not confirmed": 200},
    }
    assert "au moins 10 caractères" in unescape(answers["short"].text)
    assert "publié autre chose depuis" in unescape(answers["others"].text)
    with as_deployed(database), open_cursor("publisher") as busy:
        busy.execute("SELECT deid.lock_publication()")
        answer = server.ask("POST", PATH, "intendante", data=form(database, confirmed="yes"), headers=HTML)
    assert answer.status_code == 409
    assert "Une publication est en cours" in unescape(answer.text)
    assert readers_see(database) == before


def test_a_release_is_recalled_and_proven_with_the_keyboard_alone(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    before = readers_see(database)
    page = visit("intendante")
    page.goto(f"{server.pages}/releases/{KEY}")
    page.get_by_role("link", name="Rappeler la publication").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Rappeler ce que cet intervalle a publié ?")
    expect(page.get_by_role("main")).to_contain_text(f"retirés de la recherche, tout de suite : {before}")
    assert violations(page) == []
    page.get_by_label("Motif").focus()
    page.keyboard.type(WHY)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    button = page.get_by_role("button", name="Retirer de la recherche")
    expect(button).to_be_visible()
    assert readers_see(database) == before  # nothing before the second step
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Preuve du rappel n°")
    assert readers_see(database) == 0
    expect(page.get_by_role("status")).to_contain_text("rien de cette publication n'est dans la recherche")
    expect(page.get_by_role("main")).to_contain_text(WHY)
    assert violations(page) == []
    page.goto(f"{server.pages}/releases/{KEY}")
    assert violations(page) == []
    expect(page.get_by_role("main")).to_contain_text("Publication rappelée")
    expect(page.get_by_role("link", name="Rappeler la publication")).to_have_count(0)
    page.goto(f"{server.pages}/releases?state=recalled")
    expect(page.get_by_role("table")).to_contain_text("Rappelé")
    answer = server.ask("POST", PATH, "intendante", data=form(database, confirmed="yes"), headers=HTML)
    assert answer.status_code == 409
    assert "Rien de cet intervalle n'est dans la recherche" in unescape(answer.text)


def test_who_reads_what_is_recalled_is_told(visit: Callable[..., Page], server: Server, database: Database) -> None:
    ((review_id,),) = database.rows("SELECT max(review_id) FROM deid.review")
    page = visit("intendante", errors=True)
    page.goto(f"{server.pages}/reviews/{review_id}/1")
    expect(page.get_by_role("heading", level=1)).to_have_text("La publication de ce document a été rappelée")
    expect(page.get_by_role("main")).to_contain_text("vos marques et ce qui est déjà lu restent")
    assert violations(page) == []
    text = f"/reviews/{review_id}/1"
    mark = {"kind": "missed", "label": "PATIENT", "start": 0, "end": 4}
    answers = [
        server.ask("GET", text, "intendante", headers=HTML),
        server.ask("POST", f"{text}/marks", "intendante", json=mark, headers=HTML),
        server.ask("POST", f"{text}/finish", "intendante", headers=HTML),
    ]
    assert [answer.status_code for answer in answers] == [410, 410, 410]
    assert server.get(f"/reviews/{review_id}", "intendante", headers=HTML).status_code == 200
    ((document_id,),) = database.rows("SELECT min(document_id) FROM deid.recalled_document")
    published = server.get(f"/published/{document_id}", "intendante", headers=HTML)
    assert published.status_code == 404
    assert "sa publication a été rappelée" in unescape(published.text)
