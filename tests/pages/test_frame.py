"""Requirements on every page: access, headers, forgery protection, language, errors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.airflow_home import ROOT
from tests.pages.serving import Server


def test_nobody_gets_in_without_signing_in(server: Server) -> None:
    answer = server.get("/language/en", None, headers={"Accept": "text/html"})
    assert answer.status_code == 401
    assert "Votre session est terminée" in answer.text


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


def test_a_page_that_is_not_there_says_so_in_the_language_of_the_reader(
    visit: Callable[..., Page], server: Server
) -> None:
    page = visit("lecteur", errors=True)
    page.goto(f"{server.pages}/nowhere")
    expect(page.get_by_role("heading", level=1)).to_have_text("Cette page n'existe pas")
    english = visit("lecteur", errors=True, lang="en")
    english.goto(f"{server.pages}/nowhere")
    expect(english.get_by_role("heading", level=1)).to_have_text("There is no such page")


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
