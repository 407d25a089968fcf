"""The application mounted by Airflow: routers, static files, headers, errors. Every route requires a sign-in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from fastapi.staticfiles import StaticFiles

from nocturne_pages import errors
from nocturne_pages.routes import routers
from nocturne_pages.security import protect

PREFIX = "/nocturne"
STATIC = Path(__file__).parent / "static"


def build() -> FastAPI:
    """Return a new application, without API documentation pages."""
    made = FastAPI(
        title="Nocturne",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(errors.check_address)],
    )
    made.middleware("http")(_answered)
    made.mount("/static", StaticFiles(directory=STATIC), name="static")
    for router in routers():
        made.include_router(router)
    errors.install(made)
    return made


class FirstPage:
    """ASGI middleware of the server: the bare prefix, which Airflow would answer, leads to the first page."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Redirect `/nocturne` to `/nocturne/`; pass everything else on."""
        bare = f"{scope.get('root_path', '')}{PREFIX}" if scope["type"] == "http" else None
        if bare is not None and scope["path"] in (PREFIX, bare):
            await RedirectResponse(f"{bare}/", 307)(scope, receive, send)
            return
        await self.app(scope, receive, send)


async def _answered(request: Request, call_next: Any) -> Response:
    """Answer every request with the security headers, also after an unforeseen error."""
    try:
        answer: Response = await call_next(request)
    except Exception as error:
        answer = errors.unforeseen(request, error)
    return protect(request, answer)


app = build()
