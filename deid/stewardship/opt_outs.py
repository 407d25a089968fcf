"""Patients' oppositions: look a patient up without any text, record the opposition, prove what it removed.

A pseudonym's rows leave the research schema with the recording. What only the secret can do (other keys, the ledger,
later documents) is `deid.warehouse.opt_outs`, which every night and every publication applies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from deid.domain.errors import NocturneError
from deid.warehouse import audit
from deid.warehouse.audit import Action, Line
from deid.warehouse.queries import Cursor, one, query

PSEUDONYM = re.compile(r"[a-z2-7]{20}")
PAGE = 50
LEAST_REASON = 10
MOST_REASON = 500
MOST_ID = 100


class Why(StrEnum):
    """Why an opposition is not recorded. The French and English words are the pages'."""

    NOT_A_PSEUDONYM = "not_a_pseudonym"
    NOT_AN_ID = "not_an_id"
    ALREADY = "already"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"


class OptOutRefused(NocturneError):
    """An opposition cannot be looked up or recorded. `opt_out_id` is the one that is there already."""

    def __init__(self, why: Why, opt_out_id: int | None = None) -> None:
        super().__init__(f"the opposition was not recorded: {why}.", "See docs/fr/quarantaine-et-oppositions.md.")
        self.why, self.opt_out_id = why, opt_out_id


@dataclass(frozen=True, slots=True)
class Patient:
    """Who objects: by the pseudonym of the research schema, or by the source's own id; exactly one is given.

    Raises:
        OptOutRefused: it has not the shape of one.
    """

    pseudonym: str | None = None
    patient_id: str | None = None

    def __post_init__(self) -> None:
        if self.pseudonym is not None and PSEUDONYM.fullmatch(self.pseudonym) is None:
            raise OptOutRefused(Why.NOT_A_PSEUDONYM)
        if self.pseudonym is None:
            given = self.patient_id or ""
            if not given.strip() or len(given) > MOST_ID or not given.isprintable():
                raise OptOutRefused(Why.NOT_AN_ID)


@dataclass(frozen=True, slots=True)
class Count:
    """Documents of one release and one type. `interval_key` is the release's; None where it is not published yet."""

    release_id: int | None
    interval_key: str | None
    document_type: str
    documents: int


@dataclass(frozen=True, slots=True)
class OptOut:
    """One opposition, as it stands. `matched`: its patient at the source is known."""

    opt_out_id: int
    pseudonym: str | None
    asked_by: str
    reason: str
    asked_at: datetime
    applied_at: datetime | None
    matched: bool
    revoked_at: datetime | None
    revoked_by: str | None
    revoked_reason: str | None
    removed: int


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of a patient: published documents by release and type, those on their way, an opposition."""

    patient: Patient
    published: tuple[Count, ...]
    waiting: int
    opt_out_id: int | None

    @property
    def documents(self) -> int:
        """Published documents in all."""
        return sum(count.documents for count in self.published)


@dataclass(frozen=True, slots=True)
class Proof:
    """What an opposition did, and what is found of the patient at this moment."""

    opt_out: OptOut
    removed: tuple[Count, ...]
    found_now: int
    checked_at: datetime
    lines: tuple[Line, ...] = field(default=())


def search(cursor: Cursor, actor: str, patient: Patient) -> Found:
    """Published documents of a patient, counted by release and type, never a text; recorded."""
    step = "by_pseudonym" if patient.pseudonym else "by_source_id"
    cursor.execute(query("deid", "opt_out", step), _parameters(patient))
    published = tuple(Count(*row) for row in cursor.fetchall())
    cursor.execute(query("deid", "opt_out", "waiting"), _parameters(patient))
    (waiting,) = one(cursor)
    standing = _standing(cursor, patient)
    found = Found(patient, published, int(waiting), standing)
    audit.write(cursor, actor, Action.SEARCH_PATIENT, _about(patient), documents=found.documents)
    return found


def ask(cursor: Cursor, actor: str, patient: Patient, reason: str) -> tuple[int, int]:
    """Record an opposition; a pseudonym's rows leave the research schema in the same transaction.

    Returns its number, and how many rows left. `reason` has 10 characters or more.

    Raises:
        OptOutRefused: the patient has objected already, or the reason is too short or too long.
    """
    reason = " ".join(reason.split())
    if len(reason) < LEAST_REASON:
        raise OptOutRefused(Why.TOO_SHORT)
    if len(reason) > MOST_REASON:
        raise OptOutRefused(Why.TOO_LONG)
    cursor.execute(query("deid", "opt_out", "insert"), {**_parameters(patient), "asked_by": actor, "reason": reason})
    row = cursor.fetchone()
    if row is None:
        raise OptOutRefused(Why.ALREADY, _standing(cursor, patient))
    opt_out_id, removed = int(row[0]), 0
    if patient.pseudonym:
        cursor.execute(query("deid", "opt_out", "withdraw"), {"opt_out_id": opt_out_id})
        removed = sum(documents for _, _, documents in cursor.fetchall())
    details: Mapping[str, Any] = {**_parameters(patient), "reason": reason, "removed": removed}
    audit.write(cursor, actor, Action.OPT_OUT, about(opt_out_id), **details)
    return opt_out_id, removed


def page(cursor: Cursor, before: int | None = None, limit: int = PAGE) -> list[OptOut]:
    """Oppositions, the newest first, those numbered under `before` if given."""
    cursor.execute(query("deid", "opt_out", "page"), {"before": before, "opt_out_id": None, "limit": limit})
    return [OptOut(*row) for row in cursor.fetchall()]


def proof(cursor: Cursor, opt_out_id: int) -> Proof | None:
    """What one opposition did, and what a fresh look finds now; None if there is no such opposition."""
    cursor.execute(query("deid", "opt_out", "page"), {"before": None, "opt_out_id": opt_out_id, "limit": 1})
    row = cursor.fetchone()
    if row is None:
        return None
    cursor.execute(query("deid", "opt_out_removal", "of_opt_out"), {"opt_out_id": opt_out_id})
    removed = tuple(Count(*line) for line in cursor.fetchall())
    cursor.execute(query("deid", "opt_out", "recheck"), {"opt_out_id": opt_out_id})
    found_now, checked_at = one(cursor)
    lines: Sequence[Line] = audit.page(cursor, about=about(opt_out_id))
    return Proof(OptOut(*row), removed, int(found_now), checked_at, tuple(reversed(lines)))


def revoke(cursor: Cursor, actor: str, opt_out_id: int, reason: str) -> bool:
    """Lift an opposition, as the worker; False if there is none in force. What was removed is not put back.

    Raises:
        OptOutRefused: the reason is too short or too long.
    """
    reason = " ".join(reason.split())
    if not LEAST_REASON <= len(reason) <= MOST_REASON:
        raise OptOutRefused(Why.TOO_SHORT if len(reason) < LEAST_REASON else Why.TOO_LONG)
    parameters = {"opt_out_id": opt_out_id, "revoked_by": actor, "revoked_reason": reason}
    cursor.execute(query("deid", "opt_out", "revoke"), parameters)
    if cursor.fetchone() is None:
        return False
    audit.write(cursor, actor, Action.OPT_OUT, about(opt_out_id), revoked=True, reason=reason)
    return True


def about(opt_out_id: int) -> str:
    """How the audit trail names an opposition."""
    return f"opt-out {opt_out_id}"


def _standing(cursor: Cursor, patient: Patient) -> int | None:
    cursor.execute(query("deid", "opt_out", "standing"), _parameters(patient))
    row = cursor.fetchone()
    return None if row is None else int(row[0])


def _parameters(patient: Patient) -> dict[str, str | None]:
    return {"pseudonym": patient.pseudonym, "patient_id": None if patient.pseudonym else patient.patient_id}


def _about(patient: Patient) -> str:
    return f"patient {patient.pseudonym or patient.patient_id}"
