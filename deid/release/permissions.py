"""Who may let an interval out: named people, who said yes, and who are not alone in asking for it.

Each rule exists twice: `check_…` raises, `may_…` answers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from deid.domain.errors import ReleaseRefused

APPROVE = "approve"
REJECT = "reject"
REWORK = "rework"
CHOICES = (APPROVE, REJECT, REWORK)


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's answer. `decided_by` is an account's name, `requested_by` that of who asked for the run if known.

    `staged_digest` is that of the content which the person was shown, if the answer says so.
    """

    chosen: str
    decided_by: str
    reason: str = ""
    requested_by: str | None = None
    staged_digest: str | None = None

    @classmethod
    def from_answer(cls, answer: Mapping[str, Any]) -> Decision:
        """Read an answer of Airflow's approval task, or the same facts under plain names (`chosen`, `decided_by`…).

        The account's name, not its id, is what Airflow remembers of who started a run: both must be comparable.

        Raises:
            ReleaseRefused: the answer says neither approve nor reject nor rework.
        """
        options = answer.get("chosen_options") or [answer.get("chosen", "")]
        chosen = str(options[0]).casefold() if len(options) == 1 else ""
        if chosen not in CHOICES:
            raise ReleaseRefused(
                "the answer is neither “Approve” nor “Reject” nor “Rework”.", "Ask for the decision again."
            )
        person = answer.get("responded_by_user") or {}
        given = answer.get("params_input") or {}
        return cls(
            chosen=chosen,
            decided_by=str(person.get("name") or person.get("id") or answer.get("decided_by") or ""),
            reason=str(given.get("motif") or answer.get("reason") or "").strip(),
            requested_by=answer.get("requested_by"),
            staged_digest=given.get("empreinte") or answer.get("staged_digest"),
        )


def check_may_approve(decision: Decision, *, own_approval: bool, approvals: int = 1) -> None:
    """Refuse an approval by nobody, or by the person who asked for the run when the policy forbids it.

    Where `approvals` different people must approve, whoever asked for the run may be one of them.

    Raises:
        ReleaseRefused: this person may not approve.
    """
    if not decision.decided_by:
        raise ReleaseRefused("the approval names nobody.", "Approve from a personal account.")
    if approvals == 1 and not own_approval and decision.decided_by == decision.requested_by:
        raise ReleaseRefused(
            "whoever asked for a run may not approve it alone.", "Have another steward approve the interval."
        )


def may_approve(decision: Decision, *, own_approval: bool, approvals: int = 1) -> bool:
    """Whether `check_may_approve` lets the decision through."""
    try:
        check_may_approve(decision, own_approval=own_approval, approvals=approvals)
    except ReleaseRefused:
        return False
    return True


def enough(given: Collection[str], requesters: Collection[str], *, approvals: int, own_approval: bool) -> bool:
    """Whether these different people let an interval out that `requesters` asked for: enough of them, nobody alone."""
    people = set(given)
    return len(people) >= approvals and (own_approval or len(people) > 1 or not people <= set(requesters))
