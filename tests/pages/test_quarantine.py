"""Quarantine page in a real browser: read, decide, meet a concurrent decision; originals for authorised roles only."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import Database
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, put
from tests.pages.night import HOSTILE, UNREADABLE, as_deployed
from tests.pages.serving import Server
from tests.pages.test_accessibility import violations

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
    unchanged = server.get("/quarantine?check=text_unchanged", headers=html).text
    assert "D15" in unchanged
    assert "D16" not in unchanged
    for nothing in (
        "?interval=2026-09-09",
        "?service=Nulle+part",
        "?check=residual_iban",
        "?age=over_month",
        "?standing=settled&reason=empty",
    ):
        assert "Aucun document" in server.get(f"/quarantine{nothing}", headers=html).text
    odd = server.get("/quarantine?standing=x&reason=%3Cscript%3E&step='&age=z&check=x'&after=nonsense", headers=html)
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
    page.get_by_role("status").get_by_role("link", name="Voir les documents écartés").click()
    page.get_by_role("link", name="D12", exact=True).click()
    page.get_by_role("button", name="Revenir sur cette décision").click()
    expect(page.locator("main")).to_contain_text("Décision reprise par intendante")
    assert standing(database, "D12") == "waiting"


def test_only_a_senior_steward_lets_a_document_pass(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    address = f"{server.pages}/quarantine/{run_of(database, 'D13')}/D13"
    steward = visit("intendante")
    steward.goto(address)
    expect(steward.get_by_text("Une personne référente peut libérer")).to_be_visible()
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
        key = process("released", NIGHT + 6 * DAY)["interval_key"]
    assert database.rows("SELECT state FROM deid.document WHERE document_id = 'D13'") == [("staged",)]
    senior.goto(f"{server.pages}/releases/{key}")
    senior.locator("details:has(#sides) > summary").click()
    marked = senior.get_by_role("row").filter(has_text="Dont laissés passer par une personne")
    expect(marked.get_by_role("cell")).to_have_text(["1", "0"])
    senior.get_by_text("Documents laissés passer par une personne (1)").click()
    expect(senior.locator("#through li")).to_contain_text(f"par referente : {WHY}")
    assert senior.locator("#through a").get_attribute("href") == f"/nocturne/quarantine/{run_of(database, 'D13')}/D13"
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
    assert violations(slow) == []
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


def opened(page: Page, server: Server, database: Database, document_id: str) -> None:
    """Open the text of a document in quarantine, and wait for its script: before it, no text follows the other."""
    page.goto(f"{server.pages}/quarantine/{run_of(database, document_id)}/{document_id}")
    with page.expect_navigation():
        page.get_by_role("button", name="Ouvrir le texte").press("Enter")


def test_an_original_is_shown_as_text_to_who_may_see_it_and_recorded(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    page = visit("referente")
    page.goto(f"{server.pages}/quarantine/{run_of(database, 'D17')}/D17")
    expect(page.locator("body")).not_to_contain_text("VASSEROT")
    opened(page, server, database, "D17")
    source = page.get_by_role("group", name="Texte d'origine")
    expect(source).to_contain_text("<script>document.title='pris'</script>")
    expect(source.locator(".surrogate").filter(has_text="VASSEROT")).not_to_have_count(0)
    expect(page.get_by_role("group", name="Texte désidentifié")).not_to_contain_text("VASSEROT")
    assert page.locator(".pane script, .pane iframe").count() == 0
    assert violations(page) == []
    assert "pris" not in page.title()
    assert "VASSEROT" not in page.url
    assert page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])") == "[{},{}]"
    reads = "SELECT actor, object FROM deid.audit WHERE action = %s AND object = 'document D17'"
    assert database.rows(reads, ("read_original",)) == [("referente", "document D17")]
    steward = visit("intendante")
    opened(steward, server, database, "D17")
    expect(steward.get_by_text("Votre rôle ne permet pas de lire les textes d'origine")).to_be_visible()
    expect(steward.get_by_role("group", name="Texte désidentifié")).to_be_visible()
    expect(steward.locator("#source")).to_have_count(0)
    assert "VASSEROT" not in steward.content()
    assert violations(steward) == []
    assert database.rows(reads, ("read_text",)) == [("intendante", "document D17")]
    assert database.rows(reads, ("read_original",)) == [("referente", "document D17")]
    assert server.ask("POST", f"/quarantine/{run_of(database, 'D17')}/D17", "exploitant").status_code == 403


def test_marks_made_by_hand_show_nothing_of_a_source_to_who_may_not_read_it(server: Server, database: Database) -> None:
    address = f"/quarantine/{run_of(database, 'D17')}/D17"
    whole = {"mark": "0:300:PATIENT"}
    answer = server.ask("POST", address, "intendante", data=whole, headers={"Accept": "text/html"})
    assert answer.status_code == 200
    assert "VASSEROT" not in answer.text
    source = {"do": "add", "side": "source", "start": "0", "end": "9", "label": "PATIENT"}
    assert server.ask("POST", address, "intendante", data=source).status_code == 403
    for wrong in ("0:300", "5:1:PATIENT", "0:99999:PATIENT", "0:3:NOBODY"):
        assert server.ask("POST", address, "referente", data={"mark": wrong}).status_code == 422
    assert server.ask("POST", address, "referente", data={"mark": ["0:9:PATIENT", "5:12:CITY"]}).status_code == 422
    held = server.ask("POST", f"/quarantine/{run_of(database, 'D16')}/D16", "intendante")
    assert held.status_code == 403  # held back before detection: nothing but the source is there


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


TOKEN = "TW1lIEphY3F1ZWxpbmUgQmF5bGU"  # a name in base64, which detection does not read
LONG = "".join(
    f"Ligne {number} : l'examen du jour est normal et le traitement est poursuivi.\n" for number in range(60)
)
LEAKING = f"{LETTER}{LONG}Jeton {TOKEN} du courrier.\n{LONG}Jeton {TOKEN} du courrier.\n"


@pytest.fixture(scope="module")
def leaking(database: Database) -> None:
    """D20 and D21 held back for a text in base64 that stands twice in them."""
    with as_deployed(database):
        for name in ("D20", "D21"):
            put(database, name, LEAKING, at=NIGHT + 2 * DAY)
        process("leaking", NIGHT + 2 * DAY)


def select_in(page: Page, side: str, passage: str) -> None:
    """Select a passage of one text, as a hand does, once the page has its script."""
    page.wait_for_load_state()
    page.evaluate(
        """([side, passage]) => {
            for (const chunk of document.querySelectorAll(`#${side} [data-start]`)) {
                const node = chunk.firstChild, at = node ? node.data.indexOf(passage) : -1;
                if (at < 0) continue;
                document.getSelection().setBaseAndExtent(node, at, node, at + passage.length);
                return;
            }
        }""",
        [side, passage],
    )


@pytest.mark.usefixtures("leaking")
@pytest.mark.slow
def test_what_failed_is_shown_at_its_place_marked_there_and_checked_at_once(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    page = visit("referente", viewport={"width": 1300, "height": 900})
    opened(page, server, database, "D20")
    expect(page.get_by_role("status")).to_contain_text("Contrôles critiques qui retiennent ce texte : 1")
    row = page.get_by_role("row").filter(has_text="residual_encoded")
    expect(row).to_contain_text("échoue")
    expect(row).to_contain_text("Ouvrir le texte")
    expect(row.get_by_role("link")).to_have_text(["Endroit 1", "Endroit 2"])
    expect(page.locator("#candidate .held")).to_have_text([TOKEN, TOKEN])
    expect(page.locator("#source .held")).to_have_text([TOKEN, TOKEN])
    row.get_by_role("link", name="Endroit 2").press("Enter")
    expect(page.locator("#place-2")).to_be_in_viewport()
    page.wait_for_function("() => document.getElementById('source').scrollTop > 500")  # the source has followed
    assert violations(page) == []
    select_in(page, "source", TOKEN)
    expect(page.locator("#selected")).to_have_text(TOKEN)
    page.get_by_label("Catégorie").first.select_option("ID")
    page.get_by_role("button", name="Marquer et contrôler", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("plus aucun contrôle critique n'échoue")
    expect(page.locator("#candidate .marked")).to_have_count(2)
    expect(page.get_by_role("row").filter(has_text="residual_encoded")).to_contain_text("passe")
    expect(page.get_by_role("row").filter(has_text="residual_encoded")).not_to_contain_text("Ouvrir le texte")
    expect(page.locator(".marks li")).to_have_count(2)
    assert violations(page) == []
    page.get_by_role("button", name="Retirer (2)").click()
    expect(page.get_by_role("status")).to_contain_text("le retiennent encore : 1")
    select_in(page, "candidate", TOKEN)
    page.get_by_label("Catégorie").first.select_option("ID")
    page.get_by_role("button", name="Marquer et contrôler", exact=True).click()
    page.get_by_label("J'ai lu tout le document").check()
    page.get_by_role("button", name="Traiter à nouveau avec ces marques").click()
    expect(page.get_by_role("status")).to_contain_text("un document")
    stored = (
        "SELECT choice, jsonb_array_length(marks), read_mentions > 0 FROM deid.quarantine_choice WHERE document_id = %s"
    )
    assert database.rows(stored, ("D20",)) == [("retry", 2, True)]
    with as_deployed(database):
        process("marked", NIGHT + 9 * DAY)
    assert database.rows("SELECT state FROM deid.document WHERE document_id = 'D20'") == [("staged",)]


@pytest.mark.usefixtures("leaking")
@pytest.mark.parametrize(
    "marks",
    [["0:999999:ID"], ["5:5:ID"], ["9:4:ID"], ["-3:4:ID"], ["0:9:ID", "8:12:ID"], ["0:9:NAMELESS"], ["0:9"]],
)
def test_marks_that_do_not_fit_their_text_are_refused_at_every_door(
    server: Server, database: Database, marks: list[str]
) -> None:
    run_id = run_of(database, "D21")
    page = {"Accept": "text/html", "Cookie": "nocturne_lang=en"}
    asked = {"mark": marks, "do": "find", "text": "du courrier", "label": "ID"}
    sent = {"entry": f"{run_id}:D21", "mark": marks}
    for path, form in ((f"/quarantine/{run_id}/D21", asked), ("/quarantine/marked", sent)):
        answer = server.ask("POST", path, "referente", data=form, headers=page)
        assert answer.status_code == 422, path
        assert "The marks do not fit the text of document D21" in answer.text
        assert ("du courrier" in answer.text) == (form is asked), "what was written is shown again"
        assert server.ask("POST", path, "referente", data=form).json()["detail"].startswith("Les marques ne tiennent")
    assert standing(database, "D21") == "waiting"


@pytest.mark.usefixtures("leaking")
def test_both_texts_scroll_together(visit: Callable[..., Page], server: Server, database: Database) -> None:
    page = visit("referente", viewport={"width": 1300, "height": 900})
    opened(page, server, database, "D21")
    expect(page.locator("#source")).to_be_visible()
    line = """(side) => {
        const pane = document.getElementById(side), top = pane.getBoundingClientRect().top;
        const all = [...pane.querySelectorAll('[data-segment]')];
        return all.findIndex((one) => one.getBoundingClientRect().bottom > top + 2);
    }"""
    for leader, follower, place in (
        ("candidate", "source", 900),
        ("source", "candidate", 300),
        ("source", "candidate", 0),
    ):
        page.evaluate("([side, place]) => document.getElementById(side).scrollTo(0, place)", [leader, place])
        page.wait_for_function(
            f"""([leader, follower]) => {{
                const line = {line};
                return Math.abs(line(leader) - line(follower)) <= 1;
            }}""",
            arg=[leader, follower],
        )
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.locator("#source").focus()
    page.keyboard.press("End")
    page.wait_for_function(
        "() => { const one = document.getElementById('candidate');"
        " return one.scrollTop + one.clientHeight >= one.scrollHeight - 2; }"
    )


@pytest.mark.usefixtures("leaking")
def test_a_steward_marks_without_a_script_and_without_the_source(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    page = visit("intendante", java_script_enabled=False, errors=True)  # a refusal is an error of the console
    opened(page, server, database, "D21")
    expect(page.get_by_role("button", name="Marquer et contrôler", exact=True)).to_be_hidden()
    page.get_by_label("Texte à chercher").fill("introuvable")
    page.get_by_label("Catégorie").last.select_option("ID")
    page.get_by_role("button", name="Chercher").click()
    expect(page.get_by_role("alert")).to_contain_text("Rien n'a été marqué")
    expect(page.get_by_label("Texte à chercher")).to_have_value("introuvable")
    expect(page.get_by_label("Catégorie").last).to_have_value("ID")
    page.get_by_label("Texte à chercher").fill(TOKEN)
    page.get_by_role("button", name="Chercher").click()
    expect(page.get_by_role("status")).to_contain_text("plus aucun contrôle critique n'échoue")
    expect(page.locator(".marks li")).to_have_count(2)
    expect(page.locator(".marks .quote")).to_have_count(0)
    page.get_by_role("button", name="Traiter à nouveau avec ces marques").click()
    assert standing(database, "D21") == "retry"
    entry = {"entry": f"{run_of(database, 'D21')}:D21", "mark": "0:3:ID"}
    assert server.ask("POST", "/quarantine/marked", "exploitant", data=entry).status_code == 403
    assert server.ask("POST", "/quarantine/marked", "intendante", data=entry).status_code == 409
