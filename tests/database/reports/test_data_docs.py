"""Suites, checkpoints and pages of Great Expectations: read back by the library itself, and by Chromium."""

from __future__ import annotations

import json
from pathlib import Path

import great_expectations as gx
import pandas as pd
import pytest
from playwright.sync_api import Browser
from selectolax.lexbor import LexborHTMLParser
from typer.testing import CliRunner

from deid.cli import app
from deid.config.policy import load
from deid.config.settings import settings
from deid.quality.checks import CHECKS
from deid.reports import write_checks, write_report
from deid.reports.run_checks import run_checks
from tests.conftest import Database, Deploy
from tests.dags import searching
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put

pytestmark = pytest.mark.slow
KEY = "2026-03-02"
UNUSUAL = 7.125  # a number that is nowhere else


def judged_night(hospital: Database) -> None:
    """A night with the letter of the planted patient, judged, of which one check is then recorded as failed."""
    open_hospital(hospital)
    hospital.rows(searching.PATIENT, role="owner")
    put(hospital, "canary", searching.LETTER, patient="P000009", stay_id="S000009")
    put(hospital, "other", LETTER)
    process("night")
    ((run_id,),) = hospital.rows("SELECT max(run_id) FROM deid.run")
    run_checks(run_id, load(settings().policy))
    hospital.rows("UPDATE deid.check_result SET success = false, unexpected_count = 1 WHERE rule = 'identity_fuzzy'")


def write_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOCTURNE_DATA_DOCS")
    settings.cache_clear()


@pytest.fixture
def reports(deploy: Deploy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of the reports of that night."""
    decide(monkeypatch, tmp_path)
    deploy(judged_night)
    write_pages(monkeypatch)
    write_checks(KEY, tmp_path / "reports")
    write_report(KEY, tmp_path / "reports")
    return tmp_path / "reports"


def test_pages_are_linked_and_load_nothing(reports: Path, browser: Browser) -> None:
    report = LexborHTMLParser((reports / f"{KEY}.html").read_text(encoding="utf-8"))
    linked = [link.attributes["href"] for link in report.css("#checks .lead a")]
    assert len(linked) == 2
    page, asked, said = browser.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto((reports / str(linked[0])).as_uri())
    failed = page.locator("tr", has_text="à une faute de frappe près")
    assert "(critique ; exactement 0)" in failed.inner_text()
    assert "1 unexpected values found. 50% of 2 total rows." in failed.inner_text()
    page.get_by_role("link", name="Data Docs").click()
    assert page.locator("tr:has(td)", has_text=KEY).count() == 2  # a row of each suite
    page.get_by_role("link", name="run", exact=True).first.click()
    assert page.get_by_text("Aucun type de document n'a perdu la moitié").is_visible()
    page.get_by_role("link", name="Nocturne").click()
    assert page.url == (reports / "index.html").as_uri()
    assert [url for url in asked if not url.startswith(reports.as_uri())] == []
    assert said == []
    pages = [path for path in (reports / "data_docs").rglob("*") if path.is_file()]
    assert len(pages) == 5
    for path in pages:
        tree = LexborHTMLParser(path.read_text(encoding="utf-8"))
        assert "://" not in path.read_text(encoding="utf-8")
        assert not tree.css("script, link, img, iframe")
    page.close()


def test_an_interval_of_several_days_has_its_pages(
    deploy: Deploy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def judged_days(hospital: Database) -> None:
        open_hospital(hospital)
        put(hospital, "one", LETTER)
        process("days", interval_end=NIGHT + 3 * DAY)
        ((run_id,),) = hospital.rows("SELECT max(run_id) FROM deid.run")
        run_checks(run_id, load(settings().policy))

    decide(monkeypatch, tmp_path)
    hospital = deploy(judged_days)
    write_pages(monkeypatch)
    ((key,),) = hospital.rows("SELECT interval_key FROM deid.run")
    write_checks(key, tmp_path / "reports")
    write_report(key, tmp_path / "reports")
    report = LexborHTMLParser((tmp_path / "reports" / f"{key}.html").read_text(encoding="utf-8"))
    linked = [str(link.attributes["href"]) for link in report.css("#checks .lead a")]
    assert len(linked) == 2
    for page in linked:
        assert key in (tmp_path / "reports" / page).read_text(encoding="utf-8")


def test_numbers_and_names_alone_are_kept(reports: Path) -> None:
    assert searching.found(searching.files(reports)) == set()
    kept = list((reports / "gx/uncommitted/validations").rglob(f"{KEY}.json"))
    assert len(kept) == 2
    allowed = {"element_count", "unexpected_count", "unexpected_percent", "observed_value"}
    for path in kept:
        for result in json.loads(path.read_text(encoding="utf-8"))["results"]:
            assert set(result["result"]) <= allowed
    before = {path: path.stat().st_mtime_ns for path in (reports / "gx").rglob("*.json")}
    write_checks(KEY, reports)
    after = {path: path.stat().st_mtime_ns for path in (reports / "gx").rglob("*.json")}
    assert before.keys() == after.keys()
    assert {path.name for path in after if after[path] != before[path]} == {f"{KEY}.json"}


def test_the_report_goes_without_pages_that_were_not_written(
    deploy: Deploy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    decide(monkeypatch, tmp_path)
    deploy(judged_night)
    write_checks(KEY, tmp_path)
    assert not (tmp_path / "gx").exists()
    write_pages(monkeypatch)
    (tmp_path / "gx").mkdir()
    (tmp_path / "gx/great_expectations.yml").write_text("no: project", encoding="utf-8")
    write_checks(KEY, tmp_path)
    assert f"no pages of Great Expectations for {KEY}" in caplog.text
    write_report(KEY, tmp_path)
    assert "data_docs" not in (tmp_path / f"{KEY}.html").read_text(encoding="utf-8")


def test_great_expectations_opens_the_project_of_a_policy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    decide(monkeypatch, tmp_path)
    policy = tmp_path / "policy.yaml"
    given = policy.read_text(encoding="utf-8").replace("quality: {", "quality: {max_clinical_changes: 3, ")
    policy.write_text(given, encoding="utf-8")
    done = CliRunner().invoke(app, ["policy", "expectations", str(tmp_path), "--policy", str(policy)])
    assert done.exit_code == 0, done.output
    suites = {name: json.loads((tmp_path / f"gx/expectations/{name}.json").read_text()) for name in ("document", "run")}
    bounds = {one["kwargs"]["column"]: one["kwargs"]["max_value"] for one in suites["document"]["expectations"]}
    assert bounds["clinical_content_changed"] == 3
    assert suites["run"]["meta"]["policy"] == load(policy).digest
    context = gx.get_context(mode="file", project_root_dir=tmp_path)
    frame = pd.DataFrame([{check.name: check.least for check in CHECKS}] * 3)
    frame.loc[1, "identity_name"] = UNUSUAL
    ran = context.checkpoints.get("document").run(batch_parameters={"dataframe": frame})
    (outcome,) = ran.run_results.values()
    failed = [one.expectation_config.kwargs["column"] for one in outcome.results if not one.success]
    assert failed == ["identity_name"]
    (stored,) = (tmp_path / "gx/uncommitted/validations").rglob("*.json")
    assert str(UNUSUAL) not in stored.read_text(encoding="utf-8")
