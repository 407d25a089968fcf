"""Reading a document of a review: text, original with the permission, marks, end of the reading."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict

from deid.domain.labels import TAGGED, Label
from deid.reviews import reading
from deid.reviews.marks import ErrorKind, Mark, list_marks
from deid.warehouse.originals import OriginalProblem, OriginalRefused, read_original
from nocturne_pages.access import Permission, Visitor, needs
from nocturne_pages.errors import Refusal
from nocturne_pages.pages import download, page
from nocturne_pages.routes.reviews import steward
from nocturne_pages.texts import label_names, parts

router = APIRouter()
Reviewer = Annotated[Visitor, Depends(needs(Permission.REVIEW))]
OfOriginals = Annotated[Visitor, Depends(needs(Permission.ORIGINALS))]
TEXT = "/reviews/{review_id:int}/{ordinal:int}"
STATUS = {
    OriginalProblem.NOT_CONFIGURED: 503,
    OriginalProblem.UNKNOWN: 404,
    OriginalProblem.GONE: 410,
    OriginalProblem.WITHDRAWN: 410,
    OriginalProblem.CHANGED: 409,
}


class Asked(BaseModel):
    """A mark as the page sends it: offsets in the text shown, in Unicode code points."""

    model_config = ConfigDict(extra="forbid")

    kind: ErrorKind
    label: Label | None = None
    start: int
    end: int


@router.get("/reviews/{review_id:int}/next")
def following(request: Request, review_id: int, visitor: Reviewer) -> Response:
    """Redirect to the next document of this person, or to the review's page."""
    with steward() as cursor:
        ordinal = reading.next_document(cursor, review_id, visitor.name)
    return _to(request, review_id, ordinal)


@router.get(TEXT)
def show(request: Request, review_id: int, ordinal: int, visitor: Reviewer) -> Response:
    """A de-identified text, surrogates highlighted, and this person's own marks."""
    return _text(request, review_id, ordinal, visitor, original=False)


@router.get(f"{TEXT}/file")
def file(review_id: int, ordinal: int, visitor: Reviewer) -> Response:
    """The rewritten file of a document that this person reads, to be saved."""
    with steward() as cursor:
        found = reading.read_file(cursor, review_id, ordinal, visitor.name)
    if found is None:
        raise Refusal(404, "no_file")
    return download(found, f"nocturne-{review_id}-{ordinal}")


@router.get(f"{TEXT}/original")
def original(request: Request, review_id: int, ordinal: int, visitor: OfOriginals) -> Response:
    """The de-identified text with the source text beside it."""
    if not visitor.may(Permission.REVIEW):
        raise Refusal(403, "forbidden")
    return _text(request, review_id, ordinal, visitor, original=True)


@router.post(f"{TEXT}/marks")
def mark(review_id: int, ordinal: int, asked: Asked, visitor: Reviewer) -> Response:
    """Mark a passage; answer with the stored mark: trimmed, or extended to whole surrogates."""
    with steward() as cursor:
        made = reading.add_mark(
            cursor, review_id, ordinal, visitor.name, asked.kind, asked.label, asked.start, asked.end
        )
    return JSONResponse(_as_json(made), 201)


@router.delete(TEXT + "/marks/{mark_id:int}")
def unmark(review_id: int, ordinal: int, mark_id: int, visitor: Reviewer) -> Response:
    """Remove one's own mark."""
    with steward() as cursor:
        reading.remove_mark(cursor, review_id, ordinal, visitor.name, mark_id)
    return JSONResponse({"id": mark_id})


@router.post(f"{TEXT}/finish")
def finish(request: Request, review_id: int, ordinal: int, visitor: Reviewer) -> Response:
    """Finish the reading; redirect to the next document."""
    with steward() as cursor:
        reading.finish_reading(cursor, review_id, ordinal, visitor.name)
        ordinal_next = reading.next_document(cursor, review_id, visitor.name)
    return _to(request, review_id, ordinal_next)


def _text(request: Request, review_id: int, ordinal: int, visitor: Visitor, *, original: bool) -> Response:
    with steward() as cursor:
        found = reading.begin_reading(cursor, review_id, ordinal, visitor.name)
        own = list_marks(cursor, review_id, ordinal=ordinal, reader=visitor.name)
    values: dict[str, Any] = {"source": None}
    if original:
        try:
            source = read_original(visitor.name, found.run_id, found.document_id, found.content_hash)
        except OriginalRefused as error:
            raise Refusal(STATUS.get(error.why, 409), f"original_{error.why}") from None
        values["source"] = parts(source.text, ((one.start, one.end, str(one.label)) for one in source.mentions))
    shown = parts(found.text, found.surrogates)
    return page(
        *(request, visitor, "reviews/text.html.j2", "reviews"),
        reading=found,
        parts=shown,
        choices=[one for one in Label if one in TAGGED or one in {part.label for part in shown}],
        marks=own,
        labels=label_names(visitor.lang),
        **values,
    )


def _as_json(mark: Mark) -> dict[str, Any]:
    return {
        "id": mark.mark_id,
        "kind": mark.kind.value,
        "label": mark.label,
        "start": mark.start,
        "end": mark.end,
    }


def _to(request: Request, review_id: int, ordinal: int | None) -> Response:
    root = str(request.scope.get("root_path", ""))
    place = "" if ordinal is None else f"/{ordinal}"
    return RedirectResponse(f"{root}/reviews/{review_id}{place}", 303)
