"""Status of the decision on an interval, for people: staged content, answers given, approvals wanted, deadlines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from deid.database.queries import by_column, execute, one
from deid.release.decisions import APPROVE, REJECT, REWORK, AnswerProblem, Decision, answer_obstacle
from deid.release.interval import INTERVAL_KEY, POLICY_ACTOR, IntervalContext, current_policy, open_interval
from deid.release.rules import approval_needed, decision_due, staging_due

UNANSWERED = frozenset({"expired", "lost"})  # outcomes of a question that nobody can answer any more


class DecisionState(StrEnum):
    """DecisionState of the decision on an interval. The wording is the pages'."""

    RUNNING = "running"  # a run is at work on it, and nothing waits yet
    WAITING = "waiting"  # people are asked about what is staged
    APPROVED_ONCE = "approved_once"  # one person approves it, and another is asked
    CHANGED = "changed"  # people are asked about what was staged before
    CRITICAL = "critical"  # a critical check failed: nobody is asked
    REJECTED = "rejected"  # people said no, and nobody is asked again yet
    APPROVED = "approved"  # its publication has not begun
    PUBLISHING = "publishing"  # its publication is under way
    FAILED = "failed"  # its publication failed
    LOST = "lost"  # the run that asked people ended without their decision
    AUTOMATIC = "automatic"  # the policy asks nobody
    UNASKED = "unasked"  # people will be asked once it is summed up
    SENT_BACK = "sent_back"  # it was emptied, and is to be processed again
    PUBLISHED = "published"  # nothing is left to decide; researchers read it from the next rewriting on
    VISIBLE = "visible"  # published, and researchers read all that it holds
    RECALLED = "recalled"  # what was published was taken out of research
    EMPTY = "empty"  # nothing was staged


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A decision in the ledger; `about_this` if on the content staged now, `published` if on published content."""

    chosen: str
    decided_by: str
    reason: str
    decided_at: datetime
    about_this: bool
    published: bool


@dataclass(frozen=True, slots=True)
class LateRejection:
    """A rejection that came after publication: account, choice, reason, time."""

    account: str
    chosen: str
    reason: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class DecisionStatus:
    """Status of the decision on an interval.

    `digest` identifies the staged content, `counts` are the effects of publishing it (as in `summarise`), `policy` is
    name and hash of the policy in force, `replaced_policies` those of others that runs staged it under. `airflow_run`
    and `asked_at` describe the open question. `approvers` approve this content, `wanted` is the number required by the
    policy. `requesters` asked for the runs by hand; `own_approval` if one of them alone may approve. `asked_last`: the
    run of Airflow to resume. `rejected_late` came after publication, and no recall followed. Publication is the first
    to apply `opt_outs`. `blind`: whoever has not answered may not know what others said.
    """

    interval_key: str
    state: DecisionState
    digest: str | None
    counts: Mapping[str, int]
    airflow_run: str | None
    asked_about: str | None
    asked_for: str
    asked_at: datetime | None
    due_at: datetime | None
    staged_at: datetime | None
    staging_due_at: datetime | None
    approvers: tuple[str, ...]
    requesters: frozenset[str]
    wanted: int
    own_approval: bool
    asked_last: str | None
    policy: tuple[str, str]
    replaced_policies: tuple[tuple[str, str], ...]
    opt_outs: int
    said: tuple[GivenAnswer, ...]
    rejected_late: tuple[LateRejection, ...]
    blind: bool

    @property
    def late(self) -> bool:
        """True if an answer is overdue."""
        return self.due_at is not None and datetime.now(UTC) > self.due_at

    @property
    def staged_late(self) -> bool:
        """True if a night with documents was staged, or is still not staged, after the policy's time."""
        if self.staging_due_at is None or self.state is DecisionState.EMPTY:
            return False
        return (self.staged_at or datetime.now(UTC)) > self.staging_due_at


def read_status(interval_key: str) -> DecisionStatus | None:
    """Read the status of the decision on an interval; None for a malformed key, or if no run ever processed it."""
    if INTERVAL_KEY.fullmatch(interval_key) is None:
        return None
    with open_interval(interval_key, role="steward") as interval:
        return _read_status(interval)


def find_obstacle(status: DecisionStatus, decision: Decision) -> AnswerProblem | None:
    """Return the reason for which this person cannot give this answer now; None if there is none."""
    with open_interval(status.interval_key, role="steward", asked_by=status.asked_for or None) as interval:
        return answer_obstacle(interval, decision, status.digest or "")


def _read_status(interval: IntervalContext) -> DecisionStatus | None:
    cursor, about = interval.cursor, {"interval_key": interval.key}
    execute(cursor, "deid", "run", "decision_status", about)
    runs, at_work, staged_at, interval_end, scheduled, published_at, recalled_at, is_read = one(cursor)
    if not runs:
        return None
    release, run_ids, digest = interval.release, interval.run_ids, interval.digest
    (found,) = by_column(execute(cursor, "deid", "report", "staged", about | {"run_ids": run_ids}))
    counts = {name: int(value) for name, value in found.items()}
    judged, critical, warnings = interval.failed_rules(run_ids)
    execute(cursor, "deid", "question", "open", about | {"staged_digest": digest or ""})
    airflow_run, asked_about, asked_for, asked_at = cursor.fetchone() or (None, None, "", None)
    execute(cursor, "deid", "decision", "history", about)
    said = tuple(
        GivenAnswer(chosen, by, reason, at, about_this=content == digest, published=published)
        for chosen, by, reason, at, content, published in cursor.fetchall()
    )
    rejected_late = tuple(LateRejection(*row) for row in execute(cursor, "deid", "answer", "late", about).fetchall())
    last = said[0].chosen if said else ""
    ended, asked_last = _last_question(interval, digest or "")
    policy = current_policy()
    if airflow_run is None and not any(counts[name] for name in ("staged", "quarantined", "withdrawn")):
        digest = None  # the digest of an empty content: the night had no document, and nobody is asked about it
    if digest is None:
        state = _state_without_content(at_work, last, published_at, recalled_at, is_read=is_read)
    elif airflow_run is not None:
        state = _state_asked(interval, digest, asked_about)
    elif critical:
        state = DecisionState.CRITICAL
    elif last == REJECT and said[0].about_this:
        state = DecisionState.REJECTED
    elif last == APPROVE and said[0].about_this and _is_approved(interval, digest, said[0]):
        state = _state_approved(interval, digest, said[0].decided_at)
    elif ended in UNANSWERED:
        state = DecisionState.LOST
    elif judged and not approval_needed(release.approval, critical=critical, warnings=warnings):
        state = DecisionState.AUTOMATIC
    else:
        state = DecisionState.UNASKED
    return DecisionStatus(
        interval_key=interval.key,
        state=state,
        digest=digest,
        counts={**counts, "critical": critical, "warnings": warnings},
        airflow_run=airflow_run,
        asked_about=asked_about,
        asked_for=asked_for,
        asked_at=asked_at,
        due_at=decision_due(asked_at, release) if asked_at else None,
        staged_at=staged_at,
        staging_due_at=staging_due(interval_end, release.ready_by) if scheduled else None,
        approvers=tuple(interval.approvers(digest)) if digest else (),
        requesters=frozenset(interval.requesters(run_ids)) | ({asked_for} if asked_for else set()),
        wanted=release.approvals,
        own_approval=release.own_approval,
        asked_last=asked_last,
        policy=(policy.name, policy.digest),
        replaced_policies=interval.replaced_policies() if digest else (),
        opt_outs=_opt_outs_to_come(interval),
        said=said,
        rejected_late=rejected_late,
        blind=release.second_review == "blind" and release.approvals > 1,
    )


def _opt_outs_to_come(interval: IntervalContext) -> int:
    """Return the number of opt-outs that no night or publication has applied yet."""
    return int(one(execute(interval.cursor, "deid", "opt_out", "to_apply"))[0])


def _state_asked(interval: IntervalContext, digest: str, asked_about: str | None) -> DecisionState:
    if asked_about != digest:
        return DecisionState.CHANGED
    given = interval.approvers(digest)
    once = given and interval.release.second_review == "open" and interval.missing_approvals(given, interval.run_ids)
    return DecisionState.APPROVED_ONCE if once else DecisionState.WAITING


def _state_approved(interval: IntervalContext, digest: str, decided_at: datetime) -> DecisionState:
    """Return how far the publication of an approved content is."""
    about = {"interval_key": interval.key, "staged_digest": digest}
    found = execute(interval.cursor, "deid", "publication", "last", about).fetchone()
    if found is None or found[1] < decided_at or found[0] == "published":
        return DecisionState.APPROVED
    return DecisionState(found[0])


def _is_approved(interval: IntervalContext, digest: str, last: GivenAnswer) -> bool:
    return last.decided_by == POLICY_ACTOR or interval.is_approved(digest, interval.run_ids)


def _last_question(interval: IntervalContext, digest: str) -> tuple[str | None, str | None]:
    """Return how the latest question about this content ended, and the run of Airflow that asked it."""
    execute(interval.cursor, "deid", "question", "last", {"interval_key": interval.key, "staged_digest": digest})
    return interval.cursor.fetchone() or (None, None)


def _state_without_content(
    at_work: int, last: str, published_at: datetime | None, recalled_at: datetime | None, *, is_read: bool
) -> DecisionState:
    if at_work:
        return DecisionState.RUNNING
    if recalled_at is not None and published_at is not None and recalled_at >= published_at:
        return DecisionState.RECALLED
    if last == REWORK:
        return DecisionState.SENT_BACK
    if published_at is None:
        return DecisionState.EMPTY
    return DecisionState.VISIBLE if is_read else DecisionState.PUBLISHED
