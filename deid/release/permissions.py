"""Who may let an interval out: a named person, who said yes, and who is not alone in asking for it.

Each rule exists twice: `check_…` raises, `may_…` answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deid.errors import ReleaseRefused

APPROVE = "approve"
REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's answer. `decided_by` is an account's id, `requested_by` that of who asked for the run if known."""

    chosen: str
    decided_by: str
    reason: str = ""
    requested_by: str | None = None

    @classmethod
    def from_answer(cls, answer: Mapping[str, Any]) -> Decision:
        """Read an answer of Airflow's approval task, or the same facts under plain names (`chosen`, `decided_by`…).

        Raises:
            ReleaseRefused: the answer says neither approve nor reject.
        """
        options = answer.get("chosen_options") or [answer.get("chosen", "")]
        chosen = str(options[0]).casefold() if len(options) == 1 else ""
        if chosen not in (APPROVE, REJECT):
            raise ReleaseRefused("the answer is neither “Approve” nor “Reject”.", "Ask for the decision again.")
        person = answer.get("responded_by_user") or {}
        given = answer.get("params_input") or {}
        return cls(
            chosen=chosen,
            decided_by=str(person.get("id") or answer.get("decided_by") or ""),
            reason=str(given.get("motif") or answer.get("reason") or ""),
            requested_by=answer.get("requested_by"),
        )


def check_may_approve(decision: Decision, *, own_approval: bool) -> None:
    """Refuse an approval by nobody, or by the person who asked for the run when the policy forbids it.

    Raises:
        ReleaseRefused: this person may not approve.
    """
    if not decision.decided_by:
        raise ReleaseRefused("the approval names nobody.", "Approve from a personal account.")
    if not own_approval and decision.decided_by == decision.requested_by:
        raise ReleaseRefused(
            "whoever asked for a run may not approve it alone.", "Have another steward approve the interval."
        )


def may_approve(decision: Decision, *, own_approval: bool) -> bool:
    """Whether `check_may_approve` lets the decision through."""
    try:
        check_may_approve(decision, own_approval=own_approval)
    except ReleaseRefused:
        return False
    return True
