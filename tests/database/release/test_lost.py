"""Questions that were lost: which intervals are announced again, and how often."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from deid.publication.publish import recorded_attempt, staged_digest
from deid.release import actions
from deid.release.decisions import ask_question, close_question, take_answer
from deid.release.lost import find_unasked
from tests.database.release.ledger import Ledger

NIGHT, QUIET = "2026-10-03", "2026-10-04"


@pytest.fixture
def night(deployed: Any, ledger: Ledger) -> Any:
    """An interval with a warning, summed up, about which nobody is asked."""
    ledger.night(NIGHT, 40, warned=30)
    actions.summarise(NIGHT)
    return deployed


def found(hours: float = 2) -> list[str]:
    return find_unasked(datetime.now(UTC) + timedelta(hours=hours))


def say(chosen: str) -> None:
    take_answer(NIGHT, {"chosen": chosen, "decided_by": "morel", "reason": "lu"}, digest=str(staged_digest(NIGHT)))


def test_what_was_never_asked_is_announced_once_it_should_have_been(night: Any) -> None:
    assert found(hours=0) == [], "its release may just be starting"
    assert found() == [NIGHT]
    assert found() == [], "once"
    night.rows("UPDATE deid.question_retry SET retried_at = now() - interval '7 hours'")
    assert found() == [NIGHT]


@pytest.mark.parametrize("outcome", ["lost", "expired"])
def test_a_question_that_ended_without_a_decision_is_asked_again(night: Any, outcome: str) -> None:
    digest = str(staged_digest(NIGHT))
    ask_question("asset__1", NIGHT, digest)
    assert found() == [], "people are asked"
    close_question("asset__1", outcome)
    assert found() == [NIGHT]
    ask_question("manual__2", NIGHT, digest)
    night.rows("DELETE FROM deid.question_retry")
    assert found() == []


def test_a_question_older_than_its_task_waits_is_closed_and_asked_again(night: Any) -> None:
    ask_question("asset__1", NIGHT, str(staged_digest(NIGHT)))
    assert found(hours=7 * 24) == []
    assert found(hours=7 * 24 + 2) == [NIGHT]
    assert night.rows("SELECT outcome FROM deid.question") == [("expired",)]


@pytest.mark.usefixtures("night")
@pytest.mark.parametrize("chosen", ["approve", "reject", "rework"])
def test_what_people_decided_is_left_alone(chosen: str) -> None:
    ask_question("asset__1", NIGHT, str(staged_digest(NIGHT)))
    say(chosen)
    assert found() == []


@pytest.mark.usefixtures("night")
def test_a_publication_that_failed_is_left_to_the_page() -> None:
    digest = str(staged_digest(NIGHT))
    ask_question("asset__1", NIGHT, digest)
    say("approve")
    with pytest.raises(RuntimeError), recorded_attempt(NIGHT, digest):
        raise RuntimeError
    assert found() == []


def test_what_needs_nobody_and_was_not_published_is_announced_again(deployed: Any, ledger: Ledger) -> None:
    ledger.night(QUIET, 40)
    actions.summarise(QUIET)
    assert found() == [QUIET]
    deployed.rows("DELETE FROM deid.question_retry")
    actions.publish(QUIET)
    assert found() == []
