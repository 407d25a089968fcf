"""The first page: where each night stands."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from deid.stewardship import overview
from nocturne_pages.access import Power, Visitor, needs
from nocturne_pages.pages import page

router = APIRouter()


@router.get("/")
def show(request: Request, visitor: Annotated[Visitor, Depends(needs(Power.READ))]) -> Response:
    """The latest intervals and their states."""
    return page(request, visitor, "overview/overview.html.j2", "overview", intervals=overview.latest())
