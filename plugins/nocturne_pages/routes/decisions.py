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

from deid.database.connection import open_cursor
from deid.release.comments import MAX_COMMENT, Comment, list_comments, write_comment
from deid.release.decisions import (
    ANSWERS,
    APPROVE,
    CHOICES,
    MAX_REASON,
    REJECT,
    REWORK,
    AnswerProblem,
    Decision,
    Kept,
    close_question,
    keep_answer,
    record_refused_answer,
)
from deid.release.interval import open_interval
from deid.release.status import DecisionState, DecisionStatus, find_obstacle, read_status
from nocturne_pages import airflow_rest
from nocturne_pages.access import Visitor, needs
from nocturne_pages.answers import late_words
from nocturne_pages.errors import Refusal
from nocturne_pages.language import chosen as chosen_language
from nocturne_pages.night_runs import DAG as NIGHT_DAG
from nocturne_pages.night_runs import read_night
from nocturne_pages.pages import fragment, page
from nocturne_pages.panels import PANELS
from nocturne_pages.permissions import Permission
from nocturne_pages.reported import reported_words

router = APIRouter()

DAG, TASK = "release_dataset", "approve"
SHORT = 12  # characters of a digest in short form
AGAIN = "again"  # in place of an answer: the failed run is resumed
VETO = "veto"  # the same: an approved release was stopped
ASKED = frozenset({DecisionState.WAITING, DecisionState.APPROVED_ONCE})
PUBLISHED = frozenset({DecisionState.PUBLISHED, DecisionState.VISIBLE})
VETOABLE = frozenset({DecisionState.APPROVED, DecisionState.PUBLISHING, DecisionState.FAILED})
# A question that is not asked now is asked, or asked again.
ASKED_LATER = frozenset({DecisionState.UNASKED, DecisionState.CHANGED, DecisionState.LOST})
UNCONFIRMED = {"confirmed": ""}  # an answer that is sent again is confirmed again
UNENDED = frozenset({DecisionState.RUNNING, DecisionState.SENT_BACK})  # a run is to come to its end
# A failed run of Airflow may hold the interval up.
STOPPED = frozenset({DecisionState.LOST, DecisionState.APPROVED, DecisionState.FAILED})


@router.get("/releases/{interval_key}/comments")
def begin_comment(
    request: Request, interval_key: str, _visitor: Annotated[Visitor, Depends(needs(Permission.DECIDE))]
) -> Response:
    """Redirect from the address of the form to the page of the decision."""
    root = str(request.scope.get("root_path", ""))
    return RedirectResponse(f"{root}/releases/{interval_key}/decision", 303)


@router.post("/releases/{interval_key}/comments")
def comment(
    request: Request,
    interval_key: str,
    visitor: Annotated[Visitor, Depends(needs(Permission.DECIDE))],
    text: Annotated[str, Form(max_length=5000)] = "",
) -> Response:
    """Keep a comment for the other people who decide."""
    found, text = _found(interval_key), text.strip()
    if not 1 <= len(text) <= MAX_COMMENT:
        raise Refusal(422, "comment_length", most=MAX_COMMENT)
    write_comment(found, visitor.name, text)
    root = str(request.scope.get("root_path", ""))
    return RedirectResponse(f"{root}/releases/{interval_key}/decision#comments", 303)


def panel(request: Request, visitor: Visitor, interval_key: str) -> Markup | None:
    """The decision, above the figures of a release."""
    found = read_status(interval_key)
    if found is None:
        return None
    return fragment(request, visitor, "decisions/panel.html.j2", "decisions", **_shown(found, visitor))


PANELS.append(panel)


@router.get("/releases/{interval_key}/decision")
async def show(
    request: Request,
    interval_key: str,
    visitor: Annotated[Visitor, Depends(needs(Permission.READ))],
    given: str = "",
    of: str = "",
) -> Response:
    """Status of the decision, and why its night failed if it did; `given` is the answer just sent about `of`."""
    found = await run_in_threadpool(_found, interval_key)
    shown = await run_in_threadpool(_shown, found, visitor)
    if (night := shown["night"]) is not None:
        shown["cause"] = await airflow_rest.last_error(request, NIGHT_DAG, night)
    answered = given in (*CHOICES, VETO) and of == shown["short"]
    sent = given if answered or given == AGAIN else ""
    return page(request, visitor, "decisions/decision.html.j2", "decisions", **shown, given=sent)


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
    """Show the effects of an answer; give it once confirmed, and show its form again if not."""
    if chosen not in CHOICES:
        raise Refusal(422, "unreadable")
    decision = Decision(chosen, visitor.name, reason.strip(), staged_digest=digest)
    if confirmed == "no":
        kept = {**_shown(_found(interval_key), visitor), "given": "", "filled": decision}
        return page(request, visitor, "decisions/decision.html.j2", "decisions", **kept)
    found = await run_in_threadpool(_open, interval_key, decision, confirmed == "yes")
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
        read = await run_in_threadpool(reported_words, interval_key, visitor.lang)
        values = {**_shown(found, visitor), "decision": decision, "read": read}
        return page(request, visitor, "decisions/confirm.html.j2", "decisions", **values)
    if found.state in VETOABLE:
        await run_in_threadpool(_veto, found, decision)
    else:
        await _give(request, found, decision)
    root, given = str(request.scope.get("root_path", "")), VETO if found.state in VETOABLE else chosen
    of = (found.digest or "")[:SHORT]
    return RedirectResponse(f"{root}/releases/{interval_key}/decision?given={given}&of={of}", 303)


@router.get("/releases/{interval_key}/decision/again")
def begin_resume(
    request: Request, interval_key: str, _visitor: Annotated[Visitor, Depends(needs(Permission.RETRY))]
) -> Response:
    """Redirect from the address of the form to the page of the decision."""
    root = str(request.scope.get("root_path", ""))
    return RedirectResponse(f"{root}/releases/{interval_key}/decision", 303)


@router.post("/releases/{interval_key}/decision/again")
async def resume(
    request: Request, interval_key: str, _visitor: Annotated[Visitor, Depends(needs(Permission.RETRY))]
) -> Response:
    """Have Airflow run again what failed, on behalf of the person: the question, or the publication.

    The run keeps who started it, so that whoever resumes it may still approve.
    """
    found = await run_in_threadpool(_found, interval_key)
    if found.state not in STOPPED:
        raise Refusal(409, "decision_not_stopped", key=interval_key)
    status = 404 if found.asked_last is None else await airflow_rest.resume(request, DAG, found.asked_last)
    if status != 200:
        what, said = {
            401: ("decision_resume_forbidden", 403),
            403: ("decision_resume_forbidden", 403),
            404: ("decision_resume_gone", 409),
            409: ("decision_resume_running", 409),
        }.get(status, ("decision_airflow_failed", 502))
        raise Refusal(said, what, key=interval_key, run=found.asked_last or "")
    root = str(request.scope.get("root_path", ""))
    return RedirectResponse(f"{root}/releases/{interval_key}/decision?given={AGAIN}", 303)


async def _give(request: Request, found: DecisionStatus, decision: Decision) -> None:
    """Answer in Airflow, or refuse with the reason; an answer that came after another was kept as it arrived."""
    where = (DAG, str(found.airflow_run), TASK)
    status = await airflow_rest.question(request, *where)
    said: dict[str, Any] = {}
    if status == 200:
        form = {"motif": decision.reason, "empreinte": str(found.digest)}
        status, said = await airflow_rest.respond(request, *where, ANSWERS[decision.chosen], form)
    if status == 409:
        first = (said["who"], said["said"]) if said["who"] else None
        what, facts = late_words(first, Kept(said["kept"]), chosen_language(request))
        renewed = UNCONFIRMED if Kept(said["kept"]) is Kept.LATE else None
        raise Refusal(409, what, renewed=renewed, key=found.interval_key, **facts)
    if status in (401, 403):
        raise Refusal(403, "decision_airflow_forbids")
    if status == 404:
        await run_in_threadpool(_refused, found.interval_key, decision, "gone")
        await run_in_threadpool(partial(close_question, str(found.airflow_run), "lost", role="steward"))
        raise Refusal(409, "decision_gone", renewed=UNCONFIRMED, key=found.interval_key)
    if status != 200:
        raise Refusal(502, "decision_airflow_failed")


def _found(interval_key: str) -> DecisionStatus:
    found = read_status(interval_key)
    if found is None:
        raise Refusal(404, "decision_none")
    return found


def _open(interval_key: str, decision: Decision, confirmed: bool) -> DecisionStatus:
    """Return the status of what may be answered, if it is about the content that this person was shown."""
    found = _found(interval_key)
    if found.state is DecisionState.RUNNING:
        raise Refusal(409, "decision_running", renewed=UNCONFIRMED, key=interval_key)
    if found.state in PUBLISHED and confirmed and decision.chosen != APPROVE and decision.reason:
        _veto(found, decision)
    if found.digest is not None and found.digest != decision.staged_digest:
        _refused(interval_key, decision, "stale")
        counts = {name: found.counts[name] for name in ("staged", "quarantined", "corrected", "withdrawn")}
        shown, now = str(decision.staged_digest)[:SHORT], found.digest[:SHORT]
        renewed = {"digest": found.digest, **UNCONFIRMED}
        raise Refusal(409, "decision_changed", renewed=renewed, key=interval_key, shown=shown, now=now, **counts)
    vetoes = found.state in VETOABLE and (decision.chosen == REJECT or (decision.chosen == REWORK and confirmed))
    if found.state not in ASKED and not vetoes:
        _refused(interval_key, decision, "not_asked")
        renewable = UNCONFIRMED if found.state in ASKED_LATER else None
        raise Refusal(409, "decision_not_asked", renewed=renewable, key=interval_key)
    return found


def _veto(found: DecisionStatus, decision: Decision) -> None:
    """Stop the release of what was approved by a rejection, or refuse it, kept, where publication came first."""
    with open_interval(found.interval_key, role="steward") as interval:
        kept = keep_answer(interval.cursor, found.interval_key, str(decision.staged_digest), decision, "published")
    if kept is Kept.LATE:
        raise Refusal(409, "decision_published", key=found.interval_key)


def _refused(interval_key: str, decision: Decision, why: str) -> None:
    with open_interval(interval_key, role="steward") as interval:
        record_refused_answer(interval, decision, why)


def _shown(found: DecisionStatus, visitor: Visitor) -> dict[str, Any]:
    """Return the values of the templates."""
    comments: list[Comment] | None = None
    if visitor.may(Permission.DECIDE):
        with open_cursor("steward", "nocturne pages") as cursor:
            comments = list_comments(cursor, found, visitor.name)
    night = read_night(found.interval_key) if found.state in UNENDED else None
    return {
        "comments": comments,
        "max_comment": MAX_COMMENT,
        "s": found,
        "night": night,
        "cause": "",
        "short": (found.digest or "")[:SHORT],
        "may": visitor.may(Permission.DECIDE) and found.state in ASKED | VETOABLE,
        "vetoable": found.state in VETOABLE,
        "stopped": found.state in STOPPED,
        "dag": NIGHT_DAG if night else DAG,
        "own": found.wanted == 1 and visitor.name in found.requesters and not found.own_approval,
        "again": visitor.name in found.approvers and len(found.approvers) < found.wanted,
        "max_reason": MAX_REASON,
        "choices": (REJECT,) if found.state in VETOABLE else CHOICES,
        "filled": Decision("", visitor.name),
        "wrong": "",
        "approve": APPROVE,
    }
