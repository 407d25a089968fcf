"""Airflow's REST interface, called within this process on behalf of the visitor.

Its permission check and event log apply as if the person had used Airflow's pages.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import httpx
from fastapi import Request

from nocturne_pages.night_runs import NightRun

FORWARDED = ("authorization", "cookie")
ENDED_STATES = frozenset({"success", "failed", "upstream_failed", "skipped", "removed"})
LOGGER = "nocturne_airflow.steps"
_CLEARS = 2  # of two clears at one moment Airflow fails one, whose second try finds the run under way


async def question(request: Request, dag_id: str, run_id: str, task_id: str) -> int:
    """Return the HTTP status of the question of a task; 404 if no answer can reach it any more."""
    answer = await _ask(request, "GET", _path(dag_id, run_id, task_id))
    ended = answer.status_code == 200 and answer.json()["task_instance"]["state"] in ENDED_STATES
    return 404 if ended else answer.status_code


async def respond(
    request: Request, dag_id: str, run_id: str, task_id: str, chosen: str, form: dict[str, str]
) -> tuple[int, dict[str, Any]]:
    """Answer the question of a task; return the HTTP status, 409 if an answer came first, and what goes with that."""
    body = {"chosen_options": [chosen], "params_input": form}
    answer = await _ask(request, "PATCH", _path(dag_id, run_id, task_id), body)
    return answer.status_code, answer.json() if answer.status_code == 409 else {}


async def resume(request: Request, dag_id: str, run_id: str) -> int:
    """Run the failed tasks of a failed run again; return the HTTP status, 409 if it has not failed."""
    path = f"/api/v2/dags/{dag_id}/dagRuns/{quote(run_id, safe='')}"
    status = 0
    for _ in range(_CLEARS):
        answer = await _ask(request, "GET", path)
        if answer.status_code != 200:
            return answer.status_code
        if answer.json()["state"] != "failed":
            return 409
        status = (await _ask(request, "POST", f"{path}/clear", {"dry_run": False, "only_failed": True})).status_code
        if status < 500:
            break
    return status


async def last_error(request: Request, dag_id: str, failed: NightRun) -> str:
    """Return what the failed task of a run logged last as its error, in the words of its step; empty if unread.

    Only lines of `nocturne_airflow.steps` are read: they hold words that `deid` wrote, and no value.
    """
    if failed.task_id is None:
        return ""
    task = f"/api/v2/dags/{dag_id}/dagRuns/{quote(failed.run_id, safe='')}/taskInstances/{failed.task_id}"
    answer = await _ask(request, "GET", f"{task}/logs/{failed.tries}?full_content=true&map_index={failed.map_index}")
    lines = answer.json().get("content", []) if answer.status_code == 200 else []
    said = [one["event"] for one in lines if isinstance(one, dict) and one.get("logger") == LOGGER]
    return str(said[-1]) if said else ""


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
