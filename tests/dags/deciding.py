"""A steward in Chromium: signs in by Airflow's own form and answers on the page of a release."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, expect

from demo.airflow import STEWARD, Airflow


@contextmanager
def steward(browser: Browser, airflow: Airflow) -> Iterator[Page]:
    """A page of the steward, signed in."""
    context = browser.new_context(locale="fr-FR")
    try:
        page = context.new_page()
        page.goto(f"{airflow.url}/auth/login")
        page.get_by_role("textbox", name="Username").fill(STEWARD)
        page.locator("input[type=password]").fill(airflow.password(STEWARD))
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(lambda url: "/auth/" not in url)
        yield page
    finally:
        context.close()


def answer(page: Page, airflow: Airflow, interval_key: str, choice: str, reason: str) -> None:
    """Choose, give the reason, read what will happen, confirm."""
    page.goto(f"{airflow.pages}releases/{interval_key}")
    decision = page.get_by_role("region", name="Décision")
    decision.get_by_label(choice).check()
    decision.get_by_label("Motif").fill(reason)
    decision.get_by_role("button", name="Continuer").click()
    page.locator("form.actions button[name=confirmed][value=yes]").click()
    expect(page.get_by_role("status")).to_be_visible()
