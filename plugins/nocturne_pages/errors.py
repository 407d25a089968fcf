"""Error pages: what is refused, why, and what to do next."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from nocturne_airflow.steps import place
from starlette.exceptions import HTTPException

from deid.domain.errors import NocturneError, WarehouseUnreachable
from nocturne_pages.access import Visitor
from nocturne_pages.language import chosen, words
from nocturne_pages.pages import page

log = logging.getLogger(__name__)


class Refusal(Exception):
    """A refusal shown as a page. `what` names an entry of wording/errors.yaml; `<what>_next` is the remedy.

    `status` is HTTP's; `facts` fill the braces of the words: ids and counts, never text.
    """

    def __init__(self, status: int, what: str, **facts: object) -> None:
        super().__init__(what)
        self.status, self.what, self.facts = status, what, facts


def install(app: FastAPI) -> None:
    """Answer every error of the application with a page, or with JSON to a script."""
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(NocturneError, _known)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)  # noqa: S101 - registered for it
    return _answer(request, error.status, error.what, error.facts)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    if error.status_code == 403 and error.detail == "FORGED":
        return _answer(request, 403, "forged", {})
    what = {401: "signed_out", 403: "forbidden", 404: "not_found", 405: "not_found"}.get(error.status_code, "failed")
    return _answer(request, error.status_code, what, {})


async def _unreadable(request: Request, _error: Exception) -> Response:
    return _answer(request, 422, "unreadable", {})


async def _known(request: Request, error: Exception) -> Response:
    """Answer the product's own errors by type, without their message."""
    if isinstance(error, WarehouseUnreachable):
        return _answer(request, 503, "unreachable", {})
    return _answer(request, 500, "failed", {})


def unforeseen(request: Request, error: Exception) -> Response:
    """Answer an unforeseen error. Its message may hold text: only its type and place are logged."""
    log.error("%s %s: %s at %s", request.method, request.scope.get("root_path", ""), type(error).__name__, place(error))
    return _answer(request, 500, "failed", {})


def _answer(request: Request, status: int, what: str, facts: dict[str, object]) -> Response:
    lang = chosen(request)
    said = words("errors", lang)
    title, following = said[what].format(**facts), said[f"{what}_next"].format(**facts)
    if "text/html" not in request.headers.get("Accept", ""):
        return JSONResponse({"detail": title, "next": following}, status)
    nobody = Visitor("", "", frozenset(), lang)
    visitor = getattr(request.state, "visitor", nobody)
    return page(request, visitor, "error.html.j2", "errors", status, title=title, following=following, what=what)
