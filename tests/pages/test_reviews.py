"""The pages of reviews, over HTTP and in Chromium: read, mark by mouse and by keyboard, settle, close."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from deid.database.connection import connect
from deid.domain.labels import Label
from deid.reviews import lifecycle, reading
from deid.reviews.lifecycle import SamplePlan, open_review
from deid.reviews.marks import ErrorKind
from tests.conftest import Database
from tests.pages.serving import Server
from tests.pages.test_accessibility import violations

KEY = "2026-03-02"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def review(stewards: Database) -> Iterator[int]:
    """A review of the night's three documents by one reader; closed and forgotten at the end."""
    yield from _review(stewards, 1)


@pytest.fixture
def twice(stewards: Database) -> Iterator[int]:
    """The same by two readers."""
    yield from _review(stewards, 2)


def _review(database: Database, readings: int, plan: SamplePlan | None = None) -> Iterator[int]:
    with connect(database.dsn("steward")) as link, link.cursor() as cursor:
        made = open_review(cursor, KEY, plan or SamplePlan(0.01, 0.95, readings), "intendante", seed="pages")
    yield made
    for table in ("annotation", "review_mark", "review_reading", "review_document", "review"):
        database.rows(f"DELETE FROM deid.{table}")


def text_of(database: Database, review: int, ordinal: int) -> str:
    query = "SELECT text FROM deid.review_document WHERE review_id = %s AND ordinal = %s"
    return str(database.rows(query, (review, ordinal))[0][0])


def ordinal_of(database: Database, document_id: str) -> int:
    query = "SELECT ordinal FROM deid.review_document WHERE document_id = %s"
    return int(database.rows(query, (document_id,))[0][0])


def stored(database: Database) -> list[tuple[Any, ...]]:
    return database.rows(
        "SELECT k.kind, k.label, substr(d.text, k.start_offset + 1, k.end_offset - k.start_offset)"
        " FROM deid.review_mark AS k JOIN deid.review_document AS d USING (review_id, ordinal)"
        " WHERE k.removed_at IS NULL ORDER BY k.mark_id"
    )


def audited(database: Database, action: str) -> list[tuple[str, str]]:
    return database.rows("SELECT actor, object FROM deid.audit WHERE action = %s ORDER BY seq", (action,))


def select_by_mouse(page: Page, passage: str) -> None:
    """Drag over a passage, as a hand does."""
    box = page.evaluate(
        """(passage) => {
            for (const chunk of document.querySelectorAll('#reading [data-start]')) {
                const node = chunk.firstChild, at = node.data.indexOf(passage);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(node, at); range.setEnd(node, at + passage.length);
                chunk.scrollIntoView({block: 'center', behavior: 'instant'});
                const box = range.getBoundingClientRect();
                return [box.left + 1, box.top + box.height / 2, box.right - 1];
            }
        }""",
        passage,
    )
    page.mouse.move(box[0], box[1])
    page.mouse.down()
    page.mouse.move(box[2], box[1], steps=5)
    page.mouse.up()


def take_time(database: Database) -> None:
    """Let half an hour go by, so that what is read is not read too fast."""
    database.rows(
        "UPDATE deid.review_reading SET started_at = started_at - interval '30 minutes',"
        " finished_at = finished_at - interval '30 minutes'"
    )


def mark_as(page: Page, label: str) -> None:
    """Mark the selected passage as missed, in the dialog."""
    page.get_by_role("button", name="Oubli").click()
    page.get_by_role("radio", name=label).check()
    page.get_by_role("button", name="Marquer").click()
    expect(page.get_by_role("status")).to_have_text("Marque enregistrée.")


def test_a_review_is_opened_from_the_list_read_and_closed(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    page = visit("intendante")
    page.goto(f"{server.pages}/reviews")
    page.get_by_role("link", name=re.compile("Ouvrir une relecture")).click()
    expect(page.get_by_role("radio", name=re.compile("réglage de l'hôpital"))).to_be_checked()
    page.get_by_role("button", name="Tirer l'échantillon").click()
    expect(page.get_by_text("Rien encore")).to_be_visible()
    page.get_by_role("link", name="Commencer la lecture").click()
    for ordinal in (1, 2, 3):
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Document {ordinal} sur 3")
        take_time(database)
        page.get_by_role("button", name="Rien à signaler").click()
    expect(page.get_by_text("Vous n'avez plus rien à lire")).to_be_visible()
    expect(page.locator(".answer")).to_have_text(
        "Documents qui laissent voir une identité\u00a0: aucun des 3\u00a0documents, tous lus."
    )
    expect(page.get_by_role("row", name=re.compile("intendante.*s par document"))).to_be_visible()
    assert len(audited(database, "read_text")) == 3
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Clore la relecture").click()
    expect(page.get_by_text("Les textes sont effacés ; les marques")).to_be_visible()
    assert database.rows("SELECT count(*) FROM deid.review_document WHERE text IS NOT NULL") == [(0,)]
    page.goto(f"{server.pages}/reviews?which=closed")
    expect(page.get_by_role("row")).to_have_count(2)
    page.goto(f"{server.pages}/releases/{KEY}")
    expect(page.get_by_role("heading", name="Relecture d'un échantillon")).to_be_visible()
    for table in ("review_reading", "review_document", "review"):
        database.rows(f"DELETE FROM deid.{table}")


def test_a_passage_is_marked_with_the_mouse_and_taken_back(
    visit: Callable[..., Page], server: Server, database: Database, review: int
) -> None:
    page = visit("intendante")
    page.goto(f"{server.pages}/reviews/{review}/{ordinal_of(database, 'D000001')}")
    select_by_mouse(page, "bisoprolol")
    expect(page.locator("#selected")).to_have_text("bisoprolol")
    page.get_by_role("button", name="Oubli").click()
    page.get_by_role("radio", name="Nom d'un soignant").check()
    page.get_by_role("button", name="Marquer").click()
    expect(page.get_by_role("status")).to_have_text("Marque enregistrée.")
    assert stored(database) == [("missed", "DOCTOR", "bisoprolol")]
    expect(page.locator("#reading .marked")).to_have_text("bisoprolol")
    expect(page.get_by_role("button", name=re.compile("^Terminer"))).to_be_visible()
    page.reload()
    expect(page.locator("#reading .marked")).to_have_text("bisoprolol")
    page.get_by_role("button", name="Retirer la marque 1").click()
    expect(page.get_by_text("Aucune marque sur ce document.")).to_be_visible()
    assert stored(database) == []
    expect(page.locator("#reading .marked")).to_have_count(0)


def test_a_text_finished_as_soon_as_opened_is_offered_again_and_does_not_count(
    visit: Callable[..., Page], server: Server, review: int
) -> None:
    page = visit("intendante")
    page.goto(f"{server.pages}/reviews/{review}/1")
    for ordinal in (2, 3, 1):
        page.get_by_role("button", name="Rien à signaler").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Document {ordinal} sur 3")
        expect(page.get_by_text("était trop rapide pour compter")).to_be_visible()
    page.goto(f"{server.pages}/reviews/{review}")
    expect(page.get_by_text("Rien encore")).to_be_visible()
    expect(page.get_by_text("0 sur 3")).to_be_visible()


@pytest.fixture
def rough(stewards: Database) -> Iterator[int]:
    """A review of two of the three documents, which needs the third once one leaks."""
    yield from _review(stewards, 1, SamplePlan(0.34, 0.8, 1))


def test_a_sample_that_is_too_small_is_enlarged_from_its_page(
    visit: Callable[..., Page], server: Server, database: Database, rough: int
) -> None:
    page = visit("intendante")
    page.goto(f"{server.pages}/reviews/{rough}/1")
    select_by_mouse(page, "bisoprolol")
    mark_as(page, "Nom d'un soignant")
    page.goto(f"{server.pages}/reviews/{rough}")
    page.get_by_role("button", name="Agrandir à 3\u00a0documents").click()
    expect(page.get_by_text("continuez à lire")).to_be_visible()
    expect(page.get_by_text("0 sur 3")).to_be_visible()
    again = server.ask("POST", f"/reviews/{rough}/enlarge", "intendante", data="sample=2", headers=FORM)
    assert again.status_code == 303
    for _ in range(3):
        page.goto(f"{server.pages}/reviews/{rough}/next")
        take_time(database)
        page.get_by_role("button", name=re.compile("^(Terminer|Rien à signaler)")).click()
    expect(page.get_by_text("La précision voulue est atteinte.")).to_be_visible()


def test_a_sample_whose_content_waits_no_more_says_that_it_cannot_grow(
    server: Server, database: Database, rough: int
) -> None:
    database.rows("UPDATE deid.review SET staged_digest = 'autre'")
    with connect(database.dsn("steward")) as link, link.cursor() as cursor:
        reading.begin_reading(cursor, rough, 1, "intendante")
        reading.add_mark(cursor, rough, 1, "intendante", ErrorKind.MISSED, Label.DOCTOR, 0, 7)
    shown = server.get(f"/reviews/{rough}", headers={"Accept": "text/html"}).text
    assert "ne peut plus s&#39;agrandir" in shown
    assert "/enlarge" not in shown
    refused = server.ask("POST", f"/reviews/{rough}/enlarge", "intendante", data="sample=2", headers=FORM)
    assert (refused.status_code, "attend plus d" in refused.text) == (409, True)


def test_on_a_telephone_the_buttons_stay_in_sight_while_a_passage_is_selected(
    visit: Callable[..., Page], server: Server, database: Database, review: int
) -> None:
    page = visit("intendante", viewport={"width": 390, "height": 844})
    page.goto(f"{server.pages}/reviews/{review}/{ordinal_of(database, 'D000001')}")
    missed = page.get_by_role("button", name="Oubli")
    expect(missed).not_to_be_in_viewport()
    select_by_mouse(page, "cardiologie")
    for name in ("Oubli", "Mauvaise catégorie", "N'identifie personne"):
        expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    assert violations(page) == []
    mark_as(page, "Nom d'un soignant")
    expect(missed).not_to_be_in_viewport()


def test_a_text_is_read_and_marked_with_the_keyboard_alone(
    visit: Callable[..., Page], server: Server, database: Database, review: int
) -> None:
    page = visit("intendante")
    ordinal = ordinal_of(database, "D000001")
    page.goto(f"{server.pages}/reviews/{review}/{ordinal}")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "reading":
            break
    page.keyboard.press("ArrowRight")
    expect(page.locator("#selected")).to_have_text("Service")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("#selected")).to_have_text("de cardiologie")
    page.keyboard.press("m")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("ArrowUp")  # round the group of labels, to its last
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Marque enregistrée.")
    assert stored(database) == [("missed", "ID", "de cardiologie")]
    page.keyboard.press("s")
    expect(page.locator("#selected")).not_to_have_text("Aucun passage sélectionné.")
    page.keyboard.press("n")
    expect(page.locator("#marks li")).to_have_count(2)
    kind, label, passage = stored(database)[1]
    assert (kind, label) == ("not_identifying", None)
    assert passage == page.locator("#reading .surrogate [data-start]").first.inner_text()
    page.keyboard.press("u")
    expect(page.locator("#marks li")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(page.locator("#selected")).to_have_text("Aucun passage sélectionné.")
    page.get_by_role("button", name=re.compile("^Terminer")).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).not_to_have_text(f"Document {ordinal} sur 3")


def test_one_key_marks_a_label_all_occurrences_and_takes_it_back(
    visit: Callable[..., Page], server: Server, database: Database, review: int
) -> None:
    ordinal = ordinal_of(database, "D000001")
    database.rows(
        "UPDATE deid.review_document SET text = text || E'\\nbisoprolol, bisoprololique, Bisoprolol, bisoprolol.'"
        " WHERE ordinal = %s",
        (ordinal,),
    )
    page = visit("intendante")
    page.goto(f"{server.pages}/reviews/{review}/{ordinal}")
    key = page.get_by_role("radio", name="Nom d'un soignant", include_hidden=True).get_attribute("data-key")
    other = page.get_by_role("radio", name="Autre identifiant", include_hidden=True).get_attribute("data-key")
    assert key
    assert key != other
    select_by_mouse(page, "bisoprolol")
    page.locator("#reading").focus()
    page.keyboard.press(key)
    expect(page.get_by_role("status")).to_have_text("Marque enregistrée.")
    assert stored(database) == [("missed", "DOCTOR", "bisoprolol")]
    expect(page.locator("#last")).to_have_text("Nom d'un soignant")
    page.keyboard.press("u")
    expect(page.get_by_role("status")).to_have_text("Dernière action annulée.")
    assert stored(database) == []
    select_by_mouse(page, "bisoprolol")
    page.locator("#reading").focus()
    page.keyboard.press("t")
    expect(page.get_by_role("checkbox", name="Toutes les occurrences")).to_be_checked()
    page.keyboard.press("r")
    expect(page.locator("#marks li")).to_have_count(3)
    assert stored(database) == [("missed", "DOCTOR", "bisoprolol")] * 3
    page.get_by_role("button", name="Retirer la marque 2").click()
    expect(page.locator("#marks li")).to_have_count(2)
    page.locator("#reading").focus()
    page.keyboard.press("u")  # what was taken back is there again
    expect(page.locator("#marks li")).to_have_count(3)
    page.keyboard.press("u")  # and what was marked together goes together
    expect(page.locator("#marks li")).to_have_count(0)
    assert stored(database) == []
    page.reload()
    expect(page.locator("#last")).to_have_text("—")


def test_what_does_not_fit_is_said_and_nothing_is_marked(
    visit: Callable[..., Page], server: Server, database: Database, review: int
) -> None:
    page = visit("intendante", errors=True)
    page.goto(f"{server.pages}/reviews/{review}/{ordinal_of(database, 'D000001')}")
    select_by_mouse(page, "bisoprolol")
    page.get_by_role("button", name="N'identifie personne").click()
    expect(page.get_by_role("alert")).to_contain_text("Ce passage n'est pas un substitut")
    assert stored(database) == []


def test_a_hostile_document_is_text_and_leaves_no_trace_in_the_browser(
    visit: Callable[..., Page], server: Server, database: Database, review: int
) -> None:
    ordinal = ordinal_of(database, "D000003")
    database.rows(
        "UPDATE deid.review_document SET text = replace(text, 'normal', E'norm\\r\\n🙂al') WHERE ordinal = %s",
        (ordinal,),
    )
    page = visit("intendante")
    page.goto(f"{server.pages}/reviews/{review}/{ordinal}")
    assert "<script>document.title='pris'</script>" in page.locator("#reading").inner_text()
    assert "&lt;b&gt;" in page.locator("#reading").inner_text()
    assert page.title() != "pris"
    assert page.locator("#reading script, #reading iframe, #reading b").count() == 0
    select_by_mouse(page, "électrocardiographique")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Oubli").click()
    page.get_by_role("radio", name="Autre identifiant").check()
    page.get_by_role("button", name="Marquer").click()
    expect(page.locator("#marks li")).to_have_count(1)
    assert stored(database) == [("missed", "ID", "électrocardiographique")]  # exact behind the emoji and the CRLF
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])")
    assert "cardio" not in kept
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0


def test_a_mark_survives_the_end_of_the_session(
    visit: Callable[..., Page], server: Server, database: Database, review: int
) -> None:
    page = visit("intendante", errors=True)
    page.goto(f"{server.pages}/reviews/{review}/{ordinal_of(database, 'D000001')}")
    session = [cookie for cookie in page.context.cookies() if cookie["name"] == "_token"]
    page.context.clear_cookies(name="_token")
    select_by_mouse(page, "bisoprolol")
    page.get_by_role("button", name="Oubli").click()
    page.get_by_role("radio", name="Nom d'un soignant").check()
    page.get_by_role("button", name="Marquer").click()
    expect(page.get_by_role("alert")).to_contain_text("Votre session est terminée")
    expect(page.get_by_role("link", name="Se connecter dans un nouvel onglet")).to_have_attribute("target", "_blank")
    assert stored(database) == []
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    page.get_by_role("button", name="Rien à signaler").click()
    expect(page.get_by_role("alert")).to_contain_text("Une marque n'est pas encore enregistrée")
    page.context.add_cookies(session)
    page.get_by_role("button", name="Réessayer").click()
    expect(page.get_by_role("alert")).to_be_hidden()
    assert stored(database) == [("missed", "DOCTOR", "bisoprolol")]


@pytest.fixture
def hiding(stewards: Database) -> Iterator[int]:
    """A review one of whose three documents holds a sentinel."""
    yield from _review(stewards, 1, SamplePlan(0.01, 0.95, 1, 0.4))


def test_the_page_of_a_release_says_that_an_estimate_is_provisional(
    visit: Callable[..., Page], server: Server, database: Database, hiding: int
) -> None:
    panel = visit("lecteur")
    for ordinal in (1, 2, 3):
        with connect(database.dsn("steward")) as link, link.cursor() as cursor:
            reading.begin_reading(cursor, hiding, ordinal, "intendante")
            reading.finish_reading(cursor, hiding, ordinal, "intendante")
        panel.goto(f"{server.pages}/releases/{KEY}")
        shown = panel.get_by_role("region", name="Relecture d'un échantillon")
        expect(shown).to_contain_text(f"Lectures terminées : {ordinal} sur 3")
        expect(shown.get_by_text("provisoire", exact=True)).to_have_count(0 if ordinal == 3 else 1)
    database.rows("UPDATE deid.review_reading SET seconds = 1200")
    reader = visit("intendante")
    reader.goto(f"{server.pages}/reviews/{hiding}")
    row = reader.get_by_role("region", name="Qui a lu, et comment").get_by_role("row", name="intendante")
    said = ["3", "60,0 min (1 200 s par document)", "0", "0 sur 1 (entre 0 % et 98 %, à 95 %)"]
    expect(row.get_by_role("cell")).to_have_text(said)


def test_two_readers_and_a_senior_steward(
    visit: Callable[..., Page], server: Server, database: Database, twice: int
) -> None:
    ordinal = ordinal_of(database, "D000001")
    text = text_of(database, twice, ordinal)
    start = text.index("bisoprolol")
    with connect(database.dsn("steward")) as link, link.cursor() as cursor:
        reading.begin_reading(cursor, twice, ordinal, "autre")
        reading.add_mark(cursor, twice, ordinal, "autre", ErrorKind.MISSED, Label.DOCTOR, start, start + 10)
        reading.finish_reading(cursor, twice, ordinal, "autre")
    page = visit("intendante")
    page.goto(f"{server.pages}/reviews/{twice}/{ordinal}")
    expect(page.get_by_text("Aucune marque sur ce document.")).to_be_visible()
    take_time(database)
    page.get_by_role("button", name="Rien à signaler").click()
    page.wait_for_url(re.compile(rf"/reviews/{twice}/(?!{ordinal}$)"))
    page.goto(f"{server.pages}/reviews/{twice}")
    expect(page.get_by_text("par une personne référente")).to_be_visible()
    expect(page.get_by_text("κ de Cohen")).to_be_visible()
    assert server.get(f"/reviews/{twice}/{ordinal}/adjudicate").status_code == 403
    senior = visit("referente")
    senior.goto(f"{server.pages}/reviews/{twice}")
    senior.get_by_role("link", name=re.compile("^Trancher")).click()
    expect(senior.locator("#reading .marked")).to_have_text("bisoprolol")
    senior.get_by_role("button", name=re.compile("^Écarter")).click()
    expect(senior.get_by_text("écartée par referente")).to_be_visible()
    assert audited(database, "adjudicate")[-1] == ("referente", "document D000001")
    (mark_id,) = database.rows("SELECT max(mark_id) FROM deid.review_mark")[0]
    given = f"mark_id={mark_id}&verdict=upheld"
    path = f"/reviews/{twice}/{ordinal}/verdicts"
    assert server.ask("POST", path, "referente", data=given, headers=FORM).status_code == 409


def test_two_people_read_in_two_browsers_and_their_disagreement_is_settled(
    visit: Callable[..., Page], server: Server, database: Database, twice: int
) -> None:
    pages = {reader: visit(reader) for reader in ("intendante", "referente")}
    marked = {"D000001": ("intendante", "referente"), "D000003": ("intendante",)}
    for ordinal in (1, 2, 3):
        (document_id,) = database.rows("SELECT document_id FROM deid.review_document WHERE ordinal = %s", (ordinal,))[0]
        for reader, page in pages.items():
            page.goto(f"{server.pages}/reviews/{twice}/next")
            expect(page.get_by_role("heading", level=1)).to_have_text(f"Document {ordinal} sur 3")
            expect(page.get_by_text("Aucune marque sur ce document.")).to_be_visible()
            if reader in marked.get(document_id, ()):
                select_by_mouse(page, "bisoprolol" if document_id == "D000001" else "électrocardiographique")
                mark_as(page, "Nom d'un soignant")
            take_time(database)
            page.get_by_role("button", name=re.compile("^(Terminer|Rien à signaler)")).click()
            page.wait_for_url(re.compile(rf"/reviews/{twice}(/(?!{ordinal}$).*)?$"))
    senior = pages["referente"]
    senior.goto(f"{server.pages}/reviews/{twice}")
    expect(
        senior.get_by_text("Un oubli vu par les deux dans 1, par une seule dans 1, par aucune dans 1")
    ).to_be_visible()
    expect(senior.get_by_text(re.compile("κ de Cohen.*0,40"))).to_be_visible()
    expect(senior.get_by_role("link", name=re.compile("^Trancher"))).to_have_count(1)
    senior.get_by_role("link", name=re.compile("^Trancher")).click()
    senior.get_by_role("button", name=re.compile("^Écarter")).click()
    expect(senior.get_by_text("écartée par referente")).to_be_visible()
    reader = pages["intendante"]
    reader.goto(f"{server.pages}/reviews/{twice}")
    expect(reader.locator(".answer")).to_contain_text("1 des 3\u00a0documents, tous lus")
    expect(reader.get_by_text("Rien à trancher.")).to_be_visible()
    expect(reader.get_by_text("écartée par referente")).to_be_visible()


def test_originals_are_for_the_senior_steward_and_recorded(
    visit: Callable[..., Page], server: Server, database: Database, review: int
) -> None:
    ordinal = ordinal_of(database, "D000003")
    assert server.get(f"/reviews/{review}/{ordinal}/original").status_code == 403
    page = visit("referente")
    page.goto(f"{server.pages}/reviews/{review}/{ordinal}")
    page.get_by_role("link", name="Afficher l'original").click()
    expect(page.locator("#source")).to_contain_text("Maëlys")
    expect(page.locator("#source")).to_contain_text("<iframe src=//ailleurs>")
    assert page.locator("#source iframe").count() == 0
    expect(page.locator("#reading")).not_to_contain_text("VASSEROT")
    expect(page.locator("#source .surrogate").first).to_be_visible()
    assert audited(database, "read_original")[-1] == ("referente", "document D000003")
    database.rows("UPDATE deid.review_document SET content_hash = 'autre' WHERE ordinal = %s", (ordinal,))
    refused = server.get(f"/reviews/{review}/{ordinal}/original", "referente", headers={"Accept": "text/html"})
    assert refused.status_code in (404, 409)
    assert "VASSEROT" not in refused.text


def test_the_rewritten_file_is_saved_by_who_reads_the_text(server: Server, database: Database, review: int) -> None:
    ordinal = ordinal_of(database, "D000003")
    address, html = f"/reviews/{review}/{ordinal}", {"Accept": "text/html"}
    assert f"{address}/file" not in server.get(address, headers=html).text
    assert server.get(f"{address}/file").status_code == 404
    database.rows(
        "UPDATE deid.candidate SET file = 'PK', file_type = 'application/zip', file_suffix = '.zip'"
        " WHERE document_id = 'D000003'"
    )
    assert f"{address}/file" in server.get(address, headers=html).text
    assert server.get(f"{address}/file", "lecteur").status_code == 403
    assert server.get(f"{address}/file", "referente").status_code == 409, "another person reads it"
    file = server.get(f"{address}/file")
    assert (file.status_code, file.content, file.headers["content-type"]) == (200, b"PK", "application/zip")
    assert file.headers["content-disposition"] == f'attachment; filename="nocturne-{review}-{ordinal}.zip"'
    assert file.headers["x-content-type-options"] == "nosniff"
    assert audited(database, "read_file") == [("intendante", "document D000003")]
    database.rows("UPDATE deid.candidate SET file = NULL, file_type = NULL, file_suffix = NULL")


def test_targets_that_take_as_many_documents_are_one_choice(server: Server) -> None:
    page = unescape(server.get(f"/reviews/new/{KEY}", headers={"Accept": "text/html"}).text)
    assert re.findall(r'name="target"[^>]* value="([^"]+)"( checked)?', page) == [("0.01", " checked")]
    assert "Il n'y a qu'un choix" in page


def test_what_cannot_be_read_or_marked_has_a_clear_page(server: Server, database: Database, review: int) -> None:
    html = {"Accept": "text/html"}
    mark = {"kind": "missed", "label": "ID", "start": 0, "end": 3}

    def status(path: str, account: str = "intendante") -> tuple[int, str]:
        answer = server.get(path, account, headers=html)
        title = re.search("<h1>([^<]*)", answer.text)
        return answer.status_code, title[1] if title else ""

    def sent(ordinal: int) -> int:
        return server.ask("POST", f"/reviews/{review}/{ordinal}/marks", "intendante", json=mark).status_code

    assert status("/reviews/9999") == (404, "Cette relecture, ce document ou cette marque n&#39;existe pas")
    assert status(f"/reviews/{review}/99")[0] == 404
    assert status("/reviews/new/2031-01-01")[0] == 409
    assert sent(1) == 409  # not opened
    assert status(f"/reviews/{review}/1")[0] == 200
    assert sent(1) == sent(1) == 201
    assert len(stored(database)) == 1
    assert status(f"/reviews/{review}/1", "referente") == (409, "Ce document est déjà lu par une autre personne")
    (run_id, document_id) = database.rows("SELECT run_id, document_id FROM deid.review_document WHERE ordinal = 1")[0]
    database.rows("INSERT INTO deid.withdrawal (run_id, document_id) VALUES (%s, %s)", (run_id, document_id))
    assert status(f"/reviews/{review}/1") == (410, "Ce document a été retiré")
    assert sent(1) == 410
    database.rows("DELETE FROM deid.withdrawal")
    with connect(database.dsn("steward")) as link, link.cursor() as cursor:
        lifecycle.close_review(cursor, review, "autre")
    assert status(f"/reviews/{review}/1") == (409, "Cette relecture est close")
    assert sent(1) == 409
    closed = server.ask("POST", f"/reviews/{review}/close", "intendante", headers=FORM)
    assert closed.status_code == 409


def test_nothing_that_is_sent_is_repeated(server: Server, review: int) -> None:
    server.get(f"/reviews/{review}/1")
    for wrong in ({"kind": "missed", "label": "Maëlys", "start": 0, "end": 3}, {"texte": "Maëlys"}):
        answer = server.ask("POST", f"/reviews/{review}/1/marks", "intendante", json=wrong)
        assert answer.status_code == 422
        assert "Maëlys" not in answer.text


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_every_page_is_in_both_languages(server: Server, review: int, lang: str) -> None:
    for path in ("/reviews", f"/reviews/{review}", f"/reviews/{review}/1", f"/releases/{KEY}"):
        answer = server.get(f"{path}?lang={lang}")
        assert answer.status_code == 200
        assert f'<html lang="{lang}"' in answer.text


@pytest.mark.parametrize(("scheme", "lang"), [("light", "fr"), ("dark", "en")])
def test_axe_finds_nothing_to_say_and_a_narrow_screen_is_enough(
    visit: Callable[..., Page], server: Server, database: Database, twice: int, scheme: str, lang: str
) -> None:
    with connect(database.dsn("steward")) as link, link.cursor() as cursor:
        for reader in ("autre", "referente"):
            reading.begin_reading(cursor, twice, 1, reader)
            reading.add_mark(
                cursor, twice, 1, reader, ErrorKind.MISSED, Label.DOCTOR, *((0, 3) if reader == "autre" else (4, 9))
            )
            reading.finish_reading(cursor, twice, 1, reader)
    page = visit("referente", lang=lang, color_scheme=scheme)
    rules = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}}
    texts = [f"/reviews/{twice}/{ordinal}" for ordinal in (1, 2)]
    found = []
    for address in ("/reviews", f"/reviews/{twice}", *texts, f"{texts[1]}/original", f"{texts[0]}/adjudicate"):
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(f"{server.pages}{address}")
        for violation in Axe().run(page, options=rules).response["violations"]:
            found.append((address, violation["id"], [node["target"] for node in violation["nodes"]][:3]))
        page.set_viewport_size({"width": 320, "height": 640})
        if page.evaluate("document.documentElement.scrollWidth") > 320:
            found.append((address, "scrolls sideways", []))
    assert found == []
