"""Rules of a release: approvals that suffice, policies that require a person, and deadlines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any, Literal, get_args

from deid.config.policy import Release
from deid.domain import PARIS
from deid.domain.errors import ReleaseRefused

Approval = Literal["always", "on_warning", "never"]  # strictest first
STRICTNESS: tuple[Approval, ...] = get_args(Approval)


def may_approve(person: str, requesters: Collection[str], *, approvals: int, own_approval: bool) -> bool:
    """Return whether `person` may approve runs that `requesters` asked for.

    Where `approvals` > 1 different people must approve, a requester may be one of them.
    """
    return bool(person) and (approvals > 1 or own_approval or person not in requesters)


def approvals_suffice(
    given: Collection[str], requesters: Collection[str], *, approvals: int, own_approval: bool
) -> bool:
    """Return whether the people of `given` approve together: at least `approvals`, and not one requester alone."""
    people = set(given)
    return len(people) >= approvals and (own_approval or len(people) > 1 or not people <= set(requesters))


def approval_needed(approval: Approval, *, critical: int, warnings: int) -> bool:
    """Return whether a person must decide, given the numbers of failed run-level rules.

    After a critical failure nobody is asked: no answer could publish the interval.
    """
    if critical:
        return False
    return approval == "always" or (approval == "on_warning" and warnings > 0)


def strictest(release: Release, planned: Iterable[Mapping[str, Any] | None]) -> Release:
    """Return `release` with the strictest approval among it and the policies that staged runs were planned with.

    `planned` holds the release sections of these policies, as the ledger keeps them. One that is unknown (None) or
    lacks a value asks for a person.
    """
    sections = [release.model_dump(), *((section or {}) for section in planned)]
    approval = min((section.get("approval") for section in sections), key=_laxity)
    return release.model_copy(
        update={
            "approval": approval if approval in STRICTNESS else STRICTNESS[0],
            "approvals": max(int(section.get("approvals") or 1) for section in sections),
            "own_approval": all(section.get("own_approval") is True for section in sections),
            "second_review": "blind" if any(one.get("second_review") == "blind" for one in sections) else "open",
        }
    )


def _laxity(approval: Any) -> int:
    return STRICTNESS.index(approval) if approval in STRICTNESS else -1


def check_publishable(interval_key: str, *, judged: bool, critical: int) -> None:
    """Refuse an interval that was not judged, or that failed a critical rule.

    Raises:
        ReleaseRefused: with a remedy.
    """
    if not judged:
        raise ReleaseRefused(f"{interval_key} was never judged as a whole.", "Run the step `summarise` on it first.")
    if critical:
        raise ReleaseRefused(
            f"{interval_key}: {critical} critical run-level checks failed; nothing was published.",
            "Read the checks in its report, mend their cause (detection, source or policy) and run the interval again.",
        )


def staging_due(end: datetime, ready_by: str) -> datetime:
    """Return the first `ready_by` ("07:00", hospital time) at or after `end`, an interval's end or its run's start."""
    local = end.astimezone(PARIS)
    due = datetime.combine(local.date(), time.fromisoformat(ready_by), PARIS)
    later = due.replace(fold=1), datetime.combine(local.date() + timedelta(days=1), due.timetz())
    return next(one for one in (due, *later) if one.astimezone(UTC) >= end.astimezone(UTC))


def decision_due(asked_at: datetime, release: Release) -> datetime:
    """Return the deadline of an answer to a question asked at `asked_at`."""
    return asked_at + timedelta(hours=release.decision_hours)
