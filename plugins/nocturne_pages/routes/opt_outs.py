"""Patients' opt-outs: search without any text, recording in two steps, proof of the removal."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from deid.database.connection import open_cursor
from deid.ledger.audit import LEAST_REASON, MOST_REASON
from deid.stewardship import opt_outs
from deid.stewardship.opt_outs import OptOutProblem, OptOutRefused, PatientKey, check_reason
from nocturne_pages.access import Permission, Visitor, needs
from nocturne_pages.errors import Before, Refusal
from nocturne_pages.language import words
from nocturne_pages.pages import page

router = APIRouter()
Officer = Annotated[Visitor, Depends(needs(Permission.WITHDRAW))]
Given = Annotated[str, Form(max_length=500)]
Reason = Annotated[str, Form(max_length=5000)]


@router.get("/opt-outs")
def overview(request: Request, visitor: Officer, before: Before = None) -> Response:
    """The search form, and the recorded opt-outs."""
    return _overview(request, visitor, before)


def _overview(
    request: Request, visitor: Visitor, before: int | None = None, status: int = 200, **typed: str
) -> Response:
    """The same; `wrong` names what is wrong with the `pseudonym` or `patient_id` typed, which stay in their fields."""
    with open_cursor("steward", "nocturne pages") as cursor:
        rows = opt_outs.list_opt_outs(cursor, before, opt_outs.PAGE + 1)
    shown = rows[: opt_outs.PAGE]
    older = shown[-1].opt_out_id if len(rows) > opt_outs.PAGE else None
    said = words("errors", visitor.lang)
    wrong = f"{said[typed['wrong']]}. {said[typed['wrong'] + '_next']}" if "wrong" in typed else ""
    typed = {"pseudonym": "", "patient_id": "", **typed}
    values = {"rows": shown, "older": older, "typed": typed, "wrong": wrong}
    return page(request, visitor, "opt_outs/overview.html.j2", "opt_outs", status, **values)


@router.get("/opt-outs/search")
@router.get("/opt-outs/confirm")
def begin_again(request: Request, _visitor: Officer) -> Response:
    """Redirect to the search form: no address names a patient."""
    return RedirectResponse(f"{_root(request)}/opt-outs", 303)


@router.post("/opt-outs/search")
def search(request: Request, visitor: Officer, pseudonym: Given = "", patient_id: Given = "") -> Response:
    """Number of published documents of a patient."""
    try:
        patient = _patient(pseudonym, patient_id)
    except Refusal as refused:
        typed = {"wrong": refused.what, "pseudonym": pseudonym, "patient_id": patient_id}
        return _overview(request, visitor, status=refused.status, **typed)
    with open_cursor("steward", "nocturne pages") as cursor:
        found = opt_outs.search_patient(cursor, visitor.id, patient)
    return page(
        request, visitor, "opt_outs/found.html.j2", "opt_outs", found=found, least=LEAST_REASON, most=MOST_REASON
    )


@router.post("/opt-outs/confirm")
def confirm(
    request: Request, visitor: Officer, reason: Reason = "", pseudonym: Given = "", patient_id: Given = ""
) -> Response:
    """Show the effects of an opt-out before it is recorded."""
    patient = _patient(pseudonym, patient_id)
    try:
        reason = check_reason(reason)
    except OptOutRefused as refused:
        raise _refusal(refused) from None
    with open_cursor("steward", "nocturne pages") as cursor:
        found = opt_outs.search_patient(cursor, visitor.id, patient)
    if found.opt_out_id is not None:
        raise Refusal(409, "opt_out_already", number=found.opt_out_id)
    return page(request, visitor, "opt_outs/confirm.html.j2", "opt_outs", found=found, reason=reason)


@router.post("/opt-outs")
def withdraw(
    request: Request, visitor: Officer, reason: Reason = "", pseudonym: Given = "", patient_id: Given = ""
) -> Response:
    """Record the opt-out; a pseudonym's rows are removed with it."""
    patient = _patient(pseudonym, patient_id)
    try:
        with open_cursor("steward", "nocturne pages") as cursor:
            opt_out_id, _ = opt_outs.record_opt_out(cursor, visitor.id, patient, reason)
    except OptOutRefused as refused:
        raise _refusal(refused) from None
    return RedirectResponse(f"{_root(request)}/opt-outs/{opt_out_id}", 303)


@router.get("/opt-outs/{opt_out_id:int}")
def proof(request: Request, visitor: Officer, opt_out_id: int) -> Response:
    """Removed documents and a new search: the page to print and file."""
    try:
        with open_cursor("steward", "nocturne pages") as cursor:
            found = opt_outs.prove_removal(cursor, visitor.id, opt_out_id) if opt_out_id < 2**63 else None
    except OptOutRefused as refused:
        raise _refusal(refused) from None
    if found is None:
        raise Refusal(404, "opt_out_unknown")
    return page(request, visitor, "opt_outs/proof.html.j2", "opt_outs", proof=found, one=found.opt_out)


def _patient(pseudonym: str, patient_id: str) -> PatientKey:
    pseudonym, patient_id = pseudonym.strip(), patient_id.strip()
    if bool(pseudonym) == bool(patient_id):
        raise Refusal(422, "opt_out_one_of_both")
    try:
        return PatientKey(pseudonym=pseudonym or None, patient_id=patient_id or None)
    except OptOutRefused as refused:
        raise _refusal(refused) from None


def _refusal(refused: OptOutRefused) -> Refusal:
    status = {OptOutProblem.ALREADY: 409, OptOutProblem.TOO_MANY: 429}.get(refused.why, 422)
    return Refusal(status, f"opt_out_{refused.why}", number=refused.opt_out_id or "")


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", ""))
