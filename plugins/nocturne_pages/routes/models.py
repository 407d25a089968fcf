"""Trained models: states, figures against the model that serves, card; promotion, refusal and rollback."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from deid.domain.errors import InputRefused, PolicyError
from deid.ledger import models
from deid.ledger.models import MAX_REASON, MIN_REASON, SHIPPED, Model
from deid.models import progress
from deid.models.directories import CARD, UNSHIPPED, place
from deid.models.scores import SCORES, score_of
from nocturne_pages.access import Permission, Visitor, needs
from nocturne_pages.errors import Refusal
from nocturne_pages.pages import page
from nocturne_pages.texts import label_names

router = APIRouter()
Reader = Annotated[Visitor, Depends(needs(Permission.READ))]
Decider = Annotated[Visitor, Depends(needs(Permission.PROMOTE))]

FIGURES = (
    *("clean", "overlap_recall", "overlap_precision", "overlap_f1", "token_f1", "exact_f1"),
    "false",  # per 1,000 words; the others are shares
)
TYPES = ("clean", "token_f1", "false")  # by type of document, in the short table
PARTS = ("candidate", "serving", "difference")
_TRAINING = {"kind": "", "model": "", "stage": "", "epoch": 0, "epochs": 0, "loss": None, "f1": None}  # told later
CHOICES = {"promote": "candidate", "refuse": "candidate", "roll_back": "serving"}  # choice → state that it needs


class Figure(NamedTuple):
    """A figure with its 95 % interval; None where there was nothing to count."""

    value: float | None
    low: float | None
    high: float | None


class Row(NamedTuple):
    """A figure of a model, of what served when it was compared, and their paired difference."""

    name: str
    figures: tuple[Figure, ...]


@router.get("/models")
def overview(request: Request, visitor: Reader) -> Response:
    """Every model of the registry, newest first; the latest trainings and rounds of annotation."""
    found, rounds = models.list_models("steward"), [_round(one) for one in progress.read("rounds")]
    trainings = [_TRAINING | one for one in progress.read("trainings") if "since" in one]
    return page(request, visitor, "models/overview.html.j2", "models", rows=found, trainings=trainings, rounds=rounds)


@router.get("/models/{digest}")
def show(request: Request, visitor: Reader, digest: str) -> Response:
    """A model: figures, decision, card."""
    model, serving = _found(digest)
    return page(request, visitor, "models/model.html.j2", "models", **_shown(model, serving, visitor))


@router.get("/models/{digest}/decision")
def begin_again(request: Request, _visitor: Reader, digest: str) -> Response:
    """Redirect from the address of the form to the model."""
    return RedirectResponse(f"{request.scope.get('root_path', '')}/models/{quote(digest, safe='')}", 303)


@router.post("/models/{digest}/decision")
def decide(
    request: Request,
    visitor: Decider,
    digest: str,
    chosen: Annotated[str, Form(max_length=10)],
    seen: Annotated[str, Form(max_length=100)],
    reason: Annotated[str, Form(max_length=2000)] = "",
    confirmed: Annotated[str, Form(max_length=3)] = "",
) -> Response:
    """Show the effects of a decision; take it once confirmed."""
    if chosen not in CHOICES:
        raise Refusal(422, "unreadable")
    model, serving = _found(digest)
    renewed = {"seen": _seen(model, serving), "confirmed": ""} if model.state == CHOICES[chosen] else None
    if seen != _seen(model, serving) or renewed is None:
        raise Refusal(409, "model_changed", renewed=renewed)
    reason = " ".join(reason.split())
    if not MIN_REASON <= len(reason) <= MAX_REASON:
        raise Refusal(422, "model_reason", least=MIN_REASON, most=MAX_REASON)
    if confirmed != "yes":
        told = {"chosen": chosen, "reason": reason, **_shown(model, serving, visitor)}
        return page(request, visitor, "models/confirm.html.j2", "models", **told)
    try:
        if chosen == "promote":
            models.promote_model(model.hash, visitor.id, reason)
        elif chosen == "refuse":
            models.refuse_model(model.hash, visitor.id, reason)
        else:
            models.roll_back_model(model.kind, visitor.id, reason, expected=model.hash)
    except InputRefused:
        raise Refusal(409, "model_changed") from None
    except PolicyError:
        raise Refusal(409, "model_altered") from None
    return RedirectResponse(f"{request.scope.get('root_path', '')}/models/{model.hash}", 303)


def _round(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return a round as the page shows it: its standing, documents given and returned by annotator, figures."""
    given, back = told.get("given", {}), told.get("returned", {})
    undecided = told.get("undecided")
    if undecided is None:
        standing = "returned" if back and all(back.get(who, 0) >= given[who] for who in given) else "given"
    else:
        standing = "differing" if undecided else "adjudicated"
    people = [(who, given.get(who, 0), back.get(who, 0)) for who in sorted({*given, *back})]
    figures = {name: told.get(name) for name in ("name", "told", "faults", "fleiss", "undecided")}
    return {"standing": standing, "people": people, **figures}


def _found(digest: str) -> tuple[Model, str]:
    """Return a model by its whole hash, and the hash of the one of its kind that serves."""
    every = models.list_models("steward")
    model = next((one for one in every if one.hash == digest), None)
    if model is None:
        raise Refusal(404, "model_unknown")
    serving = (one.hash for one in every if one.kind == model.kind and one.state == "serving")
    return model, next(serving, SHIPPED)


def _seen(model: Model, serving: str) -> str:
    """Return what a decision is about: the state of the model, and which one serves."""
    return f"{model.state} {serving}".strip()


def _shown(model: Model, serving: str, visitor: Visitor) -> dict[str, object]:
    """Return the values of the templates."""
    names = [name.removeprefix("candidate.").removesuffix(".value") for name in model.metrics if _is_of(name)]
    labels = label_names(visitor.lang)
    types = {name.partition("/")[2]: name.partition("/")[2] for name in names if name.startswith("clean/")}
    by_type = [name for name in names if name.partition("/")[0] in TYPES and name.partition("/")[2] in types]
    by_label = {f"recall/{label}": said for label, said in labels.items() if f"recall/{label}" in names}
    return {
        "m": model,
        "serving": serving,
        "ships": model.kind not in UNSHIPPED,
        "current": model.compared_with == serving,
        "seen": _seen(model, serving),
        "may": visitor.may(Permission.PROMOTE),
        "documents": model.metrics.get("documents"),
        "figures": _rows(model.metrics, {name: name for name in FIGURES}),
        "labels": _rows(model.metrics, by_label),
        "types": _rows(model.metrics, {name: name for name in by_type}),
        "scores": _scores(model.metrics, {**labels, **types}),
        "card": _card(model),
        "least": MIN_REASON,
        "most": MAX_REASON,
    }


def _is_of(name: str) -> bool:
    return name.startswith("candidate.") and name.endswith(".value")


def _rows(metrics: Mapping[str, float | None], names: Mapping[str, str]) -> list[Row]:
    rows = [Row(said, tuple(_figure(metrics, f"{part}.{name}") for part in PARTS)) for name, said in names.items()]
    return [row for row in rows if any(figure.value is not None for figure in row.figures)]


def _scores(metrics: Mapping[str, float | None], groups: Mapping[str, str]) -> list[tuple[str, list[float | None]]]:
    """Return the name of each label or type of document that has any, and the model's own `SCORES`."""
    rows = [
        (said, [metrics.get(f"candidate.{score_of(score, group)}.value") for score in SCORES])
        for group, said in groups.items()
    ]
    return [(said, values) for said, values in rows if any(value is not None for value in values)]


def _figure(metrics: Mapping[str, float | None], name: str) -> Figure:
    return Figure(*(metrics.get(f"{name}.{bound}") for bound in Figure._fields))


def _card(model: Model) -> Mapping[str, str]:
    """Return a model's card, and its sections that a check writes; empty if this machine does not have the model."""
    try:
        whole = (place(model.kind, model.hash) / CARD).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    return {"whole": whole, "memorisation": _section(whole.splitlines(), "memorisation")}


def _section(lines: Iterable[str], name: str) -> str:
    """Return the lines between the marks of a section (`nocturne_lab.learning.model_card`), without its heading."""
    inside, found = False, []
    for line in lines:
        if line.strip() in (f"<!-- nocturne: {name} -->", f"<!-- /nocturne: {name} -->"):
            inside = not inside
        elif inside and not line.startswith("#"):
            found.append(line)
    return "\n".join(found).strip()
