"""Paper: every table of the pages and of the exported report fits A4, what is folded is open, no list is hidden."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.pages.serving import Server
from tests.pages.test_accessibility import ADDRESSES

A4 = 703  # CSS pixels between the margins of 12 mm: (210 - 24) / 25.4 * 96
CUT = """() => [...document.querySelectorAll("table, pre, .reading, figure, dl")].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.right > innerWidth + 0.5 || one.scrollWidth > Math.ceil(box.width) + 1 || box.width === 0;
}).map((one) => `${one.tagName}.${one.className} ${one.caption?.textContent ?? ""}`)"""
FOLDED = (
    "() => [...document.querySelectorAll('details :is(table, li, p)')].filter((one) => !one.checkVisibility()).length"
)


def printed(page: Page, address: str) -> list[str]:
    """Return the parts of a page that paper would cut or leave out."""
    page.goto(address)
    page.emulate_media(media="print")
    return [*page.evaluate(CUT), *(["folded"] if page.evaluate(FOLDED) else [])]


def test_no_page_is_cut_on_paper(visit: Callable[..., Page], server: Server) -> None:
    page = visit("referente", errors=True, viewport={"width": A4, "height": 1000})
    cut = {address: printed(page, f"{server.pages}{address}") for address in ADDRESSES}
    assert {address: found for address, found in cut.items() if found} == {}


def test_whoever_may_choose_prints_the_quarantine_without_its_form(visit: Callable[..., Page], server: Server) -> None:
    page = visit("referente", viewport={"width": A4, "height": 1000})
    assert printed(page, f"{server.pages}/quarantine") == []
    assert page.get_by_role("rowheader", name="D000004").is_visible()
    assert page.locator("input:visible, button:visible, textarea:visible, select:visible").count() == 0


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_the_exported_report_is_not_cut_on_paper(
    visit: Callable[..., Page], server: Server, tmp_path: Path, lang: str
) -> None:
    (tmp_path / "report.html").write_bytes(server.get(f"/releases/2026-03-02/export/html?lang={lang}").content)
    page = visit(None, viewport={"width": A4, "height": 1000})
    assert printed(page, (tmp_path / "report.html").as_uri()) == []
    assert page.locator("details table").first.is_visible()
