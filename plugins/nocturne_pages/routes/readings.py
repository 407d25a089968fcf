"""Reading a document of a review: text, original with the permission, marks, end of the reading."""

from __future__ import annotations

from itertools import zip_longest
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from deid.domain.labels import TAGGED, Label
from deid.ledger.originals import OriginalProblem, OriginalRefused, read_original
from deid.quality.uniqueness import find_unique_people
from deid.reviews import reading
from deid.reviews.marks import ErrorKind, Mark, list_marks
from nocturne_pages.access import Permission, Visitor, needs
from nocturne_pages.errors import Number, Refusal
from nocturne_pages.pages import download, page
from nocturne_pages.routes.reviews import review_policy, steward
from nocturne_pages.texts import label_names, parts

router = APIRouter()
Reviewer = Annotated[Visitor, Depends(needs(Permission.REVIEW))]
OfOriginals = Annotated[Visitor, Depends(needs(Permission.ORIGINALS))]
KEYS = "1234567890abdefghijklopqvwxyz"  # one for each label; M, C, N, S, T, R and U do something else
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
    start: Number
    end: Number
    everywhere: bool = False


class Unwanted(BaseModel):
    """Marks that the page takes back together."""

    model_config = ConfigDict(extra="forbid")

    ids: list[Number] = Field(max_length=1000)


@router.get("/reviews/{review_id:int}/next")
def following(request: Request, review_id: int, visitor: Reviewer) -> Response:
    """Redirect to the next document of this person, or to the review's page."""
    with steward() as cursor:
        ordinal = reading.next_document(cursor, review_id, visitor.name)
    return _to(request, review_id, ordinal)


@router.get(TEXT)
def show(
    request: Request, review_id: int, ordinal: int, visitor: Reviewer, fast: Literal["1"] | None = None
) -> Response:
    """A de-identified text, surrogates highlighted, and this person's own marks. `fast`: the last one was too fast."""
    return _text(request, review_id, ordinal, visitor, original=False, fast=fast is not None)


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


@router.get(f"{TEXT}/marks")
@router.get(f"{TEXT}/passages")
@router.get(f"{TEXT}/finish")
def begin_again(request: Request, review_id: int, ordinal: int, _visitor: Reviewer) -> Response:
    """Redirect from the address of a form to the text."""
    return _to(request, review_id, ordinal)


@router.post(f"{TEXT}/marks")
def mark(review_id: int, ordinal: int, asked: Asked, visitor: Reviewer) -> Response:
    """Mark a passage, or `everywhere` each of its occurrences as missed, all or none.

    Answer with the stored marks: trimmed, or extended to whole surrogates.
    """
    where = (review_id, ordinal, visitor.name)
    with steward() as cursor:
        if asked.everywhere and asked.kind is ErrorKind.MISSED and asked.label is not None:
            made = reading.mark_everywhere(cursor, *where, asked.label, asked.start, asked.end)
        else:
            made = [reading.add_mark(cursor, *where, asked.kind, asked.label, asked.start, asked.end)]
    return JSONResponse({"marks": [_as_json(one) for one in made]}, 201)


@router.post(f"{TEXT}/passages")
def mark_passages(
    request: Request,
    review_id: int,
    ordinal: int,
    visitor: Reviewer,
    text: Annotated[str, Form(max_length=500)] = "",
    label: Annotated[Label | None, Form()] = None,
    remove: Annotated[Number | None, Form()] = None,
) -> Response:
    """Mark each occurrence of a text as missed, or remove one's own mark; redirect to the text, without a script."""
    with steward() as cursor:
        if remove is not None:
            reading.remove_mark(cursor, review_id, ordinal, visitor.name, remove)
        elif label is None:
            raise Refusal(422, "review_no_label")
        else:
            reading.mark_text(cursor, review_id, ordinal, visitor.name, label, text)
    return _to(request, review_id, ordinal)


@router.delete(f"{TEXT}/marks")
def unmark(review_id: int, ordinal: int, unwanted: Unwanted, visitor: Reviewer) -> Response:
    """Remove one's own marks, all or none."""
    with steward() as cursor:
        for mark_id in unwanted.ids:
            reading.remove_mark(cursor, review_id, ordinal, visitor.name, mark_id)
    return JSONResponse({"ids": unwanted.ids})


@router.post(f"{TEXT}/finish")
def finish(request: Request, review_id: int, ordinal: int, visitor: Reviewer) -> Response:
    """Finish the reading; redirect to the next document."""
    with steward() as cursor:
        fastest = review_policy().fastest_reading
        counts = reading.finish_reading(cursor, review_id, ordinal, visitor.name, fastest)
        ordinal_next = reading.next_document(cursor, review_id, visitor.name)
    return _to(request, review_id, ordinal_next, "" if counts else "?fast=1")


def _text(
    request: Request, review_id: int, ordinal: int, visitor: Visitor, *, original: bool, fast: bool = False
) -> Response:
    with steward() as cursor:
        found = reading.begin_reading(cursor, review_id, ordinal, visitor.name)
        every = list_marks(cursor, review_id, reader=visitor.name)
        if original:
            reading.note_comparison(cursor, review_id, ordinal, visitor.name)
    own = [one for one in every if one.ordinal == ordinal]
    last = max((one for one in every if one.label), key=lambda one: one.mark_id, default=None)
    values: dict[str, Any] = {"source": None, "last": last.label if last else ""}
    if original:
        try:
            source = read_original(visitor.name, found.run_id, found.document_id, found.content_hash)
        except OriginalRefused as error:
            raise Refusal(STATUS.get(error.why, 409), f"original_{error.why}") from None
        values["source"] = parts(source.text, ((one.start, one.end, str(one.label)) for one in source.mentions))
    told = find_unique_people(found.text)
    shown = parts(found.text, found.surrogates, told)
    labels = [one for one in Label if one in TAGGED or one in {part.label for part in shown}]
    return page(
        *(request, visitor, "reviews/text.html.j2", "reviews"),
        reading=found,
        fast=fast,
        parts=shown,
        told=len(told),
        choices=list(zip_longest(labels, KEYS[: len(labels)], fillvalue="")),
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


def _to(request: Request, review_id: int, ordinal: int | None, said: str = "") -> Response:
    root = str(request.scope.get("root_path", ""))
    place = "" if ordinal is None else f"/{ordinal}"
    return RedirectResponse(f"{root}/reviews/{review_id}{place}{said}", 303)
