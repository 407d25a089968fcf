"""Pictures of the stewards' pages for the documentation: `make pictures`, after `make demo` and `make up`.

Signs in to the demo's Airflow as the senior steward, in Chromium, opens each page and writes docs/images/pages/*.png.
The hospital is fictional: what the pictures show is nobody's.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from deid.demo.airflow import ADMIN, Airflow
from deid.demo.command import home

FOLDER = Path(__file__).parent / "images" / "pages"
SIZE = {"width": 1280, "height": 860}


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="path of the browser")
    asked = parser.parse_args()
    airflow = Airflow(home())
    if not airflow.running():
        sys.exit("Airflow is not running: `make demo`, then `make up`.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=asked.chromium, args=["--no-sandbox"])
        context = browser.new_context(
            locale="fr-FR", timezone_id="Europe/Paris", viewport=SIZE, color_scheme="light", device_scale_factor=1
        )
        page = context.new_page()
        sign_in(page, airflow)
        for name, take in PICTURES.items():
            take(page, airflow.pages)
            page.screenshot(path=FOLDER / f"{name}.png")
            print(f"docs/images/pages/{name}.png")
        browser.close()


def sign_in(page: Page, airflow: Airflow) -> None:
    """By Airflow's own form."""
    page.goto(f"{airflow.url}/auth/login")
    page.get_by_role("textbox", name="Username").fill(ADMIN)
    page.get_by_role("textbox", name="Password").fill(airflow.password(ADMIN))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/auth/" not in url)


def overview(page: Page, root: str) -> None:
    """The first page."""
    page.goto(root)


def releases(page: Page, root: str) -> None:
    """The list."""
    page.goto(f"{root}releases")


def release(page: Page, root: str) -> None:
    """The newest release."""
    page.goto(f"{root}releases")
    page.locator("main table a").first.click()


def quarantine(page: Page, root: str) -> None:
    """The desk."""
    page.goto(f"{root}quarantine")


def opt_outs(page: Page, root: str) -> None:
    """The search."""
    page.goto(f"{root}opt-outs")


def audit(page: Page, root: str) -> None:
    """The trail, checked."""
    page.goto(f"{root}audit?check=true")


PICTURES = {
    "overview": overview,
    "releases": releases,
    "release": release,
    "quarantine": quarantine,
    "opt-outs": opt_outs,
    "audit": audit,
}


if __name__ == "__main__":
    main()
