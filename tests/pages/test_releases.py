"""Overview, list and page of a release: what they show, what other areas add, and what cannot be shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from deid.config.policy import Policy, load
from deid.config.settings import settings
from deid.publication.publish import make_visible, publish_interval
from tests.conftest import Database
from tests.database.warehouse import small_hospital
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, put
from tests.pages.open_questions import ask_people
from tests.pages.serving import Server
from tests.pages.test_accessibility import violations

NIGHT = "2026-03-02"
NAME = "Nuit du lundi 2 mars 2026"


def open_section(page: Page, title: str) -> None:
    """Unfold a section of a release's page, with the keyboard."""
    page.locator("details.folded > summary").filter(has_text=title).press("Enter")


def test_a_release_is_reached_from_the_overview(visit: Callable[..., Page], server: Server) -> None:
    server.database.rows("UPDATE deid.run SET finished_at = now(), triggered_by = 'scheduled__' || triggered_by")
    page = visit("lecteur")
    page.goto(f"{server.pages}/")
    server.database.rows("UPDATE deid.run SET triggered_by = replace(triggered_by, 'scheduled__', '')")
    expect(page.get_by_role("heading", level=1)).to_have_text("Vue d'ensemble")
    waiting, held = (page.locator(".findings li").nth(place) for place in (0, 1))
    expect(waiting).to_contain_text("3 documents prêts attendent depuis moins d'une heure")
    expect(held).to_contain_text("1 document en quarantaine attend une décision")
    leads = {link.inner_text(): link.get_attribute("href") or "" for link in page.locator(".findings li a").all()}
    assert leads["Ouvrir la publication"] == f"/nocturne/releases/{NIGHT}"
    assert leads["Ouvrir la quarantaine"] == "/nocturne/quarantine"
    assert leads["Ouvrir deidentify_documents dans Airflow (Déclencher, puis Rattrapage)"].startswith(server.url)
    for address in ("/quarantine", f"/releases/{NIGHT}/decision"):
        assert server.get(address, "lecteur").status_code == 200
    page.get_by_role("rowheader").get_by_role("link", name=NAME).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(NAME)
    expect(page.get_by_text("En attente de décision")).to_be_visible()


def test_the_list_is_filtered_by_keyboard(visit: Callable[..., Page], server: Server) -> None:
    page = visit("lecteur")
    page.goto(f"{server.pages}/releases")
    page.get_by_label("État").focus()
    page.keyboard.type("Publié")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Aucun intervalle ne répond")).to_be_visible()
    page.get_by_label("État").select_option("waiting")
    page.get_by_role("button", name="Filtrer").press("Enter")
    expect(page.get_by_role("rowheader").get_by_role("link", name=NAME)).to_be_visible()


@pytest.mark.parametrize("path", ["/", "/releases"])
def test_on_a_telephone_a_state_is_read_whole(visit: Callable[..., Page], server: Server, path: str) -> None:
    page = visit("lecteur", viewport={"width": 390, "height": 844})
    page.goto(f"{server.pages}{path}")
    state = page.get_by_role("row", name=NAME).get_by_text("En attente de décision").bounding_box()
    assert state is not None
    assert state["x"] + state["width"] <= 390


def test_a_release_says_what_is_held_back_and_leads_to_its_run(visit: Callable[..., Page], server: Server) -> None:
    page = visit("intendante", lang="en")
    page.goto(f"{server.pages}/releases/{NIGHT}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Night of Monday 2 March 2026")
    held = page.get_by_role("link", name="in quarantine", exact=True)
    assert held.get_attribute("href") == f"/nocturne/quarantine?interval={NIGHT}"
    open_section(page, "Quarantine")
    page.get_by_text("Ids (1)").click()
    link = page.get_by_role("link", name="Handle in quarantine")
    assert link.get_attribute("href") == f"/nocturne/quarantine?interval={NIGHT}&reason=undecodable"
    document = page.get_by_role("link", name="D000004").get_attribute("href") or ""
    assert server.get(document.removeprefix("/nocturne"), "lecteur").status_code == 200
    open_section(page, "Runs")
    run = page.get_by_role("link", name="Open run 1 in Airflow")
    assert (run.get_attribute("href") or "").endswith("/dags/deidentify_documents/runs/nuit-1")


def test_a_release_says_what_share_of_clinical_content_is_kept(visit: Callable[..., Page], server: Server) -> None:
    page = visit("lecteur")
    page.goto(f"{server.pages}/releases/{NIGHT}")
    open_section(page, "Mentions par catégorie")
    expect(page.get_by_role("heading", name="Contenu clinique conservé")).to_be_visible()
    expect(page.locator("#clinical")).to_contain_text("des valeurs et termes cliniques sont conservés")


def test_a_release_shows_its_evaluation(server: Server) -> None:
    """The night waits: its rows are taken away again, for the other tests."""
    html = {"Accept": "text/html"}
    assert "pas été évaluée" in server.get(f"/releases/{NIGHT}", "intendante", headers=html).text
    server.database.rows(
        "INSERT INTO deid.release (interval_key, run_ids, policy_hash, pipeline_version, staged_digest)"
        " SELECT interval_key, ARRAY[run_id], policy_hash, pipeline_version, '' FROM deid.run WHERE run_id = 1"
    )
    server.database.rows(
        "INSERT INTO deid.evaluation (release_id, run, measure, value, low, high, n, policy_hash)"
        " SELECT release_id, 'manual', measure, value, low, high, 30, '' FROM deid.release, (VALUES"
        " ('attack.person', 0.21, 0.1, 0.35), ('attack.places', 0.12, 0.05, 0.2), ('attack.chance', 0.03, NULL, NULL),"
        " ('utility.constraints_kept', 0.98, 0.9, 1)) AS m (measure, value, low, high)"
    )
    try:
        page = server.get(f"/releases/{NIGHT}", "intendante", headers=html).text
    finally:
        server.database.rows("DELETE FROM deid.evaluation")
        server.database.rows("DELETE FROM deid.release")
    assert "Attaque : commune devinée" in page
    assert "21,0" in page
    assert "pas été évaluée" not in page
    assert page.count("<circle") == 1


def test_a_release_that_waits_fits_two_screens_with_its_main_numbers(
    visit: Callable[..., Page], server: Server, stewards: Database
) -> None:
    ask_people("asset__two_screens", NIGHT)
    page = visit("referente", viewport={"width": 1280, "height": 860})
    page.goto(f"{server.pages}/releases/{NIGHT}")
    expect(page.get_by_role("button", name="Continuer")).to_be_visible()
    assert page.locator("details[open]").count() == 0
    assert page.evaluate("document.documentElement.scrollHeight") <= 2 * 860
    said = page.locator("details.folded > summary").all_inner_texts()
    ((mentions,),) = stewards.rows("SELECT count(*) FROM deid.mention")
    assert [one for one in said if "Quarantaine 1 document(s)" in " ".join(one.split())]
    assert [one for one in said if f"{mentions} mentions" in one]
    for title in ("Contrôles", "Confidentialité", "Évaluation", "Depuis la publication", "Exécutions", "Exporter"):
        assert [one for one in said if one.startswith(title) and len(one) > len(title)], title


def test_reading_a_release_is_written_down(server: Server) -> None:
    assert server.get(f"/releases/{NIGHT}", "exploitant").status_code == 200
    ((object_, action),) = server.database.rows(
        "SELECT object, action FROM deid.audit WHERE actor = 'exploitant' ORDER BY seq DESC LIMIT 1"
    )
    assert (object_, action) == (f"release {NIGHT}", "read_release")


@pytest.mark.parametrize("key", ["2026-03-09", "demain", "2026-13-45", "2026-03-02'"])
def test_an_interval_that_was_never_processed_says_so(server: Server, key: str) -> None:
    answer = server.get(f"/releases/{key}", headers={"Accept": "text/html"})
    assert answer.status_code == 404
    assert "jamais été traité" in answer.text


@pytest.mark.parametrize("query", ["month=demain", "month=2026-99", "state=nowhere", "before=nothing"])
def test_a_filter_that_means_nothing_breaks_nothing(server: Server, query: str) -> None:
    assert server.get(f"/releases?{query}").status_code in (200, 422)


def test_the_policy_of_a_run_is_kept_whole(server: Server) -> None:
    ((kept, content),) = server.database.rows(
        "SELECT r.policy_hash, p.content FROM deid.run AS r INNER JOIN deid.policy AS p USING (policy_hash)"
    )
    assert (Policy.model_validate(content).digest, content) == (kept, load().content)


def test_a_release_lists_the_documents_that_disagree(visit: Callable[..., Page], server: Server) -> None:
    server.database.rows(
        """UPDATE deid.document SET agreement = '{"first_name": [4, 2]}' WHERE document_id = 'D000001'"""
    )
    page = visit("lecteur")
    page.goto(f"{server.pages}/releases/{NIGHT}")
    open_section(page, "Mentions par catégorie")
    expect(page.get_by_role("heading", name="Accord des documents d'un même patient")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="Prénom du patient")
    expect(row.first).to_contain_text("2")
    page.get_by_text("Documents en désaccord (1)").click()
    expect(page.locator("#disagreeing li")).to_have_text(["D000001 (en attente) Prénom du patient : 2"])
    expect(page.locator("#disagreeing a")).to_have_count(0)


def test_a_published_document_is_read_by_its_own_id_and_the_reading_is_recorded(
    visit: Callable[..., Page], server: Server
) -> None:
    server.database.rows(
        "INSERT INTO research.document (document_id, patient_id, text, visible_from, policy_hash, pipeline_version,"
        " detector_version, key_fingerprint) SELECT name, 'onepatient', 'Vu <b>ce</b> jour.'"
        " || CASE name WHEN 'publishedtwo' THEN ' Seule bouchère du canton.' ELSE '' END, '2026-03', '', '', '', ''"
        " FROM unnest(ARRAY['publishedone', 'publishedtwo']) AS n (name)"
    )
    assert server.get("/published/publishedone", "lecteur").status_code == 403
    shown = server.get("/published/publishedone", "intendante", headers={"Accept": "text/html"})
    assert shown.status_code == 200
    assert "Vu &lt;b&gt;ce&lt;/b&gt; jour." in shown.text
    assert "/published/publishedtwo" in shown.text
    ((object_, action),) = server.database.rows(
        "SELECT object, action FROM deid.audit WHERE actor = 'intendante' ORDER BY seq DESC LIMIT 1"
    )
    assert (object_, action) == ("published publishedone", "read_text")
    page = visit("intendante")
    page.goto(f"{server.pages}/published/publishedone")
    assert violations(page) == []
    assert "told-1" not in shown.text
    page.goto(f"{server.pages}/published/publishedtwo")
    page.locator("a.place").click()
    expect(page.locator("#told-1")).to_have_text("Seule bouchère du canton")
    assert violations(page) == []
    assert "/published/publishedone/file" not in shown.text
    assert server.get("/published/publishedone/file", "intendante").status_code == 404
    missing = server.get("/published/nobody", "intendante", headers={"Accept": "text/html"})
    assert missing.status_code == 404
    assert "ne lit aucun document sous cet identifiant" in missing.text


def test_published_texts_that_single_a_person_out_are_listed_for_who_reads_them_again(
    visit: Callable[..., Page], server: Server
) -> None:
    rows, told = [f"unique{number:03}" for number in range(52)], "Seule bouchère du canton."
    server.database.rows(
        "INSERT INTO research.document (document_id, patient_id, text, visible_from, policy_hash, pipeline_version,"
        " detector_version, key_fingerprint) SELECT name, 'onepatient', %s, '2026-03', '', '', '', ''"
        " FROM unnest(%s) AS n (name)",
        (told, rows),
    )
    server.database.rows("INSERT INTO deid.unique_text SELECT unnest(%s)", (rows[1:],))
    for account in ("lecteur", "exploitant"):
        assert server.get("/published", account).status_code == 403
        assert "/published" not in server.get("/releases", account).text
    page = visit("intendante")
    page.goto(f"{server.pages}/releases")
    page.get_by_role("link", name="Documents publiés où une personne est dite seule de son genre").click()
    assert violations(page) == []
    expect(page.locator("ul.ids li")).to_have_text(rows[1:51])
    page.get_by_role("link", name="Suivants").click()
    expect(page.locator("ul.ids li")).to_have_text(rows[51:])
    page.get_by_role("link", name=rows[51]).click()
    expect(page.locator("mark, #told-1").first).to_contain_text("Seule bouchère du canton")
    ((object_,),) = server.database.rows(
        "SELECT DISTINCT object FROM deid.audit WHERE actor = 'intendante' AND action = 'read_release'"
        " AND object LIKE 'published%'"
    )
    assert object_ == "published unique_person"
    server.database.rows("DELETE FROM research.document")
    assert "ne porte cette alerte" in server.get("/published", "intendante", headers={"Accept": "text/html"}).text


def test_a_published_file_is_saved_and_never_shown(server: Server) -> None:
    server.database.rows(
        "INSERT INTO research.document (document_id, patient_id, text, visible_from, policy_hash, pipeline_version,"
        " detector_version, key_fingerprint, file, file_type, file_suffix)"
        " VALUES ('publishedfile', 'p', 'Vu.', '2026-03', '', '', '', '', '<script>1</script>', 'text/html', '.html')"
    )
    shown = server.get("/published/publishedfile", "intendante", headers={"Accept": "text/html"})
    assert 'href="/nocturne/published/publishedfile/file"' in shown.text
    assert server.get("/published/publishedfile/file", "lecteur").status_code == 403
    file = server.get("/published/publishedfile/file", "intendante")
    assert (file.status_code, file.content) == (200, b"<script>1</script>")
    assert file.headers["content-disposition"] == 'attachment; filename="publishedfile.html"'
    assert file.headers["x-content-type-options"] == "nosniff"
    assert "no-store" in file.headers["cache-control"]
    recorded = server.database.rows("SELECT object FROM deid.audit WHERE action = 'read_file'")
    assert recorded == [("published publishedfile",)]


def numbers(html: str) -> list[int]:
    """The whole numbers that a part of a page shows, in its order."""
    return [int(value) for value in re.findall(r'<data value="(\d+)">', html)]


def test_an_interval_processed_twice_is_counted_once_as_researchers_read_it(
    server: Server, stewards: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = small_hospital.NIGHT + 8 * DAY
    key = str(start.date())
    for number in range(2):
        put(stewards, f"D00008{number}", f"{small_hospital.LETTER}\nExemplaire {'ab'[number]}.", at=start)
    decide(monkeypatch, tmp_path)
    process("first", start)
    decide(monkeypatch, tmp_path, "{epsilon_per_document: 3.0}")
    process("second", start)
    policy = load(settings().policy).digest
    ((mentions,),) = stewards.rows(
        "SELECT count(*) FROM deid.mention WHERE run_id = (SELECT max(run_id) FROM deid.run)"
    )

    def shown(path: str, place: str) -> list[int]:
        page = server.get(path, headers={"Accept": "text/html"}).text
        return numbers(next(part for part in re.findall(place, page, re.DOTALL) if key in part or "<dl" in part))

    for waiting in (2, 0):
        if not waiting:
            publish_interval(key)
            make_visible("nightly")
        ((read,),) = stewards.rows(
            "SELECT count(*) FROM research.document WHERE policy_hash = %s", (policy,), role="researcher"
        )
        assert read == 2 - waiting
        assert shown(f"/releases/{key}", r'<dl class="counts">.*?</dl>') == [2, waiting or read]  # seen, and its parts
        assert shown("/releases", r"<tr>.*?</tr>")[:6] == [2, waiting, read, read, 0, 0]
        assert shown("/", r"<tr>.*?</tr>")[:4] == [2, waiting, read, read]
        assert shown("/", r'<dl class="tiles">.*?</dl>')[0] == read
        headline = server.get(f"/releases/{key}/export/json").json()["headline"]
        counts = {name: headline[name] for name in ("seen", "waiting", "published", "readable", "mentions")}
        assert counts == {"seen": 2, "waiting": waiting, "published": read, "readable": read, "mentions": mentions}
