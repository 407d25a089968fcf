"""An interval that several runs took up: every figure counts a document once, as research has it."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from deid.reports import gather
from deid.stewardship.exports import export_figures
from deid.stewardship.overview import read_overview
from deid.stewardship.releases import list_intervals
from deid.warehouse.publish import make_visible, publish_interval
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put

KEY = "2026-03-02"
UNREADABLE = b"Compte rendu \xff\xfe\xe9\x80 illisible" * 5


@pytest.fixture
def twice(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """Four documents, one of them unreadable, staged under one policy and then under another."""
    decide(monkeypatch, tmp_path)
    open_hospital(deployed)
    for number in range(2):
        put(deployed, f"letter{number}", LETTER + f"\nExemplaire {'ab'[number]}.")
    put(deployed, "page", PAGE, patient="P000002", format="text/html")
    put(deployed, "unreadable", UNREADABLE)
    process("first")
    decide(monkeypatch, tmp_path, "{epsilon_per_document: 3.0}")
    process("second")
    return deployed


def last_run(hospital: Database) -> dict[str, Any]:
    """Mentions and ε of the last run, from its mentions and budget."""
    ((run_id,),) = hospital.rows("SELECT max(run_id) FROM deid.run")
    ((mentions,),) = hospital.rows("SELECT count(*) FROM deid.mention WHERE run_id = %s", (run_id,))
    ((epsilon,),) = hospital.rows("SELECT sum(epsilon) FROM deid.budget WHERE run_id = %s", (run_id,))
    return {"run_id": run_id, "mentions": mentions, "epsilon": epsilon}


def in_research(hospital: Database) -> int:
    """Documents that researchers read once all that is published is visible."""
    make_visible("nightly")
    return int(hospital.rows("SELECT count(*) FROM research.document", role="researcher")[0][0])


def check_figures(hospital: Database, waiting: int, published: int) -> dict[str, Any]:
    """Gather the figures of the interval, and compare each with the last run and with research."""
    last, figures = last_run(hospital), gather(KEY)
    headline = figures["headline"]
    assert (headline["seen"], headline["planned"], headline["quarantined"]) == (4, 4, 1)
    assert (headline["waiting"], headline["published"]) == (waiting, published)
    assert headline["mentions"] == sum(figures["mentions"]["totals"].values()) == last["mentions"]
    assert sum(row["mentions"] for row in figures["types"]) == last["mentions"]
    assert sum(row["documents"] for row in figures["types"]) == 4
    assert [row["documents"] for row in figures["quarantine"]] == [1]
    assert sum(cell["documents"] for cell in figures["epsilon"]["histogram"]) == 3
    spent = sum(row["mean"] * row["documents"] for row in figures["epsilon"]["mechanisms"])
    assert spent == pytest.approx(last["epsilon"])
    assert sum(cell["documents"] for cell in figures["lengths"]["histogram"]) == 3
    assert {row["batches"] for row in figures["steps"] if row["step"] == "detect"} == {1}
    assert figures["interval"]["run_ids"] == [last["run_id"]]
    (compared,) = read_overview().judged
    shown = compared.interval
    assert (shown.treated, shown.waiting, shown.published, shown.quarantined) == (4, waiting, published, 1)
    assert (shown.mentions, shown.epsilon) == (last["mentions"], pytest.approx(last["epsilon"]))
    return figures


def test_what_waits_is_counted_once_under_the_last_policy(twice: Database) -> None:
    assert check_figures(twice, waiting=3, published=0)["state"] == "waiting"


def test_what_is_published_is_what_researchers_read_in_every_export(twice: Database) -> None:
    publish_interval(KEY)
    figures = check_figures(twice, waiting=0, published=in_research(twice))
    with zipfile.ZipFile(io.BytesIO(export_figures(figures, "csv", "en"))) as archive:
        rows = dict(csv.reader(io.StringIO(archive.read(f"{KEY}/headline.csv").decode("utf-8-sig"))))
    assert (rows["seen"], rows["published"], rows["quarantined"]) == ("4", "3", "1")
    assert json.loads(export_figures(figures, "json", "fr"))["headline"]["published"] == 3


def test_an_interval_published_twice_counts_its_documents_once(
    twice: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    publish_interval(KEY)
    decide(monkeypatch, tmp_path, "{epsilon_per_document: 2.0}")
    process("third")
    check_figures(twice, waiting=3, published=3)  # what waits is to take the place of what is published
    publish_interval(KEY)
    figures = check_figures(twice, waiting=0, published=in_research(twice))
    assert figures["headline"]["corrected"] == 3
    (listed,) = list_intervals().intervals
    assert (listed.published, listed.corrected) == (3, 3)


def test_intervals_add_up_to_what_researchers_read(twice: Database) -> None:
    publish_interval(KEY)
    put(twice, "letter0", LETTER + "\nCorrigé.", at=NIGHT + DAY)
    put(twice, "other", LETTER + "\nAutre.", at=NIGHT + DAY)
    night("next", NIGHT + DAY)
    published = {one.interval.key: one.interval.published for one in read_overview().judged}
    assert published == {KEY: 2, "2026-03-03": 2}
    assert sum(published.values()) == in_research(twice) == 4
    assert gather(KEY)["headline"]["published"] == 2


def test_a_document_refused_twice_under_two_policies_counts_in_the_last_interval(
    deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    decide(monkeypatch, tmp_path, "{max_epsilon_per_patient: 0.001}")
    open_hospital(deployed)
    put(deployed, "letter", LETTER)
    assert process("first")["quarantined"] == 1
    choice = (
        "INSERT INTO deid.quarantine_choice (run_id, document_id, content_hash, reason, choice, chosen_by)"
        " SELECT run_id, document_id, content_hash, reason, 'retry', 'intendante' FROM deid.quarantine"
    )
    deployed.rows(choice, role="steward")
    decide(monkeypatch, tmp_path, "{max_epsilon_per_patient: 0.002}")
    assert process("retried", NIGHT + DAY)["quarantined"] == 1
    once = last_run(deployed)["mentions"]
    assert deployed.rows("SELECT count(*) FROM deid.mention") == [(2 * once,)]
    shown = [one.interval for one in read_overview().judged]
    assert {one.key: (one.treated, one.quarantined) for one in shown} == {KEY: (0, 0), "2026-03-03": (1, 1)}
    assert sum(one.mentions for one in shown) == once
    assert [gather(key)["headline"]["mentions"] for key in (KEY, "2026-03-03")] == [0, once]
