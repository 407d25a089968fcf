"""A patient's opt-out in a real browser: looked up, confirmed, proven; nothing of a patient in an address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import unescape

import pytest
from playwright.sync_api import Page, expect

from deid.config.settings import settings
from deid.ledger import opt_outs
from deid.publication.publish import make_visible, publish_interval
from deid.substitution import pseudonym
from tests.conftest import Database
from tests.pages.night import as_deployed
from tests.pages.serving import Server
from tests.pages.test_accessibility import violations

TAG = "<script>document.title = 'pris'</script>"
HTML = {"Accept": "text/html"}


@pytest.fixture(scope="module", autouse=True)
def names(database: Database) -> Iterator[dict[str, str]]:
    """The staged night is published; each patient's pseudonym."""
    with as_deployed(database):
        publish_interval("2026-03-02")
        make_visible("nightly")
        yield {one: pseudonym(settings().key, "patient", one) for one in ("P000001", "P000002")}


def readers_see(database: Database, name: str) -> int:
    rows = database.rows("SELECT count(*) FROM research.document WHERE patient_id = %s", (name,), role="researcher")
    return int(rows[0][0])


def test_a_patient_is_withdrawn_and_proven_with_the_keyboard_alone(
    visit: Callable[..., Page], server: Server, database: Database, names: dict[str, str]
) -> None:
    name = names["P000001"]
    assert readers_see(database, name) == 2
    page = visit("intendante")
    page.goto(f"{server.pages}/opt-outs")
    page.get_by_label("Pseudonyme de recherche").focus()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(page.locator("dl.card")).to_have_text("Documents publiés qui seraient retirés2")
    expect(page.locator("main")).not_to_contain_text("mars 2026")
    assert violations(page) == []
    page.get_by_label("Motif").focus()
    page.keyboard.type(f"courrier du 12 octobre {TAG}")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Confirmer le retrait")
    assert violations(page) == []
    assert readers_see(database, name) == 2  # nothing before the second step
    page.get_by_role("button", name="Retirer de toutes les publications").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Preuve de retrait")
    assert readers_see(database, name) == 0
    expect(page.get_by_role("status")).to_contain_text("plus aucune ligne publiée ne porte ce pseudonyme")
    expect(page.get_by_role("status")).to_contain_text("Le patient n'est pas encore connu")
    expect(page.locator("main")).not_to_contain_text("aucun document de ce patient")
    expect(page.locator("main")).to_contain_text("python -m deid opt-outs apply")
    expect(page.locator("main").get_by_text("pas encore connu", exact=True)).to_have_count(4)
    expect(page.locator("main")).to_contain_text(TAG)
    assert "pris" not in page.title()
    assert name not in page.url
    digest = database.rows("SELECT digest FROM deid.audit WHERE action = 'opt_out'")[0][0]
    expect(page.locator("main")).to_contain_text(digest)
    expect(page.locator("main")).to_contain_text("python -m deid opt-outs revoke")
    with as_deployed(database):
        opt_outs.apply_opt_outs()
    assert violations(page) == []
    page.reload()
    expect(page.locator(".pill").first).to_have_text("appliquée partout")
    expect(page.get_by_role("status")).to_contain_text("aucun document de ce patient n'est publié")
    page.goto(f"{server.pages}/opt-outs")
    expect(page.get_by_role("table").get_by_role("row").nth(1)).to_contain_text(name)


def test_a_second_request_is_told_of_the_first(server: Server, names: dict[str, str]) -> None:
    form = {"pseudonym": names["P000001"], "reason": "courrier du 13 octobre"}
    for path in ("/opt-outs", "/opt-outs/confirm"):
        answer = server.ask("POST", path, "intendante", data=form, headers=HTML)
        assert answer.status_code == 409
        assert "s'est déjà opposé" in unescape(answer.text)
    found = server.ask("POST", "/opt-outs/search", "intendante", data={"patient_id": "P000001"}, headers=HTML).text
    assert "s'est déjà opposé" not in unescape(found)  # it would tell whose pseudonym it is
    assert "/nocturne/opt-outs/1" not in found
    assert "aucun nombre n'est montré" in unescape(found)
    assert "Documents publiés de ce patient" not in found


def test_what_is_no_pseudonym_stays_in_its_field(visit: Callable[..., Page], server: Server) -> None:
    page = visit("intendante", errors=True)
    page.goto(f"{server.pages}/opt-outs")
    page.get_by_label("Pseudonyme de recherche").fill("toto 123")
    page.get_by_role("button", name="Chercher").first.click()
    expect(page.get_by_role("alert")).to_contain_text("Ce n'est pas un pseudonyme")
    expect(page.get_by_label("Pseudonyme de recherche")).to_have_value("toto 123")


def test_by_the_hospitals_id_the_page_says_when_it_will_be_done(
    visit: Callable[..., Page], server: Server, database: Database, names: dict[str, str]
) -> None:
    page = visit("referente")
    page.goto(f"{server.pages}/opt-outs")
    page.get_by_label("Identifiant de l'hôpital").fill("P000002")
    page.get_by_role("button", name="Chercher").nth(1).click()
    page.get_by_label("Motif").fill("demande orale notée au dossier")
    page.get_by_role("button", name="Continuer").click()
    expect(page.locator("main")).to_contain_text("La prochaine nuit, ou la prochaine publication")
    expect(page.locator("main")).to_contain_text("Comparez-le à la demande")
    page.get_by_role("button", name="Retirer de toutes les publications").click()
    expect(page.get_by_role("status")).to_contain_text("n'est pas encore appliquée")
    said = page.get_by_role("main").inner_text()
    assert "aucune ligne publiée" not in said
    assert "pseudonyme vient d'un secret détruit" not in said
    assert said.count("pas encore connu") == 5
    assert "P000002" not in page.content()
    proof = page.url
    page.goto(f"{server.pages}/opt-outs")
    pending = page.get_by_role("row").filter(has_text="demande orale notée au dossier")
    expect(pending.get_by_role("cell").nth(3)).to_have_text("–")  # not 0: nothing has looked yet
    page.goto(proof)
    with as_deployed(database):
        opt_outs.apply_opt_outs()
    page.reload()
    expect(page.get_by_role("status")).to_contain_text("aucun document de ce patient n'est publié")
    assert readers_see(database, names["P000002"]) == 0


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({}, "Donnez un pseudonyme, ou un identifiant"),
        ({"pseudonym": "a" * 20, "patient_id": "P1"}, "Donnez un pseudonyme, ou un identifiant"),
        ({"pseudonym": "court"}, "Ce n'est pas un pseudonyme"),
        ({"pseudonym": TAG}, "Ce n'est pas un pseudonyme"),
        ({"pseudonym": "' OR '1'='1' -- aaaa"}, "Ce n'est pas un pseudonyme"),
        ({"patient_id": "x" * 101}, "ne peut pas en être un"),
        ({"pseudonym": "x" * 600}, "incomplète"),
    ],
)
def test_what_is_no_patient_has_a_clear_page(server: Server, form: dict[str, str], said: str) -> None:
    answer = server.ask("POST", "/opt-outs/search", "intendante", data=form, headers=HTML)
    assert answer.status_code == 422
    assert said in unescape(answer.text)
    assert TAG not in answer.text


def test_nobody_known_is_told_and_hostile_ids_are_text(server: Server, database: Database) -> None:
    unknown = server.ask("POST", "/opt-outs/search", "intendante", data={"pseudonym": "b" * 20}, headers=HTML)
    assert "Aucun document publié ne porte ce pseudonyme" in unknown.text
    hostile = server.ask("POST", "/opt-outs/search", "intendante", data={"patient_id": TAG}, headers=HTML)
    assert hostile.status_code == 200
    assert TAG not in hostile.text
    assert "&lt;script&gt;" in hostile.text
    assert database.rows(
        "SELECT count(*) FROM deid.audit WHERE action = 'search_patient' AND object = %s", (f"patient {'b' * 20}",)
    ) == [(1,)]


def test_a_reason_is_needed_and_a_proof_must_exist(server: Server) -> None:
    short = server.ask("POST", "/opt-outs/confirm", "intendante", data={"pseudonym": "c" * 20, "reason": " oui  "})
    assert short.status_code == 422
    assert server.get("/opt-outs/999").status_code == 404
    assert server.get(f"/opt-outs/{10**30}").status_code == 404
    assert server.get("/opt-outs/search").headers["Location"] == "/nocturne/opt-outs"


@pytest.mark.parametrize("account", ["lecteur", "exploitant"])
def test_who_may_not_withdraw_sees_nothing(server: Server, account: str) -> None:
    assert server.get("/opt-outs", account).status_code == 403
    assert server.ask("POST", "/opt-outs/search", account, data={"patient_id": "P000001"}).status_code == 403
    assert (
        server.ask("POST", "/opt-outs", account, data={"patient_id": "P000001", "reason": "x" * 20}).status_code == 403
    )
