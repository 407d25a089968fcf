"""Answers to the question of a release, checked in Airflow's API server before Airflow takes them.

Airflow lets whoever may edit a task's input answer. This middleware asks the auth manager for the permission to decide,
on every way in (pages, «Required Actions», REST), and writes the outcome to the ledger, where the answer is counted:
`deid.release.decisions.take_answer` takes no answer from Airflow without it.
"""

from __future__ import annotations

import re
from typing import Any

from airflow.api_fastapi.core_api.security import bearer_scheme, get_user
from fastapi import HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse

from deid.domain.errors import NocturneError
from deid.release.decisions import record_right
from nocturne_pages.access import permissions_of
from nocturne_pages.language import chosen, words
from nocturne_pages.permissions import Permission

QUESTION = re.compile(r"/api/v2/dags/release_dataset/dagRuns/([^/]+)/taskInstances/approve(?:/[^/]+)?/hitlDetails/?")


class AnswerRights:
    """ASGI middleware: refuses answers of people who may not decide, and records who may."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Check an answer to a release's question; pass everything else on."""
        about = QUESTION.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PATCH" else None
        refusal = None if about is None else await _refusal(Request(scope), about[1])
        await (refusal or self.app)(scope, receive, send)


async def _refusal(request: Request, airflow_run: str) -> JSONResponse | None:
    """Return the answer to a person who may not decide; None lets Airflow take it, or refuse it itself."""
    try:
        user = await get_user(request, None, await bearer_scheme(request))
    except HTTPException:
        return None  # not signed in
    try:
        if await run_in_threadpool(_check, user, airflow_run):
            return None
    except NocturneError:
        return _said(request, 503, "unreachable")
    return _said(request, 403, "decision_not_allowed")


def _check(user: Any, airflow_run: str) -> bool:
    may_decide = Permission.DECIDE in permissions_of(user)
    record_right(airflow_run, str(user.get_name() or user.get_id()), may_decide=may_decide)
    return may_decide


def _said(request: Request, status: int, what: str) -> JSONResponse:
    said = words("errors", chosen(request))
    return JSONResponse({"detail": f"{said[what]}. {said[f'{what}_next']}"}, status)
