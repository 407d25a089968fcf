"""SIGKILL in the middle of a step's transaction, at every step: nothing half-written, and the same rows in the end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg2
import pytest

from deid.nightly import steps
from deid.publication.publish import make_visible, publish_interval
from tests import ROOT
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import fingerprint, night, published
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put

KEY = "2026-03-02"
PLAN = f"steps.plan(interval_start={NIGHT!r}, interval_end={NIGHT + DAY!r}, triggered_by='night', batch_size=2)"

# Step → what runs it, and a table whose lock stops it after it has begun to write.
STEPS = {
    "plan": (PLAN, "deid.document"),
    "detect": ("steps.detect(steps.run_of('night'), 1)", "deid.mention"),
    "substitute": ("steps.substitute(steps.run_of('night'), 1)", "deid.budget"),
    "validate": ("steps.validate(steps.run_of('night'), 1)", "deid.check_result"),
    "stage": ("steps.stage(steps.run_of('night'))", "deid.run"),
    "publish": (f"publish_interval({KEY!r})", "deid.published_document"),
}


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    decide(monkeypatch, tmp_path)
    open_hospital(deployed)
    for number in range(3):
        put(deployed, f"letter{number}", LETTER + f"\nExemplaire {'abc'[number]}.")
    put(deployed, "page", PAGE, patient="P000002", format="text/html")
    return deployed


@pytest.fixture
def undisturbed(hospital: Database, request: pytest.FixtureRequest) -> list[tuple]:
    """Return the publication of the same night without interruption, computed once and then undone."""
    cached: list[tuple] | None = request.config.stash.get(_ROWS, None)
    if cached is None:
        night("night", batch_size=2)
        cached = request.config.stash[_ROWS] = published(hospital)
        tables = "deid.published_document, deid.release, deid.document, deid.mention, deid.candidate, deid.verdict"
        rest = "deid.quarantine, deid.budget, deid.check_result, deid.withdrawal, deid.timing, deid.run"
        counted = "deid.document_change, deid.mention_tally, deid.spend_tally, deid.staged_content"
        seen = "research.document, deid.rewriting, deid.staging_salt"
        hospital.rows(f"TRUNCATE {tables}, {rest}, {counted}, {seen} RESTART IDENTITY CASCADE")
    assert len(cached) == 4
    return cached


_ROWS: pytest.StashKey[list[tuple]] = pytest.StashKey()


@pytest.mark.parametrize("killed", STEPS)
def test_a_step_killed_while_it_writes_leaves_nothing_and_is_taken_up_again(
    hospital: Database, undisturbed: list[tuple], killed: str
) -> None:
    before_it = list(STEPS)[: list(STEPS).index(killed)]
    for step in before_it:
        _run(step)
    before = fingerprint(hospital)
    statement, table = STEPS[killed]
    _kill_while_it_writes(hospital, statement, table)
    if killed != "publish":  # a release opens before its first batch; researchers see nothing of it
        # Last days of dates are kept from the first attempt on, so that the next draws alike.
        left = [row for row in fingerprint(hospital) if row[1] != "date_bound"]
        assert left == [row for row in before if row[1] != "date_bound"]
    assert published(hospital) == []
    for step in list(STEPS)[len(before_it) :]:
        _run(step)
    assert published(hospital) == undisturbed
    assert hospital.rows("SELECT count(*), bool_and(published_at IS NOT NULL) FROM deid.release") == [(1, True)]
    assert hospital.rows("SELECT DISTINCT state FROM deid.document") == [("published",)]
    assert hospital.rows("SELECT count(*) FROM deid.candidate") == [(0,)]


def _run(step: str) -> None:
    if step == "plan":
        steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="night", batch_size=2)
    elif step == "stage":
        steps.stage(steps.run_of("night"))
    elif step == "publish":
        publish_interval(KEY)
        make_visible("nightly")
    else:
        for batch in (1, 2):
            getattr(steps, step)(steps.run_of("night"), batch)


def _kill_while_it_writes(hospital: Database, statement: str, table: str) -> None:
    code = (
        "import datetime\n"
        "from deid.nightly import steps\n"
        "from deid.config.settings import Settings\n"
        "Settings.model_config['env_file'] = None\n"
        "from deid.publication.publish import publish_interval\n"
        f"{statement}\n"
    )
    with _locked(hospital, table):
        process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=dict(os.environ))
        try:
            _wait_for_blocked(hospital, process)
        finally:
            process.kill()
            process.wait()
    _wait_for_silence(hospital)


@contextmanager
def _locked(hospital: Database, table: str) -> Iterator[None]:
    """Hold a lock that lets readers through and stops writers."""
    link = psycopg2.connect(hospital.owner)
    try:
        with link.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")
            yield
    finally:
        link.close()


def _wait_for_blocked(hospital: Database, process: subprocess.Popen[bytes]) -> None:
    blocked = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'nocturne%' AND wait_event_type = 'Lock'"
    )
    deadline = time.monotonic() + 90
    while hospital.rows(blocked) == [(0,)]:
        assert process.poll() is None, "the step ended before it was stopped"
        assert time.monotonic() < deadline, "the step never came to write"
        time.sleep(0.1)


def _wait_for_silence(hospital: Database) -> None:
    """The server notices that its client is gone at its next word; only then are its locks free."""
    mine = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'nocturne%'"
    deadline = time.monotonic() + 30
    while hospital.rows(mine) != [(0,)]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
