"""Alerts of lateness, of a question and of a failure: when, what is said, to whom, and what is not said."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from nocturne_airflow import alerts, queues

from deid.config.policy import DEFAULT, Release
from deid.config.settings import settings
from deid.database.embedded import HOST
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


def test_what_is_late_is_told_by_night_and_link_alone(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert alerts.tell("staging", {"dag_run": RUN})
        assert alerts.tell("decision", {"dag_run": ASKING})
    night, asking = caplog.messages
    assert night.startswith("Nocturne : nuit du lundi 2 mars 2026 : pas prêt à l'heure prévue")
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
    assert alerts.tell(kind, {"dag_run": {**RUN, "state": state}}) is told


def test_the_policy_says_when(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert alerts.staging().interval == timedelta(hours=3, minutes=30)
    text = DEFAULT.read_text(encoding="utf-8")
    assert 'ready_by: "07:00"' in text
    text = text.replace('ready_by: "07:00"', 'ready_by: "02:15"').replace("decision_hours: 24", "decision_hours: 5")
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "policy.yaml"))
    settings.cache_clear()
    assert alerts.staging().interval == timedelta(hours=22, minutes=45)
    assert alerts.decision().interval == timedelta(hours=5)
    (tmp_path / "policy.yaml").write_text("release: [", encoding="utf-8")
    assert alerts.decision().interval == timedelta(hours=Release().decision_hours)


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


def test_a_queue_without_a_worker_is_told(
    mailbox: mail.Mailbox, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    connection(monkeypatch, mailbox.port, to=["technique@chu.example"])
    queues.tell("gpu", 3)
    (message,) = mailbox.messages
    assert "file gpu : aucun worker ne sert cette file" in mail.told(message)
    assert "airflow celery worker --queues gpu" in caplog.text
    assert "3 tasks wait in the queue gpu" in caplog.text


def test_it_is_sent_where_a_connection_says(mailbox: mail.Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    connection(monkeypatch, mailbox.port, to=["donnees@chu.example"])
    alerts.tell("decision", {"dag_run": ASKING})
    (message,) = mailbox.messages
    assert message["To"] == "donnees@chu.example"
    assert "nuit du lundi 2 mars 2026 : la décision est en retard" in mail.told(message)
    assert "TAMBURIN" not in message.as_string() + mail.told(message)


def test_it_is_given_to_the_notifier_that_a_setting_names(
    mailbox: mail.Mailbox, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    connection(monkeypatch, mailbox.port)
    monkeypatch.delenv(alerts.CONNECTION)
    templates = {"subject": "{{ alert.subject }}", "html_content": "{{ alert.body }} {{ alert.link }}"}
    asked = {"to": "garde@chu.example", "smtp_conn_id": "nocturne_alerts", **templates}
    named = {"classpath": "airflow.providers.smtp.notifications.smtp.SmtpNotifier", "kwargs": asked}
    monkeypatch.setenv(alerts.NOTIFIER, json.dumps(named))
    alerts.waiting("2026-03-02")
    (message,) = mailbox.messages
    assert message["To"] == "garde@chu.example"
    for words in ("nuit du lundi 2 mars 2026 : une décision est attendue", "/nocturne/releases/2026-03-02/decision"):
        assert words in mail.told(message)
    monkeypatch.setenv(alerts.NOTIFIER, "nowhere.Notifier")
    alerts.waiting("2026-03-02")
    assert "could not be given to the notifier of NOCTURNE_ALERT_NOTIFIER: JSONDecodeError" in caplog.text


def test_a_connection_that_fails_leaves_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    connection(monkeypatch, 9, to=["donnees@chu.example"], retry_limit=0)
    assert alerts.tell("decision", {"dag_run": ASKING})
    assert "could not be sent by the connection nocturne_alerts" in caplog.text


def test_a_question_asked_or_lost_and_a_failed_publication_are_posted_where_a_connection_says(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    posted: list[dict[str, str]] = []

    class Chat(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200 if len(posted) < 4 else 500)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Chat) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        made = {"conn_type": "http", "extra": {"url": f"http://127.0.0.1:{server.server_port}/nocturne"}}
        monkeypatch.setenv("AIRFLOW_CONN_NOCTURNE_CHAT", json.dumps(made))
        monkeypatch.setenv(alerts.CONNECTION, "nocturne_chat")
        alerts.waiting("2026-03-02")
        alerts.publication_failed({"partition_key": "2026-03-02"})
        alerts.lost("2026-09-01..2026-09-28")
        alerts.waiting("2026-03-03")
        server.shutdown()
    question, failure, lost, _ = [one["text"].splitlines() for one in posted]
    assert question[0] == "Nocturne : nuit du lundi 2 mars 2026 : une décision est attendue"
    assert failure[0] == "Nocturne : nuit du lundi 2 mars 2026 : la publication a échoué"
    assert lost[0] == "Nocturne : nuits du 1er septembre 2026 au 27 septembre 2026 : la question posée est perdue"
    assert question[-1] == failure[-1]
    assert question[-1].endswith("/nocturne/releases/2026-03-02/decision")
    assert "could not be sent by the connection nocturne_chat" in caplog.text


def test_a_queue_is_found_within_a_minute_where_no_broker_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker that takes the connection and says nothing is the slowest."""
    from airflow.providers.celery.executors.celery_executor_utils import app

    monkeypatch.setattr(queues, "_waiting_tasks", lambda: {"gpu": 3})
    with closing(socket.create_server((HOST, 0))) as silent:
        monkeypatch.setattr(app.conf, "broker_url", f"redis://{HOST}:{silent.getsockname()[1]}/0")
        began = time.monotonic()
        assert queues.unserved_queues() == {"gpu": 3}
    assert queues.WAITED_S + queues.LOOK_S + time.monotonic() - began < 60
