"""Exports over HTTP and in a browser: what comes, who may, what is written down; and the page inside Airflow."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from airflow.models.dagrun import DagRun
from airflow.utils.session import create_session
from airflow.utils.types import DagRunTriggeredByType, DagRunType
from playwright.sync_api import Page, expect

from deid.nightly import steps
from tests.conftest import Database
from tests.database.warehouse import small_hospital
from tests.database.warehouse.small_hospital import DAY, put
from tests.pages.serving import Server
from tests.pages.test_accessibility import violations
from tests.pages.test_releases import open_section

NIGHT = "2026-03-02"


@pytest.mark.parametrize(
    ("form", "media", "start"),
    [
        ("pdf", "application/pdf", b"%PDF-"),
        ("html", "text/html", b"<!doctype html>"),
        ("csv", "application/zip", b"PK"),
        ("json", "application/json", b"{"),
    ],
)
def test_a_release_is_exported_and_it_is_written_down(server: Server, form: str, media: str, start: bytes) -> None:
    answer = server.get(f"/releases/{NIGHT}/export/{form}", "lecteur")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith(media)
    assert f"nocturne-{NIGHT}" in answer.headers["Content-Disposition"]
    assert answer.content.startswith(start)
    ((details,),) = server.database.rows(
        "SELECT details FROM deid.audit WHERE action = 'export' ORDER BY seq DESC LIMIT 1"
    )
    assert details == {"format": form, "lang": "fr", "sha256": hashlib.sha256(answer.content).hexdigest()}


@pytest.mark.parametrize("path", [f"/releases/{NIGHT}/export/docx", "/releases/2026-03-09/export/pdf", "/runs/nothing"])
def test_what_does_not_exist_is_not_exported(server: Server, path: str) -> None:
    assert server.get(path, headers={"Accept": "text/html"}).status_code == 404


def test_a_steward_downloads_by_keyboard(visit: Callable[..., Page], server: Server, tmp_path: Path) -> None:
    page = visit("intendante")
    page.goto(f"{server.pages}/releases/{NIGHT}")
    open_section(page, "Exporter")
    with page.expect_download() as waited:
        page.get_by_role("link", name="JSON").press("Enter")
    waited.value.save_as(tmp_path / "figures.json")
    figures = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert (figures["interval"]["key"], figures["headline"]["quarantined"]) == (NIGHT, 1)


def test_a_run_leads_to_the_release_that_it_treats(server: Server) -> None:
    answer = server.get("/runs/nuit-1?dag=deidentify_documents")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/nocturne/releases/{NIGHT}")


def test_a_dry_run_says_what_it_counted(
    stewards: Database, visit: Callable[..., Page], server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    start = small_hospital.NIGHT + 5 * DAY
    put(stewards, "D000009", at=start)
    with caplog.at_level("INFO"):
        night = {"interval_start": start, "interval_end": start + DAY}
        assert steps.plan(**night, dry_run=True, reason="essai", triggered_by="manual__dry") == []
    assert "dry run of 2026-03-07: 1 documents seen, 1 planned, 0 held back by other runs." in caplog.messages
    page = visit("lecteur")
    page.goto(f"{server.pages}/runs/manual__dry?dag=deidentify_documents")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nuit du samedi 7 mars 2026")
    counts = page.locator("dl.tiles div")
    expect(counts).to_have_text([re.compile(words) for words in ("vus.*1", "à traiter.*1", "par d'autres passages.*0")])
    held = [{"run_id": 1, "triggered_by": "nuit-0", "active_at": "2026-03-08T04:00:00+00:00", "documents": 3}]
    stewards.rows("UPDATE deid.run SET held = %s WHERE dry_run", (json.dumps(held),))
    page.reload()
    expect(counts.last).to_have_text(re.compile("par d'autres passages.*3"))
    expect(page.get_by_role("row", name="nuit-0")).to_contain_text("8 mars 2026")
    assert violations(page) == []


def test_a_run_that_publishes_leads_to_its_release_inside_airflow(visit: Callable[..., Page], server: Server) -> None:
    """The page stands in Airflow's own frame, which forbids it the window around it."""
    with create_session() as session:
        run = DagRun(
            dag_id="release_dataset",
            run_id="publication-1",
            run_type=DagRunType.MANUAL,
            partition_key=NIGHT,
            run_after=datetime.now(UTC),
            triggered_by=DagRunTriggeredByType.TEST,
        )
        session.add(run)
    assert server.get("/runs/publication-1?dag=release_dataset").headers["Location"] == f"/nocturne/releases/{NIGHT}"
    page = visit("referente", errors=True)
    page.goto(f"{server.url}/dags/release_dataset/runs/publication-1/plugin/nocturne_release")
    inside = page.frame_locator("iframe[title='Publication']")
    expect(inside.get_by_role("heading", level=1)).to_have_text("Nuit du lundi 2 mars 2026", timeout=30_000)
    expect(inside.get_by_role("link", name="Airflow", exact=True)).to_have_count(0)
