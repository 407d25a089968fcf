"""A hospital, its nights, their release and their scores, from the command line alone and on a real PostgreSQL."""

from __future__ import annotations

import json
import os
import pwd
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import psycopg2
import pytest

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.ledger import audit
from tests.conftest import Database
from tests.unit.cli.conftest import Call, Said


def steps(said: Said) -> dict[str, list[dict[str, object]]]:
    """The counts of each step, by its name."""
    told: dict[str, list[dict[str, object]]] = {}
    for line in said.lines:
        told.setdefault(str(line["step"]), []).append(line)
    return told


def record_check(database: Database, *, may_decide: bool, days_ago: int = 0) -> None:
    """Keep a check of the auth manager about the account that runs these tests, as an answer in Airflow leaves it."""
    database.rows(
        "INSERT INTO deid.answer_right (airflow_run, account, may_decide, checked_at)"
        " VALUES ('asset__earlier', %s, %s, now() - make_interval(days => %s))",
        (pwd.getpwuid(os.getuid()).pw_name, may_decide, days_ago),
    )


@pytest.fixture
def nights(deployed: Database, demo: Call) -> Iterator[tuple[date, date]]:
    """A small hospital, loaded; its first and last day."""
    said = demo("hospital", "--patients", 8, "--documents", 60, "--nights", 3, "--seed", 7)
    assert said.status == 0, said.err
    made = said.lines[0]
    assert made["documents"] > 40
    first = date.fromisoformat(str(made["first_night"]))
    assert deployed.rows("SELECT count(*) FROM research.document") == [(0,)]
    return first, first + timedelta(days=2)


def test_from_hospital_to_scores(deid: Call, deployed: Database, nights: tuple[date, date]) -> None:
    first, last = nights
    record_check(deployed, may_decide=True)
    counted = deid("night", first, last, "--dry-run", "--reason", "essai")
    assert counted.status == 0, counted.err
    (plan,) = counted.lines
    assert plan["dry_run"] is True
    assert plan["batches"] == 0
    assert plan["seen"] >= plan["planned"] > 40

    done = deid("night", first, last, "--batch-size", 25, "--name", "essai-1", "--approve", "lu")
    assert done.status == 0, done.err
    told = steps(done)
    assert list(told) == ["plan", "detect", "substitute", "validate", "stage", "summarise", "publish", "report"]
    assert told["plan"][0]["batches"] == len(told["detect"]) >= 2
    staged = told["stage"][0]
    key = staged["interval_key"]
    assert key == f"{first}..{last + timedelta(days=1)}"
    published = deployed.rows("SELECT count(*) FROM research.document")[0][0]
    assert published == staged["staged"] > 20
    assert staged["quarantined"] > 0

    again = deid("night", first, last)
    assert again.status == 0, again.err
    assert (steps(again)["plan"][0]["planned"], steps(again)["plan"][0]["batches"]) == (0, 0)
    assert list(steps(again)) == ["plan", "stage"]
    republished = deid("publish", key)
    assert republished.status == 0, republished.err
    assert deployed.rows("SELECT count(*) FROM research.document")[0][0] == published

    report = deid("report", key)
    assert report.status == 0
    assert report.lines[0]["html"]

    scored = deid("score", staged["run_id"], "--json", "--by", "type")
    assert scored.status == 0, scored.err
    figures = json.loads(scored.out)
    assert figures["documents"] > 20
    assert figures["redaction"]["direct"] > 0.8
    assert figures["by_type"]
    names = [row[0] for row in deployed.rows("SELECT last_name FROM cdw.patient")]
    for said in (counted, done, again, republished, report, scored):
        assert not any(name in said.out + said.err for name in names if len(name) > 5)


def test_a_release_waits_for_a_person_when_the_policy_says_so(
    deid: Call, deployed: Database, nights: tuple[date, date], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    strict = tmp_path / "policy.yaml"
    strict.write_text(deid("policy", "show").out.replace("approval: on_warning", "approval: always"), encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(strict))
    settings.cache_clear()
    waiting = deid("night", *nights)
    assert waiting.status == 1
    key = steps(waiting)["stage"][0]["interval_key"]
    assert f"publish {key} --approve" in waiting.err
    assert deployed.rows("SELECT count(*) FROM research.document") == [(0,)]
    assert deid("publish", key).status == 1
    monkeypatch.setenv("LOGNAME", "intendante")
    refusals = [deid("publish", key, "--approve", "lu")]
    record_check(deployed, may_decide=True, days_ago=31)
    refusals.append(deid("publish", key, "--approve", "lu"))
    record_check(deployed, may_decide=True, days_ago=1)
    record_check(deployed, may_decide=False)
    refusals.append(deid("publish", key, "--approve", "lu"))
    assert [said.status for said in refusals] == [1, 1, 1]
    assert "page" in refusals[0].err
    assert deployed.rows("SELECT count(*) FROM deid.decision WHERE chosen = 'approve'") == [(0,)]
    with open_cursor("steward") as cursor:
        lines = audit.list_lines(cursor, about=f"release {key}", action=audit.Action.REFUSED)
    assert [line.details["why"] for line in lines] == ["not_allowed"] * 3
    person = pwd.getpwuid(os.getuid()).pw_name
    assert deid("rights", "grant", person, "--reason", "  ").status == 2
    assert deid("rights", "grant", person, "--reason", "désignée par la direction").status == 0
    assert deid("rights", "revoke", person, "--reason", "a changé de service").status == 0
    assert deid("publish", key, "--approve", "lu").status == 1
    assert deid("rights", "grant", person, "--reason", "est revenue").status == 0
    deployed.rows("UPDATE deid.answer_right SET checked_at = checked_at - interval '1 year'")  # holds until revoked
    (right,) = deid("rights", "list").lines
    assert {name: right[name] for name in ("account", "may_decide", "granted_by", "reason")} == {
        **{"account": person, "may_decide": True, "granted_by": person, "reason": "est revenue"},
    }
    rights = "SELECT action, object, details ->> 'reason' FROM deid.audit WHERE action LIKE '%%_right' ORDER BY seq"
    assert deployed.rows(rights) == [
        ("grant_right", f"account {person}", "désignée par la direction"),
        ("revoke_right", f"account {person}", "a changé de service"),
        ("grant_right", f"account {person}", "est revenue"),
    ]
    for role in ("steward", "publisher", "worker"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            deployed.rows(
                "INSERT INTO deid.answer_right (airflow_run, account, may_decide, granted_by)"
                " VALUES ('', 'moi', true, 'moi')",
                role=role,
            )
    done = deid("publish", key, "--approve", "lu et approuvé")
    assert done.status == 0, done.err
    assert deployed.rows("SELECT count(*) FROM research.document")[0][0] > 20
    decisions = deployed.rows("SELECT chosen, reason FROM deid.decision WHERE chosen = 'approve'")
    assert decisions == [("approve", "lu et approuvé")]


@pytest.mark.usefixtures("deployed")
def test_a_wrong_interval_key_or_run_ends_with_two(deid: Call) -> None:
    assert deid("report", "2026-3-2").status == 2
    assert deid("score", 999).status == 2
