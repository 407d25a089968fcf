"""Security headers of every answer, and the anti-forgery token (CSRF) required of every change."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from airflow.api_fastapi.auth.managers.base_auth_manager import COOKIE_NAME_JWT_TOKEN
from airflow.api_fastapi.core_api.security import GetUserDep, bearer_scheme
from airflow.configuration import conf
from fastapi import Depends, HTTPException, Request, Response
from fastapi.security import HTTPAuthorizationCredentials
from itsdangerous import BadData, URLSafeTimedSerializer

TOKEN_FIELD = "csrf"  # noqa: S105 - a name
TOKEN_HEADER = "X-CSRF-Token"  # noqa: S105 - a name
TOKEN_HOURS = 12
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
        "form-action 'self'; frame-ancestors 'self'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # A page's address holds ids. Not "no-referrer": the browser would then send forms with "Origin: null".
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",  # nothing of a text stays in the browser
}


def protect(request: Request, answer: Response) -> Response:
    """Add the security headers to an answer; browsers may cache static files, but no page."""
    for name, value in HEADERS.items():
        answer.headers[name] = value
    if "/static/" in request.url.path and answer.status_code == 200:
        answer.headers["Cache-Control"] = "public, max-age=3600"
    return answer


def token(user_id: str) -> str:
    """Return the anti-forgery token of this person, for the form field `csrf`."""
    return str(_signer().dumps(user_id))


async def check_change(
    request: Request,
    _user: GetUserDep,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer_scheme)],
) -> None:
    """Refuse with 403 a change that another site could have made a browser send; a dependency of every route.

    A missing sign-in is refused with 401 first. Exempt is a script: a bearer token signs it in, and no session cookie
    comes with it. Any other Authorization header (Basic, Negotiate) is one that browsers send by themselves.
    """
    script = bearer is not None and COOKIE_NAME_JWT_TOKEN not in request.cookies
    if request.method in SAFE or script:
        return
    if not from_these_pages(request):
        raise HTTPException(403, "FORGED")
    given = request.headers.get(TOKEN_HEADER) or (await request.form()).get(TOKEN_FIELD)
    try:
        request.state.csrf_user = _signer().loads(str(given or ""), max_age=TOKEN_HOURS * 3600)
    except BadData:
        raise HTTPException(403, "FORGED") from None


def from_these_pages(request: Request) -> bool:
    """Return whether a browser says that a request comes from this site, or says nothing."""
    origin = request.headers.get("Origin")
    return request.headers.get("Sec-Fetch-Site", "same-origin") in ("same-origin", "none") and (
        origin is None or urlsplit(origin).netloc == request.headers.get("Host")
    )


def check_owner(request: Request, user_id: str) -> None:
    """Refuse with 403 a change with another person's token."""
    if getattr(request.state, "csrf_user", user_id) != user_id:
        raise HTTPException(403, "FORGED")


def _signer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(conf.get("api", "secret_key"), salt="nocturne-csrf")
