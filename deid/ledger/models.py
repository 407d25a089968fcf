"""Models of the registry in the ledger: registered, compared, promoted, refused, rolled back; each in the audit trail.

The files lie in `NOCTURNE_MODELS` (`deid.models.directories`). Decisions on a kind are taken one at a time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from psycopg2.extensions import cursor as Cursor

from deid.config.policy import Policy
from deid.database.connection import open_cursor
from deid.database.queries import execute
from deid.domain.errors import InputRefused
from deid.ledger import audit
from deid.models import directories

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_REASON, MAX_REASON = 10, 200  # characters
SHIPPED = ""  # in the place of a hash: the model that ships, or none of a kind of `directories.UNSHIPPED`


@dataclass(frozen=True, slots=True)
class Model:
    """A model of the registry.

    `compared_with` is the hash of the model of its last comparison, `SHIPPED` for the one that ships, None before any;
    `metrics` the figures of that comparison.
    """

    kind: str
    hash: str
    state: str
    registered_at: datetime
    registered_by: str
    decided_at: datetime | None
    decided_by: str | None
    reason: str
    compared_with: str | None
    metrics: Mapping[str, float | None]


def serving_models(policy: Policy) -> dict[str, str]:
    """Return kind → hash of the models that serve, of the annotators for which the policy asks the registry.

    A kind without a promoted model is left out: it has the model that ships, if any (`directories.absent_kinds`). No
    database is asked if no annotator asks the registry.

    Raises:
        SettingsError: the policy asks the registry, and the worker's connection string is not set.
    """
    asked = directories.asked_kinds(policy)
    if not asked:
        return {}
    with open_cursor("worker", "nocturne models") as cursor:
        serving = read_serving(cursor)
    return {kind: serving[kind] for kind in asked if kind in serving}


def read_serving(cursor: Cursor) -> dict[str, str]:
    """Return kind → hash of every model that serves."""
    return dict(execute(cursor, "deid", "model", "serving").fetchall())


def list_models(role: str = "worker", *, kind: str | None = None) -> list[Model]:
    """Return the models of a kind or of all, newest first."""
    with open_cursor(role, "nocturne models") as cursor:
        return _read(cursor, kind, "")


def find_model(prefix: str, role: str = "worker") -> Model:
    """Return the one model whose hash begins with `prefix`.

    Raises:
        InputRefused: there is none, or more than one.
    """
    with open_cursor(role, "nocturne models") as cursor:
        return _find(cursor, prefix)


def insert_model(kind: str, digest: str, actor: str) -> None:
    """Register a model as a candidate; one that is known stays as it is."""
    with open_cursor("worker", "nocturne models") as cursor:
        if execute(cursor, "deid", "model", "insert", {"kind": kind, "hash": digest, "actor": actor}).rowcount:
            audit.write(cursor, actor, audit.Action.REGISTER_MODEL, _about(kind, digest))


def record_comparison(digest: str, compared_with: str, metrics: Mapping[str, float | None]) -> None:
    """Keep the figures of a comparison; a refused model is a candidate again."""
    row = {"hash": digest, "compared_with": compared_with, "metrics": json.dumps(metrics, allow_nan=False)}
    with open_cursor("worker", "nocturne models") as cursor:
        execute(cursor, "deid", "model", "compared", row)


def promote_model(digest: str, actor: str, reason: str, role: str = "steward") -> Model:
    """Make a model serve from the next run on, and return it as it was; the one that served is retired.

    Raises:
        InputRefused: no such model, no reason, or it serves, was refused, was never compared, or was compared with
            another model than the one that serves.
        PolicyError: its directory is missing or was altered.
    """
    why = _reason(reason)
    with _decision(digest, role) as (cursor, model):
        serving = read_serving(cursor).get(model.kind, SHIPPED)
        _check_promotable(model, serving)
        directories.intact(model.kind, model.hash)
        if serving:
            _decide(cursor, serving, "retired", actor, f"replaced by {model.hash[:12]}")
        _decide(cursor, model.hash, "serving", actor, why)
        row = {"kind": model.kind, "hash": model.hash, "actor": actor, "reason": why}
        execute(cursor, "deid", "model_promotion", "insert", row)
        about = _about(model.kind, model.hash)
        audit.write(cursor, actor, audit.Action.PROMOTE_MODEL, about, replaced=serving[:12], reason=why)
    return model


def refuse_model(digest: str, actor: str, reason: str, role: str = "steward") -> Model:
    """Refuse a candidate, and return it as it was; it may be evaluated again.

    Raises:
        InputRefused: no such model, no reason, or it is not a candidate.
    """
    why = _reason(reason)
    with _decision(digest, role) as (cursor, model):
        if model.state != "candidate":
            raise InputRefused(f"model {_short(model)} is {model.state}, and not a candidate.")
        _decide(cursor, model.hash, "refused", actor, why)
        audit.write(cursor, actor, audit.Action.REFUSE_MODEL, _about(model.kind, model.hash), reason=why)
    return model


def roll_back_model(kind: str, actor: str, reason: str = "", *, expected: str | None = None) -> str:
    """Put the model back that served before the one in force, and return its hash, `SHIPPED` for the one that ships.

    Raises:
        InputRefused: no model of that kind serves, or another one than `expected`, if that is given.
        PolicyError: the directory of the former model is missing or was altered.
    """
    with open_cursor("steward", "nocturne models") as cursor:
        execute(cursor, "deid", "model", "lock", {"kind": kind})
        serving = read_serving(cursor).get(kind)
        if serving is None:
            raise InputRefused(f"no promoted model of kind {kind} serves.", "See `python -m deid models list`.")
        if expected not in (None, serving):
            raise InputRefused(f"another model of kind {kind} serves meanwhile.", "Look at it, then decide again.")
        former = str((execute(cursor, "deid", "model_promotion", "former", {"kind": kind}).fetchone() or (SHIPPED,))[0])
        if former:
            directories.intact(kind, former)
        execute(cursor, "deid", "model_promotion", "roll_back", {"kind": kind, "actor": actor})
        _decide(cursor, serving, "retired", actor, reason or "rolled back")
        if former:
            _decide(cursor, former, "serving", actor, reason or f"rollback of {serving[:12]}")
        about = _about(kind, serving)
        audit.write(cursor, actor, audit.Action.ROLL_BACK_MODEL, about, restored=former[:12], reason=reason)
    return former


def record_export(model: Model, actor: str, **figures: float | None) -> None:
    """Write to the audit trail that a model left the hospital, with the figures of its check."""
    with open_cursor("steward", "nocturne models") as cursor:
        audit.write(cursor, actor, audit.Action.EXPORT_MODEL, _about(model.kind, model.hash), **figures)


@contextmanager
def _decision(digest: str, role: str) -> Iterator[tuple[Cursor, Model]]:
    """Open a transaction in which no one else decides on models of this one's kind."""
    with open_cursor(role, "nocturne models") as cursor:
        found = _find(cursor, digest)
        execute(cursor, "deid", "model", "lock", {"kind": found.kind})
        yield cursor, _find(cursor, found.hash)


def _check_promotable(model: Model, serving: str) -> None:
    name = _short(model)
    if model.state == "serving":
        raise InputRefused(f"model {name} serves already.")
    if model.state == "refused":
        raise InputRefused(
            f"model {name} was refused: {model.reason}.", "Evaluate it again (`python -m deid models evaluate`)."
        )
    if model.state == "candidate" and model.compared_with != serving:
        told = "was never compared" if model.compared_with is None else "was compared with another model"
        raise InputRefused(
            f"model {name} {told}: {serving[:12] or _unpromoted(model.kind)} serves.",
            "Evaluate it first (`python -m deid models evaluate`).",
        )


def _unpromoted(kind: str) -> str:
    return "none of its kind" if kind in directories.UNSHIPPED else "the model that ships"


def _decide(cursor: Cursor, digest: str, state: str, actor: str, reason: str) -> None:
    row = {"hash": digest, "state": state, "actor": actor, "reason": reason}
    execute(cursor, "deid", "model", "decide", row)


def _read(cursor: Cursor, kind: str | None, prefix: str) -> list[Model]:
    execute(cursor, "deid", "model", "list", {"kind": kind, "prefix": prefix})
    return [Model(*row) for row in cursor.fetchall()]


def _find(cursor: Cursor, prefix: str) -> Model:
    found = _read(cursor, None, prefix.lower()) if prefix else []
    if len(found) != 1:
        told = "more than one model begins" if found else "no model of the registry begins"
        raise InputRefused(f"{told} with {prefix[:64]!r}.", "See `python -m deid models list`.")
    return found[0]


def _reason(text: str) -> str:
    why = text.strip()
    if not MIN_REASON <= len(why) <= MAX_REASON:
        raise InputRefused(
            "a decision on a model needs a reason.", f"Give one of {MIN_REASON} to {MAX_REASON} characters."
        )
    return why


def _short(model: Model) -> str:
    return f"{model.kind}/{model.hash[:12]}"


def _about(kind: str, digest: str) -> str:
    return f"model {kind}/{digest}"
