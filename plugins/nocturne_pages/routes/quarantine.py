"""Quarantined documents: list, history and failed checks of one; retry, discard, or release with a justification."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from deid.domain.errors import Reason
from deid.domain.labels import FRENCH as LABELS
from deid.quality import reasons
from deid.quality.checks import BY_NAME
from deid.quality.reasons import WAIVABLE
from deid.stewardship import quarantine
from deid.stewardship.quarantine import (
    LEAST_TEXT,
    MOST_TEXT,
    Choice,
    ChoiceRefused,
    Entry,
    Filter,
    QuarantinedDocument,
    Standing,
    record_choice,
    undo_choice,
)
from deid.warehouse.connection import open_cursor
from deid.warehouse.originals import Original, OriginalRefused, read_original
from nocturne_pages.access import Permission, Visitor, needs
from nocturne_pages.errors import Refusal
from nocturne_pages.pages import page

router = APIRouter()
STEPS = ("detect", "substitute", "validate", "stage")
AGES = {"day": 1, "week": 7, "month": 30}  # days
Words = Annotated[str, Query(max_length=200)]
Reader = Annotated[Visitor, Depends(needs(Permission.READ))]
Chooser = Annotated[Visitor, Depends(needs(Permission.RETRY))]
Entries = Annotated[list[str], Form(default_factory=list, max_length=1000)]
Text = Annotated[str, Form(max_length=5000)]


@router.get("/quarantine")
def index(
    request: Request,
    visitor: Reader,
    standing: Words = "waiting",
    reason: Words = "",
    step: Words = "",
    document_type: Words = "",
    interval: Words = "",
    age: Words = "",
    after: Words = "",
    done: Words = "",
) -> Response:
    """A page of quarantined documents. Unknown filter values are ignored."""
    asked = {
        "standing": standing if standing in list(Standing) else Standing.WAITING.value,
        "reason": reason if reason in list(Reason) else "",
        "step": step if step in STEPS else "",
        "document_type": document_type.strip(),
        "interval": interval.strip(),
        "age": age if age.removeprefix("over_") in AGES else "",
    }
    with open_cursor("steward", "nocturne pages") as cursor:
        wanted = _filter(asked)
        rows = quarantine.list_quarantined(cursor, wanted, _after(after), limit=quarantine.PAGE + 1)
        waiting = quarantine.count_waiting(cursor)
        types = quarantine.list_document_types(cursor, wanted.standing)
    shown, more = rows[: quarantine.PAGE], len(rows) > quarantine.PAGE
    following = urlencode({**asked, "after": _place(shown[-1])}) if more else ""
    return page(
        request,
        visitor,
        "quarantine/list.html.j2",
        "quarantine",
        rows=shown,
        following=following,
        leafed=bool(after),
        waiting=waiting,
        types=types,
        asked=asked,
        done=done if done.isdigit() else "",
        **_known(visitor),
    )


@router.get("/quarantine/{run_id:int}/{document_id:path}")
def show(request: Request, visitor: Reader, run_id: int, document_id: str) -> Response:
    """One document: why it is held back, its failed checks, its history, and the choices offered."""
    return _document(request, visitor, run_id, document_id)


@router.post("/quarantine/choices")
def choices(
    request: Request, visitor: Chooser, choice: Annotated[str, Form()], entry: Entries, text: Text = ""
) -> Response:
    """Retry or discard one document or many."""
    if choice not in (Choice.RETRY, Choice.DISCARD):
        raise Refusal(422, "unreadable")
    return _choose(request, visitor, Choice(choice), entry, text)


@router.post("/quarantine/releases")
def release(
    request: Request, visitor: Annotated[Visitor, Depends(needs(Permission.WAIVE))], entry: Entries, text: Text = ""
) -> Response:
    """Release one document or many, with a justification."""
    return _choose(request, visitor, Choice.RELEASE, entry, text)


@router.post("/quarantine/undo")
def take_back(request: Request, visitor: Chooser, entry: Annotated[str, Form()]) -> Response:
    """Undo a choice that no run has used."""
    run_id, document_id = _entry(entry)
    with open_cursor("steward", "nocturne pages") as cursor:
        held = quarantine.find_quarantined(cursor, run_id, document_id)
        if held is not None and held.choice is Choice.RELEASE and not visitor.may(Permission.WAIVE):
            raise Refusal(403, "forbidden")
        if not undo_choice(cursor, visitor.id, (run_id, document_id)):
            raise Refusal(409, "choice_gone")
    return RedirectResponse(f"{_root(request)}{_path(run_id, document_id)}", 303)


@router.post("/quarantine/{run_id:int}/{document_id:path}")
def original(
    request: Request,
    visitor: Annotated[Visitor, Depends(needs(Permission.ORIGINALS))],
    run_id: int,
    document_id: str,
) -> Response:
    """The page of a document with its source text: recorded; a POST, so that no address leads to it."""
    with open_cursor("steward", "nocturne pages") as cursor:
        held = quarantine.find_quarantined(cursor, run_id, document_id)
    if held is None:
        raise Refusal(404, "quarantine_unknown")
    try:
        found = read_original(visitor.id, run_id, document_id, held.content_hash)
    except OriginalRefused as refused:
        return _document(request, visitor, run_id, document_id, refused=refused.why.value)
    return _document(request, visitor, run_id, document_id, parts=_parts(found))


def _document(
    request: Request,
    visitor: Visitor,
    run_id: int,
    document_id: str,
    *,
    parts: list[tuple[str, str | None]] | None = None,
    refused: str = "",
) -> Response:
    with open_cursor("steward", "nocturne pages") as cursor:
        held = quarantine.find_quarantined(cursor, run_id, document_id)
        if held is None:
            raise Refusal(404, "quarantine_unknown")
        failed = quarantine.failed_checks(cursor, run_id, document_id)
        history = quarantine.document_history(cursor, document_id)
    others = {
        known.reason
        for item in failed
        if item.severity == "critical" and (known := BY_NAME.get(item.check)) and known.reason
    } - {held.reason}
    return page(
        request,
        visitor,
        "quarantine/document.html.j2",
        "quarantine",
        one=held,
        failed=failed,
        checks=BY_NAME,
        history=history,
        parts=parts,
        refused=refused,
        others=sorted(others),
        waivable=held.reason in WAIVABLE,
        why_waivable=WAIVABLE.get(held.reason, ("", ""))[visitor.lang != "fr"],
        labels=LABELS,
        **_known(visitor),
    )


def _choose(request: Request, visitor: Visitor, choice: Choice, entries: list[str], text: str) -> Response:
    try:
        with open_cursor("steward", "nocturne pages") as cursor:
            chosen = record_choice(cursor, visitor.id, choice, [_entry(entry) for entry in entries], text)
    except ChoiceRefused as refused:
        status = 404 if refused.why == "unknown" else 422
        known = reasons.FRENCH if visitor.lang == "fr" else reasons.ENGLISH
        reason = known[refused.held.reason].title if refused.held else ""
        about = refused.held.document_id if refused.held else ""
        raise Refusal(status, f"choice_{refused.why}", document=about, reason=reason) from None
    if chosen.taken:
        return page(
            request,
            visitor,
            "quarantine/taken.html.j2",
            "quarantine",
            409,
            taken=chosen.taken,
            done=len(chosen.done),
            **_known(visitor),
        )
    if len(chosen.done) == 1 and choice is Choice.RELEASE:
        (one,) = chosen.done
        return RedirectResponse(f"{_root(request)}{_path(one.run_id, one.document_id)}", 303)
    return RedirectResponse(f"{_root(request)}/quarantine?done={len(chosen.done)}", 303)


def _known(visitor: Visitor) -> dict[str, Any]:
    """Return the values that every template needs."""
    return {
        "words": reasons.FRENCH if visitor.lang == "fr" else reasons.ENGLISH,
        "reasons": list(Reason),
        "steps": STEPS,
        "ages": ("day", "week", "over_week", "over_month"),
        "standings": list(Standing),
        "path": _path,
        "least": LEAST_TEXT,
        "most": MOST_TEXT,
        "counted": quarantine.COUNTED,
        "can_waive": WAIVABLE.__contains__,
    }


def _filter(asked: dict[str, str]) -> Filter:
    days = AGES.get(asked["age"].removeprefix("over_"))
    instant = datetime.now(UTC) - timedelta(days=days) if days else None
    older = asked["age"].startswith("over_")
    return Filter(
        Standing(asked["standing"]),
        Reason(asked["reason"]) if asked["reason"] else None,
        asked["step"] or None,
        asked["document_type"] or None,
        asked["interval"] or None,
        None if older else instant,
        instant if older else None,
    )


def _place(held: QuarantinedDocument) -> str:
    return f"{held.at.isoformat()} {held.run_id} {held.document_id}"


def _after(text: str) -> quarantine.After | None:
    parts = text.split(" ", 2)
    try:
        return (datetime.fromisoformat(parts[0]), int(parts[1]), parts[2])
    except (ValueError, IndexError):
        return None


def _entry(text: str) -> Entry:
    run_id, _, document_id = text.partition(":")
    if not (run_id.isascii() and run_id.isdigit() and len(run_id) < 19 and document_id and document_id.isprintable()):
        raise Refusal(422, "unreadable")
    return int(run_id), document_id


def _path(run_id: int, document_id: str) -> str:
    return f"/quarantine/{run_id}/{quote(document_id, safe='')}"


def _parts(found: Original) -> list[tuple[str, str | None]]:
    """Cut the text at its mentions: each part with its label or None."""
    parts: list[tuple[str, str | None]] = []
    place = 0
    for mention in found.mentions:
        if mention.start < place or mention.end > len(found.text):
            continue
        parts += [(found.text[place : mention.start], None), (found.text[mention.start : mention.end], mention.label)]
        place = mention.end
    return [*parts, (found.text[place:], None)]


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", ""))
