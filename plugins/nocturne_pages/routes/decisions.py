"""The decision on an interval: status, and answers (approve, reject, send back) after a confirmation.

The answer is given to the waiting task of Airflow on behalf of the person.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from deid.release.decisions import (
    APPROVE,
    CHOICES,
    MAX_REASON,
    AnswerProblem,
    Decision,
    close_question,
    record_refused_answer,
)
from deid.release.interval import open_interval
from deid.release.status import DecisionState, DecisionStatus, find_obstacle, read_status
from nocturne_pages import airflow_rest
from nocturne_pages.access import Visitor, needs
from nocturne_pages.airflow_rest import Standing
from nocturne_pages.errors import Refusal
from nocturne_pages.pages import fragment, page
from nocturne_pages.panels import PANELS
from nocturne_pages.permissions import Permission

router = APIRouter()

DAG, TASK = "release_dataset", "approve"
OPTIONS = {choice: choice.capitalize() for choice in CHOICES}  # as the task names them
SHORT = 12  # characters of a digest in short form


def panel(request: Request, visitor: Visitor, interval_key: str) -> Markup | None:
    """The decision, above the figures of a release."""
    found = read_status(interval_key)
    if found is None:
        return None
    return fragment(request, visitor, "decisions/panel.html.j2", "decisions", **_shown(found, visitor))


PANELS.append(panel)


@router.get("/releases/{interval_key}/decision")
def show(
    request: Request,
    interval_key: str,
    visitor: Annotated[Visitor, Depends(needs(Permission.READ))],
    given: str = "",
) -> Response:
    """Status of the decision; `given` is the answer just sent."""
    found = _found(interval_key)
    sent = given if given in CHOICES else ""
    return page(request, visitor, "decisions/decision.html.j2", "decisions", **_shown(found, visitor), given=sent)


@router.post("/releases/{interval_key}/decision")
async def decide(
    request: Request,
    interval_key: str,
    visitor: Annotated[Visitor, Depends(needs(Permission.DECIDE))],
    digest: Annotated[str, Form(max_length=64)],
    chosen: Annotated[str, Form(max_length=10)],
    reason: Annotated[str, Form(max_length=2000)] = "",
    confirmed: Annotated[str, Form(max_length=3)] = "",
) -> Response:
    """Show the effects of an answer; give it once confirmed."""
    if chosen not in CHOICES:
        raise Refusal(422, "unreadable")
    decision = Decision(chosen, visitor.name, reason.strip(), staged_digest=digest)
    found = await run_in_threadpool(_open, interval_key, decision)
    why = await run_in_threadpool(find_obstacle, found, decision)
    if why in (AnswerProblem.NO_REASON, AnswerProblem.UNREADABLE):
        wrong = why.value if len(decision.reason) <= MAX_REASON else "too_long"
        said = {"given": "", "wrong": wrong, "filled": decision}
        return page(
            request, visitor, "decisions/decision.html.j2", "decisions", 422, **{**_shown(found, visitor), **said}
        )
    if why is not None:
        await run_in_threadpool(_refused, interval_key, decision, why)
        raise Refusal(403 if why is AnswerProblem.OWN else 409, f"decision_{why}", key=interval_key)
    if confirmed != "yes":
        return page(
            request, visitor, "decisions/confirm.html.j2", "decisions", **_shown(found, visitor), decision=decision
        )
    await _give(request, found, decision)
    root = str(request.scope.get("root_path", ""))
    return RedirectResponse(f"{root}/releases/{interval_key}/decision?given={chosen}", 303)


async def _give(request: Request, found: DecisionStatus, decision: Decision) -> None:
    """Answer in Airflow, or refuse with the reason."""
    where = (DAG, str(found.airflow_run), TASK)
    status, standing = await airflow_rest.question(request, *where)
    if status == 200 and standing is Standing.ANSWERED:
        raise Refusal(409, "decision_answered", key=found.interval_key)
    if status == 200 and standing is Standing.ENDED:
        status = 404
    if status == 200:
        form = {"motif": decision.reason, "empreinte": str(found.digest)}
        status = await airflow_rest.respond(request, *where, OPTIONS[decision.chosen], form)
    if status == 409:
        raise Refusal(409, "decision_answered", key=found.interval_key)
    if status in (401, 403):
        raise Refusal(403, "decision_airflow_forbids")
    if status == 404:
        await run_in_threadpool(partial(close_question, str(found.airflow_run), "lost", role="steward"))
        raise Refusal(409, "decision_gone", key=found.interval_key)
    if status != 200:
        raise Refusal(502, "decision_airflow_failed")


def _found(interval_key: str) -> DecisionStatus:
    found = read_status(interval_key)
    if found is None:
        raise Refusal(404, "decision_none")
    return found


def _open(interval_key: str, decision: Decision) -> DecisionStatus:
    """Return the status of the open question, if it is about the content that this person was shown."""
    found = _found(interval_key)
    if found.state is DecisionState.RUNNING:
        raise Refusal(409, "decision_running", key=interval_key)
    if found.digest is not None and found.digest != decision.staged_digest:
        _refused(interval_key, decision, "stale")
        counts = {name: found.counts[name] for name in ("staged", "quarantined", "corrected", "withdrawn")}
        shown, now = str(decision.staged_digest)[:SHORT], found.digest[:SHORT]
        raise Refusal(409, "decision_changed", key=interval_key, shown=shown, now=now, **counts)
    if found.state is not DecisionState.WAITING:
        raise Refusal(409, "decision_not_asked", key=interval_key)
    return found


def _refused(interval_key: str, decision: Decision, why: str) -> None:
    with open_interval(interval_key, role="steward") as interval:
        record_refused_answer(interval, decision, why)


def _shown(found: DecisionStatus, visitor: Visitor) -> dict[str, Any]:
    """Return the values of the templates."""
    return {
        "s": found,
        "short": (found.digest or "")[:SHORT],
        "may": visitor.may(Permission.DECIDE) and found.state is DecisionState.WAITING,
        "own": found.wanted == 1 and visitor.name in found.requesters and not found.own_approval,
        "again": visitor.name in found.approvers and len(found.approvers) < found.wanted,
        "max_reason": MAX_REASON,
        "choices": CHOICES,
        "filled": Decision("", visitor.name),
        "wrong": "",
        "approve": APPROVE,
    }
