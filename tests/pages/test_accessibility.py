"""WCAG 2.1 AA by axe-core, in light and dark, in French and English: contrast, labels, landmarks, headings, tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.pages.serving import Server

ADDRESSES = (
    "/",
    "/releases",
    "/releases/2026-03-02",
    "/audit",
    "/audit?check=true",
    "/quarantine",
    "/quarantine/1/D000004",
    "/opt-outs",
    "/reviews/new/2026-03-02",
    "/models",
    "/nowhere",
)
RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}}


def violations(page: Page) -> list[tuple[str, str, list[Any]]]:
    """Return the violations that axe finds in a page: rule, its help, the first places."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [(one["id"], one["help"], [node["target"] for node in one["nodes"]][:3]) for one in found]


@pytest.mark.parametrize(("scheme", "lang"), [("light", "fr"), ("dark", "en")])
@pytest.mark.slow
def test_axe_finds_nothing_to_say(visit: Callable[..., Page], server: Server, scheme: str, lang: str) -> None:
    page = visit("referente", errors=True, lang=lang, color_scheme=scheme)
    for address in ADDRESSES:
        page.goto(f"{server.pages}{address}")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert violations(page) == [], address


def test_every_page_can_be_read_on_a_narrow_screen(visit: Callable[..., Page], server: Server) -> None:
    """WCAG 1.4.10: at 320 pixels the page itself does not scroll sideways; a wide table does so inside its frame."""
    page = visit("referente", errors=True, viewport={"width": 320, "height": 640})
    wide = []
    for address in ADDRESSES:
        page.goto(f"{server.pages}{address}")
        if page.evaluate("document.documentElement.scrollWidth") > 320:
            wide.append(address)
    assert wide == []
