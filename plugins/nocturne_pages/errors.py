"""Error pages: what is refused, why, and what to do next."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Annotated

from airflow.api_fastapi.auth.managers.base_auth_manager import COOKIE_NAME_JWT_TOKEN
from fastapi import Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import Field
from starlette.exceptions import HTTPException

from deid.domain.errors import NocturneError, WarehouseUnreachable
from deid.domain.unforeseen import kind_and_place
from nocturne_pages.access import Visitor
from nocturne_pages.language import chosen, words
from nocturne_pages.pages import page
from nocturne_pages.security import check_change, from_these_pages

log = logging.getLogger(__name__)

FORM = "application/x-www-form-urlencoded"
FORMS = (FORM, "multipart/form-data")
TYPED = ("reason", "text")  # fields in which people write
MOST_ID = 2**63 - 1  # bigint of PostgreSQL
Number = Annotated[int, Field(ge=0, le=MOST_ID)]  # every whole number of a query, a form or JSON; another is a 422
Before = Annotated[Number | None, Query(ge=1)]  # number of the last row of the page before


UNKNOWN_SESSION = "Invalid JWT token"  # Airflow's 403: signed under another secret, as by an installation before
# Refusals that no text corrects: what was chosen or marked is on the page before.
NOT_TYPED = frozenset({"choice_nothing_chosen", "choice_bad_marks"})


class Refusal(Exception):
    """A refusal shown as a page. `what` names an entry of wording/errors.yaml; `<what>_next` is the remedy.

    `status` is HTTP's; `facts` fill the braces of the words: ids and counts, never text. Where somebody else was first,
    `renewed` are the fields whose values changed meanwhile: with them, what a person wrote may be sent again.
    """

    def __init__(self, status: int, what: str, *, renewed: Mapping[str, str] | None = None, **facts: object) -> None:
        super().__init__(what)
        self.status, self.what, self.facts, self.renewed = status, what, facts, renewed


def read_number(text: str) -> int:
    """Return a whole number that is part of a field, within the bounds of `Number`.

    Raises:
        ValueError: it is none, or out of these bounds.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= MOST_ID):
        raise ValueError
    return int(text)


def install(app: FastAPI) -> None:
    """Answer every error of the application with a page, or with JSON to a script."""
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(NocturneError, _known)


async def check_address(request: Request, _may_change: Annotated[None, Depends(check_change)]) -> None:
    """Refuse what PostgreSQL cannot hold: a number past `MOST_ID` (404), a NUL character in address or form (422)."""
    parts = request.path_params.values()
    if any(isinstance(part, int) and part > MOST_ID for part in parts):
        raise Refusal(404, "not_found")
    written = (await request.form()).values() if request.headers.get("Content-Type", "").startswith(FORMS) else ()
    if any("\0" in str(part) for part in [*parts, *request.query_params.values(), *written]):
        raise Refusal(422, "unreadable")


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)  # noqa: S101 - registered for it
    typed, renewed = await _typed(request), error.renewed
    if renewed is not None:
        typed = [*((name, value) for name, value in typed if name not in renewed), *renewed.items()]
    return _answer(request, error.status, error.what, error.facts, typed, outdated=renewed is None)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    if error.status_code == 403 and error.detail == "FORGED":
        return _answer(request, 403, "forged", {}, await _typed(request))
    if error.status_code == 401 or error.detail == UNKNOWN_SESSION:
        first = request.method == "GET" and COOKIE_NAME_JWT_TOKEN not in request.cookies
        return _answer(request, 401, "not_signed_in" if first else "signed_out", {}, await _typed(request))
    what = {403: "forbidden", 404: "not_found", 405: "not_found"}.get(error.status_code, "failed")
    return _answer(request, error.status_code, what, {}, await _typed(request))


async def _unreadable(request: Request, _error: Exception) -> Response:
    return _answer(request, 422, "unreadable", {}, await _typed(request))


async def _known(request: Request, error: Exception) -> Response:
    """Answer the product's own errors by type, without their message."""
    if isinstance(error, WarehouseUnreachable):
        return _answer(request, 503, "unreachable", {}, await _typed(request))
    return _answer(request, 500, "failed", {}, await _typed(request))


def unforeseen(request: Request, error: Exception) -> Response:
    """Answer an unforeseen error. Its message may hold text: only its type and place are logged."""
    log.error("%s %s: %s", request.method, request.scope.get("root_path", ""), kind_and_place(error))
    return _answer(request, 500, "failed", {})


async def _typed(request: Request) -> list[tuple[str, str]]:
    """Return the fields of a form of these pages that was not taken, to be shown again; nothing is stored."""
    if request.headers.get("Content-Type", "") != FORM or not from_these_pages(request):
        return []
    return [(name, str(value).replace("\0", "")) for name, value in (await request.form()).multi_items()]


def _answer(
    request: Request,
    status: int,
    what: str,
    facts: dict[str, object],
    fields: Sequence[tuple[str, str]] = (),
    *,
    outdated: bool = True,
) -> Response:
    lang = chosen(request)
    said = words("errors", lang)
    title, following = said[what].format(**facts), said[f"{what}_next"].format(**facts)
    if "text/html" not in request.headers.get("Accept", ""):
        return JSONResponse({"detail": title, "next": following}, status)
    nobody = Visitor("", "", frozenset(), lang)
    visitor = getattr(request.state, "visitor", nobody)
    # What a session's end interrupted, a text that was refused, what a failure stopped: its own form sends it again,
    # with the person's own token against forgery. What another changed meanwhile (409) would be refused again, unless
    # the refusal renewed it.
    written = what not in NOT_TYPED and any(name in TYPED and value.strip() for name, value in fields)
    again = bool(fields) if what == "signed_out" else written and (status in (422, 502, 503) or not outdated)
    shown = {"what": what, "fields": fields, "typed": TYPED, "again": again, "renewed": not outdated}
    shown["release"] = facts.get("key")
    return page(request, visitor, "error.html.j2", "errors", status, title=title, following=following, **shown)
