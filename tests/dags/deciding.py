"""A steward in Chromium: signs in by Airflow's own form and answers on the page of a release."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from deid.demo.airflow import STEWARD, Airflow

CHROMIUM = next((path for path in map(Path, ("/usr/bin/chromium", "/usr/bin/chromium-browser")) if path.exists()), None)


@contextmanager
def steward(airflow: Airflow) -> Iterator[Page]:
    """A page of the steward, signed in."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (Debian: apt install chromium)")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        page = browser.new_context(locale="fr-FR").new_page()
        page.goto(f"{airflow.url}/auth/login")
        page.get_by_role("textbox", name="Username").fill(STEWARD)
        page.locator("input[type=password]").fill(airflow.password(STEWARD))
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(lambda url: "/auth/" not in url)
        try:
            yield page
        finally:
            browser.close()


def answer(page: Page, airflow: Airflow, interval_key: str, choice: str, reason: str) -> None:
    """Choose, give the reason, read what will happen, confirm."""
    page.goto(f"{airflow.pages}releases/{interval_key}")
    decision = page.get_by_role("region", name="Décision")
    decision.get_by_label(choice).check()
    decision.get_by_label("Motif").fill(reason)
    decision.get_by_role("button", name="Continuer").click()
    page.locator("form.actions button[type=submit]").click()
    expect(page.get_by_role("status")).to_be_visible()
