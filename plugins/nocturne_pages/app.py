"""The application mounted by Airflow: routers, static files, headers, errors. Every route requires a sign-in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles

from nocturne_pages import errors
from nocturne_pages.routes import routers
from nocturne_pages.security import check_change, protect

PREFIX = "/nocturne"
STATIC = Path(__file__).parent / "static"


def build() -> FastAPI:
    """Return a new application, without API documentation pages."""
    made = FastAPI(
        title="Nocturne",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(check_change)],
    )
    made.middleware("http")(_answered)
    made.mount("/static", StaticFiles(directory=STATIC), name="static")
    for router in routers():
        made.include_router(router)
    errors.install(made)
    return made


async def _answered(request: Request, call_next: Any) -> Response:
    """Answer every request with the security headers, also after an unforeseen error."""
    try:
        answer: Response = await call_next(request)
    except Exception as error:
        answer = errors.unforeseen(request, error)
    return protect(request, answer)


app = build()
