"""Quarantine page in a real browser: read, decide, meet a concurrent decision; originals for authorised roles only."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import Database
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, NIGHT, put
from tests.pages.night import HOSTILE, UNREADABLE, as_deployed
from tests.pages.serving import Server

QUIET = (
    "Nom :\n\nL'examen est normal et le traitement est poursuivi. Le bilan biologique est sans particularité, et un "
    "contrôle est à prévoir. Le tracé est sans anomalie et aucun symptôme nouveau n'est décrit depuis la consultation."
)
WHY = "Lu en entier : aucune personne n'y est nommée."
TAG = "<img src=x onerror=\"document.title='pris'\">"


@pytest.fixture(scope="module", autouse=True)
def _held(database: Database) -> None:
    """D10 to D15 held back as unchanged, D16 unreadable, D17 hostile and held back; all of one night."""
    with as_deployed(database):
        for number in range(10, 16):
            put(database, f"D{number}", QUIET, at=NIGHT + DAY, type_code="ORD")
        put(database, "D16", UNREADABLE, at=NIGHT + DAY)
        put(database, "D17", HOSTILE, at=NIGHT + DAY)
        process("held", NIGHT + DAY)
    database.rows(
        "UPDATE deid.document SET state = 'quarantined' WHERE document_id = 'D17';"
        "INSERT INTO deid.quarantine (run_id, document_id, content_hash, step, reason)"
        " SELECT run_id, document_id, content_hash, 'validate', 'residual_identity' FROM deid.document"
        " WHERE document_id = 'D17'"
    )


def run_of(database: Database, document_id: str) -> int:
    return int(database.rows("SELECT max(run_id) FROM deid.quarantine WHERE document_id = %s", (document_id,))[0][0])


def standing(database: Database, document_id: str) -> str:
    return str(database.rows("SELECT standing FROM deid.quarantine WHERE document_id = %s", (document_id,))[0][0])


def test_the_desk_says_why_and_what_to_do(visit: Callable[..., Page], server: Server) -> None:
    page = visit("lecteur")
    page.goto(f"{server.pages}/quarantine")
    expect(page.get_by_role("heading", level=1)).to_have_text("Quarantaine")
    row = page.get_by_role("row").filter(has_text="D16")
    expect(row).to_contain_text("Caractères illisibles")
    expect(row).to_contain_text("Faire corriger l'encodage")
    expect(page.get_by_role("checkbox")).to_have_count(0)  # who only reads chooses nothing
    english = visit("lecteur", lang="en")
    english.goto(f"{server.pages}/quarantine?reason=undecodable")
    expect(english.get_by_role("table").get_by_role("row").nth(1)).to_contain_text("Unreadable characters")


def test_filters_narrow_the_list_and_nonsense_filters_nothing(server: Server) -> None:
    html = {"Accept": "text/html"}
    assert "D16" not in server.get("/quarantine?document_type=ORD", headers=html).text
    assert "D16" in server.get("/quarantine?reason=undecodable&step=detect&interval=2026-03-03", headers=html).text
    for nothing in ("?interval=2026-09-09", "?age=over_month", "?standing=settled&reason=empty"):
        assert "Aucun document" in server.get(f"/quarantine{nothing}", headers=html).text
    odd = server.get("/quarantine?standing=x&reason=%3Cscript%3E&step='&age=z&after=nonsense", headers=html)
    assert odd.status_code == 200
    assert "D16" in odd.text
    assert "<script>" not in odd.text.replace("<script src", "")


def test_several_are_done_again_with_the_keyboard_alone(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    page = visit("exploitant")
    page.goto(f"{server.pages}/quarantine?document_type=ORD")
    for name in ("D10", "D11"):
        page.get_by_role("checkbox", name=f"Choisir le document {name}").focus()
        page.keyboard.press("Space")
    expect(page.locator("#chosen")).to_have_text("(2)")
    expect(page.get_by_role("button", name="Libérer")).to_have_count(0)
    page.get_by_role("button", name="Traiter à nouveau").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("2 documents")
    assert [standing(database, name) for name in ("D10", "D11", "D12")] == ["retry", "retry", "waiting"]
    assert database.rows("SELECT actor, action FROM deid.audit WHERE object = 'document D10'") == [
        ("exploitant", "retry")
    ]


def test_a_choice_can_be_taken_back_until_a_night_has_used_it(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    page = visit("intendante")
    page.goto(f"{server.pages}/quarantine/{run_of(database, 'D12')}/D12")
    page.get_by_label("Pourquoi l'écarter").fill("doublon d'une autre")
    page.get_by_role("button", name="Écarter").click()
    assert standing(database, "D12") == "discard"
    page.goto(f"{server.pages}/quarantine/{run_of(database, 'D12')}/D12")
    page.get_by_role("button", name="Revenir sur cette décision").click()
    expect(page.locator("main")).to_contain_text("Décision reprise par intendante")
    assert standing(database, "D12") == "waiting"


def test_only_a_senior_steward_lets_a_document_pass(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    address = f"{server.pages}/quarantine/{run_of(database, 'D13')}/D13"
    steward = visit("intendante")
    steward.goto(address)
    expect(steward.get_by_text("Un intendant principal peut libérer")).to_be_visible()
    entry = {"entry": f"{run_of(database, 'D13')}:D13", "text": WHY}
    assert server.ask("POST", "/quarantine/releases", "intendante", data=entry).status_code == 403
    senior = visit("referente")
    senior.goto(address)
    senior.get_by_label("Justification").focus()
    senior.keyboard.type(WHY)
    senior.keyboard.press("Tab")
    senior.keyboard.press("Enter")
    expect(senior.locator("main")).to_contain_text("Libération demandée par referente")
    with as_deployed(database):
        process("released", NIGHT + 6 * DAY)
    assert database.rows("SELECT state FROM deid.document WHERE document_id = 'D13'") == [("staged",)]
    senior.goto(f"{server.pages}/quarantine/{run_of(database, 'D13')}/D13")
    expect(senior.locator("main")).to_contain_text("Prêt, attend la publication")


def test_the_second_steward_is_told_what_the_first_decided(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    slow, quick = visit("intendante", errors=True), visit("referente")
    for page in (slow, quick):
        page.goto(f"{server.pages}/quarantine/{run_of(database, 'D14')}/D14")
    quick.get_by_label("Pourquoi l'écarter").fill(TAG)
    quick.get_by_role("button", name="Écarter").click()
    expect(quick.get_by_role("status")).to_be_visible()
    with slow.expect_navigation() as navigation:
        slow.get_by_role("button", name="Traiter à nouveau").click()
    assert navigation.value is not None
    assert navigation.value.status == 409
    expect(slow.get_by_role("heading", level=1)).to_have_text("Quelqu'un a décidé avant vous")
    expect(slow.locator("main")).to_contain_text("Écarté par referente")
    expect(slow.locator("main")).to_contain_text(TAG)
    assert "pris" not in slow.title()


def test_what_cannot_be_waived_offers_no_such_button(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    page = visit("referente")
    page.goto(f"{server.pages}/quarantine/{run_of(database, 'D17')}/D17")
    expect(page.get_by_role("button", name="Libérer")).to_have_count(0)
    expect(page.get_by_text("Cette raison ne peut être levée par personne")).to_be_visible()
    entry = {"entry": f"{run_of(database, 'D17')}:D17", "text": WHY}
    answer = server.ask("POST", "/quarantine/releases", "referente", data=entry, headers={"Accept": "text/html"})
    assert answer.status_code == 422
    assert "ne peut pas être libéré" in answer.text


def test_an_original_is_shown_as_text_to_who_may_see_it_and_recorded(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    page = visit("referente")
    address = f"{server.pages}/quarantine/{run_of(database, 'D17')}/D17"
    page.goto(address)
    expect(page.locator("body")).not_to_contain_text("VASSEROT")
    page.get_by_role("button", name="Afficher le texte d'origine").press("Enter")
    expect(page.locator("pre.document")).to_contain_text("<script>document.title='pris'</script>")
    expect(page.locator("pre.document mark").filter(has_text="VASSEROT")).not_to_have_count(0)
    assert page.locator("pre.document script, pre.document iframe").count() == 0
    assert "pris" not in page.title()
    assert "VASSEROT" not in page.url
    assert page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])") == "[{},{}]"
    assert database.rows("SELECT actor, object FROM deid.audit WHERE action = 'read_original'") == [
        ("referente", "document D17")
    ]
    steward = visit("intendante")
    steward.goto(address)
    expect(steward.get_by_text("Votre rôle ne permet pas de lire")).to_be_visible()
    assert server.ask("POST", address.removeprefix(server.pages), "intendante").status_code == 403


def test_an_original_that_nobody_can_read_says_so(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    page = visit("referente")
    page.goto(f"{server.pages}/quarantine/{run_of(database, 'D16')}/D16")
    page.get_by_role("button", name="Afficher le texte d'origine").click()
    expect(page.get_by_role("alert")).to_contain_text("ne donnent aucun texte lisible")


@pytest.mark.parametrize(
    ("form", "status", "said"),
    [
        ({"choice": "retry"}, 422, "Aucun document n'est choisi"),
        ({"choice": "discard", "entry": "{run}:D15"}, 422, "Il manque un motif"),
        ({"choice": "release", "entry": "{run}:D15", "text": WHY}, 422, "incomplète"),
        ({"choice": "retry", "entry": "nonsense"}, 422, "incomplète"),
        ({"choice": "retry", "entry": "99:D15"}, 404, "n'est pas en quarantaine"),
        ({"choice": "retry", "entry": "1:'; DROP TABLE deid.quarantine --"}, 404, "n'est pas en quarantaine"),
    ],
)
def test_what_cannot_be_chosen_has_a_clear_page(
    server: Server, database: Database, form: dict[str, str], status: int, said: str
) -> None:
    filled = {name: value.replace("{run}", str(run_of(database, "D15"))) for name, value in form.items()}
    answer = server.ask("POST", "/quarantine/choices", "intendante", data=filled, headers={"Accept": "text/html"})
    assert answer.status_code == status
    assert said in unescape(answer.text)
    assert standing(database, "D15") == "waiting"


def test_a_document_that_is_not_there_is_a_clear_page(server: Server) -> None:
    answer = server.get("/quarantine/1/D999", headers={"Accept": "text/html"})
    assert answer.status_code == 404
    assert "pas en quarantaine pour ce traitement" in answer.text
