"""A person's answer to the question whether an interval goes out: weighed, remembered, and what follows from it.

Whichever way an answer comes (a steward's page, Airflow's own «Required Actions», the command line), it is taken here,
by the same rules and in one transaction with its line of the audit trail.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from deid.config.policy import Release
from deid.domain.errors import ReleaseRefused
from deid.release import permissions, room
from deid.release.permissions import APPROVE, REJECT, REWORK, Decision
from deid.warehouse import audit
from deid.warehouse.publish import digest_of
from deid.warehouse.queries import Cursor, one, query

MAX_REASON = 200  # characters: an answer passes through Airflow, which keeps no texts


class Outcome(StrEnum):
    """What follows from an answer."""

    APPROVE = APPROVE  # enough people approve: publish
    REJECT = REJECT  # nothing is published, the interval stays staged
    REWORK = REWORK  # the interval was emptied, and is to be processed again
    ASK = "ask"  # the answer does not settle it: the question stays open


class Why(StrEnum):
    """Why a question stays open, or an answer cannot be given. The words are the pages'."""

    SECOND = "second"  # another person must approve too
    OWN = "own"  # whoever asked for the run may not approve it alone
    AGAIN = "again"  # this person has approved already
    NO_REASON = "no_reason"  # rejecting and sending back need a reason
    UNREADABLE = "unreadable"  # not an answer to this question


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an answer: `why` is set when the question stays open, `waiting_for` counts missing approvals."""

    outcome: Outcome
    why: Why | None = None
    waiting_for: int = 0


def settled(interval_key: str, digest: str, *, asked_by: str | None = None) -> Taken | None:
    """What was decided of exactly this content already, by an answer whose task was lost; None if nothing was.

    Raises:
        WarehouseUnreachable, WarehouseError: it could not be read.
    """
    release = room.policy().release
    with room.publisher() as cursor:
        cursor.execute(query("deid", "decision", "last"), {"interval_key": interval_key})
        last = cursor.fetchone()
        if last is not None and last[:2] == (REWORK, digest) and digest_of(cursor, interval_key) != digest:
            return Taken(Outcome.REWORK)
        if _enough(cursor, interval_key, digest, release, asked_by):
            return Taken(Outcome.APPROVE)
    return None


def take(interval_key: str, answer: Mapping[str, Any], *, digest: str, asked_by: str | None = None) -> Taken:
    """Take an answer about the content that `digest` names; `asked_by` started the release by hand, if anyone did.

    Sending back empties the interval in the same transaction: its staged documents are superseded, their texts erased.

    Raises:
        ReleaseRefused: what is staged is no longer that content, or its publication has begun: the question is void.
        WarehouseUnreachable, WarehouseError: nothing was remembered.
    """
    room.check_key(interval_key)
    release = room.policy().release
    with room.publisher() as cursor:
        room.alone(cursor, interval_key)
        taken = _take(cursor, interval_key, answer, digest, asked_by, release)
    if isinstance(taken, ReleaseRefused):
        raise taken
    return taken


def _take(
    cursor: Cursor,
    interval_key: str,
    answer: Mapping[str, Any],
    digest: str,
    asked_by: str | None,
    release: Release,
) -> Taken | ReleaseRefused:
    try:
        decision = Decision.from_answer(answer)
    except ReleaseRefused:
        return Taken(Outcome.ASK, Why.UNREADABLE)
    run_ids = room.staged_runs(cursor, interval_key)
    if not run_ids or digest_of(cursor, interval_key) != digest:
        refuse(cursor, interval_key, decision, "stale")
        return ReleaseRefused(
            f"what is staged for {interval_key} is no longer what the answer is about.",
            "Run the step `summarise` again, and have it decided again.",
        )
    if why := objection(cursor, interval_key, decision, run_ids, release, digest=digest, asked_by=asked_by):
        if why is not Why.AGAIN:
            refuse(cursor, interval_key, decision, why)
        return Taken(Outcome.ASK, why, _missing(cursor, interval_key, digest, release))
    if decision.chosen == REWORK and _begun(cursor, interval_key):
        refuse(cursor, interval_key, decision, "begun")
        return ReleaseRefused(
            f"the publication of {interval_key} has begun: it can no longer be sent back.",
            "Run the step `publish` to its end.",
        )
    _remember(cursor, interval_key, run_ids, decision, digest)
    if decision.chosen != APPROVE:
        return Taken(Outcome(decision.chosen))
    if _enough(cursor, interval_key, digest, release, asked_by):
        return Taken(Outcome.APPROVE)
    return Taken(Outcome.ASK, Why.SECOND, _missing(cursor, interval_key, digest, release))


def objection(
    cursor: Cursor,
    interval_key: str,
    decision: Decision,
    run_ids: list[int],
    release: Release,
    *,
    digest: str,
    asked_by: str | None,
) -> Why | None:
    """Why this person cannot give this answer; None if nothing speaks against it."""
    if not decision.decided_by or decision.staged_digest not in (None, digest) or len(decision.reason) > MAX_REASON:
        return Why.UNREADABLE
    if decision.chosen in (REJECT, REWORK):
        return None if decision.reason else Why.NO_REASON
    asked = decision.decided_by if decision.decided_by in room.requesters(cursor, run_ids, asked_by) else None
    whole = Decision(APPROVE, decision.decided_by, requested_by=asked)
    if not permissions.may_approve(whole, own_approval=release.own_approval, approvals=release.approvals):
        return Why.OWN
    given = room.approvers(cursor, interval_key, digest)
    if decision.decided_by in given and not _enough(cursor, interval_key, digest, release, asked_by):
        return Why.AGAIN
    return None


def refuse(cursor: Cursor, interval_key: str, decision: Decision, why: str) -> None:
    """Write down an answer that was not taken."""
    about = f"release {interval_key}"
    audit.write(cursor, decision.decided_by or "?", audit.Action.REFUSED, about, chosen=decision.chosen, why=str(why))


def _remember(cursor: Cursor, interval_key: str, run_ids: list[int], decision: Decision, digest: str) -> None:
    given = room.approvers(cursor, interval_key, digest)
    if decision.chosen == APPROVE and decision.decided_by in given:
        return  # the task that brought it is being repeated
    row = {
        "interval_key": interval_key,
        "run_id": run_ids[-1],
        "chosen": decision.chosen,
        "decided_by": decision.decided_by,
        "reason": decision.reason,
        "staged_digest": digest,
    }
    cursor.execute(query("deid", "decision", "record"), row)
    (decided_at,) = one(cursor)
    action = {APPROVE: audit.Action.APPROVE, REJECT: audit.Action.REJECT, REWORK: audit.Action.REWORK}[decision.chosen]
    details: dict[str, Any] = {"staged_digest": digest, "reason": decision.reason}
    if decision.chosen == APPROVE:
        details["approvals"] = len(given) + 1
    if decision.chosen == REWORK:
        back = {"run_ids": run_ids, "decided_at": decided_at}
        cursor.execute(query("deid", "document", "send_back"), back)
        details["documents"] = cursor.rowcount
        cursor.execute(query("deid", "run", "send_back"), back)
    audit.write(cursor, decision.decided_by, action, f"release {interval_key}", **details)


def _enough(cursor: Cursor, interval_key: str, digest: str, release: Release, asked_by: str | None) -> bool:
    return permissions.enough(
        room.approvers(cursor, interval_key, digest),
        room.requesters(cursor, room.staged_runs(cursor, interval_key), asked_by),
        approvals=release.approvals,
        own_approval=release.own_approval,
    )


def _missing(cursor: Cursor, interval_key: str, digest: str, release: Release) -> int:
    return max(1, release.approvals - len(room.approvers(cursor, interval_key, digest)))


def _begun(cursor: Cursor, interval_key: str) -> bool:
    cursor.execute(query("research", "release", "unfinished"), {"interval_key": interval_key})
    return cursor.fetchone() is not None
