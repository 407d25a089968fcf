"""Every form, sent by two browsers at once, opened by its address, and sent again after the session has ended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from threading import Barrier
from typing import Any

import pytest
from fastapi.routing import APIRoute
from nocturne_pages.app import app
from playwright.sync_api import Page, expect

from deid.database.connection import connect
from deid.domain.labels import Label
from deid.ledger import models
from deid.publication.publish import make_visible, publish_interval
from deid.reviews import reading
from deid.reviews.lifecycle import SamplePlan, open_review
from deid.reviews.marks import ErrorKind
from deid.stewardship.quarantine import Choice, record_choice, undo_choice
from tests.conftest import Database
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, NIGHT, put
from tests.pages.conftest import SECOND
from tests.pages.open_questions import ask_people, fail_task
from tests.pages.routes import addressed
from tests.pages.serving import Server
from tests.pages.test_accessibility import violations
from tests.pages.test_quarantine import QUIET

KEY = "2026-03-02"
HTML = {"Accept": "text/html"}
WHY = "courrier du 12 octobre"
POSTED = sorted(route.path for route in app.routes if isinstance(route, APIRoute) and "POST" in route.methods)

Form = tuple[str, dict[str, Any]]


@pytest.fixture
def review(stewards: Database) -> Iterator[int]:
    """A review of the night; the first document is read and marked by the steward, the second is being read."""
    with connect(stewards.dsn("steward")) as link, link.cursor() as cursor:
        made = open_review(cursor, KEY, SamplePlan(0.01, 0.95, 1), "intendante", seed="forms")
        reading.begin_reading(cursor, made, 1, "intendante")
        reading.add_mark(cursor, made, 1, "intendante", ErrorKind.MISSED, Label.DATE, 0, 6)
        reading.finish_reading(cursor, made, 1, "intendante")
        reading.begin_reading(cursor, made, 2, "referente")
    yield made
    for table in ("annotation", "review_mark", "review_reading", "review_document", "review"):
        stewards.rows(f"DELETE FROM deid.{table}")


def _held(database: Database, choice: Choice | None = None, document_id: str = "D000004") -> str:
    """The document in quarantine, as a form names it, without a choice or with this one."""
    ((run_id,),) = database.rows("SELECT max(run_id) FROM deid.quarantine WHERE document_id = %s", (document_id,))
    entry = (int(run_id), document_id)
    with connect(database.dsn("steward")) as link, link.cursor() as cursor:
        undo_choice(cursor, "referente", entry)
        if choice:
            record_choice(cursor, "referente", choice, [entry], "")
    return f"{run_id}:{document_id}"


def _chosen(database: Database) -> list[Any]:
    """Return the choice that stands for the document of `_held`: choice, account, justification."""
    query = (
        "SELECT choice, chosen_by, justification FROM deid.quarantine_choice WHERE undone_at IS NULL"
        " AND document_id = 'D000004'"
        " AND run_id = (SELECT max(run_id) FROM deid.quarantine WHERE document_id = 'D000004')"
    )
    return database.rows(query)


def _waivable(database: Database) -> str:
    """A document of a night of its own, held back by a check that a person may waive."""
    put(database, "D000091", QUIET, at=NIGHT + 9 * DAY, type_code="ORD")
    process("held", NIGHT + 9 * DAY)
    return _held(database, document_id="D000091")


def _corrected(database: Database) -> dict[str, str]:
    """A document that is published, whose correction is held back, and the run that published it."""
    start = NIGHT + 20 * DAY
    put(database, "D000201", at=start)
    process("to correct", start)
    publish_interval(str(start.date()))
    put(database, "D000201", b"Compte rendu \xff\xfe\xe9\x80 illisible" * 5, at=start + DAY)
    process("correction", start + DAY)
    ((run_id, former),) = database.rows(
        "SELECT q.run_id, d.run_id FROM deid.quarantine AS q JOIN deid.document AS d USING (document_id)"
        " WHERE q.document_id = 'D000201' AND d.state = 'published'"
    )
    return {"entry": f"{run_id}:D000201", "former": str(former)}


def _stopped(database: Database) -> str:
    """The address of a question whose run has failed, to be asked again."""
    key = str((NIGHT + 11 * DAY).date())
    put(database, "D000111", at=NIGHT + 11 * DAY)
    process("stopped", NIGHT + 11 * DAY)
    ask_people("asset__stopped", key)
    fail_task("asset__stopped")
    database.rows("UPDATE deid.question SET closed_at = now(), outcome = 'lost' WHERE airflow_run = 'asset__stopped'")
    return f"/releases/{key}/decision/again"


def _published(database: Database) -> str:
    """A published night of its own; the ids of its releases."""
    put(database, "D000031", at=NIGHT + 3 * DAY)
    process("published", NIGHT + 3 * DAY)
    key = str((NIGHT + 3 * DAY).date())
    publish_interval(key)
    make_visible("nightly")
    releases = database.rows("SELECT release_id FROM deid.release WHERE interval_key = %s ORDER BY 1", (key,))
    return " ".join(str(one) for (one,) in releases)


def _model(database: Database) -> str:
    models.insert_model("crf", "c" * 64, "a.dubois")
    models.record_comparison("c" * 64, models.SHIPPED, {"documents": 60.0})
    assert database.rows("SELECT state FROM deid.model") == [("candidate",)]
    return "c" * 64


# Route → its address and form for the staged night, and the two answers that two browsers may get.
CASES: dict[str, tuple[Callable[[Database, int], Form], set[tuple[int, int]]]] = {
    "/releases/{interval_key}/decision": (
        lambda *_: (
            f"/releases/{KEY}/decision",
            {"digest": ask_people("asset__two", KEY), "chosen": "approve", "confirmed": "yes"},
        ),
        {(303, 409)},
    ),
    "/releases/{interval_key}/decision/again": (
        lambda database, _: (_stopped(database), {}),
        {(303, 409), (303, 303)},  # both where both saw the run failed: Airflow then finds nothing left to clear
    ),
    "/releases/{interval_key}/comments": (
        lambda *_: (f"/releases/{KEY}/comments", {"text": "à relire"}),
        {(303, 303)},
    ),
    "/releases/{interval_key}/recall": (
        lambda database, _: (
            f"/releases/{(NIGHT + 3 * DAY).date()}/recall",
            {"releases": _published(database), "reason": WHY, "confirmed": "yes"},
        ),
        {(303, 409)},
    ),
    "/reviews": (lambda *_: ("/reviews", {"interval_key": KEY, "target": "0.01", "readings": "1"}), {(303, 303)}),
    "/reviews/{review_id:int}/enlarge": (
        lambda _, review: (f"/reviews/{review}/enlarge", {"sample": "1"}),
        {(303, 303), (409, 409)},
    ),
    "/reviews/{review_id:int}/close": (lambda _, review: (f"/reviews/{review}/close", {}), {(303, 409)}),
    "/reviews/{review_id:int}/{ordinal:int}/verdicts": (
        lambda database, review: (
            f"/reviews/{review}/1/verdicts",
            {"mark_id": database.rows("SELECT max(mark_id) FROM deid.review_mark")[0][0], "verdict": "upheld"},
        ),
        {(303, 409)},
    ),
    "/reviews/{review_id:int}/{ordinal:int}/marks": (
        lambda _, review: (f"/reviews/{review}/2/marks", {"kind": "missed", "label": "DATE", "start": 0, "end": 6}),
        {(201, 409)},
    ),
    "/reviews/{review_id:int}/{ordinal:int}/passages": (
        lambda _, review: (f"/reviews/{review}/2/passages", {"text": "traitement", "label": "DATE"}),
        {(303, 409)},
    ),
    "/reviews/{review_id:int}/{ordinal:int}/finish": (
        lambda _, review: (f"/reviews/{review}/2/finish", {}),
        {(303, 409)},
    ),
    "/quarantine/choices": (
        lambda database, _: ("/quarantine/choices", {"choice": "retry", "entry": _held(database)}),
        {(303, 409)},
    ),
    "/quarantine/former": (
        lambda database, _: ("/quarantine/former", {**_corrected(database), "reason": WHY}),
        {(303, 409)},
    ),
    "/quarantine/releases": (
        lambda database, _: ("/quarantine/releases", {"entry": _waivable(database), "text": 3 * WHY}),
        {(303, 409)},
    ),
    "/quarantine/marked": (
        lambda database, _: ("/quarantine/marked", {"entry": _held(database), "mark": "0:3:ID"}),
        {(303, 409)},
    ),
    "/quarantine/undo": (
        lambda database, _: ("/quarantine/undo", {"entry": _held(database, Choice.RETRY)}),
        {(303, 409)},
    ),
    "/quarantine/{run_id:int}/{document_id:path}": (
        lambda database, _: (f"/quarantine/{_held(database).replace(':', '/')}", {}),
        {(200, 200)},
    ),
    "/opt-outs/search": (lambda *_: ("/opt-outs/search", {"patient_id": "P000009"}), {(200, 200)}),
    "/opt-outs/confirm": (lambda *_: ("/opt-outs/confirm", {"patient_id": "P000009", "reason": WHY}), {(200, 200)}),
    "/opt-outs": (lambda *_: ("/opt-outs", {"pseudonym": "abcdefghijklmnopqrst", "reason": WHY}), {(303, 409)}),
    "/models/{digest}/decision": (
        lambda database, _: (
            f"/models/{_model(database)}/decision",
            {"chosen": "refuse", "seen": f"candidate {models.SHIPPED}".strip(), "reason": WHY, "confirmed": "yes"},
        ),
        {(303, 409)},
    ),
}


def test_every_form_is_tried() -> None:
    assert sorted(CASES) == POSTED


@pytest.mark.parametrize("path", POSTED)
def test_two_browsers_at_once_get_a_clear_answer_each(
    server: Server, stewards: Database, request: pytest.FixtureRequest, path: str
) -> None:
    make, allowed = CASES[path]
    review = request.getfixturevalue("review") if "{review_id" in path else 0
    address, form = make(stewards, review)
    tokens = [server.token(name) for name in ("referente", SECOND)]
    together = Barrier(2)

    def send(token: str) -> Any:
        headers = HTML | {"Authorization": f"Bearer {token}"}
        together.wait()
        body = {"json": form} if path.endswith("/marks") else {"data": form}
        return server.ask("POST", address, None, headers=headers, **body)

    with ThreadPoolExecutor(2) as pool:
        answers = sorted(pool.map(send, tokens), key=lambda one: one.status_code)
    assert tuple(one.status_code for one in answers) in allowed
    for answer in answers:
        assert answer.status_code in (201, 303) or "<h1>" in answer.text


@pytest.mark.parametrize("path", POSTED)
def test_the_address_of_a_form_leads_to_its_page(server: Server, path: str) -> None:
    """A browser reads that address once a person has signed in again."""
    answer = server.get(addressed(path), "referente", headers=HTML)
    assert answer.status_code in (200, 303, 404, 409)
    if answer.status_code == 303:
        assert answer.headers["Location"].startswith("/nocturne/")
    routes = [route for route in app.routes if isinstance(route, APIRoute) and route.path == path]
    assert any("GET" in route.methods for route in routes)


def test_a_form_whose_session_ended_is_sent_again_as_it_was(
    visit: Callable[..., Page], server: Server, stewards: Database
) -> None:
    _held(stewards)
    page = visit("intendante", errors=True)
    page.goto(f"{server.pages}/quarantine")
    page.get_by_role("checkbox", name="D000004").check()
    page.locator("#text").fill("doublon <b>illisible</b>")
    page.context.clear_cookies(name="_token")
    page.get_by_role("button", name="Écarter").click()
    expect(page.get_by_role("alert")).to_contain_text("Votre session est terminée")
    link = page.get_by_role("link", name="Se connecter dans un autre onglet")
    assert (link.get_attribute("href") or "").endswith("/nocturne/quarantine/choices")
    assert link.get_attribute("target") == "_blank"
    expect(page.get_by_label("Ce que vous aviez écrit")).to_have_value("doublon <b>illisible</b>")
    cookie = {"name": "_token", "value": server.token("intendante"), "url": server.url, "httpOnly": True}
    page.context.add_cookies([cookie])
    page.get_by_role("button", name="Envoyer de nouveau").click()
    expect(page.get_by_role("status")).to_be_visible()
    assert _chosen(stewards) == [("discard", "intendante", "doublon <b>illisible</b>")]


def test_a_form_whose_text_is_refused_comes_back_with_it(
    visit: Callable[..., Page], server: Server, stewards: Database
) -> None:
    _held(stewards)
    page = visit("intendante", errors=True)
    page.goto(f"{server.pages}/quarantine")
    page.get_by_role("checkbox", name="D000004").check()
    page.locator("#text").fill("bis")
    page.get_by_role("button", name="Écarter").click()
    expect(page.get_by_role("alert")).to_contain_text("Il manque un motif")
    again = page.get_by_label("Ce que vous aviez écrit")
    expect(again).to_have_value("bis")
    assert violations(page) == []
    again.fill("bis : déjà publié sous un autre numéro")
    page.get_by_role("button", name="Envoyer de nouveau").click()
    expect(page.get_by_role("status")).to_be_visible()
    assert _chosen(stewards) == [("discard", "intendante", "bis : déjà publié sous un autre numéro")]


def test_what_another_person_was_first_to_decide_keeps_what_was_written(
    visit: Callable[..., Page], server: Server, stewards: Database
) -> None:
    run_id = _held(stewards).split(":")[0]
    page = visit("intendante", errors=True)
    page.goto(f"{server.pages}/quarantine/{run_id}/D000004")
    page.get_by_label("Pourquoi l'écarter").fill("doublon <b>illisible</b>")
    _held(stewards, Choice.RETRY)
    page.get_by_role("button", name="Écarter").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Quelqu'un a décidé avant vous")
    expect(page.get_by_label("Ce que vous aviez écrit")).to_have_value("doublon <b>illisible</b>")
    assert violations(page) == []
    page.get_by_role("button", name="Envoyer de nouveau").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Quelqu'un a décidé avant vous")
    _held(stewards)
    page.get_by_role("button", name="Envoyer de nouveau").click()
    expect(page.get_by_role("status")).to_be_visible()
    assert _chosen(stewards) == [("discard", "intendante", "doublon <b>illisible</b>")]


def test_an_answer_on_a_content_that_changed_is_confirmed_on_the_new_one(
    visit: Callable[..., Page], server: Server, stewards: Database
) -> None:
    key = str((NIGHT + 5 * DAY).date())
    put(stewards, "D000051", at=NIGHT + 5 * DAY)
    process("before", NIGHT + 5 * DAY)
    ask_people("asset__before", key)
    page = visit("intendante", errors=True)
    page.goto(f"{server.pages}/releases/{key}/decision")
    page.get_by_label("Rejeter").check()
    page.get_by_label("Motif").fill("un <nom> dans le titre")
    put(stewards, "D000052", at=NIGHT + 5 * DAY)
    process("after", NIGHT + 5 * DAY)
    digest = ask_people("asset__after", key)
    page.get_by_role("button", name="Continuer").click()
    expect(page.get_by_role("alert")).to_contain_text("Documents prêts : 2")
    expect(page.get_by_label("Ce que vous aviez écrit")).to_have_value("un <nom> dans le titre")
    assert page.get_by_role("link", name="nouvel onglet").get_attribute("href") == f"/nocturne/releases/{key}/decision"
    assert violations(page) == []
    page.get_by_role("button", name="Envoyer de nouveau").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Rejeter cet intervalle ?")
    expect(page.get_by_role("main")).to_contain_text(digest[:12])
    page.get_by_role("button", name="Rejeter").click()
    expect(page.get_by_role("status")).to_contain_text("Votre rejet est transmis")


def test_a_recall_of_what_changed_meanwhile_is_confirmed_again(server: Server, stewards: Database) -> None:
    key = str((NIGHT + 7 * DAY).date())
    put(stewards, "D000071", at=NIGHT + 7 * DAY)
    process("recalled", NIGHT + 7 * DAY)
    publish_interval(key)
    form = {"releases": "98", "reason": WHY, "confirmed": "yes"}
    token = {"Cookie": f"_token={server.token('intendante')}"}
    shown = server.get(f"/releases/{key}/recall", None, headers=HTML | token).text
    form["csrf"] = re.findall(r'name="csrf" value="([^"]+)"', shown)[0]
    refused = server.ask("POST", f"/releases/{key}/recall", None, data=form, headers=HTML | token)
    assert (refused.status_code, "a publié autre chose depuis" in unescape(refused.text)) == (409, True)
    sent = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', refused.text)) | {"reason": WHY}
    again = server.ask("POST", f"/releases/{key}/recall", None, data=sent, headers=HTML | token)
    assert (again.status_code, "Retirer de la recherche" in again.text) == (200, True)
    back = server.ask("POST", f"/releases/{key}/recall", None, data=sent | {"confirmed": "no"}, headers=HTML | token)
    assert (back.status_code, f">{WHY}</textarea>" in unescape(back.text)) == (200, True)
    assert stewards.rows("SELECT count(*) FROM deid.recall WHERE interval_key = %s", (key,)) == [(0,)]


def test_another_person_who_signs_in_sends_nothing_in_the_name_of_the_first(
    visit: Callable[..., Page], server: Server, stewards: Database
) -> None:
    _held(stewards)
    page = visit("intendante", errors=True)
    page.goto(f"{server.pages}/quarantine")
    page.get_by_role("checkbox", name="D000004").check()
    page.context.clear_cookies(name="_token")
    page.get_by_role("button", name="Traiter à nouveau").click()
    cookie = {"name": "_token", "value": server.token("referente"), "url": server.url, "httpOnly": True}
    page.context.add_cookies([cookie])
    page.get_by_role("button", name="Envoyer de nouveau").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cette demande n'a pas pu être vérifiée")
    assert _chosen(stewards) == []
