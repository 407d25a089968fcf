"""The report holds the ledger's numbers, and nothing that comes from elsewhere or from a patient."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser
from selectolax.lexbor import LexborHTMLParser

from deid.config.policy import load
from deid.config.settings import settings
from deid.domain.errors import InputRefused
from deid.release import actions
from deid.reports import gather, render, write_report
from deid.reports.charts import count_bins, quantiles
from deid.reports.numbers import Writer
from deid.reports.view import view
from deid.reports.wording import WORDING
from tests.conftest import Database, Deploy
from tests.database.release.ledger import CANARY, Ledger

NIGHT = "2026-10-03"


def publish_two(database: Database) -> None:
    """Two published nights, the second with quarantine and warnings."""
    ledger = Ledger(database)
    ledger.night("2026-10-02", 90, policy="aa11bb22cc33dd44")
    actions.publish("2026-10-02", _yes(actions.summarise("2026-10-02")))
    ledger.night(NIGHT, 120, quarantined=9, warned=50)
    actions.publish(NIGHT, _yes(actions.summarise(NIGHT)))


@pytest.fixture
def published(deploy: Deploy) -> Database:
    return deploy(publish_two)


@pytest.fixture
def written(published: Database) -> dict[str, Path]:
    """Reports of the two nights, of a copy of what was published."""
    del published
    actions.report("2026-10-02")
    return {name: Path(path) for name, path in actions.report(NIGHT).items()}


def _yes(summary: dict[str, Any]) -> dict[str, str] | None:
    return {"chosen": "approve", "decided_by": "c.morel"} if actions.needs_approval(summary) else None


def _pages(written: dict[str, Path]) -> list[str]:
    return [written[name].read_text(encoding="utf-8") for name in ("html", "html_en", "index")]


def test_numbers_are_those_of_the_ledger(written: dict[str, Path], published: Database) -> None:
    figures = json.loads(written["json"].read_text(encoding="utf-8"))
    headline = figures["headline"]
    assert (headline["seen"], headline["published"], headline["quarantined"]) == (124, 111, 9)
    ((mentions,),) = published.rows("SELECT count(*) FROM deid.mention WHERE run_id = 2")
    assert headline["mentions"] == mentions
    held = figures["sides"]["held"]["mentions"]
    assert sum(figures["mentions"]["totals"].values()) == held <= mentions
    assert sum(row["documents"] for row in figures["quarantine"]) == 9
    assert sum(cell["documents"] for cell in figures["epsilon"]["histogram"]) == 111
    assert sum(cell["documents"] for cell in figures["lengths"]["histogram"]) == 111
    assert figures["state"] == "published"
    assert figures["previous"]["key"] == "2026-10-02"
    assert figures["previous"]["headline"]["published"] == 89


def test_the_page_shows_the_numbers_of_the_json(written: dict[str, Path]) -> None:
    figures = json.loads(written["json"].read_text(encoding="utf-8"))
    for name in ("html", "html_en"):
        page = LexborHTMLParser(written[name].read_text(encoding="utf-8"))
        tiles = [int(tile.attributes["value"]) for tile in page.css("#headline .big data")]
        assert tiles == [
            figures["headline"][key]
            for key in ("seen", "published", "readable", "quarantined", "corrected", "withdrawn")
        ]
        totals = [int(cell.attributes["value"]) for cell in page.css("#mentions td.sum data")]
        assert totals == list(figures["mentions"]["totals"].values())
        cells = [int(cell.attributes["value"]) for cell in page.css("#mentions tbody td:not(.sum) data")]
        assert sum(cells) == figures["sides"]["held"]["mentions"]
        held = [int(cell.attributes["value"]) for cell in page.css("#quarantine tbody data")]
        assert held == [row["documents"] for row in figures["quarantine"]]
        reasons = [row.css_first("strong").text() for row in page.css("#quarantine tbody tr")]
        assert all(reason in page.css_first(".notes").text() for reason in reasons)
        shown = [float(cell.attributes["value"]) for cell in page.css("#epsilon dd data")]
        assert shown == list(figures["epsilon"]["documents"].values())


def test_nothing_is_fetched_from_anywhere(written: dict[str, Path]) -> None:
    for page in _pages(written):
        tree = LexborHTMLParser(page)
        assert not tree.css("script, link, iframe, object, img, [src]")
        assert all(not re.match(r"\w+:|//", link.attributes["href"] or "") for link in tree.css("a"))
        assert "http://" not in page.replace("http-equiv", "")
        assert "https://" not in page
        assert "url(" not in page
        assert "@import" not in page


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_say_of_a_report(
    written: dict[str, Path], browser: Browser, width: int, scheme: Literal["light", "dark"]
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tags = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}}
    for name in ("html", "html_en", "index"):
        page.goto(written[name].as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        found = Axe().run(page, options=tags).response["violations"]
        assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found] == [], name
    page.close()


def test_no_patient_text(written: dict[str, Path]) -> None:
    folder = written["html"].parent
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8")
        assert CANARY not in text
        assert not re.search(r"\bD2026-10-03-\d+|\bP\d+\b", text), "an id of a document or patient"


def test_every_link_of_the_index_leads_to_a_page(written: dict[str, Path]) -> None:
    links = LexborHTMLParser(written["index"].read_text(encoding="utf-8")).css("a")
    assert [link.attributes["href"] for link in links] == [f"{NIGHT}.html", "2026-10-02.html"]
    assert all((written["index"].parent / (link.attributes["href"] or "")).is_file() for link in links)


def test_every_anchor_has_its_section(written: dict[str, Path]) -> None:
    page = LexborHTMLParser(written["html"].read_text(encoding="utf-8"))
    for link in page.css("nav a, a.skip"):
        assert page.css_first(link.attributes["href"] or "") is not None


def test_a_released_interval_says_by_whom(written: dict[str, Path]) -> None:
    assert "c.morel" in written["html"].read_text(encoding="utf-8")


def test_writing_again_changes_only_the_hour(written: dict[str, Path]) -> None:
    before = json.loads(written["json"].read_text(encoding="utf-8"))
    write_report(NIGHT, written["json"].parent)
    after = json.loads(written["json"].read_text(encoding="utf-8"))
    assert before | {"generated_at": ""} == after | {"generated_at": ""}
    assert not list(written["json"].parent.glob(".*"))


def test_an_interval_that_waits_says_so(deployed: Any) -> None:
    Ledger(deployed).night(NIGHT, 40)
    figures = gather(NIGHT)
    assert figures["state"] == "waiting"
    assert WORDING["fr"]["state_waiting"] in render(figures)


def test_an_empty_night_has_a_report(deployed: Any) -> None:
    Ledger(deployed).night(NIGHT, 0, quarantined=0)
    for lang in WORDING:
        assert WORDING[lang]["quarantine_empty"] in render(gather(NIGHT), lang)


@pytest.mark.usefixtures("deployed")
def test_an_unknown_interval_is_refused() -> None:
    with pytest.raises(InputRefused, match="no run"):
        gather("2020-01-01")


def test_both_languages_say_everything() -> None:
    assert set(WORDING["fr"]) == set(WORDING["en"])


def test_a_document_between_the_budget_and_the_cap_is_not_said_to_keep_to_the_budget(deployed: Any) -> None:
    policy = load(settings().policy).substitution
    run = Ledger(deployed).night(NIGHT, 30, epsilon=0.6)
    actions.summarise(NIGHT)
    ((most,),) = deployed.rows(
        "SELECT max(s.epsilon) FROM (SELECT sum(epsilon) AS epsilon FROM deid.budget WHERE run_id = %s"
        " GROUP BY document_id) AS s",
        (run,),
    )
    assert policy.max_epsilon_per_document is not None
    assert policy.epsilon_per_document < most < policy.max_epsilon_per_document
    shown = {check["rule"]: check for check in view(gather(NIGHT), "fr")["run_checks"]}["epsilon_max"]
    assert shown["state"] == "ok"
    assert "plafond" in shown["meaning"]
    assert "budget" not in shown["meaning"]


@pytest.mark.parametrize("lang", sorted(WORDING))
def test_nothing_unusual_is_said_only_where_no_check_but_of_information_fails(lang: str, deployed: Any) -> None:
    Ledger(deployed).night(NIGHT, 60, quarantined=0)
    actions.summarise(NIGHT)
    figures, clear = gather(NIGHT), WORDING[lang]["all_clear"]
    figures["usual"] = []
    checks = [{**check, "success": check["success"] or check["severity"] != "info"} for check in figures["checks"]]
    assert any(not check["success"] for check in checks)
    assert ("good", clear) in view({**figures, "checks": checks}, lang)["notes"]
    assert clear in unescape(render({**figures, "checks": checks}, lang))
    for at, check in enumerate(checks):
        if check["severity"] != "info":
            failed = {**figures, "checks": [*checks[:at], {**check, "success": False}, *checks[at + 1 :]]}
            assert clear not in [said for _, said in view(failed, lang)["notes"]], check["rule"]
            assert view(failed, lang)["notes"]


def test_french_and_english_numbers() -> None:
    french, english = Writer("fr"), Writer("en")
    assert french.plain(1234567.891, 2) == "1\u202f234\u202f567,89"
    assert english.plain(1234567.891, 2) == "1,234,567.89"
    assert french.percent(0.0004) == "<\u202f0,1\u202f%"
    assert french.percent(0.125) == "12,5\u202f%"
    assert french.interval("2026-10-01") == "Nuit du jeudi 1er octobre 2026"
    assert french.interval("2026-09-29..2026-10-02") == "Nuits du 29 septembre 2026 au 1er octobre 2026"
    assert english.interval("2026-09-01..2026-09-28") == "Nights of 1 September 2026 to 27 September 2026"
    assert french.signed(-0.031) == "−3,1\u202f%"
    assert [french.duration(seconds) for seconds in (3.14, 125, 7260)] == [
        "3,1\u202fs",
        "2\u202fmin\u202f05\u202fs",
        "2\u202fh\u202f01",
    ]
    assert str(french.number(1234)) == '<data value="1234">1\u202f234</data>'


@pytest.mark.parametrize("epsilon", [0.002, 0.04, 0.6])
def test_the_ticks_of_a_chart_are_told_apart_however_small_its_numbers(deployed: Any, epsilon: float) -> None:
    Ledger(deployed).night(NIGHT, 60, epsilon=epsilon)
    chart = view(gather(NIGHT), "fr")["epsilon_chart"]
    written = [tick.label for tick in chart.below]
    assert len(written) > 2
    assert len(set(written)) == len(written)


def test_a_night_that_waits_is_not_compared_as_if_it_had_lost_its_documents(deployed: Any) -> None:
    Ledger(deployed).night("2026-10-02", 60)
    actions.publish("2026-10-02", _yes(actions.summarise("2026-10-02")))
    Ledger(deployed, seed=1).night(NIGHT, 60)
    figures = gather(NIGHT)
    assert (figures["headline"]["published"], figures["previous"]["key"]) == (0, "2026-10-02")
    changes = {row["name"]: row["change"] for row in view(figures, "fr")["comparison"]}
    assert changes["Documents prêts ou publiés"].startswith("+0,0")
    assert [name for name, change in changes.items() if change.startswith("−100")] == []


def test_distributions() -> None:
    assert quantiles([]) == {}
    assert quantiles([1, 2, 3, 4, 5])["p50"] == 3
    assert count_bins([]) == []
    cells = count_bins([0.0, 0.5, 1.0, 7.9, 8.0])
    assert sum(cell["documents"] for cell in cells) == 5
    assert [cell["from"] for cell in cells][:3] == [0, 0.5, 1.0]
    tailed = count_bins([*range(100), 100_000], tail=0.99)
    assert tailed[-1]["to"] is None
    assert sum(cell["documents"] for cell in tailed) == 101
    assert count_bins([0.0])[0]["documents"] == 1
