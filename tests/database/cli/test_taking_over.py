"""A night whose documents a dead run holds: what is said, and how a person takes them over."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from deid.database.connection import open_cursor
from deid.ledger import audit
from deid.nightly import steps
from tests import ROOT
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import published, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put
from tests.unit.cli.conftest import Call

DATE = "2026-03-02"


@pytest.fixture
def dead(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """Four documents in two batches of run 1, which stopped after one step; they ask nobody's approval."""
    decide(monkeypatch, tmp_path)
    open_hospital(deployed)
    for name in "abcd":
        put(deployed, name, f"{LETTER}\nExemplaire {name}.")
    steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="first", batch_size=2)
    steps.detect(1, 1)
    return deployed


def fall_silent(hospital: Database, minutes: int) -> None:
    hospital.rows("UPDATE deid.run SET active_at = now() - make_interval(mins => %s) WHERE run_id = 1", (minutes,))


def test_a_night_that_another_run_holds_says_so_and_fails(
    dead: Database, deid: Call, caplog: pytest.LogCaptureFixture
) -> None:
    fall_silent(dead, 14)
    with caplog.at_level(logging.WARNING, logger="deid.ledger.planning"):
        said = deid("night", DATE, "--approve", "lu")
    assert said.status == 1
    assert "4 documents de cet intervalle sont tenus par le passage 1 (first)" in said.err
    assert "il y a 14 min" in said.err
    assert "python -m deid runs take-over 1" in said.err
    plan = said.lines[0]
    assert (plan["planned"], plan["held"][0]["documents"], plan["held"][0]["triggered_by"]) == (0, 4, "first")
    assert "4 documents of 2026-03-02 are held by run 1 (first)" in caplog.text
    assert deid("night", DATE, "--dry-run").status == 1
    assert states(dead) == dict.fromkeys("ab", "detected") | dict.fromkeys("cd", "planned")


@pytest.mark.usefixtures("dead")
def test_log_records_are_json_lines_where_the_setting_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOCTURNE_LOG_FORMAT", "json")
    command = [sys.executable, "-m", "deid", "night", DATE, "--dry-run"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    records = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    told, counted = (record for record in records if record["logger"] == "deid.ledger.planning")
    assert (told["level"], counted["level"]) == ("warning", "info")
    assert counted["event"].startswith("dry run of 2026-03-02: 4 documents seen, 0 planned, 4 held back")
    assert told["event"].startswith("run 2: 4 documents of 2026-03-02 are held by run 1 (first)")
    assert set(told) == {"time", "level", "logger", "event"}


def test_what_nobody_holds_is_processed_and_the_rest_is_told(dead: Database, deid: Call) -> None:
    put(dead, "new", f"{LETTER}\nNouveau.")
    said = deid("night", DATE, "--approve", "lu")
    assert said.status == 0, said.err
    assert "4 documents de cet intervalle sont tenus par le passage 1" in said.err
    assert len(published(dead)) == 1


def test_a_dead_run_is_taken_over_by_one_command(dead: Database, deid: Call) -> None:
    (listed,) = deid("runs", "list").lines
    assert (listed["run_id"], listed["documents"], listed["interval_key"]) == (1, 4, DATE)
    early = deid("runs", "take-over", 1, "--reason", "serveur arrêté")
    assert (early.status, early.out) == (1, "")
    assert "--confirm" in early.err
    fall_silent(dead, 11)
    taken = deid("runs", "take-over", 1, "--reason", "serveur arrêté")
    assert (taken.status, taken.lines[0]["documents"]) == (0, 4)
    done = deid("night", DATE, "--approve", "lu")
    assert (done.status, done.lines[0]["planned"], done.lines[0]["held"]) == (0, 4, [])
    assert len(published(dead)) == 4
    assert dead.rows("SELECT state, planned FROM deid.run WHERE run_id = 1") == [("superseded", 0)]
    assert deid("runs", "list").lines == []
    with open_cursor("steward") as cursor:
        (line,) = audit.list_lines(cursor, action=audit.Action.TAKE_OVER)
        assert audit.find_first_break(cursor) is None
    assert (line.object, line.details["documents"], line.details["reason"]) == ("run 1", 4, "serveur arrêté")


def test_a_run_that_was_not_dead_keeps_what_nobody_took_and_writes_nothing_else(dead: Database, deid: Call) -> None:
    taken = deid("runs", "take-over", 1, "--reason", "serveur arrêté", "--confirm")
    assert taken.status == 0, taken.err
    steps.substitute(1, 1)  # a sign of life after the take-over
    assert deid("night", DATE).status == 1
    assert deid("runs", "take-over", 1, "--reason", "serveur arrêté", "--confirm").status == 0
    assert deid("night", DATE, "--approve", "lu").status == 0
    rows = published(dead)
    assert steps.validate(1, 1)["documents"] == 0
    assert published(dead) == rows
    assert len(rows) == 4


def test_a_dead_run_leaves_no_text_of_a_document_that_was_corrected_since(dead: Database, deid: Call) -> None:
    steps.substitute(1, 1)
    assert dead.rows("SELECT count(*) FROM deid.candidate") == [(2,)]
    fall_silent(dead, 150)
    for name in "abcd":
        put(dead, name, f"{LETTER}\nCorrigé {name}.", at=NIGHT + DAY)
    assert deid("night", "2026-03-03", "--approve", "lu").status == 0
    assert dead.rows("SELECT count(*) FROM deid.candidate") == [(0,)]
    assert dead.rows("SELECT DISTINCT state FROM deid.document WHERE run_id = 1") == [("superseded",)]
    assert dead.rows("SELECT interval_key, state FROM deid.interval_state ORDER BY 1") == [
        (DATE, "empty"),
        ("2026-03-03", "published"),
    ]


@pytest.mark.parametrize("arguments", [(7, "--reason", "serveur arrêté"), (1, "--reason", "non"), ("un",)])
@pytest.mark.usefixtures("dead")
def test_what_cannot_be_taken_over_is_refused(arguments: tuple[object, ...], deid: Call) -> None:
    said = deid("runs", "take-over", *arguments)
    assert (said.status, said.out) == (2, "")
