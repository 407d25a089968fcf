"""What is done to let an interval out: sum it up, ask whether a person must decide, publish, report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deid.config.settings import settings
from deid.domain.errors import ReleaseRefused
from deid.release import answers, permissions, policies, room
from deid.release.room import INTERVAL_KEY as INTERVAL_KEY
from deid.release.room import NOBODY
from deid.reports import write_report
from deid.reports.run_checks import run_checks
from deid.reviews.closing import tidy
from deid.reviews.sampling import Plan, open_review
from deid.warehouse import audit
from deid.warehouse.publish import publish_interval, staged_digest
from deid.warehouse.queries import Cursor, one, query


def summarise(interval_key: str) -> dict[str, Any]:
    """Judge the staged runs of an interval and count what publishing them would do.

    Counts only, flat: interval_key, runs, seen, staged, quarantined, corrected, withdrawn, critical and warnings
    (run-level rules that failed) and staged_digest, None where nothing waits (then every count is 0). What was
    summed up is remembered: only exactly that can be published. The review of a sample is opened if the policy wants
    that, and the texts of reviews whose time is over are erased.

    Raises:
        InputRefused: the key is not one of an interval.
        WarehouseUnreachable, WarehouseError: nothing was stored.
    """
    room.check_key(interval_key)
    policy, digest = room.policy(), staged_digest(interval_key)
    run_ids = _staged_runs(interval_key)
    for run_id in run_ids:
        run_checks(run_id, policy)
    with room.publisher() as cursor:
        cursor.execute(query("deid", "report", "staged"), {"run_ids": run_ids})
        columns = [column.name for column in cursor.description or ()]
        counts = dict(zip(columns, one(cursor), strict=True))
        _, critical, warnings = room.judged(cursor, run_ids)
        if digest is not None:
            _remember(cursor, interval_key, run_ids, digest, "proposed")
        if digest is not None and policy.release.review.automatic and not critical and counts["staged"]:
            open_review(cursor, interval_key, Plan.of(policy.release.review), NOBODY)
        tidy(cursor, policy.release.review.keep_days)
    verdict = {"critical": critical, "warnings": warnings, "staged_digest": digest}
    return {"interval_key": interval_key, "runs": len(run_ids), **counts, **verdict}


def needs_approval(summary: Mapping[str, Any]) -> bool:
    """Whether the policy wants a person to decide on what `summarise` returned."""
    if not summary["runs"]:
        return False
    return policies.approval_needed(
        room.policy().release.approval, critical=summary["critical"], warnings=summary["warnings"]
    )


def publish(
    interval_key: str, answer: Mapping[str, Any] | None = None, *, asked_by: str | None = None
) -> dict[str, Any]:
    """Publish what was summed up, if the checks and, where the policy wants them, enough people let it.

    `answer` is a person's, to be taken first (`answers.take`); None where it was taken already or nobody was asked.
    `asked_by` started the release by hand, if anyone did. The second call finds nothing to do and returns the same
    release.

    Raises:
        ReleaseRefused: a critical check failed, the content is not what was summed up, the answer is negative or of
            somebody who may not give it, approvals are missing. What was refused is remembered in deid.decision.
        WarehouseUnreachable, WarehouseError, SettingsError: see `publish_interval`.
    """
    room.check_key(interval_key)
    run_ids, digest = _staged_runs(interval_key), staged_digest(interval_key)
    if not run_ids or digest is None:
        return publish_interval(interval_key)
    with room.publisher() as cursor:
        cursor.execute(query("deid", "decision", "proposed"), {"interval_key": interval_key})
        proposed = cursor.fetchone()
        judged, critical, warnings = room.judged(cursor, run_ids)
        if critical:
            reason = f"{critical} critical run-level checks failed"
            _remember(cursor, interval_key, run_ids, digest, "refused", reason)
    policies.check_publishable(interval_key, judged=judged, critical=critical)
    if proposed is None or proposed[0] != digest:
        raise ReleaseRefused(
            f"what is staged for {interval_key} is no longer what was summed up.",
            "Run the step `summarise` again, and have it approved again.",
        )
    if answer is not None:
        _check_answer(interval_key, answer, digest, asked_by)
    _check_approved(interval_key, run_ids, digest, warnings, asked_by)
    return publish_interval(interval_key, {"staged_digest": digest})


def report(interval_key: str) -> dict[str, str]:
    """Write the report of an interval, in French and English, and its numbers as JSON.

    Returns paths: `html` (French), `html_en`, `json` and `index`.

    Raises:
        InputRefused: the key is not one of an interval, or no run ever worked on it.
        WarehouseUnreachable, WarehouseError: nothing was written.
    """
    room.check_key(interval_key)
    return write_report(interval_key, settings().home / "reports")


def _check_answer(interval_key: str, answer: Mapping[str, Any], digest: str, asked_by: str | None) -> None:
    """Take an answer; anything but an approval that counts ends here."""
    given = permissions.Decision.from_answer(answer)
    taken = answers.take(interval_key, answer, digest=digest, asked_by=asked_by)
    if taken.outcome in (answers.Outcome.REJECT, answers.Outcome.REWORK):
        done = "rejected" if taken.outcome is answers.Outcome.REJECT else "sent back for reprocessing"
        raise ReleaseRefused(
            f"{interval_key} was {done} by {given.decided_by or 'a person'}.",
            "Read the reason in its report; run the interval again once its cause is mended.",
        )
    if taken.why is answers.Why.OWN:
        permissions.check_may_approve(
            permissions.Decision(permissions.APPROVE, given.decided_by, requested_by=given.decided_by),
            own_approval=False,
        )
    if taken.why in (answers.Why.UNREADABLE, answers.Why.NO_REASON):
        raise ReleaseRefused(
            f"the answer about {interval_key} cannot be taken: {taken.why}.",
            f"Answer from a personal account, with a reason of at most {answers.MAX_REASON} characters.",
        )


def _check_approved(interval_key: str, run_ids: list[int], digest: str, warnings: int, asked_by: str | None) -> None:
    """Refuse unless enough people approve this content, or the policy asks nobody, which is then remembered."""
    release = room.policy().release
    with room.publisher() as cursor:
        given = room.approvers(cursor, interval_key, digest)
        asked = room.requesters(cursor, run_ids, asked_by)
        if permissions.enough(given, asked, approvals=release.approvals, own_approval=release.own_approval):
            return
        if not policies.approval_needed(release.approval, critical=0, warnings=warnings):
            if _remember(cursor, interval_key, run_ids, digest, permissions.APPROVE):
                about = f"release {interval_key}"
                audit.write(cursor, NOBODY, audit.Action.APPROVE, about, staged_digest=digest, reason="", approvals=0)
            return
    if given:
        raise ReleaseRefused(
            f"{interval_key} needs the approval of another person: {len(given)} given, {release.approvals} wanted"
            " by the policy, not by whoever asked for the run alone.",
            "Have another steward approve the same content.",
        )
    raise ReleaseRefused(
        f"{interval_key} needs a person's approval by the policy.", "Answer the approval task in Airflow."
    )


def _remember(
    cursor: Cursor, interval_key: str, run_ids: list[int], digest: str, chosen: str, reason: str = ""
) -> bool:
    """Write down what the product itself proposed, let out or refused, once; True if it was new."""
    row = {
        "interval_key": interval_key,
        "run_id": run_ids[-1],
        "chosen": chosen,
        "decided_by": NOBODY,
        "reason": reason,
        "staged_digest": digest,
    }
    cursor.execute(query("deid", "decision", "insert"), row)
    return cursor.rowcount > 0


def _staged_runs(interval_key: str) -> list[int]:
    with room.publisher() as cursor:
        return room.staged_runs(cursor, interval_key)
