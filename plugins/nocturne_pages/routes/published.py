"""Published documents by the ids that researchers use: text and file of one, and the list of those to read again."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from deid.database.connection import open_cursor
from deid.quality.uniqueness import find_unique_people
from deid.stewardship import releases
from nocturne_pages.access import Visitor, needs
from nocturne_pages.errors import Refusal
from nocturne_pages.pages import download, page
from nocturne_pages.permissions import Permission
from nocturne_pages.texts import parts

router = APIRouter()
Reviewer = Annotated[Visitor, Depends(needs(Permission.REVIEW))]


@router.get("/published")
def singled_out(request: Request, visitor: Reviewer, after: Annotated[str, Query(max_length=40)] = "") -> Response:
    """Published documents in which words say that a person is one of a kind; reading the list is recorded."""
    with open_cursor("steward", "nocturne pages") as cursor:
        found = releases.unique_texts(cursor, visitor.id, after)
    more = found[-1] if len(found) == releases.MOST_IDS else None
    return page(request, visitor, "releases/unique.html.j2", "releases", found=found, more=more)


@router.get("/published/{document_id}")
def show(request: Request, document_id: str, visitor: Reviewer) -> Response:
    """A published text, and how many other documents of its patient researchers read; the reading is recorded."""
    with open_cursor("steward", "nocturne pages") as cursor:
        found = releases.published_text(cursor, visitor.id, document_id)
    if found is None:
        raise Refusal(404, "not_visible")
    told = find_unique_people(found.text)
    return page(
        *(request, visitor, "releases/published.html.j2", "releases"),
        document_id=document_id,
        found=found,
        parts=parts(found.text, (), told),
        told=len(told),
    )


@router.get("/published/{document_id}/file")
def file(document_id: str, visitor: Reviewer) -> Response:
    """The rewritten file of a published document, to be saved; recorded."""
    with open_cursor("steward", "nocturne pages") as cursor:
        found = releases.published_file(cursor, visitor.id, document_id)
    if found is None:
        raise Refusal(404, "no_file")
    return download(found, document_id)
