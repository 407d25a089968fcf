"""Launches of a night by hand: refused at once without a reason, on every way into the API server."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.pages.serving import Server

RUN = "dags/deidentify_documents/dagRuns"
DATES = {"from_date": "2026-10-01T00:00:00Z", "to_date": "2026-10-02T00:00:00Z"}
BACKFILL = {"dag_id": "deidentify_documents", **DATES}


def launch(server: Server, path: str, body: Any, **headers: str) -> requests.Response:
    headers = {"Authorization": f"Bearer {server.token('exploitant')}", **headers}
    return requests.post(f"{server.url}/api/v2/{path}", json=body, headers=headers, timeout=60)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (RUN, {"logical_date": None}),
        (RUN, {"logical_date": None, "conf": None}),
        (RUN, {"logical_date": None, "conf": {"reason": ""}}),
        (f"{RUN}/", {"logical_date": None, "conf": {"reason": " \n", "dry_run": True}}),
        ("backfills", BACKFILL),
        ("backfills", BACKFILL | {"dag_run_conf": {"reason": ""}}),
    ],
)
def test_without_a_reason_nothing_is_started(server: Server, path: str, body: Any) -> None:
    french = launch(server, path, body)
    assert french.status_code == 422
    assert french.json()["detail"].startswith("Le motif manque. Un lancement hors de la nuit planifiée")
    english = launch(server, path, body, Cookie="nocturne_lang=en")
    assert english.json()["detail"].startswith("The reason is missing.")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (RUN, {"logical_date": "unread", "conf": {"reason": "reprise après panne"}}),
        ("backfills", BACKFILL | {"from_date": "unread", "dag_run_conf": {"reason": "reprise après panne"}}),
        ("backfills", {"dag_id": "apply_oppositions", **DATES, "from_date": "unread"}),
        ("dags/apply_oppositions/dagRuns", {"logical_date": "unread"}),
    ],
)
def test_with_a_reason_or_of_another_dag_airflow_answers(server: Server, path: str, body: Any) -> None:
    answer = launch(server, path, body)
    assert answer.status_code == 422
    assert {one["loc"][-1] for one in answer.json()["detail"]} & {"logical_date", "from_date"}, "Airflow's own refusal"


def test_a_body_that_cannot_be_read_is_refused_by_airflow(server: Server) -> None:
    headers = {"Authorization": f"Bearer {server.token('exploitant')}", "Content-Type": "application/json"}
    for body in ("", "[]", "{", '"text"'):
        answer = requests.post(f"{server.url}/api/v2/{RUN}", data=body, headers=headers, timeout=60)
        assert answer.status_code == 422
        assert isinstance(answer.json()["detail"], list)
