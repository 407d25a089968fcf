"""Lateness as Airflow is told of it: when, what is said, to whom, and what is not said."""

from __future__ import annotations

import json
import logging
import socketserver
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from nocturne_airflow import deadlines

from deid.policy import DEFAULT, Release
from deid.release.lateness import decision_due, staging_due
from deid.settings import settings

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
    assert staging_due(datetime.fromisoformat(end), Release()) == datetime.fromisoformat(due)


def test_an_answer_is_due_within_hours() -> None:
    asked = datetime.fromisoformat("2026-03-03T05:00:00+00:00")
    assert decision_due(asked, Release(decision_hours=48)) == asked + timedelta(days=2)


class Mailbox(socketserver.StreamRequestHandler):
    """A mail server that keeps what it is given."""

    kept: list[str] = []  # noqa: RUF012 - one server per test

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        body = False
        for raw in self.rfile:
            line = raw.decode().rstrip("\r\n")
            if body:
                self.kept.append(line)
                body = line != "."
                answer = b"" if body else b"250 kept\r\n"
            else:
                body = line.upper() == "DATA"
                answer = b"354 go on\r\n" if body else b"221 bye\r\n" if line.upper() == "QUIT" else b"250 ok\r\n"
            self.wfile.write(answer)


@pytest.fixture
def mailbox() -> Iterator[tuple[int, list[str]]]:
    Mailbox.kept = []
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], Mailbox.kept
        server.shutdown()


def connection(monkeypatch: pytest.MonkeyPatch, port: int, **extra: Any) -> None:
    """Name a connection of type SMTP, as an operator does."""
    plain = {"disable_tls": True, "disable_ssl": True, "from_email": "nocturne@chu.example", **extra}
    made = {"conn_type": "smtp", "host": "127.0.0.1", "port": port, "extra": plain}
    monkeypatch.setenv("AIRFLOW_CONN_NOCTURNE_ALERTS", json.dumps(made))
    monkeypatch.setenv(deadlines.CONNECTION, "nocturne_alerts")


def test_it_is_sent_where_a_connection_says(mailbox: tuple[int, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    port, kept = mailbox
    connection(monkeypatch, port, to=["donnees@chu.example"])
    deadlines.tell("decision", {"dag_run": ASKING})
    assert any(line == "To: donnees@chu.example" for line in kept)
    assert "TAMBURIN" not in "\n".join(kept)


def test_a_connection_that_fails_leaves_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    connection(monkeypatch, 9, to=["donnees@chu.example"], retry_limit=0)
    assert deadlines.tell("decision", {"dag_run": ASKING})
    assert "could not be sent by the connection nocturne_alerts" in caplog.text
