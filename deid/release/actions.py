"""What is done to let an interval out: sum it up, ask whether a person must decide, publish, report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import contextmanager
from typing import Any

from psycopg2.extensions import cursor as Cursor

from deid.errors import InputRefused, ReleaseRefused
from deid.policy import Policy
from deid.policy import load as load_policy
from deid.quality.report import write_report
from deid.quality.runs import run_checks
from deid.release import permissions, policies
from deid.settings import settings
from deid.stewardship.reviews.closing import tidy
from deid.stewardship.reviews.sampling import Plan, open_review
from deid.warehouse.connection import connect
from deid.warehouse.publish import publish_interval, staged_digest
from deid.warehouse.queries import one, query

INTERVAL_KEY = re.compile(r"\d{4}-\d{2}-\d{2}(?:\.\.\d{4}-\d{2}-\d{2})?")
NOBODY = "politique"  # who decides when the policy asks nobody


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
    _check_key(interval_key)
    policy, digest = _policy(), staged_digest(interval_key)
    run_ids = _staged_runs(interval_key)
    for run_id in run_ids:
        run_checks(run_id, policy)
    with _publisher() as cursor:
        cursor.execute(query("deid", "report", "staged"), {"run_ids": run_ids})
        columns = [column.name for column in cursor.description or ()]
        counts = dict(zip(columns, one(cursor), strict=True))
        _, critical, warnings = _judged(cursor, run_ids)
        if digest is not None:
            _remember(cursor, interval_key, run_ids, digest, "proposed", NOBODY)
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
        _policy().release.approval, critical=summary["critical"], warnings=summary["warnings"]
    )


def publish(interval_key: str, decision: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Publish what was summed up, if the checks and, where the policy wants one, a person let it.

    `decision` is the answer of the approval task, None where nobody was asked. The second call finds nothing to do
    and returns the same release.

    Raises:
        ReleaseRefused: a critical check failed, the content is not what was summed up, the decision is missing,
            negative, or of somebody who may not decide. What was refused is remembered in deid.decision.
        WarehouseUnreachable, WarehouseError, SettingsError: see `publish_interval`.
    """
    _check_key(interval_key)
    run_ids, digest = _staged_runs(interval_key), staged_digest(interval_key)
    if not run_ids or digest is None:
        return publish_interval(interval_key)
    with _publisher() as cursor:
        cursor.execute(query("deid", "decision", "proposed"), {"interval_key": interval_key})
        proposed = cursor.fetchone()
        judged, critical, warnings = _judged(cursor, run_ids)
        if critical:
            reason = f"{critical} critical run-level checks failed"
            _remember(cursor, interval_key, run_ids, digest, "refused", NOBODY, reason)
    policies.check_publishable(interval_key, judged=judged, critical=critical)
    if proposed is None or proposed[0] != digest:
        raise ReleaseRefused(
            f"what is staged for {interval_key} is no longer what was summed up.",
            "Run the step `summarise` again, and have it approved again.",
        )
    _decide(interval_key, run_ids, digest, decision, warnings)
    return publish_interval(interval_key, {"staged_digest": digest})


def report(interval_key: str) -> dict[str, str]:
    """Write the report of an interval, in French and English, and its numbers as JSON.

    Returns paths: `html` (French), `html_en`, `json` and `index`.

    Raises:
        InputRefused: the key is not one of an interval, or no run ever worked on it.
        WarehouseUnreachable, WarehouseError: nothing was written.
    """
    _check_key(interval_key)
    return write_report(interval_key, settings().home / "reports")


def _decide(
    interval_key: str, run_ids: list[int], digest: str, answer: Mapping[str, Any] | None, warnings: int
) -> None:
    """Refuse, or remember who lets the interval out."""
    release = _policy().release
    if answer is None:
        if policies.approval_needed(release.approval, critical=0, warnings=warnings):
            raise ReleaseRefused(
                f"{interval_key} needs a person's approval by the policy.", "Answer the approval task in Airflow."
            )
        with _publisher() as cursor:
            _remember(cursor, interval_key, run_ids, digest, permissions.APPROVE, NOBODY)
        return
    decision = permissions.Decision.from_answer(answer)
    if decision.chosen == permissions.APPROVE:
        permissions.check_may_approve(decision, own_approval=release.own_approval)
    with _publisher() as cursor:
        _remember(cursor, interval_key, run_ids, digest, decision.chosen, decision.decided_by, decision.reason)
    if decision.chosen == permissions.REJECT:
        raise ReleaseRefused(
            f"{interval_key} was rejected by {decision.decided_by or 'a person'}.",
            "Read the reason in its report; run the interval again once its cause is mended.",
        )


def _remember(
    cursor: Cursor, interval_key: str, run_ids: list[int], digest: str, chosen: str, by: str, reason: str = ""
) -> None:
    row = {
        "interval_key": interval_key,
        "run_id": run_ids[-1],
        "chosen": chosen,
        "decided_by": by,
        "reason": reason,
        "staged_digest": digest,
    }
    cursor.execute(query("deid", "decision", "insert"), row)


def _judged(cursor: Cursor, run_ids: list[int]) -> tuple[bool, int, int]:
    """Whether every run was judged, and how many critical and warning rules failed at run level."""
    cursor.execute(query("deid", "check_result", "judged"), {"run_ids": run_ids})
    judged, critical, warnings = one(cursor)
    return bool(judged), int(critical), int(warnings)


def _staged_runs(interval_key: str) -> list[int]:
    with _publisher() as cursor:
        cursor.execute(query("deid", "run", "interval"), {"interval_key": interval_key})
        return [row[0] for row in cursor.fetchall()]


@contextmanager
def _publisher() -> Any:
    with connect(settings().dsn("publisher"), application="nocturne release") as link, link.cursor() as cursor:
        yield cursor


def _policy() -> Policy:
    return load_policy(settings().policy)


def _check_key(interval_key: str) -> None:
    if INTERVAL_KEY.fullmatch(interval_key) is None:
        raise InputRefused(
            "that is no key of an interval.", "Give a night (2026-10-03) or a period (2026-09-01..2026-09-28)."
        )
