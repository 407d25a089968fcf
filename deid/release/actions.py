"""Actions of the release DAG: sum up a staged interval, decide whether a person must approve, publish, report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from errno import EDQUOT, ENOSPC
from pathlib import Path
from typing import Any

from deid.config.settings import settings
from deid.database.queries import by_column, execute
from deid.domain.errors import InputRefused, NocturneError, ReleaseRefused
from deid.ledger import audit, signatures
from deid.publication.publish import make_visible, publish_interval, recorded_attempt, staged_digest
from deid.release.decisions import APPROVE, MAX_REASON, AnswerProblem, Decision, Outcome, take_answer
from deid.release.interval import POLICY_ACTOR, check_interval_key, current_policy, open_interval
from deid.release.rules import approval_needed, check_publishable
from deid.reports import write_checks, write_report
from deid.reports.annex import gather_annex, write_annex
from deid.reports.render import replace_file
from deid.reports.run_checks import run_checks
from deid.reviews.lifecycle import SamplePlan, erase_expired_texts, open_review_unasked


def summarise(interval_key: str) -> dict[str, Any]:
    """Judge the staged runs of an interval, by the policies they were planned with, and count effects of publishing.

    Returns counts only, flat: interval_key, runs, seen, staged, quarantined, corrected, withdrawn, critical and
    warnings (failed run-level rules) and staged_digest, None if nothing is staged (then every count is 0). The digest
    is recorded: only exactly this content can be published. A review of a sample is opened if the policy requires one,
    and the texts of expired reviews are erased.

    Raises:
        InputRefused: malformed interval key.
    """
    check_interval_key(interval_key)
    policy, digest = current_policy(), staged_digest(interval_key)
    with open_interval(interval_key) as interval:
        planned = interval.policies()
    for run_id, rules in planned.items():
        run_checks(run_id, rules)
    if planned:
        write_checks(interval_key, settings().home / "reports")
    run_ids, about = list(planned), {"interval_key": interval_key, "run_ids": list(planned)}
    with open_interval(interval_key) as interval:
        cursor, review = interval.cursor, policy.release.review
        (counts,) = by_column(execute(cursor, "deid", "report", "staged", about))
        _, critical, warnings = interval.failed_rules(run_ids)
        if digest is not None:
            interval.record_by_policy(run_ids[-1], digest, "proposed")
        if digest is not None and review.automatic and not critical and counts["staged"]:
            open_review_unasked(cursor, interval_key, SamplePlan.of(review), POLICY_ACTOR)
        erase_expired_texts(cursor, review.keep_days)
    verdict = {"critical": critical, "warnings": warnings, "staged_digest": digest}
    return {"interval_key": interval_key, "runs": len(run_ids), **counts, **verdict}


def needs_approval(summary: Mapping[str, Any]) -> bool:
    """Return whether a person must decide on a summary of `summarise`: by the policy, or since one rejected it.

    Raises:
        WarehouseUnreachable, WarehouseError: the policies of the staged runs could not be read.
    """
    if not summary["runs"]:
        return False
    with open_interval(summary["interval_key"]) as interval:
        if not summary["critical"] and interval.is_vetoed(str(summary["staged_digest"])):
            return True
        approval = interval.release.approval
    return approval_needed(approval, critical=summary["critical"], warnings=summary["warnings"])


def publish(
    interval_key: str, answer: Mapping[str, Any] | None = None, *, asked_by: str | None = None
) -> dict[str, Any]:
    """Publish the content that was summed up, if the checks pass and, where the policy requires it, people approve.

    `answer` is a person's, to be taken first (`take_answer`); None if it was taken already or nobody was asked.
    `asked_by` is the account that started the release by hand, if any. A second call changes nothing and returns the
    same release.

    Raises:
        ReleaseRefused: a critical check failed, the content has changed since it was summed up, the answer is negative
            or of a person who may not give it, or approvals are missing. The refusal is recorded in deid.decision.
        WarehouseUnreachable, WarehouseError, SettingsError: see `publish_interval`.
    """
    check_interval_key(interval_key)
    with open_interval(interval_key) as interval:
        run_ids = interval.run_ids
    digest = staged_digest(interval_key)
    if not run_ids or digest is None:
        return _publish(interval_key, {})
    with open_interval(interval_key) as interval:
        proposed = execute(interval.cursor, "deid", "decision", "proposed", {"interval_key": interval_key}).fetchone()
        judged, critical, warnings = interval.failed_rules(run_ids)
        if critical:
            reason = f"{critical} critical run-level checks failed"
            interval.record_by_policy(run_ids[-1], digest, "refused", reason)
    check_publishable(interval_key, judged=judged, critical=critical)
    if proposed is None or proposed[0] != digest:
        raise ReleaseRefused(
            f"what is staged for {interval_key} is no longer what was summed up.",
            "Run the step `summarise` again, and have it approved again.",
        )
    if answer is not None:
        _check_answer(interval_key, answer, digest, asked_by)
    _check_approved(interval_key, run_ids, digest, warnings, asked_by)
    return _publish(interval_key, {"staged_digest": digest})


def _publish(interval_key: str, decision: Mapping[str, Any]) -> dict[str, Any]:
    """Publish, then rewrite what researchers read if the policy's period has passed."""
    digest = decision.get("staged_digest")
    with recorded_attempt(interval_key, digest) if digest else nullcontext():
        release = publish_interval(interval_key, decision)
    make_visible(current_policy().release.visible)
    signatures.sign_trail("publisher")
    return release


def report(interval_key: str) -> dict[str, str]:
    """Write the report of an interval, in French and English, its numbers as JSON; once published, annex and catalogue.

    Returns paths: `html` (French), `html_en`, `json`, `index`, `annex` (Markdown) for the data protection officer, and
    `catalogue` (HealthDCAT-AP in JSON-LD).

    Raises:
        InputRefused: malformed interval key, or no run ever processed the interval.
        SettingsError: the file of NOCTURNE_CATALOGUE cannot be read.
        NocturneError: the folder of reports cannot be written, or its disk is full.
    """
    check_interval_key(interval_key)
    folder = settings().home / "reports"
    try:
        paths = write_report(interval_key, folder)
        with suppress(InputRefused):  # nothing of it is published
            page = write_annex(gather_annex(interval_key))
            paths["annex"] = str(replace_file(folder / f"{interval_key}.dpo.md", page).resolve())
            paths["catalogue"] = _write_catalogue(interval_key, folder)
    except OSError as error:
        why = "the disk is full" if error.errno in (ENOSPC, EDQUOT) else type(error).__name__
        raise NocturneError(
            f"the report of {interval_key} cannot be written in {folder}: {why}.",
            f"What was published stays published. Make room or give rights there, then: python -m deid report "
            f"{interval_key}",
        ) from None
    return paths


def _write_catalogue(interval_key: str, folder: Path) -> str:
    from deid.reports.catalogue import describe_release

    record = json.dumps(describe_release(interval_key).record, ensure_ascii=False, indent=1)
    return str(replace_file(folder / f"{interval_key}.dcat.jsonld", record + "\n").resolve())


def annex(interval_key: str) -> str:
    """Return the annex of a published interval for the data protection officer, as French Markdown.

    Raises:
        InputRefused: malformed interval key, or nothing of it is published.
    """
    check_interval_key(interval_key)
    return write_annex(gather_annex(interval_key))


def _check_answer(interval_key: str, answer: Mapping[str, Any], digest: str, asked_by: str | None) -> None:
    """Take an answer.

    Raises:
        ReleaseRefused: the answer is negative, void, or of a person who may not give it.
    """
    given = Decision.from_answer(answer)
    taken = take_answer(interval_key, answer, digest=digest, asked_by=asked_by)
    if taken.outcome in (Outcome.REJECT, Outcome.REWORK):
        done = "rejected" if taken.outcome is Outcome.REJECT else "sent back for reprocessing"
        raise ReleaseRefused(
            f"{interval_key} was {done} by {given.decided_by or 'a person'}.",
            "Read the reason in its report; run the interval again once its cause is mended.",
        )
    if taken.why is AnswerProblem.OWN:
        raise ReleaseRefused(
            "whoever asked for a run may not approve it alone.", "Have another steward approve the interval."
        )
    if taken.why in (AnswerProblem.UNREADABLE, AnswerProblem.NO_REASON):
        raise ReleaseRefused(
            f"the answer about {interval_key} cannot be taken: {taken.why}.",
            f"Answer from a personal account, with a reason of at most {MAX_REASON} characters.",
        )


def _check_approved(interval_key: str, run_ids: list[int], digest: str, warnings: int, asked_by: str | None) -> None:
    """Refuse unless enough people approve this content, or the policy requires nobody; the latter is then recorded."""
    with open_interval(interval_key, asked_by=asked_by) as interval:
        release = interval.release
        if interval.is_approved(digest, run_ids):
            return
        vetoed = interval.is_vetoed(digest)
        if not vetoed and not approval_needed(release.approval, critical=0, warnings=warnings):
            if interval.record_by_policy(run_ids[-1], digest, APPROVE):
                about, details = f"release {interval_key}", {"staged_digest": digest, "reason": "", "approvals": 0}
                audit.write(interval.cursor, POLICY_ACTOR, audit.Action.APPROVE, about, **details)
            return
        given = interval.approvers(digest)
    if given:
        raise ReleaseRefused(
            f"{interval_key} needs the approval of another person: {len(given)} given, {release.approvals} wanted"
            " by the policy, not by whoever asked for the run alone.",
            "Have another steward approve the same content.",
        )
    if vetoed:
        raise ReleaseRefused(
            f"{interval_key} was rejected after it was approved.",
            "Read the reason on the release's page; have it approved again, or send it back for reprocessing.",
        )
    raise ReleaseRefused(
        f"{interval_key} needs a person's approval by the policy.", "Answer the approval task in Airflow."
    )
