"""Quarantined documents: the list; of one, its history, its failed checks in its text, and the marks of a person.

A choice is to retry (with marks or without), to discard, or to release with a justification; where a correction is
held back, its published version can be withdrawn. The marks of a page that
was not sent travel in its form: nothing of them is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from deid.config.policy import load as load_policy
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.domain.document import Mention
from deid.domain.errors import Reason, ReviewRefused
from deid.domain.labels import TAGGED, Label
from deid.domain.outcomes import Severity
from deid.ledger.audit import LEAST_REASON, MOST_REASON
from deid.ledger.originals import OriginalRefused, read_original
from deid.quality import reasons
from deid.quality.checks import BY_NAME, CHECKS, REQUIREMENTS
from deid.quality.reasons import WAIVABLE
from deid.stewardship import quarantine
from deid.stewardship.quarantine import (
    LEAST_TEXT,
    MOST_TEXT,
    STEPS,
    Choice,
    ChoiceRefused,
    Entry,
    Filter,
    Marked,
    QuarantinedDocument,
    Standing,
    record_choice,
    undo_choice,
)
from deid.stewardship.workbench import MOST_MARKS, OF_DRAWS, Workbench, examine, open_workbench
from nocturne_pages.access import Permission, Visitor, needs
from nocturne_pages.errors import TYPED, Number, Refusal, read_number
from nocturne_pages.pages import page
from nocturne_pages.texts import Part, label_names, parts

router = APIRouter()
AGES = {"day": 1, "week": 7, "month": 30}  # days
Words = Annotated[str, Query(max_length=200)]
Reader = Annotated[Visitor, Depends(needs(Permission.READ))]
Reviewer = Annotated[Visitor, Depends(needs(Permission.REVIEW))]
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
    check: Words = "",
    service: Words = "",
    age: Words = "",
    after: Words = "",
    done: Words = "",
    choice: Words = "",
) -> Response:
    """A page of quarantined documents. Unknown filter values are ignored."""
    asked = {
        "standing": standing if standing in list(Standing) else Standing.WAITING.value,
        "reason": reason if reason in list(Reason) else "",
        "step": step if step in STEPS else "",
        "document_type": document_type.strip(),
        "interval": interval.strip(),
        "check": check if check in BY_NAME else "",
        "service": service.strip(),
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
        checks=[one for one in CHECKS if one.severity is not Severity.INFO],
        requirements=REQUIREMENTS[visitor.lang],
        filtered=any(value for name, value in asked.items() if name != "standing"),
        asked=asked,
        done=done if done.isdigit() else "",
        chosen=choice if choice in list(Choice) else "",
        **_known(visitor),
    )


@router.get("/quarantine/choices")
@router.get("/quarantine/former")
@router.get("/quarantine/marked")
@router.get("/quarantine/releases")
@router.get("/quarantine/undo")
def begin_again(request: Request, _visitor: Reader) -> Response:
    """Redirect from the address of a form to the list."""
    return RedirectResponse(f"{_root(request)}/quarantine", 303)


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


@router.post("/quarantine/former")
def withdraw_former(
    request: Request,
    visitor: Annotated[Visitor, Depends(needs(Permission.DECIDE))],
    entry: Annotated[str, Form()],
    former: Annotated[Number, Form()],
    reason: Text = "",
) -> Response:
    """Have the published version of a document removed that the person was shown, whose correction is held back."""
    held = _entry(entry)
    try:
        with open_cursor("steward", "nocturne pages") as cursor:
            if not quarantine.withdraw_former(cursor, visitor.id, held, former, reason):
                raise Refusal(409, "former_gone")
    except ChoiceRefused as refused:
        raise Refusal(422, f"former_{refused.why}", least=LEAST_REASON, most=MOST_REASON) from None
    return RedirectResponse(f"{_root(request)}{_path(*held)}", 303)


class Asked(BaseModel):
    """Form of a document's text; `mark` are a person's marks so far, `start:end:label` in the source.

    `do` is "open", "add" (the selection `[start, end)` of `side`), "find" (each occurrence of `text`), or "remove" with
    the number of a mark.
    """

    mark: list[str] = Field(default_factory=list, max_length=MOST_MARKS)
    do: str = Field("open", max_length=20)
    side: Literal["candidate", "source"] = "candidate"
    start: Number | None = None
    end: Number | None = None
    everywhere: bool = False
    text: str = Field("", max_length=500)
    label: str = Field("", max_length=20)


@router.post("/quarantine/marked")
def retry_marked(
    request: Request,
    visitor: Reviewer,
    entry: Annotated[str, Form()],
    mark: Annotated[list[str], Form(max_length=MOST_MARKS)],
    *,
    read: Annotated[bool, Form()] = False,
) -> Response:
    """Retry a document with the passages that a person marked as missed; `read`: it joins the annotated documents."""
    if not visitor.may(Permission.RETRY):
        raise Refusal(403, "forbidden")
    marks = _marks(mark, _entry(entry)[1])
    return _choose(request, visitor, Choice.RETRY, [entry], "", Marked(marks, read))


@router.post("/quarantine/{run_id:int}/{document_id:path}")
def text(
    request: Request, visitor: Reviewer, run_id: int, document_id: str, asked: Annotated[Asked, Form()]
) -> Response:
    """The page of a document with its text and its marks, checked again: recorded; a POST, so that no address leads
    to it."""
    with open_cursor("steward", "nocturne pages") as cursor:
        held = quarantine.find_quarantined(cursor, run_id, document_id)
    if held is None:
        raise Refusal(404, "quarantine_unknown")
    sees_source = visitor.may(Permission.ORIGINALS)
    try:
        if held.step == "detect":  # nothing was searched: there is no candidate
            if not sees_source:
                raise Refusal(403, "forbidden")
            found = read_original(visitor.id, run_id, document_id, held.content_hash)
            return _document(request, visitor, run_id, document_id, parts=parts(found.text, ()))
        policy = load_policy(settings().policy)
        bench = open_workbench(visitor.id, held, policy, _marks(asked.mark, document_id), sees_source=sees_source)
        marks, problem = _asked(bench, asked, sees_source=sees_source)
        if marks != list(bench.marks):
            bench = examine(bench.original, policy, marks)
    except OriginalRefused as refused:
        return _document(request, visitor, run_id, document_id, refused=refused.why.value)
    except ReviewRefused as refused:
        raise Refusal(422, "choice_bad_marks", document=document_id) from refused
    return _document(request, visitor, run_id, document_id, bench=bench, asked=asked, problem=problem)


def _asked(bench: Workbench, asked: Asked, *, sees_source: bool) -> tuple[list[Mention], str]:
    """Return the marks as a person wants them, and why they could not be changed, or ""."""
    marks = list(bench.marks)
    label = Label(asked.label) if asked.label in list(Label) else None
    try:
        if asked.do == "add":
            if asked.side == "source" and not sees_source:
                raise Refusal(403, "forbidden")
            where = (asked.start or 0, asked.end or 0)
            return bench.mark(label, *where, in_source=asked.side == "source", everywhere=asked.everywhere), ""
        if asked.do == "find":
            return bench.mark_text(label, asked.text), ""
    except ReviewRefused as refused:
        return marks, refused.why
    if asked.do.removeprefix("remove ").isdecimal():
        number = int(asked.do.removeprefix("remove "))
        return [mark for at, mark in enumerate(marks, 1) if at != number], ""
    return marks, ""


def _document(
    request: Request,
    visitor: Visitor,
    run_id: int,
    document_id: str,
    *,
    parts: list[Part] | None = None,
    bench: Workbench | None = None,
    asked: Asked | None = None,
    problem: str = "",
    refused: str = "",
) -> Response:
    with open_cursor("steward", "nocturne pages") as cursor:
        held = quarantine.find_quarantined(cursor, run_id, document_id)
        if held is None:
            raise Refusal(404, "quarantine_unknown")
        failed = quarantine.failed_checks(cursor, run_id, document_id)
        history = quarantine.document_history(cursor, document_id)
        former = quarantine.find_former(cursor, run_id, document_id)
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
        422 if problem else 200,
        one=held,
        failed=_failures(failed, bench),
        checks=BY_NAME,
        requirements=REQUIREMENTS[visitor.lang],
        history=history,
        former=former,
        reasons_length=(LEAST_REASON, MOST_REASON),
        parts=parts,
        bench=bench,
        segments=list(bench.segments()) if bench else [],
        asked=asked or Asked(),
        problem=problem,
        refused=refused,
        others=sorted(others),
        waivable=held.reason in WAIVABLE,
        why_waivable=reasons.REASON_WORDS[visitor.lang][held.reason].waivable,
        labels=label_names(visitor.lang),
        choices=[label for label in Label if label in TAGGED],
        **_known(visitor),
    )


class Failure(NamedTuple):
    """A check that the night failed, or that fails now: its number that night, whether it fails `now`, its places.

    `now` is "fails", "passes", "night" (only a night can tell) or "" while no text is open.
    """

    check: str
    severity: str
    observed: float | None
    waived: bool
    now: str
    places: range


def _failures(failed: Sequence[quarantine.FailedCheck], bench: Workbench | None) -> list[Failure]:
    """Return the failed checks of a night, then those that fail with a person's marks alone."""
    if bench is None:
        return [Failure(one.check, one.severity, one.observed, one.waived, "", range(0)) for one in failed]
    numbers, failing = bench.numbers(), {check.name for check in bench.failed}
    nightly = [
        Failure(
            *(one.check, one.severity, one.observed, one.waived),
            "night" if one.check in OF_DRAWS else "fails" if one.check in failing else "passes",
            numbers.get(one.check, range(0)),
        )
        for one in failed
    ]
    known = {one.check for one in failed}
    return nightly + [
        Failure(check.name, check.severity.value, None, False, "fails", numbers.get(check.name, range(0)))
        for check in bench.failed
        if check.name not in known
    ]


def _choose(
    request: Request, visitor: Visitor, choice: Choice, entries: list[str], text: str, marked: Marked | None = None
) -> Response:
    try:
        with open_cursor("steward", "nocturne pages") as cursor:
            chosen = record_choice(cursor, visitor.id, choice, [_entry(entry) for entry in entries], text, marked)
    except ChoiceRefused as refused:
        status = 404 if refused.why == "unknown" else 422
        reason = reasons.REASON_WORDS[visitor.lang][refused.held.reason].title if refused.held else ""
        about = refused.held.document_id if refused.held else ""
        raise Refusal(status, f"choice_{refused.why}", document=about, reason=reason) from None
    if chosen.taken:
        sent = [("choice", choice.value), ("text", text)]
        if marked is not None:
            sent += [("mark", f"{one.start}:{one.end}:{one.label}") for one in marked.marks]
            sent += [("read", "true")] if marked.read else []
        return page(
            request,
            visitor,
            "quarantine/taken.html.j2",
            "quarantine",
            409,
            taken=chosen.taken,
            done=len(chosen.done),
            fields=[*(("entry", f"{one.run_id}:{one.document_id}") for one in chosen.taken), *sent],
            typed=TYPED,
            **_known(visitor),
        )
    if len(chosen.done) == 1 and choice is Choice.RELEASE:
        (one,) = chosen.done
        return RedirectResponse(f"{_root(request)}{_path(one.run_id, one.document_id)}", 303)
    return RedirectResponse(f"{_root(request)}/quarantine?done={len(chosen.done)}&choice={choice}", 303)


def _known(visitor: Visitor) -> dict[str, Any]:
    """Return the values that every template needs."""
    return {
        "words": reasons.REASON_WORDS[visitor.lang],
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
        asked["check"] or None,
        asked["service"] or None,
    )


def _place(held: QuarantinedDocument) -> str:
    return f"{held.at.isoformat()} {held.run_id} {held.document_id}"


def _after(text: str) -> quarantine.After | None:
    parts = text.split(" ", 2)
    try:
        return (datetime.fromisoformat(parts[0]), read_number(parts[1]), parts[2])
    except (ValueError, IndexError):
        return None


def _entry(text: str) -> Entry:
    run_id, _, document_id = text.partition(":")
    try:
        number = read_number(run_id)
    except ValueError:
        raise Refusal(422, "unreadable") from None
    if not (document_id and document_id.isprintable()):
        raise Refusal(422, "unreadable")
    return number, document_id


def _path(run_id: int, document_id: str) -> str:
    return f"/quarantine/{run_id}/{quote(document_id, safe='')}"


def _marks(written: Sequence[str], document_id: str) -> list[Mention]:
    """Read the marks of a form."""
    try:
        fields = [one.split(":") for one in written]
        return [Mention(read_number(start), read_number(end), Label(label)) for start, end, label in fields]
    except ValueError:
        raise Refusal(422, "choice_bad_marks", document=document_id) from None


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", ""))
