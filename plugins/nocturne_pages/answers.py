"""Answers to the question of a release, checked and received in Airflow's API server before Airflow takes them.

Airflow lets whoever may edit a task's input answer, and may take two answers that come at the same instant. This
middleware asks the auth manager for the permission to decide, on every way in (pages, «Required Actions», REST). It
writes the outcome to the ledger, where the answer is counted: `deid.release.decisions.take_answer` takes no answer from
Airflow without it. It lets one answer at a time through (`deid.release.receiving`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from airflow.api_fastapi.core_api.security import bearer_scheme, get_user
from fastapi import HTTPException, Request
from fastapi.concurrency import contextmanager_in_threadpool, run_in_threadpool
from fastapi.responses import JSONResponse

from deid.domain.errors import NocturneError, ReleaseRefused
from deid.release.decisions import AnswerProblem, Decision, Kept, record_right
from deid.release.receiving import Received, keep_late_answer, receive_answer, refuse_answer
from nocturne_pages.access import permissions_of
from nocturne_pages.language import chosen, words
from nocturne_pages.permissions import Permission

QUESTION = re.compile(r"/api/v2/dags/release_dataset/dagRuns/([^/]+)/taskInstances/approve(?:/[^/]+)?/hitlDetails/?")
STATUS = {AnswerProblem.OWN: 403, AnswerProblem.AGAIN: 409}


class _NotTaken(Exception):
    """Airflow did not take the answer: what was received with it is undone."""


class AnswerRights:
    """ASGI middleware: refuses answers of people who may not decide, records who may, receives one answer at a time."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Receive an answer to a release's question; pass everything else on."""
        about = QUESTION.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PATCH" else None
        if about is None:
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            name = await _answering(request)
            if name is None:  # not signed in: Airflow says so
                await self.app(scope, receive, send)
                return
            account, may_decide = name
            await run_in_threadpool(record_right, about[1], account, may_decide=may_decide)
            if not may_decide:
                await refusal(request, 403, "decision_not_allowed")(scope, receive, send)
                return
            body = await request.body()
            answer = await self._pass_on(scope, request, body, about[1], account)
        except NocturneError:
            answer = refusal(request, 503, "unreachable")
        await answer(scope, receive, send)

    async def _pass_on(self, scope: Any, request: Request, body: bytes, run: str, account: str) -> Any:
        """Receive an answer and let Airflow take it; return an ASGI application that reports the outcome."""
        taken = _Buffer()
        decision = _decision(body, account)
        if decision is None:
            await self.app(scope, once(body), taken.keep)
            return taken
        received: Received | None = None
        try:
            async with contextmanager_in_threadpool(receive_answer(run, decision)) as received:
                if received is not None and (received.late or received.why is not None):
                    raise _NotTaken
                await self.app(scope, once(body), taken.keep)
                if taken.status >= 300:
                    raise _NotTaken
        except _NotTaken:
            pass
        if received is None:
            return taken
        if received.why is not None:
            if received.why is not AnswerProblem.AGAIN:
                await run_in_threadpool(refuse_answer, received)
            what = f"decision_{received.why}"
            return refusal(request, STATUS.get(received.why, 422), what, key=received.interval_key)
        if received.late or taken.status == 409:
            kept = await run_in_threadpool(keep_late_answer, received)
            return _said_late(request, received, kept)
        return taken


class _Buffer:
    """An answer of Airflow, kept until what goes with it is recorded."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    @property
    def status(self) -> int:
        return int(self.messages[0]["status"]) if self.messages else 500

    async def keep(self, message: Any) -> None:
        self.messages.append(message)

    async def __call__(self, _scope: Any, _receive: Any, send: Any) -> None:
        for message in self.messages:
            await send(message)


def once(body: bytes) -> Any:
    """Return an ASGI `receive` that gives a body which was read already."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        return left.pop() if left else {"type": "http.disconnect"}

    return receive


async def _answering(request: Request) -> tuple[str, bool] | None:
    """Return the account that answers, and whether it may decide; None if nobody is signed in."""
    try:
        user = await get_user(request, None, await bearer_scheme(request))
    except HTTPException:
        return None
    may_decide = await run_in_threadpool(lambda: Permission.DECIDE in permissions_of(user))
    return str(user.get_name() or user.get_id()), may_decide


def _decision(body: bytes, account: str) -> Decision | None:
    """Return the answer of a body; None if it is none: Airflow refuses it."""
    try:
        given = json.loads(body)
        return Decision.from_answer({**given, "responded_by_user": {"name": account}})
    except (ValueError, TypeError, AttributeError, ReleaseRefused):
        return None


def refusal(
    request: Request, status: int, what: str, more: Mapping[str, str] | None = None, **facts: str
) -> JSONResponse:
    """Return an answer in the shape of Airflow's own, in the language of whoever asks."""
    said = words("errors", chosen(request))
    detail = f"{said[what]}. {said[f'{what}_next']}".format(**facts)
    return JSONResponse({"detail": detail, **(more or {})}, status)


def _said_late(request: Request, received: Received, kept: Kept) -> JSONResponse:
    """Say who answered first, unless that is unknown or hidden, and what became of this answer."""
    what, facts = late_words(received.first, kept, chosen(request))
    who, said = received.first or ("", "")
    return refusal(request, 409, what, {"kept": kept.value, "who": who, "said": said}, **facts)


def late_words(first: tuple[str, str] | None, kept: Kept, lang: str) -> tuple[str, dict[str, str]]:
    """Return the name and the facts of the words about an answer that came after `first`; None where that is hidden."""
    what = "decision_vetoed" if kept is Kept.VETO else "decision_answered"
    if first is None:
        return f"{what}_unnamed", {}
    return what, {"who": first[0], "said": words("decisions", lang)[f"said_{first[1]}"].lower()}
