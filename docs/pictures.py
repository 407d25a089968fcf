"""Pictures of the stewards' pages for the documentation: `make pictures`, after `make demo` and `make up`.

Signs in to the demo's Airflow as the senior steward, in Chromium, opens each page and writes docs/images/pages/*.png.
So that something waits for a decision and can be read, the last night is done again under a policy of another ε, as far
as staging; a review of it is opened. The hospital is synthetic: the pictures show no real person.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from deid.config.settings import settings
from deid.nightly import steps
from deid.warehouse.planning import PARIS
from demo.airflow import ADMIN, Airflow
from demo.cli import home

FOLDER = Path(__file__).parent / "images" / "pages"
SIZE = {"width": 1280, "height": 860}
NIGHT = datetime(2026, 10, 30, 3, 30, tzinfo=PARIS)  # the last one that the demo tells
POLICY = "extends: default\nname: pictures\nsubstitution:\n  epsilon_per_document: 5.0\n"


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="path of the browser")
    asked = parser.parse_args()
    airflow = Airflow(home())
    if not airflow.running():
        sys.exit("Airflow is not running: `make demo`, then `make up`.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    stage_again()
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


def stage_again() -> None:
    """Stage the last night again under another ε, unless it is staged."""
    with tempfile.TemporaryDirectory() as folder:
        policy = Path(folder) / "policy.yaml"
        policy.write_text(POLICY, encoding="utf-8")
        os.environ["NOCTURNE_POLICY"] = str(policy)
        settings.cache_clear()
        asked = {"interval_start": NIGHT, "interval_end": NIGHT + timedelta(days=1), "reason": "images"}
        for batch in steps.plan(**asked, triggered_by="manual__pictures"):
            for step in (steps.detect, steps.substitute, steps.validate):
                step(batch["run_id"], batch["batch_id"])
        steps.stage(steps.run_of("manual__pictures"))


def sign_in(page: Page, airflow: Airflow) -> None:
    """Sign in by Airflow's own form."""
    page.goto(f"{airflow.url}/auth/login")
    page.get_by_role("textbox", name="Username").fill(ADMIN)
    page.get_by_role("textbox", name="Password").fill(airflow.password(ADMIN))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/auth/" not in url)


def at(path: str) -> Callable[[Page, str], object]:
    """Return the steps of a page that needs no preparation."""
    return lambda page, root: page.goto(f"{root}{path}")


def review(page: Page, root: str) -> None:
    """Open the review, creating it if absent."""
    PLAN(page, root)
    if page.url.endswith(f"/new/{NIGHT.date()}"):
        page.locator("main form button").click()
        page.wait_for_url(lambda url: "/new/" not in url)


def reading(page: Page, root: str) -> None:
    """Open the first text of the review, beside its original."""
    review(page, root)
    page.goto(f"{page.url}/1/original")


PLAN = at(f"reviews/new/{NIGHT.date()}")  # the review instead, once one is open
PICTURES = {
    "overview": at(""),
    "releases": at("releases"),
    "release": at(f"releases/{(NIGHT - timedelta(days=1)).date()}"),  # published
    "waiting": at(f"releases/{NIGHT.date()}"),
    "review-plan": PLAN,
    "review": review,
    "reading": reading,
    "quarantine": at("quarantine"),
    "opt-outs": at("opt-outs"),
    "audit": at("audit?check=true"),
}


if __name__ == "__main__":
    main()
