"""Reviews: the list, one review with its estimate, opening, closing, adjudication."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from deid.config.policy import Review as ReviewPolicy
from deid.config.policy import load as load_policy
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import Cursor
from deid.domain.errors import ReviewRefused
from deid.release.interval import INTERVAL_KEY
from deid.reports.numbers import Writer
from deid.reviews import lifecycle, progress, reading
from deid.reviews.bounds import Found, clopper_pearson
from deid.reviews.estimate import bound_in_words, estimate_leaks, foresee, interval_in_words, measure_agreement
from nocturne_pages.access import Permission, Visitor, needs
from nocturne_pages.errors import Before, Number, Refusal
from nocturne_pages.pages import fragment, page
from nocturne_pages.panels import PANELS
from nocturne_pages.reported import find_reported
from nocturne_pages.texts import label_names, parts

router = APIRouter()
Reviewer = Annotated[Visitor, Depends(needs(Permission.REVIEW))]
Senior = Annotated[Visitor, Depends(needs(Permission.ADJUDICATE))]
STATUS = {
    "unknown": 404,
    "nothing_staged": 409,
    "not_staged": 409,
    "large_enough": 409,
    "closed": 409,
    "withdrawn": 410,
    "recalled": 410,
    "erased": 410,
    "taken": 409,
    "unread": 409,
    "finished": 409,
    "settled": 409,
    "own_mark": 409,
    "not_read": 409,
}


@contextmanager
def steward() -> Iterator[Cursor]:
    """Open a steward's transaction whose refusals are shown as pages; a refused selection is 422."""
    try:
        with open_cursor("steward", "nocturne pages") as cursor:
            yield cursor
    except ReviewRefused as error:
        raise Refusal(STATUS.get(error.why, 422), f"review_{error.why}") from None


@router.get("/reviews")
def show(
    request: Request,
    visitor: Reviewer,
    which: Literal["open", "mine", "closed"] = "open",
    before: Before = None,
) -> Response:
    """Reviews, newest first, and staged intervals without a review."""
    with steward() as cursor:
        found = progress.list_reviews(cursor, visitor.name, which, before, progress.PAGE + 1)
        waiting = [one for one in lifecycle.list_staged_intervals(cursor) if one.review_id is None]
    shown, older = found[: progress.PAGE], found[progress.PAGE :]
    last = shown[-1].review_id if older else None
    values = {"reviews": shown, "older": last, "which": which, "waiting": waiting}
    return page(request, visitor, "reviews/list.html.j2", "reviews", **values)


@router.get("/reviews/new/{interval_key}")
def new(request: Request, interval_key: str, visitor: Reviewer) -> Response:
    """Sample sizes by precision, and the form that draws the sample."""
    with steward() as cursor:
        waiting = _waiting(cursor, interval_key)
    if waiting.review_id is not None:
        return _to(request, f"/reviews/{waiting.review_id}")
    policy, write = review_policy(), Writer(visitor.lang)
    values = {
        "waiting": waiting,
        "policy": policy,
        "offered": lifecycle.offer_targets(policy, waiting.documents),
        "share": lambda one: write.percent(one, 0 if round(one * 1000) % 10 == 0 else 1),
    }
    return page(request, visitor, "reviews/new.html.j2", "reviews", **values)


@router.post("/reviews")
def start(
    request: Request,
    visitor: Reviewer,
    interval_key: Annotated[str, Form()],
    target: Annotated[float, Form(gt=0, lt=1)],
    readings: Annotated[Literal["1", "2"], Form()],
) -> Response:
    """Draw the sample, or redirect to one drawn meanwhile."""
    with steward() as cursor:
        _waiting(cursor, interval_key)
        plan = _plan(review_policy(), target, int(readings))
        review_id = lifecycle.open_review(cursor, interval_key, plan, visitor.name)
    return _to(request, f"/reviews/{review_id}")


@router.get("/reviews/{review_id:int}")
def one(request: Request, review_id: int, visitor: Reviewer, fast: Literal["1"] | None = None) -> Response:
    """Plan, progress, estimate and disputed documents of a review."""
    with steward() as cursor:
        review = progress.find_review(cursor, review_id, visitor.name)
        sampled = progress.list_sampled(cursor, review_id)
        following = None if review.closed else reading.next_document(cursor, review_id, visitor.name)
        staged = lifecycle.find_current_review(cursor, review.interval_key) == review_id
        readers = progress.list_readers(cursor, review_id)
    found, (outlook, wanted) = estimate_leaks(review, sampled), foresee(review, sampled)
    values = {
        "review": review,
        "following": following,
        "estimate": found,
        "outlook": outlook,
        "wanted": wanted,
        "staged": staged,
        "fast": fast is not None,
        "readers": [(one, _detection(progress.count_sentinels(sampled, one.name))) for one in readers],
        "least": found.detection if found else None,
        "words": bound_in_words(found, visitor.lang) if found else "",
        "interval": interval_in_words(found, visitor.lang) if found else "",
        "agreement": measure_agreement(sampled) if review.readings > 1 else None,
        "disputed": progress.documents_to_settle(review, sampled),
        "settled": [(one, mark) for one in sampled for mark in one.marks if mark.verdict],
        "leaking": [one for one in progress.read_by_all(sampled, review.readings) if one.leaks],
        "labels": label_names(visitor.lang),
    }
    return page(request, visitor, "reviews/review.html.j2", "reviews", **values)


@router.get("/reviews/{review_id:int}/close")
def begin_close(request: Request, review_id: int, _visitor: Reviewer) -> Response:
    """Redirect from the address of the form to the review."""
    return _to(request, f"/reviews/{review_id}")


@router.get("/reviews/{review_id:int}/enlarge")
def begin_enlarge(request: Request, review_id: int, _visitor: Reviewer) -> Response:
    """Redirect from the address of the form to the review."""
    return _to(request, f"/reviews/{review_id}")


@router.post("/reviews/{review_id:int}/enlarge")
def enlarge(request: Request, review_id: int, visitor: Reviewer, sample: Annotated[Number, Form()]) -> Response:
    """Enlarge a sample of `sample` documents to what its target needs."""
    with steward() as cursor:
        lifecycle.enlarge_review(cursor, review_id, sample, visitor.name)
    return _to(request, f"/reviews/{review_id}")


@router.post("/reviews/{review_id:int}/close")
def close(request: Request, review_id: int, visitor: Reviewer) -> Response:
    """Close the review; its texts are erased."""
    with steward() as cursor:
        lifecycle.close_review(cursor, review_id, visitor.name)
    return _to(request, f"/reviews/{review_id}")


@router.get("/reviews/{review_id:int}/{ordinal:int}/adjudicate")
def adjudicate(request: Request, review_id: int, ordinal: int, visitor: Senior) -> Response:
    """A fully read document with all marks."""
    with steward() as cursor:
        found, sampled = progress.open_adjudication(cursor, review_id, ordinal, visitor.name)
    disputed = {mark.mark_id for mark in progress.disputed_marks(sampled)}
    values = {
        "reading": found,
        "sampled": sampled,
        "disputed": disputed,
        "parts": parts(found.text, found.surrogates),
        "labels": label_names(visitor.lang),
    }
    return page(request, visitor, "reviews/adjudicate.html.j2", "reviews", **values)


@router.get("/reviews/{review_id:int}/{ordinal:int}/verdicts")
def begin_verdict(request: Request, review_id: int, ordinal: int, _visitor: Senior) -> Response:
    """Redirect from the address of the form to the marks that it is about."""
    return _to(request, f"/reviews/{review_id}/{ordinal}/adjudicate")


@router.post("/reviews/{review_id:int}/{ordinal:int}/verdicts")
def settle(
    request: Request,
    review_id: int,
    ordinal: int,
    visitor: Senior,
    mark_id: Annotated[Number, Form()],
    verdict: Annotated[Literal["upheld", "dismissed"], Form()],
) -> Response:
    """Uphold or dismiss a mark."""
    with steward() as cursor:
        progress.settle_mark(cursor, review_id, ordinal, mark_id, visitor.name, verdict)
    return _to(request, f"/reviews/{review_id}/{ordinal}/adjudicate")


def panel(request: Request, visitor: Visitor, interval_key: str) -> Markup | None:
    """Panel of a release: the review of its staged content, a link to open one, or the last review once published."""
    if not visitor.may(Permission.READ):
        return None
    waiting, review, found = find_reported(interval_key)
    if review is None and (waiting is None or not visitor.may(Permission.REVIEW)):
        return None
    values = {"review": review, "waiting": waiting, "words": bound_in_words(found, visitor.lang) if found else ""}
    return fragment(
        request, visitor, "reviews/panel.html.j2", "reviews", interval_key=interval_key, estimate=found, **values
    )


PANELS.append(panel)


def _plan(policy: ReviewPolicy, target: float, readings: int) -> lifecycle.SamplePlan:
    return lifecycle.SamplePlan(target, policy.confidence, readings, policy.sentinels)


def _detection(found: Found) -> tuple[Found, tuple[float, float]] | None:
    """Return a reader's sentinels with the 95 % interval of the share found; None without any."""
    return (found, clopper_pearson(*found, 0.95)) if found.planted else None


def _waiting(cursor: Cursor, interval_key: str) -> lifecycle.StagedInterval:
    found = lifecycle.list_staged_intervals(cursor, interval_key) if INTERVAL_KEY.fullmatch(interval_key) else []
    if not found:
        raise Refusal(409, "review_nothing_staged")
    return found[0]


def review_policy() -> ReviewPolicy:
    """Return the part of the policy in force that is about reviews."""
    return load_policy(settings().policy).release.review


def _to(request: Request, path: str) -> Response:
    return RedirectResponse(f"{request.scope.get('root_path', '')}{path}", 303)
