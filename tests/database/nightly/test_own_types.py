"""Own types of a hospital, by a policy file alone: a badge, nicknames of sites, a kept trial, a join; to research."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from typer.testing import CliRunner

from deid.cli import app
from deid.config.policy import load
from deid.config.settings import settings
from deid.publication.publish import make_visible
from deid.reports import gather, write_report
from deid.reports.annex import gather_annex, write_annex
from tests.conftest import Database
from tests.database.warehouse.nights import night, reasons
from tests.database.warehouse.small_hospital import LETTER, open_hospital, put

KEY = "2026-03-02"
POLICY = """extends: default
name: ours
detection: {annotators: [{name: patterns}, {name: context}, {name: identity}], merge: weights}
quality: {max_quarantined_share: 1, warn_quarantined_share: 1}
types:
  BADGE:
    label: ID
    names: {fr: Badge visiteur, en: Visitor badge}
    patterns: ['badge visiteur n° ?(?P<value>[A-Z]-\\d{4}-\\d{2})']
    validate: luhn
    join: {with: [WARD], between: ' ?/ ?'}
  WARD: {label: ID, names: {fr: Unité, en: Ward}, patterns: ['UF \\d{2}'], case: written}
  SITE:
    label: ORG
    names: {fr: Surnom de site, en: Site nickname}
    dictionary: sites.txt
    provider: list
    surrogates: drawn.txt
  TRIAL: {label: ID, names: {fr: Essai clinique, en: Clinical trial}, patterns: ['\\bNCT\\d{8}\\b'], provider: keep}
"""
OWN = "\nBadge visiteur n° B-4471-02 / UF 31, vue à la Butte Rouge, incluse dans NCT01234567.\n"


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    (tmp_path / "sites.txt").write_text("La Butte Rouge\nLes Pins\n", encoding="utf-8")
    (tmp_path / "drawn.txt").write_text("Le Val\nLa Roche\n", encoding="utf-8")
    (tmp_path / "ours.yaml").write_text(POLICY, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "ours.yaml"))
    settings.cache_clear()
    open_hospital(deployed)
    put(deployed, "letter", LETTER + OWN)
    put(deployed, "other", LETTER, patient="P000002")
    return deployed


def test_a_night_takes_them_from_the_warehouse_to_research_and_to_the_report(
    hospital: Database, tmp_path: Path
) -> None:
    night("night")
    assert not reasons(hospital)
    ((text,),) = hospital.rows(
        "SELECT text FROM research.document WHERE text LIKE '%%NCT01234567%%'", role="researcher"
    )
    said = text.strip().rsplit("\n", 1)[-1]
    assert "B-4471-02" not in said
    assert "Butte" not in said
    assert "Le Val" in said or "La Roche" in said
    stored = dict(hospital.rows("SELECT subtype, label FROM deid.mention WHERE subtype IS NOT NULL"))
    assert stored == {"BADGE": "ID", "SITE": "ORG", "TRIAL": "ID"}
    ((version,),) = hospital.rows("SELECT DISTINCT detector_version FROM deid.published_document")
    assert "+types-" in version

    figures = gather(KEY)
    assert {name: figures["mentions"]["totals"][name] for name in stored} == {"BADGE": 1, "SITE": 1, "TRIAL": 1}
    assert sum(figures["mentions"]["totals"].values()) == figures["headline"]["mentions"]
    pages = write_report(KEY, tmp_path)
    for name, words in (
        ("html", ["Badge visiteur", "Surnom de site", "Essai clinique (laissé dans le texte)"]),
        ("html_en", ["Visitor badge", "Site nickname", "Clinical trial (left in the text)"]),
    ):
        page = LexborHTMLParser(Path(pages[name]).read_text(encoding="utf-8"))
        rows = [cell.text() for cell in page.css("#mentions tbody th")]
        assert all(any(word in row for row in rows) for word in words)
    make_visible("nightly")
    assert "| Essai clinique (laissé dans le texte) | 1 | non |" in write_annex(gather_annex(KEY))


def test_the_command_line_finds_and_replaces_them(tmp_path: Path, hospital: Database) -> None:  # noqa: ARG001
    source = tmp_path / "letters.jsonl"
    source.write_text(json.dumps({"id": "d", "text": "Compte rendu." + OWN, "patient": {"key": "k"}}) + "\n")
    run = CliRunner().invoke
    policy = ["--policy", str(tmp_path / "ours.yaml")]
    assert run(app, ["policy", "validate", str(tmp_path / "ours.yaml")]).exit_code == 0
    found = run(app, ["detect", str(source), *policy])
    assert found.exit_code == 0, found.output
    mentions = json.loads(found.stdout.splitlines()[0])["mentions"]
    assert {one.get("subtype") for one in mentions} == {"BADGE", "SITE", "TRIAL"}
    assert load(tmp_path / "ours.yaml").types.keys() == {"BADGE", "WARD", "SITE", "TRIAL"}
    done = run(app, ["deidentify", str(source), *policy])
    assert done.exit_code == 0, done.output
    text = json.loads(done.stdout.splitlines()[0])["text"]
    assert "NCT01234567" in text
    assert "4471" not in text
