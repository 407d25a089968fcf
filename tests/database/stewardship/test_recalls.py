"""A release that is recalled: it leaves research at once, with a proof, and comes back only if a person asks for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import psycopg2
import pytest

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import Cursor
from deid.domain.errors import ReviewRefused
from deid.ledger import opt_outs as removal
from deid.publication.publish import make_visible, publish_interval
from deid.release.status import DecisionState, read_status
from deid.reports import gather
from deid.reviews import ReviewProblem
from deid.reviews.lifecycle import SamplePlan, open_review
from deid.reviews.progress import list_sampled
from deid.reviews.reading import begin_reading
from deid.stewardship import opt_outs, recalls
from deid.stewardship.overview import read_overview
from deid.stewardship.recalls import RecallProblem, RecallProof, RecallRefused
from deid.stewardship.releases import list_intervals
from deid.substitution import pseudonym
from tests.conftest import Database, Deploy
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, process, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put

KEY, NEXT = "2026-03-02", "2026-03-03"
WHY = "des initiales sont restées dans les en-têtes"


def publish_three(database: Database) -> None:
    open_hospital(database)
    for number in range(2):
        put(database, f"letter{number}", LETTER + f"\nExemplaire {'ab'[number]}.")
    put(database, "page", PAGE, patient="P000002", format="text/html")
    night("first")


@pytest.fixture
def hospital(deploy: Deploy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """Three documents of two patients, published and readable."""
    decide(monkeypatch, tmp_path)
    return deploy(publish_three)


def recall(key: str = KEY, who: str = "intendante", reason: str = WHY) -> RecallProof:
    with open_cursor("steward") as cursor:
        found = recalls.find_recallable(cursor, key)
        recall_id = recalls.make_recall(cursor, who, key, found.release_ids if found else (), reason)
    return prove(recall_id)


def prove(recall_id: int) -> RecallProof:
    with open_cursor("steward") as cursor:
        proof = recalls.prove_recall(cursor, recall_id)
    assert proof is not None
    return proof


def read(hospital: Database) -> set[str]:
    return {row[0] for row in hospital.rows("SELECT document_id FROM research.document", role="researcher")}


def withdrawn(hospital: Database) -> set[str]:
    rows = hospital.rows("SELECT document_id, withdrawn_in FROM research.withdrawn_document", role="researcher")
    assert rows == sorted(rows), "the order of rows would tell which documents left together"
    assert all(len(month) == len("2026-10") for _, month in rows)
    return {document_id for document_id, _ in rows}


def test_a_recall_takes_all_that_an_interval_published_out_of_research(hospital: Database) -> None:
    before = read(hospital)
    assert len(before) == 3
    assert withdrawn(hospital) == set()
    proof = recall()
    assert (proof.documents, proof.read_before, proof.readable, proof.waiting, proof.again) == (3, 3, 0, 0, 0)
    assert proof.complete
    assert [line.details["reason"] for line in proof.lines] == [WHY]
    assert read(hospital) == set()
    make_visible("nightly")
    assert read(hospital) == set()
    assert withdrawn(hospital) == before
    assert set(states(hospital).values()) == {"recalled"}
    headline = gather(KEY)["headline"]
    assert (headline["published"], headline["readable"], headline["waiting"]) == (0, 0, 0)
    (listed,) = list_intervals(state="recalled").intervals
    assert (listed.state, listed.published) == ("recalled", 0)
    assert read_overview().judged[0].interval.state == "recalled"
    found = read_status(KEY)
    assert found is not None
    assert found.state is DecisionState.RECALLED


def test_a_recall_and_the_next_rewriting_survive_a_clock_that_was_a_year_ahead(hospital: Database) -> None:
    hospital.rows("UPDATE deid.release SET published_at = published_at + interval '1 year'")
    hospital.rows("UPDATE deid.rewriting SET rewritten_at = rewritten_at + interval '1 year'")
    put(hospital, "late", LETTER + "\nArrivé tard.", at=NIGHT + DAY)
    publish_interval(process("next", NIGHT + DAY)["interval_key"])
    assert gather(NEXT)["balance"]["visible_on"] is None, "the next release makes it readable"
    assert make_visible("weekly") is not None, "no rewriting of this week is known"
    assert make_visible("weekly") is None
    assert len(read(hospital)) == 4
    assert recall().complete
    found = read_status(KEY)
    assert found is not None
    assert found.state is DecisionState.RECALLED
    assert night("by hand", requested_by="exploitant")["published"] == 3
    found = read_status(KEY)
    assert found is not None
    assert found.state is not DecisionState.RECALLED


def test_a_recalled_document_comes_back_only_in_a_run_that_a_person_asks_for(hospital: Database) -> None:
    proof = recall()
    assert process("scheduled again")["staged"] == 0
    assert night("by hand", requested_by="exploitant")["published"] == 3
    again = prove(proof.recall.recall_id)
    assert (again.readable, again.again, again.waiting, again.complete) == (3, 3, 0, True)
    assert withdrawn(hospital) == set()
    assert gather(KEY)["state"] == "visible"


def test_a_corrected_document_is_recalled_in_the_version_of_the_interval_alone(hospital: Database) -> None:
    put(hospital, "letter0", LETTER + "\nCorrigé.", at=NIGHT + DAY)
    publish_interval(process("next", NIGHT + DAY)["interval_key"])
    assert len(read(hospital)) == 3, "the correction is not read before the next rewriting"
    assert recall().documents == 3
    assert read(hospital) == set(), "nor is the former version, which is recalled"
    make_visible("nightly")
    assert len(read(hospital)) == 1
    assert gather(NEXT)["headline"]["readable"] == 1


def test_what_another_interval_holds_is_no_remainder_of_a_recall(hospital: Database) -> None:
    put(hospital, "letter0", LETTER + "\nCorrigé.", at=NIGHT + DAY)
    publish_interval(process("next", NIGHT + DAY)["interval_key"])
    put(hospital, "late", LETTER + "\nArrivé tard.")
    publish_interval(process("again")["interval_key"])
    proof = recall()
    make_visible("nightly")
    again = prove(proof.recall.recall_id)
    assert (again.documents, again.readable, again.again, again.complete) == (4, 1, 1, True)


def test_a_recalled_correction_leaves_no_former_version_to_be_read(hospital: Database) -> None:
    put(hospital, "letter0", LETTER + "\nCorrigé.", at=NIGHT + DAY)
    publish_interval(process("next", NIGHT + DAY)["interval_key"])
    proof = recall(NEXT)
    assert (proof.documents, proof.read_before) == (1, 1)
    assert len(read(hospital)) == 2
    make_visible("nightly")
    assert len(read(hospital)) == 2


def test_what_waits_for_the_next_rewriting_is_recalled_and_not_listed(hospital: Database) -> None:
    put(hospital, "other", LETTER + "\nAutre.", at=NIGHT + DAY)
    publish_interval(process("next", NIGHT + DAY)["interval_key"])
    proof = recall(NEXT)
    assert (proof.documents, proof.read_before) == (1, 0)
    make_visible("nightly")
    assert len(read(hospital)) == 3
    assert withdrawn(hospital) == set(), "nobody could have copied it"


def test_an_opt_out_before_and_after_a_recall(hospital: Database) -> None:
    with open_cursor("steward") as cursor:
        patient = opt_outs.PatientKey(pseudonym(settings().key, "patient", "P000001"))
        opt_outs.record_opt_out(cursor, "intendante", patient, "courrier reçu")
    assert len(withdrawn(hospital)) == 2
    assert recall().documents == 1
    assert gather(KEY)["headline"]["published"] == 0
    removal.apply_opt_outs()
    assert states(hospital) == {"letter0": "withdrawn", "letter1": "withdrawn", "page": "recalled"}
    assert process("by hand", requested_by="exploitant")["staged"] == 1


class _Late:
    """A cursor whose recall is sent when another person's has ended, after both looked at what is published."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def execute(self, statement: str, values: Any = None) -> None:
        if "recall_interval" in statement:
            recall(who="referente")
        self._cursor.execute(statement, values)


def test_a_recall_behind_another_finds_nothing_and_leaves_no_trace(hospital: Database) -> None:
    with open_cursor("steward") as cursor:
        found = recalls.find_recallable(cursor, KEY)
    assert found is not None
    with pytest.raises(RecallRefused) as refused, open_cursor("steward") as cursor:
        recalls.make_recall(cast(Cursor, _Late(cursor)), "intendante", KEY, found.release_ids, WHY)
    assert refused.value.why is RecallProblem.NOTHING
    assert hospital.rows("SELECT recalled_by FROM deid.recall") == [("referente",)]


def test_what_a_recall_refuses(hospital: Database) -> None:
    with open_cursor("steward") as cursor:
        found = recalls.find_recallable(cursor, KEY)
    assert found is not None
    problems = {}
    for name, shown, reason in (
        ("changed", (*found.release_ids, 99), WHY),
        ("short", found.release_ids, "trop"),
        ("long", found.release_ids, "x" * 501),
    ):
        with pytest.raises(RecallRefused) as refused, open_cursor("steward") as cursor:
            recalls.make_recall(cursor, "intendante", KEY, shown, reason)
        problems[name] = refused.value.why
    assert problems == {
        "changed": RecallProblem.CHANGED,
        "short": RecallProblem.TOO_SHORT,
        "long": RecallProblem.TOO_LONG,
    }
    with open_cursor("publisher") as busy:
        busy.execute("SELECT deid.lock_publication()")
        with pytest.raises(RecallRefused) as refused:
            recall()
    assert refused.value.why is RecallProblem.BUSY
    assert len(read(hospital)) == 3
    recall()
    with pytest.raises(RecallRefused) as refused:
        recall()
    assert refused.value.why is RecallProblem.NOTHING


@pytest.mark.parametrize("role", ["reader", "worker", "publisher", "researcher"])
def test_no_other_role_recalls(hospital: Database, role: str) -> None:
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        hospital.rows("SELECT deid.recall_interval(%s, '{1}', 'a', 'b')", (KEY,), role=role)
    for table in ("recall", "recalled_document", "removed_document"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            hospital.rows(f"DELETE FROM deid.{table}", role=role)


def test_a_recall_erases_the_texts_that_people_are_reading(hospital: Database) -> None:
    put(hospital, "late", LETTER + "\nArrivé tard.", at=NIGHT + DAY)
    process("next", NIGHT + DAY)
    with open_cursor("steward") as cursor:
        review_id = open_review(cursor, NEXT, SamplePlan(0.01, 0.95, 1), "intendante")
        assert begin_reading(cursor, review_id, 1, "intendante").text
    publish_interval(NEXT)
    recall(KEY)
    with open_cursor("steward") as cursor:
        assert begin_reading(cursor, review_id, 1, "intendante").text, "another interval's recall leaves it"
    recall(NEXT)
    with open_cursor("steward") as cursor, pytest.raises(ReviewRefused) as refused:
        begin_reading(cursor, review_id, 1, "intendante")
    assert refused.value.why is ReviewProblem.RECALLED
    with open_cursor("steward") as cursor:
        assert [one.erased_for for one in list_sampled(cursor, review_id)] == ["recall"]
    assert hospital.rows("SELECT count(*) FROM deid.review_document WHERE text IS NOT NULL") == [(0,)]
