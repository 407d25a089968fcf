"""Staged intervals: their key, and the transaction in which one is judged, decided and recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from deid.config.policy import Policy, Release, read_kept
from deid.config.policy import load as load_policy
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import Cursor, execute, one
from deid.domain.errors import InputRefused
from deid.publication.publish import digest_of
from deid.release.rules import approvals_suffice, strictest

INTERVAL_KEY = re.compile(r"\d{4}-\d{2}-\d{2}(?:\.\.\d{4}-\d{2}-\d{2})?")
POLICY_ACTOR = "politique"  # recorded as the decider if the policy requires no person


@dataclass(frozen=True, slots=True)
class IntervalContext:
    """One transaction on an interval: cursor, interval key, and the account that started the release by hand, if any.

    `run_ids`, `digest` and `release` are read at each access: a lock taken in between counts.
    """

    cursor: Cursor
    key: str
    asked_by: str | None = None

    @property
    def release(self) -> Release:
        """Release section of this process's policy, under the strictest approval that a staged run was planned with.

        A file that asks for less publishes nothing that was staged under one that asks for more.
        """
        execute(self.cursor, "deid", "policy", "staged", {"interval_key": self.key})
        planned = [(content or {}).get("release") for _, _, content in self.cursor.fetchall()]
        return strictest(current_policy().release, planned)

    def policies(self) -> dict[int, Policy]:
        """Policy of each staged run: the one that it was planned with, or this process's where that is unreadable."""
        execute(self.cursor, "deid", "policy", "staged", {"interval_key": self.key})
        return {run_id: read_kept(content) or current_policy() for run_id, _, content in self.cursor.fetchall()}

    def replaced_policies(self) -> tuple[tuple[str, str], ...]:
        """Name and hash of each policy that staged runs were planned with and that is not this process's."""
        execute(self.cursor, "deid", "policy", "staged", {"interval_key": self.key})
        found = {digest: str((content or {}).get("name", "")) for _, digest, content in self.cursor.fetchall()}
        return tuple((name, digest) for digest, name in found.items() if digest != current_policy().digest)

    @property
    def run_ids(self) -> list[int]:
        """Staged runs, oldest first."""
        execute(self.cursor, "deid", "run", "interval", {"interval_key": self.key})
        return [row[0] for row in self.cursor.fetchall()]

    @property
    def digest(self) -> str | None:
        """Digest of the staged content; None if nothing is staged."""
        return digest_of(self.cursor, self.key)

    def lock_decisions(self) -> None:
        """Keep other decisions waiting until this transaction ends."""
        self.cursor.execute("SELECT deid.lock_decisions()")

    def failed_rules(self, run_ids: list[int]) -> tuple[bool, int, int]:
        """Return whether every run was judged, and how many critical and warning rules failed at run level."""
        judged, critical, warnings = one(execute(self.cursor, "deid", "check_result", "judged", {"run_ids": run_ids}))
        return bool(judged), int(critical), int(warnings)

    def requesters(self, run_ids: list[int]) -> set[str]:
        """Accounts that asked by hand for these runs, or for their release."""
        execute(self.cursor, "deid", "run", "requesters", {"run_ids": run_ids})
        return {row[0] for row in self.cursor.fetchall()} | ({self.asked_by} if self.asked_by else set())

    def approvers(self, digest: str) -> list[str]:
        """Accounts whose approval of this content is valid, in order of approval."""
        parameters = {"interval_key": self.key, "staged_digest": digest, "nobody": POLICY_ACTOR}
        return [row[0] for row in execute(self.cursor, "deid", "decision", "given", parameters).fetchall()]

    def is_approved(self, digest: str, run_ids: list[int]) -> bool:
        """Return whether enough people approve this content."""
        return self.missing_approvals(self.approvers(digest), run_ids) == 0

    def missing_approvals(self, given: Sequence[str], run_ids: list[int]) -> int:
        """Return how many people must approve these runs beside those of `given`."""
        release, asked = self.release, self.requesters(run_ids)
        if approvals_suffice(given, asked, approvals=release.approvals, own_approval=release.own_approval):
            return 0
        return max(1, release.approvals - len(set(given)))

    def is_vetoed(self, digest: str) -> bool:
        """Return whether a person has rejected this content since it was last approved, if it was."""
        about = {"interval_key": self.key, "staged_digest": digest}
        return bool(one(execute(self.cursor, "deid", "decision", "vetoed", about))[0])

    def record_by_policy(self, run_id: int, digest: str, chosen: str, reason: str = "") -> bool:
        """Record once that the policy, not a person, proposed, approved or refused this content; True if new."""
        row = {"interval_key": self.key, "run_id": run_id, "chosen": chosen, "decided_by": POLICY_ACTOR}
        execute(self.cursor, "deid", "decision", "insert", row | {"reason": reason, "staged_digest": digest})
        return self.cursor.rowcount > 0


@contextmanager
def open_interval(key: str, *, role: str = "publisher", asked_by: str | None = None) -> Iterator[IntervalContext]:
    """Open one transaction on an interval as `role`: "publisher" records decisions, "steward" serves the pages."""
    application = "nocturne pages" if role == "steward" else "nocturne release"
    with open_cursor(role, application) as cursor:
        yield IntervalContext(cursor, key, asked_by)


def check_interval_key(interval_key: str) -> None:
    """Refuse a malformed interval key.

    Raises:
        InputRefused: the key is neither a night nor a period.
    """
    if INTERVAL_KEY.fullmatch(interval_key) is None:
        raise InputRefused(
            "that is no key of an interval.", "Give a night (2026-10-03) or a period (2026-09-01..2026-09-28)."
        )


def current_policy() -> Policy:
    """Policy of this process."""
    return load_policy(settings().policy)
