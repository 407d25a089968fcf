"""Overview, list and page of a release: what they show, what other areas add, and what cannot be shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from deid.config.policy import Policy, load
from tests.pages.serving import Server

NIGHT = "2026-03-02"
NAME = "Nuit du lundi 2 mars 2026"


def test_a_release_is_reached_from_the_overview(visit: Callable[..., Page], server: Server) -> None:
    page = visit("lecteur")
    page.goto(f"{server.pages}/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Vue d'ensemble")
    expect(page.locator(".findings")).to_contain_text("3 documents prêts attendent depuis moins d'une heure")
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


def test_a_release_says_what_is_held_back_and_leads_to_its_run(visit: Callable[..., Page], server: Server) -> None:
    page = visit("intendante", lang="en")
    page.goto(f"{server.pages}/releases/{NIGHT}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Night of Monday 2 March 2026")
    page.get_by_text("Ids (1)").click()
    link = page.get_by_role("link", name="Handle in quarantine")
    assert link.get_attribute("href") == f"/nocturne/quarantine?interval={NIGHT}&reason=undecodable"
    document = page.get_by_role("link", name="D000004").get_attribute("href") or ""
    assert server.get(document.removeprefix("/nocturne"), "lecteur").status_code == 200
    run = page.get_by_role("link", name="Open run 1 in Airflow")
    assert (run.get_attribute("href") or "").endswith("/dags/deidentify_documents/runs/nuit-1")


def test_a_release_says_what_share_of_clinical_content_is_kept(visit: Callable[..., Page], server: Server) -> None:
    page = visit("lecteur")
    page.goto(f"{server.pages}/releases/{NIGHT}")
    expect(page.get_by_role("heading", name="Contenu clinique conservé")).to_be_visible()
    expect(page.locator("#clinical")).to_contain_text("des valeurs et termes cliniques sont conservés")


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
    expect(page.get_by_role("heading", name="Accord des documents d'un même patient")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="Prénom du patient")
    expect(row.first).to_contain_text("2")
    page.get_by_text("Documents en désaccord (1)").click()
    expect(page.locator("#disagreeing li")).to_have_text(["D000001 (en attente) Prénom du patient : 2"])
    expect(page.locator("#disagreeing a")).to_have_count(0)


def test_a_published_document_is_read_by_its_own_id_and_the_reading_is_recorded(server: Server) -> None:
    server.database.rows(
        "INSERT INTO research.document (document_id, patient_id, text, visible_from, policy_hash, pipeline_version,"
        " detector_version, key_fingerprint) SELECT name, 'onepatient', 'Vu <b>ce</b> jour.', '2026-03', '', '', '', ''"
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
    assert "/published/publishedone/file" not in shown.text
    assert server.get("/published/publishedone/file", "intendante").status_code == 404
    missing = server.get("/published/nobody", "intendante", headers={"Accept": "text/html"})
    assert missing.status_code == 404
    assert "ne lit aucun document sous cet identifiant" in missing.text


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
