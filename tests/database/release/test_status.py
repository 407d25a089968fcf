"""Status of the decision on an interval, as people see it: every state, lateness, and who cannot answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from deid.config.policy import DEFAULT
from deid.config.settings import settings
from deid.publication.publish import staged_digest
from deid.release import actions
from deid.release.decisions import AnswerProblem, Decision, ask_question, close_question, take_answer
from deid.release.status import DecisionState, DecisionStatus, find_obstacle, read_status
from tests.database.release.ledger import Ledger

NIGHT = "2026-10-03"
RUN = "asset__1"


def status() -> DecisionStatus:
    found = read_status(NIGHT)
    assert found is not None
    return found


def answer(chosen: str, who: str = "morel", reason: str = "lu") -> None:
    take_answer(NIGHT, {"chosen": chosen, "decided_by": who, "reason": reason}, digest=str(staged_digest(NIGHT)))


def ask(run: str = RUN, requested_by: str | None = None) -> None:
    ask_question(run, NIGHT, str(staged_digest(NIGHT)), requested_by=requested_by)


@pytest.mark.usefixtures("deployed")
@pytest.mark.parametrize("key", ["nowhere", "2026-13", "<script>", NIGHT])
def test_what_no_run_has_processed_has_no_status(key: str) -> None:
    assert read_status(key) is None


def test_a_run_at_work_comes_first(ledger: Ledger) -> None:
    ledger.night(NIGHT, 10, staged=False)
    found = status()
    assert (found.state, found.digest, found.airflow_run) == (DecisionState.RUNNING, None, None)
    assert found.staged_at is None
    assert found.staged_late  # a scheduled night of the past that is still not staged


def test_a_night_is_unasked_then_automatic_or_waiting(ledger: Ledger) -> None:
    ledger.night(NIGHT, 40)
    assert status().state is DecisionState.UNASKED  # nobody has judged it yet
    summary = actions.summarise(NIGHT)
    found = status()
    assert found.state is DecisionState.AUTOMATIC
    assert {name: found.counts[name] for name in ("staged", "quarantined", "corrected", "withdrawn")} == {
        name: summary[name] for name in ("staged", "quarantined", "corrected", "withdrawn")
    }
    ask(requested_by="leroy")
    found = status()
    assert (found.state, found.airflow_run, found.asked_for) == (DecisionState.WAITING, RUN, "leroy")
    assert found.requesters == {"leroy"}
    assert not found.late


def test_a_question_about_another_content_has_changed(ledger: Ledger) -> None:
    ledger.night(NIGHT, 40)
    actions.summarise(NIGHT)
    ask_question(RUN, NIGHT, "0" * 64)
    assert status().state is DecisionState.CHANGED


def test_a_warning_waits_for_a_person_even_before_the_question(ledger: Ledger) -> None:
    ledger.night(NIGHT, 40, warned=30)
    actions.summarise(NIGHT)
    found = status()
    assert (found.state, found.counts["warnings"]) == (DecisionState.UNASKED, 1)


def test_a_critical_check_asks_nobody(ledger: Ledger) -> None:
    ledger.night(NIGHT, 60, quarantined=30)
    actions.summarise(NIGHT)
    found = status()
    assert (found.state, found.counts["critical"]) == (DecisionState.CRITICAL, 1)


def test_what_people_said_last_is_the_state_and_the_history_tells_all(ledger: Ledger) -> None:
    ledger.night(NIGHT, 40, warned=30)
    actions.summarise(NIGHT)
    ask()
    answer("reject", reason="trop d'alertes")
    close_question(RUN, "reject")
    assert status().state is DecisionState.REJECTED
    answer("approve", "leroy")
    found = status()
    assert (found.state, found.approvers) == (DecisionState.APPROVED, ("leroy",))
    assert [(one.chosen, one.decided_by, one.about_this) for one in found.said] == [
        ("approve", "leroy", True),
        ("reject", "morel", True),
    ]
    answer("rework", reason="à refaire")
    found = status()
    assert (found.state, found.digest) == (DecisionState.SENT_BACK, None)


def test_what_was_published_says_so_with_whose_answer(ledger: Ledger) -> None:
    ledger.night(NIGHT, 40)
    actions.summarise(NIGHT)
    actions.publish(NIGHT)
    found = status()
    assert found.state is DecisionState.VISIBLE
    assert [(one.chosen, one.decided_by, one.published) for one in found.said] == [("approve", "politique", True)]


def test_an_approval_by_the_policy_whose_publication_failed_is_approved(ledger: Ledger, deployed: Any) -> None:
    ledger.night(NIGHT, 40)
    actions.summarise(NIGHT)
    deployed.rows(
        "INSERT INTO deid.decision (interval_key, run_id, chosen, decided_by, staged_digest)"
        " VALUES (%s, 1, 'approve', 'politique', %s)",
        (NIGHT, staged_digest(NIGHT)),
    )
    assert status().state is DecisionState.APPROVED


@pytest.mark.parametrize("outcome", ["expired", "lost"])
def test_a_question_that_nobody_can_answer_any_more_is_lost_until_it_is_asked_again(
    ledger: Ledger, outcome: str
) -> None:
    ledger.night(NIGHT, 40, warned=30)
    actions.summarise(NIGHT)
    ask()
    close_question(RUN, outcome, role="steward")
    assert status().state is DecisionState.LOST
    ask("manual__2")
    assert status().state is DecisionState.WAITING


def test_a_night_without_documents_is_empty_and_never_late(ledger: Ledger) -> None:
    ledger.night(NIGHT, 0, quarantined=0)
    found = status()
    assert (found.state, found.digest, found.staged_late) == (DecisionState.EMPTY, None, False)


def test_an_answer_is_late_after_the_policys_hours(ledger: Ledger, deployed: Any) -> None:
    ledger.night(NIGHT, 40, warned=30)
    actions.summarise(NIGHT)
    ask()
    due = status().due_at
    assert due is not None
    assert timedelta(hours=23) < due - datetime.now(UTC) < timedelta(hours=25)
    deployed.rows("UPDATE deid.question SET asked_at = now() - interval '25 hours'")
    assert status().late


def test_who_cannot_answer_is_told_why(ledger: Ledger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ledger.night(NIGHT, 40, warned=30)
    actions.summarise(NIGHT)
    ask(requested_by="morel")
    found = status()
    assert (found.wanted, found.own_approval) == (1, False)
    assert find_obstacle(found, Decision("approve", "morel")) is AnswerProblem.OWN
    assert find_obstacle(found, Decision("approve", "leroy")) is None
    assert find_obstacle(found, Decision("approve", "leroy", staged_digest="0" * 64)) is AnswerProblem.UNREADABLE
    assert find_obstacle(found, Decision("reject", "leroy")) is AnswerProblem.NO_REASON
    policy = tmp_path / "policy.yaml"
    policy.write_text(DEFAULT.read_text(encoding="utf-8").replace("approvals: 1", "approvals: 2"), encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(policy))
    settings.cache_clear()
    answer("approve", "leroy")
    assert find_obstacle(status(), Decision("approve", "leroy")) is AnswerProblem.AGAIN
    assert find_obstacle(status(), Decision("approve", "morel")) is None
