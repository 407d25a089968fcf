"""Choice of language."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from deid.domain.wording import LANGUAGES
from nocturne_pages.access import Permission, Visitor, needs
from nocturne_pages.errors import Refusal
from nocturne_pages.language import COOKIE

router = APIRouter()


@router.get("/language/{lang}")
def choose_language(
    request: Request, lang: str, _visitor: Annotated[Visitor, Depends(needs(Permission.READ))], back: str = ""
) -> Response:
    """Store the language in a cookie and return to the page `back` of this application."""
    if lang not in LANGUAGES:
        raise Refusal(404, "not_found")
    root = str(request.scope.get("root_path", ""))
    parts = urlsplit(back)
    inside = not parts.scheme and not parts.netloc and parts.path.startswith(f"{root}/")
    answer = RedirectResponse(parts.path if inside else f"{root}/", 303)
    answer.set_cookie(COOKIE, lang, max_age=365 * 86400, path=root or "/", httponly=True, samesite="lax")
    return answer
