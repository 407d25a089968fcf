"""Answers to a release's question as they arrive in Airflow: checked, taken one at a time, kept where one is late."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from deid.database.connection import open_cursor
from deid.database.queries import execute, one
from deid.release.decisions import (
    MAX_REASON,
    AnswerProblem,
    Decision,
    Kept,
    answer_obstacle,
    keep_answer,
    record_refused_answer,
)
from deid.release.interval import IntervalContext

PATIENCE_S = 20  # an answer waits so long for one that is being received


@dataclass(frozen=True, slots=True)
class Received:
    """An answer to the question of `airflow_run` about the content of `staged_digest`.

    `why` is set if it cannot be given. If another answer came first, `late` is True, and `first` is its account and its
    choice: None if unknown, or if the policy hides it from the second reviewer.
    """

    airflow_run: str
    interval_key: str
    staged_digest: str
    decision: Decision
    why: AnswerProblem | None = None
    late: bool = False
    first: tuple[str, str] | None = None


@contextmanager
def receive_answer(airflow_run: str, decision: Decision) -> Iterator[Received | None]:
    """Take an answer before Airflow does; None if the run asks no question that an answer could settle.

    While the block lasts, other answers to the question wait. The block raises if the answer cannot be given, is late,
    or Airflow does not take it: it then was never given.
    """
    with open_cursor("steward", "nocturne pages") as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{PATIENCE_S}s'")
        row = {"airflow_run": airflow_run, "account": decision.decided_by, "chosen": decision.chosen}
        execute(cursor, "deid", "answer", "receive", row | {"reason": decision.reason[:MAX_REASON]})
        verdict, key, digest, *first = one(cursor)
        if verdict == "unasked":
            yield None
            return
        execute(cursor, "deid", "question", "asked_by", {"airflow_run": airflow_run})
        interval = IntervalContext(cursor, key, one(cursor)[0] or None)
        late = verdict != "taken"
        hidden = first[0] is None or (verdict == "answered" and interval.release.second_review == "blind")
        why = None if late else answer_obstacle(interval, decision, digest)
        yield Received(airflow_run, key, digest, decision, why, late, None if hidden else (first[0], first[1]))


def refuse_answer(received: Received) -> None:
    """Write an answer that cannot be given to the audit trail."""
    with open_cursor("steward", "nocturne pages") as cursor:
        record_refused_answer(IntervalContext(cursor, received.interval_key), received.decision, str(received.why))


def keep_late_answer(received: Received) -> Kept:
    """Keep an answer that came after another one (`keep_answer`)."""
    with open_cursor("steward", "nocturne pages") as cursor:
        about = (received.interval_key, received.staged_digest, received.decision)
        return keep_answer(cursor, *about, "answered", received.airflow_run)
