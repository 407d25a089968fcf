"""People's decisions on staged intervals: questions asked, answers weighed and recorded, and runs to do again.

An answer from a steward's page, from Airflow's «Required Actions» or from the command line is taken here, under the
same rules and in one transaction with its line of the audit trail.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from deid.database.connection import open_cursor
from deid.database.queries import Cursor, execute, one
from deid.domain.errors import InputRefused, ReleaseRefused
from deid.ledger import audit
from deid.publication.publish import end_interrupted, find_interrupted, try_lock_publication
from deid.release.interval import IntervalContext, check_interval_key, open_interval
from deid.release.rules import may_approve

APPROVE, REJECT, REWORK = "approve", "reject", "rework"
CHOICES = (APPROVE, REJECT, REWORK)
# As Airflow's form shows the choices.
ANSWERS: Mapping[str, str] = {APPROVE: "Approuver", REJECT: "Rejeter", REWORK: "Renvoyer en traitement"}
RIGHT_DAYS = 30  # for which a right that the auth manager confirmed holds at a command line, which cannot ask it
MAX_REASON = 200  # characters: an answer passes through Airflow, which keeps no texts


class Outcome(StrEnum):
    """Consequence of an answer."""

    APPROVE = APPROVE  # enough people approve: publish
    REJECT = REJECT  # nothing is published, the interval stays staged
    REWORK = REWORK  # the interval was emptied, and is to be processed again
    ASK = "ask"  # the answer does not settle it: the question stays open


class AnswerProblem(StrEnum):
    """Reason for which a question stays open, or an answer cannot be given. The wording is the pages'."""

    SECOND = "second"  # another person must approve too
    OWN = "own"  # the person asked for the run, and may not approve it alone
    AGAIN = "again"  # this person has approved already
    NO_REASON = "no_reason"  # rejecting and sending back need a reason
    UNREADABLE = "unreadable"  # not an answer to this question
    NOT_ALLOWED = "not_allowed"  # this person may not decide


class Kept(StrEnum):
    """Consequence of an answer that came after another one."""

    VETO = "veto"  # a rejection: nothing is published under the approvals given before
    LATE = "late"  # it decides nothing


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's answer: a choice, an account's name, a reason, and the digest of the content shown, if known."""

    chosen: str
    decided_by: str
    reason: str = ""
    staged_digest: str | None = None

    @classmethod
    def from_answer(cls, answer: Mapping[str, Any]) -> Decision:
        """Read an answer of Airflow's approval task, or the same facts under plain names (`chosen`, `decided_by`…).

        A choice is one of `CHOICES` or its name in `ANSWERS`. The account's name is preferred to its id, because
        Airflow stores the name of the person who started a run.

        Raises:
            ReleaseRefused: the answer is neither approve nor reject nor rework.
        """
        options = answer.get("chosen_options") or [answer.get("chosen", "")]
        given = str(options[0]).casefold() if len(options) == 1 else ""
        chosen = next((one for one, name in ANSWERS.items() if given in (one, name.casefold())), None)
        if chosen is None:
            raise ReleaseRefused(
                "the answer is neither to approve nor to reject nor to send back.", "Ask for the decision again."
            )
        person = answer.get("responded_by_user") or {}
        form = answer.get("params_input") or {}
        return cls(
            chosen=chosen,
            decided_by=str(person.get("name") or person.get("id") or answer.get("decided_by") or ""),
            reason=str(form.get("motif") or answer.get("reason") or "").strip(),
            staged_digest=form.get("empreinte") or answer.get("staged_digest"),
        )


@dataclass(frozen=True, slots=True)
class Taken:
    """Result of an answer: `why` is set if the question stays open, `waiting_for` counts missing approvals."""

    outcome: Outcome
    why: AnswerProblem | None = None
    waiting_for: int = 0


def ask_question(airflow_run: str, interval_key: str, digest: str, *, requested_by: str | None = None) -> None:
    """Record that a release run asks people about a content; a repeated question is open again.

    Raises:
        InputRefused: malformed interval key.
    """
    check_interval_key(interval_key)
    row = {"airflow_run": airflow_run, "interval_key": interval_key, "staged_digest": digest}
    with open_cursor("publisher", "nocturne release") as cursor:
        execute(cursor, "deid", "question", "ask", row | {"requested_by": requested_by or ""})


def close_question(airflow_run: str, outcome: str, *, role: str = "publisher") -> bool:
    """Record the end of a release run's question: approve, reject, rework, stale, expired or lost; True if it was open.

    `role` is "steward" on the pages. A question that is closed already keeps its outcome.
    """
    with open_cursor(role, "nocturne release") as cursor:
        execute(cursor, "deid", "question", "close", {"airflow_run": airflow_run, "outcome": outcome})
        return cursor.rowcount > 0


def record_right(airflow_run: str, account: str, *, may_decide: bool) -> None:
    """Record whether an account that answers a question in Airflow may decide, as the auth manager says.

    A person who may not is written to the audit trail as refused. A question that nobody asked leaves nothing.
    """
    about = {"airflow_run": airflow_run, "account": account, "may_decide": may_decide}
    with open_cursor("steward", "nocturne pages") as cursor:
        asked = execute(cursor, "deid", "answer_right", "record", about).fetchone()
        if asked is not None and not may_decide:
            why = str(AnswerProblem.NOT_ALLOWED)
            audit.write(cursor, account, audit.Action.REFUSED, f"release {asked[0]}", why=why)


def check_right(interval_key: str, account: str) -> None:
    """Refuse an account that answers outside Airflow, unless its right was confirmed in the last `RIGHT_DAYS`.

    The right is the one that `record_right` keeps, whichever question the person answered, or that an administrator
    granted (`change_right`). A refusal is written to the audit trail.

    Raises:
        ReleaseRefused: the last check says no, or there was none.
    """
    check_interval_key(interval_key)
    with open_cursor("publisher", "nocturne release") as cursor:
        execute(cursor, "deid", "answer_right", "latest", {"account": account, "days": RIGHT_DAYS})
        if cursor.fetchone() == (True,):
            return
        why = str(AnswerProblem.NOT_ALLOWED)
        audit.write(cursor, account, audit.Action.REFUSED, f"release {interval_key}", chosen=APPROVE, why=why)
    raise ReleaseRefused(
        f"{account} may not decide on releases by any answer of the last {RIGHT_DAYS} days.",
        "Answer on the release's page in Airflow, which checks the right, or have it granted (`rights grant`).",
    )


def settled_outcome(interval_key: str, digest: str, *, airflow_run: str, asked_by: str | None = None) -> Taken | None:
    """Return the decision already made on exactly this content, after its task was lost; None if there is none.

    A run that has not asked yet asks, even about an approved content: after a publication that failed, people may
    still reject it or send it back.
    """
    with open_interval(interval_key, asked_by=asked_by) as interval:
        about = {"airflow_run": airflow_run, "staged_digest": digest}
        if execute(interval.cursor, "deid", "question", "of_run", about).fetchone() is None:
            return None
        last = execute(interval.cursor, "deid", "decision", "last", {"interval_key": interval_key}).fetchone()
        if last is not None and last[:2] == (REWORK, digest) and interval.digest != digest:
            return Taken(Outcome.REWORK)
        if interval.is_approved(digest, interval.run_ids):
            return Taken(Outcome.APPROVE)
    return None


def take_answer(
    interval_key: str,
    answer: Mapping[str, Any],
    *,
    digest: str,
    asked_by: str | None = None,
    airflow_run: str | None = None,
) -> Taken:
    """Take an answer about the content of `digest`; `asked_by` is the account that started the release by hand, if any.

    `airflow_run` names the run whose question was answered in Airflow: the answer then counts only if the person may
    decide (`record_right`). Where a veto came after the answer and before this, the outcome is the veto's. Without it,
    an answer that settles the interval closes its questions in Airflow. Sending back empties the interval in the same
    transaction: its staged documents are superseded, their texts erased. What an interrupted publication has written of
    it stays published.

    Raises:
        ReleaseRefused: the staged content is another, its publication has begun, or another answer came first: the
            question is void.
    """
    check_interval_key(interval_key)
    with open_interval(interval_key, asked_by=asked_by) as interval:
        execute(interval.cursor, "deid", "question", "lock", {"interval_key": interval_key})
        interval.lock_decisions()
        taken = _take_answer(interval, answer, digest, airflow_run)
        if airflow_run is not None:
            execute(interval.cursor, "deid", "answer", "weigh", {"airflow_run": airflow_run})
        elif isinstance(taken, Taken) and taken.outcome is not Outcome.ASK:
            closed = {"interval_key": interval_key, "outcome": taken.outcome.value}
            execute(interval.cursor, "deid", "question", "close_others", closed)
    if isinstance(taken, ReleaseRefused):  # raised after the commit, which keeps the line of the audit trail
        raise taken
    return taken


def _take_answer(
    interval: IntervalContext, answer: Mapping[str, Any], digest: str, airflow_run: str | None
) -> Taken | ReleaseRefused:
    try:
        decision = Decision.from_answer(answer)
    except ReleaseRefused:
        return Taken(Outcome.ASK, AnswerProblem.UNREADABLE)
    run_ids = interval.run_ids
    if not run_ids or interval.digest != digest:
        record_refused_answer(interval, decision, "stale")
        return ReleaseRefused(
            f"what is staged for {interval.key} is no longer what the answer is about.",
            "Run the step `summarise` again, and have it decided again.",
        )
    why = answer_obstacle(interval, decision, digest)
    if airflow_run is not None and not _may_decide(interval, airflow_run, decision.decided_by):
        why = AnswerProblem.NOT_ALLOWED
    if why is not None:
        if why is not AnswerProblem.AGAIN:
            record_refused_answer(interval, decision, why)
        return Taken(Outcome.ASK, why, _missing_approvals(interval, digest))
    about = {"interval_key": interval.key, "staged_digest": digest}
    execute(interval.cursor, "deid", "answer", "unweighed", about)
    if airflow_run is None and (first := interval.cursor.fetchone()):
        keep_answer(interval.cursor, interval.key, digest, decision, "answered")
        return ReleaseRefused(
            f"{first[0]} answered about {interval.key} a moment before.", "See on the release's page what was decided."
        )
    interrupted = find_interrupted(interval.cursor, interval.key) if decision.chosen == REWORK else None
    if interrupted is not None and not try_lock_publication(interval.cursor):
        record_refused_answer(interval, decision, "begun")
        return ReleaseRefused(
            f"the publication of {interval.key} has begun, and a publication is under way: it cannot be sent back now.",
            "Wait for the step `publish` to end; if it fails, send the interval back then.",
        )
    _record_decision(interval, run_ids, decision, digest, interrupted)
    if decision.chosen != APPROVE:
        return Taken(Outcome(decision.chosen))
    if airflow_run is not None and _repeat_vetoes(interval, run_ids, digest, airflow_run):
        return Taken(Outcome.REJECT)
    if interval.is_approved(digest, run_ids):
        return Taken(Outcome.APPROVE)
    return Taken(Outcome.ASK, AnswerProblem.SECOND, _missing_approvals(interval, digest))


def _repeat_vetoes(interval: IntervalContext, run_ids: list[int], digest: str, airflow_run: str) -> bool:
    """Record again what people rejected while the approval just recorded was on its way; return whether anybody did."""
    if (sent := execute(interval.cursor, "deid", "answer", "sent", {"airflow_run": airflow_run}).fetchone()) is None:
        return False
    row = {"interval_key": interval.key, "run_id": run_ids[-1], "staged_digest": digest, "missing": 0, "blind": False}
    vetoes = execute(interval.cursor, "deid", "answer", "vetoes", row | {"sent_at": sent[0]}).fetchall()
    for account, reason in vetoes:
        said = {"chosen": REJECT, "decided_by": account, "reason": reason}
        execute(interval.cursor, "deid", "decision", "record", row | said)
    return bool(vetoes)


def keep_answer(
    cursor: Cursor, interval_key: str, digest: str, decision: Decision, why: str, airflow_run: str = ""
) -> Kept:
    """Keep an answer that came after another one; return whether it is a veto, which stops the release, or late.

    A rejection of a content that is staged and not published is a veto, with or without Airflow: it is recorded as a
    rejection, and no approval given before counts after it. The audit trail has either, `why` a late one is late.
    """
    row = {"interval_key": interval_key, "staged_digest": digest, "airflow_run": airflow_run}
    said = {"account": decision.decided_by, "chosen": decision.chosen, "reason": decision.reason[:MAX_REASON]}
    kept = Kept(one(execute(cursor, "deid", "answer", "keep", row | said))[0])
    details = {"chosen": decision.chosen, "staged_digest": digest, "reason": said["reason"]}
    action = audit.Action.VETO if kept is Kept.VETO else audit.Action.REFUSED
    more = {} if kept is Kept.VETO else {"why": why}
    audit.write(cursor, decision.decided_by or "?", action, f"release {interval_key}", **details, **more)
    return kept


def answer_obstacle(interval: IntervalContext, decision: Decision, digest: str) -> AnswerProblem | None:
    """Return the reason for which this person cannot give this answer about `digest`; None if there is none."""
    if not decision.decided_by or decision.staged_digest not in (None, digest) or len(decision.reason) > MAX_REASON:
        return AnswerProblem.UNREADABLE
    if decision.chosen in (REJECT, REWORK):
        return None if decision.reason else AnswerProblem.NO_REASON
    run_ids, release = interval.run_ids, interval.release
    asked = interval.requesters(run_ids)
    if not may_approve(decision.decided_by, asked, approvals=release.approvals, own_approval=release.own_approval):
        return AnswerProblem.OWN
    if decision.decided_by in interval.approvers(digest) and not interval.is_approved(digest, run_ids):
        return AnswerProblem.AGAIN
    return None


def record_refused_answer(interval: IntervalContext, decision: Decision, why: str) -> None:
    """Write an answer that was not taken to the audit trail, with its reason."""
    actor, details = decision.decided_by or "?", {"chosen": decision.chosen, "why": str(why)}
    if decision.reason:
        details["reason"] = decision.reason[:MAX_REASON]
    audit.write(interval.cursor, actor, audit.Action.REFUSED, f"release {interval.key}", **details)


def is_vetoed(interval_key: str) -> bool:
    """Return whether a person has rejected what is staged for an interval since it was last approved, if it was."""
    with open_interval(interval_key) as interval:
        digest = interval.digest
        return digest is not None and interval.is_vetoed(digest)


def rework_run(interval_key: str) -> dict[str, Any] | None:
    """Return the name (`run`) and launch form (`conf`) of the run that a sent-back interval needs.

    None if the last decision was another. The name derives from the decision, so that a repeat asks for the same run.
    """
    with open_interval(interval_key) as interval:
        cursor = interval.cursor
        last = execute(cursor, "deid", "decision", "last", {"interval_key": interval_key}).fetchone()
        if last is None or last[0] != REWORK:
            return None
        _, _, decided_by, reason, decided_at = last
        execute(cursor, "deid", "run", "scope", {"interval_key": interval_key, "decided_at": decided_at})
        scope = cursor.fetchone()
    if scope is None:
        return None
    start, end, document_types, services = scope
    period = interval_key.replace("..", "_to_")  # Airflow refuses two dots in the name of a run
    return {
        "run": f"rework__{period}__{decided_at:%Y%m%dT%H%M%S%f}",
        "conf": {
            "reason": reason,
            "interval_start": start.isoformat(),
            "interval_end": end.isoformat(),
            "document_types": list(document_types),
            "services": list(services),
            "requested_by": decided_by,
        },
    }


def _record_decision(
    interval: IntervalContext, run_ids: list[int], decision: Decision, digest: str, interrupted: int | None
) -> None:
    cursor, given = interval.cursor, interval.approvers(digest)
    if decision.chosen == APPROVE and decision.decided_by in given:
        return  # the task that brought the approval is being repeated
    missing = 0
    if decision.chosen == APPROVE:
        missing = interval.missing_approvals([*given, decision.decided_by], run_ids)
    row = {"interval_key": interval.key, "run_id": run_ids[-1], "staged_digest": digest, "missing": missing}
    row["blind"] = missing > 0 and interval.release.second_review == "blind"
    answer = {"chosen": decision.chosen, "decided_by": decision.decided_by, "reason": decision.reason}
    (decided_at,) = one(execute(cursor, "deid", "decision", "record", row | answer))
    action = {APPROVE: audit.Action.APPROVE, REJECT: audit.Action.REJECT, REWORK: audit.Action.REWORK}[decision.chosen]
    details: dict[str, Any] = {"staged_digest": digest, "reason": decision.reason}
    if decision.chosen == APPROVE:
        details["approvals"] = len(given) + 1
    if decision.chosen == REWORK:
        back = {"run_ids": run_ids, "decided_at": decided_at, "interrupted": interrupted}
        details["documents"] = execute(cursor, "deid", "document", "send_back", back).rowcount
        execute(cursor, "deid", "run", "send_back", back)
        if interrupted is not None:
            end_interrupted(cursor, interrupted)
        execute(cursor, "deid", "staged_content", "forget")
    audit.write(cursor, decision.decided_by, action, f"release {interval.key}", **details)


def _may_decide(interval: IntervalContext, airflow_run: str, account: str) -> bool:
    about = {"airflow_run": airflow_run, "account": account}
    return execute(interval.cursor, "deid", "answer_right", "held", about).fetchone() == (True,)


def _missing_approvals(interval: IntervalContext, digest: str) -> int:
    return max(1, interval.release.approvals - len(interval.approvers(digest)))


# Rights that an administrator of the database grants, for installations without Airflow


@dataclass(frozen=True, slots=True)
class GrantedRight:
    """The last grant or revocation of an account: whether it may decide, who said so, why and when."""

    account: str
    may_decide: bool
    granted_by: str
    reason: str
    at: datetime


def change_right(actor: str, account: str, reason: str, *, may_decide: bool) -> None:
    """Grant an account the right to decide from a command line, or revoke it, as the owner of the database.

    A grant holds until it is revoked, or until Airflow's auth manager says that the account may not decide. The audit
    trail has a line of it.

    Raises:
        InputRefused: no account, no reason, or either is too long.
        SettingsError: the owner's connection string is not set.
    """
    account, reason = account.strip(), " ".join(reason.split())
    if not account or len(account) > MAX_REASON:
        raise InputRefused("that is no account.", "Give the name of the system's account that decides.")
    if not reason or len(reason) > MAX_REASON:
        raise InputRefused("a right is granted for a reason.", f"Give one of at most {MAX_REASON} characters.")
    row = {"account": account, "may_decide": may_decide, "granted_by": actor, "reason": reason}
    with open_cursor("owner", "nocturne rights") as cursor:
        execute(cursor, "deid", "answer_right", "grant", row)
        action = audit.Action.GRANT_RIGHT if may_decide else audit.Action.REVOKE_RIGHT
        audit.write(cursor, actor, action, f"account {account}", reason=reason)


def list_rights() -> list[GrantedRight]:
    """Return the last grant or revocation of each account, by account, as the owner of the database."""
    with open_cursor("owner", "nocturne rights", readonly=True) as cursor:
        return [GrantedRight(*row) for row in execute(cursor, "deid", "answer_right", "granted").fetchall()]
