"""Opt-outs of patients: search without any text, recording, proof of the removal, revocation.

Recording removes a pseudonym's rows from the research schema. `deid.ledger.opt_outs` applies an opt-out to other
keys, the ledger and later documents, which requires the secret, at every night and publication.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any

from deid.database.connection import open_identity
from deid.database.queries import Cursor, execute, one
from deid.domain.errors import NocturneError
from deid.ledger import audit
from deid.ledger.audit import Action, Line

PSEUDONYM = re.compile(r"[a-z2-7]{20}")
PAGE = 50
MOST_ID = 100
BY_SOURCE_ID = "by the hospital's id"  # what the audit trail says instead of the id


class OptOutProblem(StrEnum):
    """Reason for which an opt-out is refused. The French and English wording is the pages'."""

    NOT_A_PSEUDONYM = "not_a_pseudonym"
    NOT_AN_ID = "not_an_id"
    ALREADY = "already"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"  # questions on pseudonyms in one day


class OptOutRefused(NocturneError):
    """An opt-out cannot be searched or recorded. `opt_out_id` is the existing one, if any."""

    def __init__(self, why: OptOutProblem, opt_out_id: int | None = None) -> None:
        super().__init__(f"the opt-out was not recorded: {why}.", "See docs/fr/quarantaine-et-oppositions.md.")
        self.why, self.opt_out_id = why, opt_out_id


@dataclass(frozen=True, slots=True)
class PatientKey:
    """A patient, by the pseudonym of the research schema or by the source's patient id; exactly one is given.

    Raises:
        OptOutRefused: malformed pseudonym or id.
    """

    pseudonym: str | None = None
    patient_id: str | None = None

    def __post_init__(self) -> None:
        if self.pseudonym is not None and PSEUDONYM.fullmatch(self.pseudonym) is None:
            raise OptOutRefused(OptOutProblem.NOT_A_PSEUDONYM)
        if self.pseudonym is None:
            given = self.patient_id or ""
            if not given.strip() or len(given) > MOST_ID or not given.isprintable():
                raise OptOutRefused(OptOutProblem.NOT_AN_ID)

    @property
    def parameters(self) -> dict[str, str | None]:
        """Parameters of the statements on opt-outs."""
        return {"pseudonym": self.pseudonym, "patient_id": None if self.pseudonym else self.patient_id}


@dataclass(frozen=True, slots=True)
class OptOut:
    """An opt-out. `matched` is True if its patient at the source is known."""

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
class PatientRecord:
    """Number of a patient's published documents, and the opt-out by the same name, if any.

    Both are None for the hospital's id: they would tell which documents of the ledger are the patient's.
    """

    patient: PatientKey
    documents: int | None
    opt_out_id: int | None


@dataclass(frozen=True, slots=True)
class LiveDocuments:
    """Number of a patient's documents in each live state of the ledger."""

    published: int
    staged: int
    unfinished: int
    quarantined: int

    @property
    def total(self) -> int:
        """Number of live documents."""
        return self.published + self.staged + self.unfinished + self.quarantined


@dataclass(frozen=True, slots=True)
class RemovalProof:
    """An opt-out with the number of documents that it removed, and documents of the patient found at `checked_at`.

    `readable` is the number of rows that researchers read, or will at the next rewriting, under the pseudonyms known
    of the patient. `ledger` is None while the patient of a pseudonym is unknown, and until an opt-out by the hospital's
    id was applied: nothing is then said of documents on their way, or published under another secret.
    """

    opt_out: OptOut
    readable: int
    ledger: LiveDocuments | None
    checked_at: datetime
    lines: tuple[Line, ...] = field(default=())

    @property
    def found_now(self) -> int | None:
        """Number of live documents, a published row and its document counted once; None while they are unknown."""
        if self.ledger is None:
            return None
        return self.ledger.total + max(0, self.readable - self.ledger.published)

    @property
    def in_release(self) -> bool:
        """True if a document is published or ready to be."""
        return bool(self.readable or (self.ledger and (self.ledger.published or self.ledger.staged)))


def search_patient(cursor: Cursor, actor: str, patient: PatientKey) -> PatientRecord:
    """Count a pseudonym's published documents, of any release and type; the search is recorded.

    Of the hospital's id nothing is told, and the audit trail does not name it.

    Raises:
        OptOutRefused: the day has no more questions on pseudonyms, of this steward or of all.
    """
    if patient.pseudonym is None:
        audit.write(cursor, actor, Action.SEARCH_PATIENT, f"patient {BY_SOURCE_ID}")
        return PatientRecord(patient, None, None)
    execute(cursor, "deid", "opt_out", "by_pseudonym", {**patient.parameters, "steward": actor})
    return PatientRecord(patient, _admitted(cursor), _opt_out_in_force(cursor, patient))


def record_opt_out(cursor: Cursor, actor: str, patient: PatientKey, reason: str) -> tuple[int, int]:
    """Record an opt-out; a pseudonym's rows leave the research schema in the same transaction.

    Returns the number of the opt-out, and the number of removed rows.

    Raises:
        OptOutRefused: the patient has opted out already, the day has no more questions, or see `check_reason`.
    """
    reason = check_reason(reason)
    opt_out_id, removed = _number(cursor, actor, patient, reason), 0
    if patient.pseudonym:
        execute(cursor, "deid", "opt_out", "withdraw", {"opt_out_id": opt_out_id})
        removed = _admitted(cursor)
    named = {"pseudonym": patient.pseudonym} if patient.pseudonym else {"by": BY_SOURCE_ID}
    details: Mapping[str, Any] = {**named, "reason": reason, "removed": removed}
    audit.write(cursor, actor, Action.OPT_OUT, f"opt-out {opt_out_id}", **details)
    return opt_out_id, removed


def _number(cursor: Cursor, actor: str, patient: PatientKey, reason: str) -> int:
    """Insert an opt-out and return its number: the next that neither the ledger nor schema `identity` has given.

    Raises:
        OptOutRefused: the patient has opted out already.
    """
    recorded = {**patient.parameters, "asked_by": actor, "reason": reason}
    while True:
        cursor.execute("SAVEPOINT numbered")
        row = execute(cursor, "deid", "opt_out", "insert", recorded).fetchone()
        if row is None:
            raise OptOutRefused(OptOutProblem.ALREADY, _opt_out_in_force(cursor, patient))
        if patient.patient_id is None:
            return int(row[0])
        # Committed before the opt-out: one whose patient is nowhere would hold nothing back.
        with open_identity("steward") as ids:
            named = {"opt_out_id": row[0], "source_id": patient.patient_id}
            if one(execute(ids, "identity", "opt_out", "record", named))[0]:
                return int(row[0])
        cursor.execute("ROLLBACK TO SAVEPOINT numbered")  # the ledger is older than the ids: its next number


def list_opt_outs(cursor: Cursor, before: int | None = None, limit: int = PAGE) -> list[OptOut]:
    """Return opt-outs, newest first, with numbers under `before` if given."""
    return _read_opt_outs(cursor, before=before, opt_out_id=None, limit=limit)


def _read_opt_outs(cursor: Cursor, **parameters: int | None) -> list[OptOut]:
    return [OptOut(*row) for row in execute(cursor, "deid", "opt_out", "page", parameters).fetchall()]


def prove_removal(cursor: Cursor, actor: str, opt_out_id: int) -> RemovalProof | None:
    """Return one opt-out and what a new search finds, which is recorded; None for an unknown number.

    Raises:
        OptOutRefused: the day has no more questions on pseudonyms, of this steward or of all.
    """
    found = _read_opt_outs(cursor, before=None, opt_out_id=opt_out_id, limit=1)
    if not found:
        return None
    row = execute(cursor, "deid", "opt_out", "recheck", {"opt_out_id": opt_out_id, "steward": actor}).fetchone()
    if row is None:
        raise OptOutRefused(OptOutProblem.TOO_MANY)
    readable, *states, checked_at = row
    ledger = None if None in states else LiveDocuments(*states)
    lines: Sequence[Line] = audit.list_lines(cursor, about=f"opt-out {opt_out_id}")
    return RemovalProof(found[0], int(readable), ledger, checked_at, tuple(reversed(lines)))


def revoke_opt_out(cursor: Cursor, actor: str, opt_out_id: int, reason: str) -> bool:
    """Revoke an opt-out, as the worker; False if it is not in force. Removed documents are not restored.

    Raises:
        OptOutRefused: see `check_reason`.
    """
    reason = check_reason(reason)
    parameters = {"opt_out_id": opt_out_id, "revoked_by": actor, "revoked_reason": reason}
    if execute(cursor, "deid", "opt_out", "revoke", parameters).fetchone() is None:
        return False
    audit.write(cursor, actor, Action.OPT_OUT, f"opt-out {opt_out_id}", revoked=True, reason=reason)
    return True


# Returns a reason with single spaces; OptOutRefused for fewer than 10 or more than 500 characters.
check_reason = partial(audit.spaced_reason, refused=lambda problem: OptOutRefused(OptOutProblem(problem)))


def _admitted(cursor: Cursor) -> int:
    """Return the count that a question on a pseudonym gave.

    Raises:
        OptOutRefused: it gave none, since the day has no more questions.
    """
    (documents,) = one(cursor)
    if documents is None:
        raise OptOutRefused(OptOutProblem.TOO_MANY)
    return int(documents)


def _opt_out_in_force(cursor: Cursor, patient: PatientKey) -> int | None:
    if patient.pseudonym is None:
        return None
    row = execute(cursor, "deid", "opt_out", "in_force_of", patient.parameters).fetchone()
    return None if row is None else int(row[0])
