"""Recall of a release: what it would remove, its confirmation, and the proof to print and file."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from deid.database.connection import open_cursor
from deid.ledger.audit import LEAST_REASON, MOST_REASON
from deid.release.interval import INTERVAL_KEY
from deid.stewardship import recalls
from deid.stewardship.recalls import Recallable, RecallProblem, RecallRefused
from nocturne_pages.access import Visitor, needs
from nocturne_pages.errors import Refusal
from nocturne_pages.pages import fragment, page
from nocturne_pages.panels import PANELS
from nocturne_pages.permissions import Permission

router = APIRouter()
Decider = Annotated[Visitor, Depends(needs(Permission.DECIDE))]
STATUS = {RecallProblem.TOO_SHORT: 422, RecallProblem.TOO_LONG: 422}


def panel(request: Request, visitor: Visitor, interval_key: str) -> Markup | None:
    """The recalls of an interval, and the way to one where a part is in research."""
    with open_cursor("steward", "nocturne pages") as cursor:
        made = recalls.list_recalls(cursor, interval_key)
        found = recalls.find_recallable(cursor, interval_key) if visitor.may(Permission.DECIDE) else None
    if not made and found is None:
        return None
    values: dict[str, Any] = {"made": made, "found": found, "key": interval_key}
    return fragment(request, visitor, "recalls/panel.html.j2", "recalls", **values)


PANELS.append(panel)


@router.get("/releases/{interval_key}/recall")
def begin(request: Request, interval_key: str, visitor: Decider) -> Response:
    """Show what a recall would remove, and the form for its reason."""
    return _form(request, visitor, interval_key, _found(interval_key))


@router.post("/releases/{interval_key}/recall")
def recall(
    request: Request,
    interval_key: str,
    visitor: Decider,
    releases: Annotated[str, Form(max_length=5000, pattern=r"^\d{1,18}( \d{1,18})*$")],
    reason: Annotated[str, Form(max_length=5000)] = "",
    confirmed: Annotated[str, Form(max_length=3)] = "",
) -> Response:
    """Show the effects of a recall; make it once confirmed, and show its form again if not."""
    found, shown = _found(interval_key), tuple(int(one) for one in releases.split())
    if confirmed == "no":
        return _form(request, visitor, interval_key, found, reason=reason)
    try:
        reason = recalls.check_reason(reason)
        if confirmed != "yes":
            if found.release_ids != shown:
                raise RecallRefused(RecallProblem.CHANGED)
            return _form(request, visitor, interval_key, found, reason=reason, confirm=True)
        with open_cursor("steward", "nocturne pages") as cursor:
            recall_id = recalls.make_recall(cursor, visitor.name, interval_key, shown, reason)
    except RecallRefused as refused:
        if refused.why in STATUS:
            return _form(request, visitor, interval_key, found, 422, reason=reason, wrong=refused.why.value)
        now = _renewed(interval_key) if refused.why in (RecallProblem.CHANGED, RecallProblem.BUSY) else None
        raise Refusal(409, f"recall_{refused.why}", renewed=now, key=interval_key) from None
    return RedirectResponse(f"{request.scope.get('root_path', '')}/recalls/{recall_id}", 303)


@router.get("/recalls/{recall_id:int}")
def proof(request: Request, recall_id: int, visitor: Annotated[Visitor, Depends(needs(Permission.READ))]) -> Response:
    """Removed documents and a new search: the page to print and file."""
    with open_cursor("steward", "nocturne pages") as cursor:
        found = recalls.prove_recall(cursor, recall_id) if recall_id < 2**63 else None
    if found is None:
        raise Refusal(404, "recall_unknown")
    return page(request, visitor, "recalls/proof.html.j2", "recalls", proof=found, one=found.recall)


def _renewed(interval_key: str) -> dict[str, str]:
    """Return the fields of a recall that is sent again, to be confirmed again."""
    return {"releases": " ".join(str(one) for one in _found(interval_key).release_ids), "confirmed": ""}


def _found(interval_key: str) -> Recallable:
    if INTERVAL_KEY.fullmatch(interval_key) is None:
        raise Refusal(404, "no_release")
    with open_cursor("steward", "nocturne pages") as cursor:
        found = recalls.find_recallable(cursor, interval_key)
    if found is None:
        raise Refusal(409, "recall_nothing", key=interval_key)
    return found


def _form(
    request: Request, visitor: Visitor, interval_key: str, found: Recallable, status: int = 200, **values: Any
) -> Response:
    shown = {"reason": "", "wrong": "", "confirm": False, "least": LEAST_REASON, "most": MOST_REASON} | values
    return page(request, visitor, "recalls/recall.html.j2", "recalls", status, found=found, key=interval_key, **shown)
