"""Requirements on every page: access, headers, forgery protection, language, errors."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest
from nocturne_pages.errors import MOST_ID
from playwright.sync_api import Page, expect

from tests.airflow_home import ROOT
from tests.pages.routes import ROUTES, addressed, hostile_addresses, whole_numbers
from tests.pages.serving import Server


def test_nobody_gets_in_without_signing_in(server: Server) -> None:
    answer = server.get("/language/en", None, headers={"Accept": "text/html"})
    assert answer.status_code == 401
    assert "Connectez-vous pour voir cette page" in answer.text
    ended = server.get("/language/en", None, headers={"Accept": "text/html"}, cookies={"_token": "expirée"})
    assert ended.status_code == 401
    assert "Votre session est terminée" in ended.text


def test_the_bare_address_is_the_first_page(server: Server) -> None:
    answer = server.get("", None)
    assert (answer.status_code, answer.headers["Location"]) == (307, "/nocturne/")


def test_every_answer_forbids_foreign_scripts_and_keeps_nothing(server: Server) -> None:
    for answer in (server.get("/language/en"), server.get("/nowhere"), server.get("/language/en", None)):
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert "unsafe" not in answer.headers["Content-Security-Policy"]
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_language_returns_to_pages_of_its_own_only(server: Server) -> None:
    answer = server.get("/language/en?back=/nocturne/releases")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/nocturne/releases")
    assert "nocturne_lang=en" in answer.headers["Set-Cookie"]
    for elsewhere in ("https://ailleurs.example/", "//ailleurs.example/nocturne/", "/auth/logout"):
        assert server.get(f"/language/en?back={elsewhere}").headers["Location"] == "/nocturne/"


def test_every_page_leads_to_its_guide(visit: Callable[..., Page], server: Server) -> None:
    page = visit("intendante")
    for path in ("/", "/releases", "/quarantine", "/opt-outs", "/reviews", "/models", "/audit"):
        page.goto(f"{server.pages}{path}")
        address = page.get_by_role("banner").get_by_role("link", name="Guide", exact=True).get_attribute("href") or ""
        name = address.removeprefix("https://guides.example/nocturne/").removesuffix(".html")
        said = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert page.get_by_role("heading", level=1).inner_text().split()[0] in said, path


def test_a_page_that_is_not_there_says_so_in_the_language_of_the_reader(
    visit: Callable[..., Page], server: Server
) -> None:
    page = visit("lecteur", errors=True)
    page.goto(f"{server.pages}/nowhere")
    expect(page.get_by_role("heading", level=1)).to_have_text("Cette page n'existe pas")
    english = visit("lecteur", errors=True, lang="en")
    english.goto(f"{server.pages}/nowhere")
    expect(english.get_by_role("heading", level=1)).to_have_text("There is no such page")


def test_no_address_made_by_hand_is_an_error_of_the_server(server: Server) -> None:
    signed = {"Authorization": f"Bearer {server.token('referente')}", "Accept": "text/html"}
    addresses = list(hostile_addresses())
    answers = {address: server.ask("GET", address, None, headers=signed).status_code for address in addresses}
    assert len(answers) > 300
    assert {address: status for address, status in answers.items() if status >= 500} == {}
    assert (answers["/releases?before=%00"], answers["/reviews/9223372036854775808"]) == (422, 404)


def test_no_form_made_by_hand_is_an_error_of_the_server(server: Server) -> None:
    signed = {"Authorization": f"Bearer {server.token('referente')}", "Accept": "text/html"}
    typed = {"reason": "Lu en \0 entier.", "text": "Lu en \0 entier."}
    paths = [addressed(path) for method, path, _ in ROUTES if method == "POST"]
    answers = {path: server.ask("POST", path, None, headers=signed, data=typed) for path in paths}
    assert len(answers) > 10
    assert {path: answer.status_code for path, answer in answers.items() if answer.status_code != 422} == {}
    assert not any("\0" in answer.text for answer in answers.values())
    files = {"reason": (None, "Lu en \0 entier.")}
    assert server.ask("POST", paths[0], None, headers=signed, files=files).status_code == 422


def test_every_whole_number_that_is_sent_has_the_same_bounds() -> None:
    found = list(whole_numbers())
    assert {name for _, _, name, _ in found} >= {
        "before",
        "former",
        "sample",
        "mark_id",
        "remove",
        "start",
        "end",
        "ids",
    }
    assert [(*field, one) for *field, one in found if one.get("minimum", -1) < 0] == []
    assert [(*field, one) for *field, one in found if one.get("maximum", 2.0**64) > float(MOST_ID)] == []


def test_no_number_made_by_hand_is_an_error_of_the_server(server: Server) -> None:
    signed = {"Authorization": f"Bearer {server.token('referente')}", "Accept": "text/html"}
    others = {"entry": "1:D000004", "reason": "courrier du 12 octobre", "label": "ID", "kind": "missed"}
    answers = {}
    for method, path, name, _ in whole_numbers():
        if method == "get":  # a filter: among the addresses above
            continue
        others |= {"verdict": "upheld", "start": "0", "end": "3", "do": "add"}
        address = addressed(path.replace("{run_id}", "1").replace("{document_id}", "D000004"))
        for value in ("9223372036854775808", "9" * 5000, "-1", "-9223372036854775809", "1e3", "2.5", "six", "\0", "٣"):
            fields = others | {name: [value] if name == "ids" else value}
            body = {"json": fields} if path.endswith("/marks") else {"data": fields}
            answer = server.ask(method.upper(), address, None, headers=signed, **body)
            answers[method, path, name, value[:20]] = answer.status_code
    assert len(answers) >= 8 * 9
    assert {asked: status for asked, status in answers.items() if status not in (404, 422)} == {}


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/quarantine?after=2026-03-02T00:00:00Z 9223372036854775808 D000004", None),
        ("/quarantine/undo", {"entry": "9223372036854775808:D000004"}),
        ("/quarantine/marked", {"entry": "1:D000004", "mark": "0:9223372036854775808:ID"}),
        ("/quarantine/marked", {"entry": "1:D000004", "mark": "-3:3:ID"}),
    ],
)
def test_no_number_inside_a_field_is_an_error_of_the_server(
    server: Server, path: str, form: dict[str, str] | None
) -> None:
    if form is None:
        assert server.get(path, "referente").status_code == 200  # the first page, as without
    else:
        assert server.ask("POST", path, "referente", data=form).status_code == 422


def test_a_page_whose_database_connection_is_dropped_says_so(server: Server) -> None:
    waiting = (
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        " AND usename LIKE '%%steward%%'"
    )
    with ThreadPoolExecutor(1) as pool, psycopg2.connect(server.database.owner) as link, link.cursor() as cursor:
        cursor.execute("LOCK TABLE deid.review IN ACCESS EXCLUSIVE MODE")
        asked = pool.submit(server.get, "/reviews", "intendante", headers={"Accept": "text/html"})
        found: list[tuple[int]] = []
        deadline = time.monotonic() + 60
        while not found and not asked.done() and time.monotonic() < deadline:
            time.sleep(0.05)
            found = server.database.rows(waiting)
        assert found, "the page does not wait for the table"
        for (pid,) in found:
            server.database.rows("SELECT pg_terminate_backend(%s)", (pid,))
        answer = asked.result(60)
        link.rollback()
    assert (answer.status_code, "La base de données ne répond pas" in answer.text) == (503, True)
    assert server.get("/reviews", "intendante").status_code == 200


def test_every_component_can_import_the_plugin_cheaply() -> None:
    code = (
        "import tests.airflow_home, sys, stewards;"
        "heavy = {'torch', 'transformers', 'pandas', 'great_expectations', 'scipy', 'matplotlib'} & set(sys.modules);"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    path = os.pathsep.join((str(ROOT), str(ROOT / "plugins")))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
