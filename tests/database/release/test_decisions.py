"""Answers on a real database: who counts, how many are needed, what sending back does, what is written down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deid.config.policy import DEFAULT
from deid.config.settings import settings
from deid.database.connection import connect
from deid.database.queries import execute
from deid.domain.errors import ReleaseRefused
from deid.publication.publish import staged_digest
from deid.release import actions, decisions
from deid.release.decisions import (
    AnswerProblem,
    Outcome,
    Taken,
    ask_question,
    close_question,
    record_right,
    rework_run,
    settled_outcome,
)
from deid.release.rules import approvals_suffice
from deid.reports import gather
from tests.database.release.ledger import Ledger

NIGHT = "2026-10-03"

# approved by, asked for by, wanted, own approval, enough
ENOUGH = [
    ([], [], 1, False, False),
    (["a"], [], 1, False, True),
    (["a"], ["b"], 1, False, True),
    (["a"], ["a"], 1, False, False),
    (["a"], ["a"], 1, True, True),
    (["a"], [], 2, False, False),
    (["a"], [], 2, True, False),
    (["a", "a"], [], 2, False, False),
    (["a", "b"], [], 2, False, True),
    (["a", "b"], ["a"], 2, False, True),
    (["a", "b"], ["a", "b"], 1, False, True),
]


@pytest.mark.parametrize(("given", "asked", "wanted", "own", "expected"), ENOUGH)
def test_approvals_suffice(given: list[str], asked: list[str], wanted: int, own: bool, expected: bool) -> None:
    assert approvals_suffice(given, asked, approvals=wanted, own_approval=own) is expected


def says(chosen: str, who: str, reason: str = "lu", digest: str | None = None) -> dict[str, Any]:
    """An answer as Airflow gives it."""
    form = {"motif": reason} | ({"empreinte": digest} if digest else {})
    return {"chosen_options": [chosen], "responded_by_user": {"id": "9", "name": who}, "params_input": form}


def take(chosen: str, who: str, reason: str = "lu", **options: Any) -> Taken:
    digest = options.pop("shown", None) or staged_digest(NIGHT) or "nothing"
    return decisions.take_answer(NIGHT, says(chosen, who, reason, options.pop("sent", None)), digest=digest, **options)


def trail(database: Any) -> list[tuple[str, str]]:
    return database.rows("SELECT actor, action FROM deid.audit ORDER BY seq")


def decided(database: Any) -> list[tuple[str, str]]:
    return database.rows("SELECT chosen, decided_by FROM deid.decision WHERE chosen <> 'proposed' ORDER BY decided_at")


@pytest.fixture
def night(deployed: Any, ledger: Ledger) -> Any:
    """An interval with a warning, summed up."""
    ledger.night(NIGHT, 40, warned=30)
    assert actions.needs_approval(actions.summarise(NIGHT))
    return deployed


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy that wants two people."""
    text = DEFAULT.read_text(encoding="utf-8").replace("approvals: 1", "approvals: 2")
    (tmp_path / "two.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "two.yaml"))
    settings.cache_clear()


def test_one_person_is_enough_where_the_policy_wants_one(night: Any) -> None:
    assert take("Approve", "morel") == Taken(Outcome.APPROVE)
    assert decided(night) == [("approve", "morel")]
    assert trail(night) == [("morel", "approve")]
    assert actions.publish(NIGHT)["published"] == 39


@pytest.mark.usefixtures("two")
def test_two_different_people_where_it_wants_two(night: Any) -> None:
    assert take("Approve", "morel") == Taken(Outcome.ASK, AnswerProblem.SECOND, 1)
    with pytest.raises(ReleaseRefused, match="another person: 1 given, 2 wanted"):
        actions.publish(NIGHT)
    assert take("Approve", "morel") == Taken(Outcome.ASK, AnswerProblem.AGAIN, 1)
    assert take("Approve", "leroy") == Taken(Outcome.APPROVE)
    assert decided(night) == [("approve", "morel"), ("approve", "leroy")]
    assert trail(night) == [("morel", "approve"), ("leroy", "approve")]
    assert actions.publish(NIGHT)["published"] == 39


def test_whoever_asked_for_the_run_may_not_approve_it_alone(night: Any) -> None:
    night.rows("UPDATE deid.run SET requested_by = 'morel'")
    assert take("Approve", "morel") == Taken(Outcome.ASK, AnswerProblem.OWN, 1)
    assert decided(night) == []
    assert trail(night) == [("morel", "refused")]
    assert take("Approve", "leroy", asked_by="leroy").why is AnswerProblem.OWN
    assert take("Approve", "leroy") == Taken(Outcome.APPROVE)


@pytest.mark.usefixtures("two")
def test_whoever_asked_for_the_run_may_be_one_of_two(night: Any) -> None:
    night.rows("UPDATE deid.run SET requested_by = 'morel'")
    assert take("Approve", "morel").why is AnswerProblem.SECOND
    assert take("Approve", "leroy") == Taken(Outcome.APPROVE)


@pytest.mark.usefixtures("two")
def test_an_answer_in_airflow_counts_only_of_a_person_who_may_decide(night: Any) -> None:
    run = "asset__1"
    ask_question(run, NIGHT, str(staged_digest(NIGHT)), requested_by="exploitant")
    for checked in (None, False):
        if checked is not None:
            record_right(run, "exploitant", may_decide=checked)
        for chosen in ("Approve", "Reject", "Rework"):
            assert take(chosen, "exploitant", airflow_run=run) == Taken(Outcome.ASK, AnswerProblem.NOT_ALLOWED, 2)
    assert decided(night) == []
    assert set(trail(night)) == {("exploitant", "refused")}
    record_right(run, "morel", may_decide=True)
    record_right("asset__other", "leroy", may_decide=True)  # of a question that nobody asked
    assert take("Approve", "leroy", airflow_run=run).why is AnswerProblem.NOT_ALLOWED
    assert take("Approve", "morel", airflow_run=run) == Taken(Outcome.ASK, AnswerProblem.SECOND, 1)
    record_right(run, "leroy", may_decide=True)
    assert take("Approve", "leroy", airflow_run=run).outcome is Outcome.APPROVE
    assert decided(night) == [("approve", "morel"), ("approve", "leroy")]


@pytest.mark.usefixtures("night")
def test_a_right_that_was_withdrawn_or_checked_for_an_earlier_question_counts_no_more() -> None:
    run, digest = "asset__1", str(staged_digest(NIGHT))
    ask_question(run, NIGHT, digest)
    record_right(run, "morel", may_decide=True)
    record_right(run, "morel", may_decide=False)
    assert take("Approve", "morel", airflow_run=run).why is AnswerProblem.NOT_ALLOWED
    record_right(run, "morel", may_decide=True)
    close_question(run, "expired")
    ask_question(run, NIGHT, digest)
    assert take("Approve", "morel", airflow_run=run).why is AnswerProblem.NOT_ALLOWED


@pytest.mark.usefixtures("night", "two")
def test_approvals_before_a_refusal_do_not_count_after_it() -> None:
    take("Approve", "morel")
    assert take("Reject", "leroy", "trop d'alertes") == Taken(Outcome.REJECT)
    assert take("Approve", "durand").why is AnswerProblem.SECOND
    with pytest.raises(ReleaseRefused, match="another person"):
        actions.publish(NIGHT)
    assert take("Approve", "morel") == Taken(Outcome.APPROVE)


@pytest.mark.parametrize("chosen", ["Reject", "Rework"])
def test_a_refusal_needs_a_reason(night: Any, chosen: str) -> None:
    assert take(chosen, "morel", "  ") == Taken(Outcome.ASK, AnswerProblem.NO_REASON, 1)
    assert decided(night) == []


@pytest.mark.parametrize(
    "answer",
    [
        says("Oui", "morel"),
        says("Approve", ""),
        says("Approve", "morel", "x" * 201),
        says("Approve", "morel", digest="0" * 64),
        {},
    ],
)
def test_what_is_no_answer_to_this_question_changes_nothing(night: Any, answer: dict[str, Any]) -> None:
    person = answer.get("responded_by_user")
    if person == {"id": "9", "name": ""}:
        person["id"] = ""
    taken = decisions.take_answer(NIGHT, answer, digest=str(staged_digest(NIGHT)))
    assert taken.why is AnswerProblem.UNREADABLE
    assert decided(night) == []


def test_an_answer_about_another_content_is_void(night: Any) -> None:
    for chosen in ("Approve", "Reject", "Rework"):
        with pytest.raises(ReleaseRefused, match="no longer what the answer is about"):
            take(chosen, "morel", shown="f" * 64)
    assert decided(night) == []
    assert trail(night) == [("morel", "refused")] * 3
    assert night.rows("SELECT count(*) FROM deid.candidate") == [(39,)]


def test_sending_back_erases_texts_and_makes_the_documents_new(night: Any) -> None:
    digest = staged_digest(NIGHT)
    ask_question("asset__1", NIGHT, str(digest))
    night.rows("UPDATE deid.run SET document_types = '{CRH,BIO}', services = '{CARD}'")
    assert take("Rework", "morel", "trop de noms masqués") == Taken(Outcome.REWORK)
    assert night.rows("SELECT count(*) FROM deid.candidate") == [(0,)]
    assert night.rows("SELECT state, count(*) FROM deid.document GROUP BY 1 ORDER BY 1") == [
        ("quarantined", 1),
        ("superseded", 39),
    ]
    assert night.rows("SELECT state, sent_back_at IS NOT NULL FROM deid.run") == [("superseded", True)]
    ((details,),) = night.rows("SELECT details FROM deid.audit WHERE action = 'rework'")
    assert details == {"staged_digest": digest, "reason": "trop de noms masqués", "documents": 39}
    asked = rework_run(NIGHT)
    assert asked == rework_run(NIGHT)
    assert asked is not None
    assert asked["run"].startswith(f"rework__{NIGHT}__")
    assert asked["conf"] == {
        "reason": "trop de noms masqués",
        "interval_start": "2026-10-03T01:30:00+00:00",
        "interval_end": "2026-10-04T01:30:00+00:00",
        "document_types": ["BIO", "CRH"],
        "services": ["CARD"],
        "requested_by": "morel",
    }
    assert settled_outcome(NIGHT, str(digest), airflow_run="asset__1") == Taken(Outcome.REWORK)
    with pytest.raises(ReleaseRefused, match="nothing is staged"):
        actions.publish(NIGHT)


def test_what_is_being_published_is_not_sent_back(night: Any) -> None:
    night.rows(
        "INSERT INTO deid.release (interval_key, run_ids, policy_hash, pipeline_version, staged_digest)"
        " VALUES (%s, '{1}', 'p', 'v', 's')",
        (NIGHT,),
    )
    with connect(night.dsn("publisher")) as link, link.cursor() as cursor:
        cursor.execute("SELECT deid.lock_publication()")
        with pytest.raises(ReleaseRefused, match="has begun"):
            take("Rework", "morel", "tard")
    assert night.rows("SELECT count(*) FROM deid.candidate") == [(39,)]


def test_a_lost_answer_is_found_again(night: Any) -> None:
    digest = str(staged_digest(NIGHT))
    ask_question("asset__1", NIGHT, digest)
    assert settled_outcome(NIGHT, digest, airflow_run="asset__1") is None
    take("Approve", "morel")
    assert settled_outcome(NIGHT, digest, airflow_run="asset__1") == Taken(Outcome.APPROVE)
    assert take("Approve", "morel") == Taken(Outcome.APPROVE)
    assert decided(night) == [("approve", "morel")]


@pytest.mark.usefixtures("night")
def test_after_a_publication_that_failed_another_run_asks_again_and_any_answer_is_taken() -> None:
    digest = str(staged_digest(NIGHT))
    ask_question("asset__1", NIGHT, digest)
    take("Approve", "morel")
    close_question("asset__1", "approve")
    assert settled_outcome(NIGHT, digest, airflow_run="manual__2") is None
    ask_question("manual__2", NIGHT, digest)
    assert take("Approve", "morel") == Taken(Outcome.APPROVE)
    assert take("Reject", "morel", "textes altérés") == Taken(Outcome.REJECT)
    assert take("Rework", "leroy", "textes altérés") == Taken(Outcome.REWORK)


SENT = {"account": "leroy", "chosen": "reject", "reason": "un nom resté"}
FORWARD = "UPDATE deid.{table} SET {column} = {column} + interval '1 year' WHERE {column} IS NOT NULL"


def test_a_rejection_is_not_lost_to_a_clock_that_was_a_year_ahead(night: Any) -> None:
    night.rows(FORWARD.format(table="run", column="finished_at"))
    assert take("Approve", "morel") == Taken(Outcome.APPROVE)
    night.rows(FORWARD.format(table="decision", column="decided_at"))
    digest = str(staged_digest(NIGHT))
    with connect(night.dsn("steward")) as link, link.cursor() as cursor:
        veto = decisions.Decision("reject", "leroy", "un nom resté")
        assert decisions.keep_answer(cursor, NIGHT, digest, veto, "answered") is decisions.Kept.VETO
    assert decisions.is_vetoed(NIGHT)
    assert decided(night) == [("approve", "morel"), ("reject", "leroy")]
    with pytest.raises(ReleaseRefused):
        actions.publish(NIGHT)
    assert gather(NIGHT)["state"] == "rejected"
    assert take("Approve", "leroy", "le nom est celui d'une rue") == Taken(Outcome.APPROVE)
    assert gather(NIGHT)["state"] == "approved"
    assert actions.publish(NIGHT)["published"] == 39
    assert gather(NIGHT)["state"] == "visible"


def test_an_answer_on_its_way_is_seen_though_the_clock_was_put_back(night: Any) -> None:
    ask_question("asset__1", NIGHT, str(staged_digest(NIGHT)))
    night.rows(FORWARD.format(table="run", column="finished_at"))
    with connect(night.dsn("steward")) as link, link.cursor() as cursor:
        execute(cursor, "deid", "answer", "receive", {"airflow_run": "asset__1", **SENT})
    with pytest.raises(ReleaseRefused, match="leroy answered about"):
        take("Approve", "morel")
    assert decided(night) == []
    night.rows("UPDATE deid.answer SET received_at = received_at - interval '2 hours'")
    assert take("Approve", "morel") == Taken(Outcome.APPROVE)


def test_an_answer_and_its_line_of_the_trail_are_written_together(night: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> int:
        raise RuntimeError("no trail, no decision")

    monkeypatch.setattr(decisions.audit, "write", broken)
    for chosen in ("Approve", "Rework"):
        with pytest.raises(RuntimeError):
            take(chosen, "morel")
    assert decided(night) == []
    assert night.rows("SELECT count(*) FROM deid.candidate") == [(39,)]


def test_questions_wait_close_and_wait_anew(night: Any) -> None:
    ask_question("asset__1", NIGHT, "d1", requested_by="leroy")
    ((asked_at,),) = night.rows("SELECT asked_at FROM deid.question")
    ask_question("asset__1", NIGHT, "d1", requested_by="leroy")
    assert night.rows("SELECT asked_at, requested_by, outcome FROM deid.question") == [(asked_at, "leroy", None)]
    close_question("asset__1", "reject")
    close_question("asset__1", "approve")
    assert night.rows("SELECT outcome, closed_at IS NULL FROM deid.question") == [("reject", False)]
    ask_question("asset__1", NIGHT, "d2")
    ((again, digest, outcome),) = night.rows("SELECT asked_at, staged_digest, outcome FROM deid.question")
    assert again > asked_at
    assert (digest, outcome) == ("d2", None)
