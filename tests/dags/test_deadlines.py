"""Lateness as Airflow is told of it: when, what is said, to whom, and what is not said."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from nocturne_airflow import deadlines

from deid.config.policy import DEFAULT, Release
from deid.config.settings import settings
from deid.release.rules import decision_due, staging_due
from tests.dags import mail

RUN = {
    "dag_id": "deidentify_documents",
    "dag_run_id": "scheduled__2026-03-02T02:30:00+00:00",
    "state": "running",
    "conf": {"reason": "Madame Zoé TAMBURIN"},
    "partition_key": None,
    "data_interval_start": "2026-03-02T02:30:00Z",
    "data_interval_end": "2026-03-03T02:30:00Z",
}
ASKING = {**RUN, "dag_id": "release_dataset", "partition_key": "2026-03-02"}


def test_what_is_late_is_told_by_key_and_link_alone(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert deadlines.tell("staging", {"dag_run": RUN})
        assert deadlines.tell("decision", {"dag_run": ASKING})
    night, asking = caplog.messages
    assert "2026-03-02 n'est pas prêt" in night
    assert night.endswith("/dags/deidentify_documents/runs/scheduled__2026-03-02T02%3A30%3A00%2B00%3A00")
    assert asking.endswith("/nocturne/releases/2026-03-02/decision")
    assert "TAMBURIN" not in caplog.text


@pytest.mark.parametrize(
    ("kind", "state", "told"),
    [
        ("staging", "running", True),
        ("staging", "failed", True),
        ("staging", "success", False),
        ("decision", "running", True),
        ("decision", "failed", False),
        ("decision", "success", False),
    ],
)
def test_what_ended_meanwhile_is_not_late(kind: str, state: str, told: bool) -> None:
    assert deadlines.tell(kind, {"dag_run": {**RUN, "state": state}}) is told


def test_the_policy_says_when(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert deadlines.staging().interval == timedelta(hours=3, minutes=30)
    text = DEFAULT.read_text(encoding="utf-8")
    assert 'ready_by: "07:00"' in text
    text = text.replace('ready_by: "07:00"', 'ready_by: "02:15"').replace("decision_hours: 24", "decision_hours: 5")
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "policy.yaml"))
    settings.cache_clear()
    assert deadlines.staging().interval == timedelta(hours=22, minutes=45)
    assert deadlines.decision().interval == timedelta(hours=5)
    (tmp_path / "policy.yaml").write_text("release: [", encoding="utf-8")
    assert deadlines.decision().interval == timedelta(hours=Release().decision_hours)


@pytest.mark.parametrize(
    ("end", "due"),
    [
        ("2026-03-03T02:30:00+00:00", "2026-03-03T07:00:00+01:00"),
        ("2026-03-29T01:30:00+00:00", "2026-03-29T07:00:00+02:00"),  # the clocks have gone forward in this night
        ("2026-10-25T02:30:00+00:00", "2026-10-25T07:00:00+01:00"),
        ("2026-03-03T12:00:00+00:00", "2026-03-04T07:00:00+01:00"),
    ],
)
def test_a_night_is_due_in_the_morning_it_ends(end: str, due: str) -> None:
    assert staging_due(datetime.fromisoformat(end), Release().ready_by) == datetime.fromisoformat(due)


def test_an_answer_is_due_within_hours() -> None:
    asked = datetime.fromisoformat("2026-03-03T05:00:00+00:00")
    assert decision_due(asked, Release(decision_hours=48)) == asked + timedelta(days=2)


def connection(monkeypatch: pytest.MonkeyPatch, port: int, **extra: Any) -> None:
    """Name a connection of type SMTP, as an operator does."""
    for name, value in mail.connection(port, **extra).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def mailbox() -> Iterator[mail.Mailbox]:
    with mail.mailbox() as box:
        yield box


def test_it_is_sent_where_a_connection_says(mailbox: mail.Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    connection(monkeypatch, mailbox.port, to=["donnees@chu.example"])
    deadlines.tell("decision", {"dag_run": ASKING})
    (message,) = mailbox.messages
    assert message["To"] == "donnees@chu.example"
    assert "2026-03-02 attend une décision" in mail.told(message)
    assert "TAMBURIN" not in message.as_string() + mail.told(message)


def test_a_connection_that_fails_leaves_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    connection(monkeypatch, 9, to=["donnees@chu.example"], retry_limit=0)
    assert deadlines.tell("decision", {"dag_run": ASKING})
    assert "could not be sent by the connection nocturne_alerts" in caplog.text
