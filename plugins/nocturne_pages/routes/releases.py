"""The page of one release: its figures, and above them what other areas have a person do."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from deid.errors import InputRefused
from deid.quality.report.figures import gather
from deid.quality.report.view import view
from deid.release.actions import INTERVAL_KEY
from deid.settings import settings
from deid.stewardship import audit
from deid.warehouse.connection import connect
from nocturne_pages.access import Power, Visitor, needs
from nocturne_pages.errors import Refusal
from nocturne_pages.pages import page
from nocturne_pages.panels import panels

router = APIRouter()


@router.get("/releases/{interval_key}")
def show(request: Request, interval_key: str, visitor: Annotated[Visitor, Depends(needs(Power.READ))]) -> Response:
    """Everything that is known of an interval, in numbers."""
    if INTERVAL_KEY.fullmatch(interval_key) is None:
        raise Refusal(404, "no_release")
    try:
        figures = gather(interval_key)
    except InputRefused:
        raise Refusal(404, "no_release") from None
    with connect(settings().dsn("steward"), application="nocturne pages") as link, link.cursor() as cursor:
        audit.write(cursor, visitor.name, audit.Action.READ_RELEASE, f"release {interval_key}")
    said = {"report": view(figures, visitor.lang), "panels": panels(request, visitor, interval_key)}
    return page(request, visitor, "releases/release.html.j2", "releases", **said)
