"""Airflow's REST interface, called within this process on behalf of the visitor.

Its permission check and event log apply as if the person had used Airflow's pages.
"""

from __future__ import annotations

import json
from enum import Enum
from typing import Any
from urllib.parse import quote

import httpx
from fastapi import Request

FORWARDED = ("authorization", "cookie")
WAITING_STATES = frozenset({"awaiting_input", "deferred"})
ENDED_STATES = frozenset({"success", "failed", "upstream_failed", "skipped", "removed"})


class Standing(Enum):
    """State of the task that asks a question."""

    WAITING = "waiting"
    ANSWERED = "answered"  # an answer is being weighed
    ENDED = "ended"  # no answer can reach it


async def question(request: Request, dag_id: str, run_id: str, task_id: str) -> tuple[int, Standing]:
    """Return the HTTP status, and the state of the task if it is 200."""
    answer = await _ask(request, "GET", _path(dag_id, run_id, task_id))
    if answer.status_code != 200:
        return answer.status_code, Standing.ENDED
    said = answer.json()
    state = said["task_instance"]["state"]
    if state in ENDED_STATES:
        return 200, Standing.ENDED
    waiting = state in WAITING_STATES and not said["response_received"]
    return 200, Standing.WAITING if waiting else Standing.ANSWERED


async def respond(request: Request, dag_id: str, run_id: str, task_id: str, chosen: str, form: dict[str, str]) -> int:
    """Answer the question of a task; return the HTTP status, 409 if it was answered already."""
    body = {"chosen_options": [chosen], "params_input": form}
    return (await _ask(request, "PATCH", _path(dag_id, run_id, task_id), body)).status_code


def _path(dag_id: str, run_id: str, task_id: str) -> str:
    return f"/api/v2/dags/{dag_id}/dagRuns/{quote(run_id, safe='')}/taskInstances/{task_id}/-1/hitlDetails"


async def _ask(request: Request, method: str, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
    from airflow.api_fastapi.main import app  # the application that serves this process

    headers = {name: request.headers[name] for name in FORWARDED if name in request.headers}
    if body is not None:
        headers["content-type"] = "application/json"
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://airflow.internal") as client:
        return await client.request(method, path, headers=headers, content=json.dumps(body) if body else None)
