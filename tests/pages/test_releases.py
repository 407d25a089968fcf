"""The page of a release: its figures, what other areas add, and what cannot be shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.pages.conftest import Server

NIGHT = "2026-03-02"


def test_a_release_is_reached_from_the_overview(visit: Callable[..., Page], server: Server) -> None:
    page = visit("lecteur")
    page.goto(f"{server.pages}/")
    page.get_by_role("link", name="Nuit du lundi 2 mars 2026").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Nuit du lundi 2 mars 2026")
    expect(page.get_by_text("En attente de décision")).to_be_visible()


@pytest.mark.parametrize("key", ["2026-03-09", "demain", "2026-13-45"])
def test_an_interval_that_was_never_processed_says_so(server: Server, key: str) -> None:
    answer = server.get(f"/releases/{key}", headers={"Accept": "text/html"})
    assert answer.status_code == 404
    assert "jamais été traité" in answer.text
