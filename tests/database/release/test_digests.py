"""Digests of an approved release: a change in any column after staging is refused."""

from __future__ import annotations

from typing import Any

import pytest

from deid.database.connection import connect
from deid.domain.errors import ReleaseRefused
from deid.publication import publish as publishing
from deid.release import actions, decisions
from deid.release.decisions import Outcome, Taken
from tests.database.release.ledger import Ledger
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import LETTER, open_hospital, put

NIGHT = "2026-10-03"
ONE = f"D{NIGHT}-7"
YES = {"chosen_options": ["Approve"], "responded_by_user": {"id": "3", "name": "c.morel"}, "params_input": {}}
ALTERED = {
    "text": "UPDATE deid.candidate SET text = text || ' Madame Zoé TAMBURIN.'",
    "title": "UPDATE deid.candidate SET title = 'Compte rendu de Mme TAMBURIN'",
    "markup": "UPDATE deid.candidate SET markup = '<p>Mme TAMBURIN</p>'",
    "file": "UPDATE deid.candidate SET file = 'x', file_type = 'text/plain', file_suffix = '.txt'",
    "patient": "UPDATE deid.candidate SET patient_id = 'P9'",
    "date": "UPDATE deid.candidate SET reference_date = '2020-01-01'",
    "type": "UPDATE deid.document SET document_type = 'AUTRE'",
}


def published(database: Any) -> int:
    return int(database.rows("SELECT count(*) FROM deid.published_document")[0][0])


@pytest.mark.parametrize("column", sorted(ALTERED))
def test_an_altered_document_is_refused_by_its_id_and_nothing_goes_out(
    deployed: Any, ledger: Ledger, column: str
) -> None:
    ledger.night(NIGHT, 60, warned=40)
    actions.summarise(NIGHT)
    deployed.rows(f"{ALTERED[column]} WHERE document_id = %s", (ONE,))
    with pytest.raises(ReleaseRefused, match=rf"altered since it was staged.*: document {ONE}\.") as refused:
        actions.publish(NIGHT, YES)
    assert "TAMBURIN" not in str(refused.value)
    assert published(deployed) == 0
    assert deployed.rows("SELECT count(*) FROM deid.release") == [(0,)]


def test_altering_the_digest_as_well_changes_nothing(deployed: Any, ledger: Ledger) -> None:
    run_id = ledger.night(NIGHT, 60)
    actions.summarise(NIGHT)
    deployed.rows(f"{ALTERED['text']} WHERE document_id = %s", (ONE,))
    deployed.rows(
        "UPDATE deid.staged_content AS s SET digest = deid.content_digest("
        "t.salt, d.content_hash, c.patient_id, c.stay_id, d.document_type, d.loinc_code, c.title, c.text, c.markup,"
        " c.reference_date)"
        " FROM deid.candidate AS c, deid.document AS d, deid.staging_salt AS t"
        " WHERE t.run_id = s.run_id AND c.document_id = s.document_id AND d.document_id = s.document_id"
        " AND s.document_id = %s",
        (ONE,),
    )
    with pytest.raises(ReleaseRefused, match=f"run {run_id}"):
        actions.publish(NIGHT)
    assert published(deployed) == 0


def test_a_document_slipped_in_after_staging_is_refused(deployed: Any, ledger: Ledger) -> None:
    run_id = ledger.night(NIGHT, 60, quarantined=1)
    actions.summarise(NIGHT)
    slipped = f"D{NIGHT}-0"
    deployed.rows("UPDATE deid.document SET state = 'staged' WHERE document_id = %s", (slipped,), role="worker")
    deployed.rows(
        "INSERT INTO deid.candidate (run_id, document_id, patient_id, text, spans, surrogates)"
        " VALUES (%s, %s, 'P0', 'Madame Zoé TAMBURIN', '[]', '[]')",
        (run_id, slipped),
        role="worker",
    )
    with pytest.raises(ReleaseRefused, match=f"document {slipped}"):
        actions.publish(NIGHT)
    assert published(deployed) == 0


def test_what_is_altered_while_a_release_is_being_written_stops_its_batch(
    deployed: Any, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.night(NIGHT, 60)
    actions.summarise(NIGHT)
    write = publishing._write_release

    def altered_first(*given: Any) -> None:
        deployed.rows(f"{ALTERED['text']} WHERE document_id = %s", (ONE,))
        write(*given)

    monkeypatch.setattr(publishing, "_write_release", altered_first)
    with pytest.raises(ReleaseRefused, match=f"document {ONE}"):
        actions.publish(NIGHT)
    assert published(deployed) == 0


def test_an_interval_altered_in_the_middle_of_its_release_is_sent_back_and_done_again(
    deployed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_hospital(deployed)
    for number in range(3):
        put(deployed, f"letter{number}", f"{LETTER}\nExemplaire {number}.")
    key = process("first", batch_size=1)["interval_key"]
    digest, write = str(publishing.staged_digest(key)), publishing._publish_batch

    def alter_the_last(*given: Any) -> None:
        write(*given)
        deployed.rows(
            "UPDATE deid.candidate AS c SET text = 'Mme TAMBURIN' FROM deid.document AS d"
            " WHERE d.batch_id = 3 AND d.run_id = c.run_id AND d.document_id = c.document_id"
        )

    monkeypatch.setattr(publishing, "_publish_batch", alter_the_last)
    for _ in range(2):
        with pytest.raises(ReleaseRefused, match="send the interval back"):
            publishing.publish_interval(key)
        monkeypatch.setattr(publishing, "_publish_batch", write)
    back = {"chosen": "rework", "decided_by": "c.morel", "reason": "texte altéré"}
    with connect(deployed.dsn("publisher")) as link, link.cursor() as cursor:
        cursor.execute("SELECT deid.lock_publication()")
        with pytest.raises(ReleaseRefused, match="is under way: it cannot be sent back now"):
            decisions.take_answer(key, back, digest=digest)
    assert decisions.take_answer(key, back, digest=digest) == Taken(Outcome.REWORK)
    assert deployed.rows("SELECT state FROM deid.interval_state") == [("rejected",)]
    assert deployed.rows("SELECT count(*) FROM deid.candidate") == [(0,)]
    assert decisions.rework_run(key) is not None
    publishing.make_visible("nightly")
    assert deployed.rows("SELECT count(*) FROM research.document", role="researcher") == [(2,)]
    assert process("again", batch_size=1)["planned"] == 1
    assert publishing.publish_interval(key)["published"] == 1
    publishing.make_visible("nightly")
    texts = [text for (text,) in deployed.rows("SELECT text FROM research.document", role="researcher")]
    assert (len(texts), any("TAMBURIN" in text for text in texts)) == (3, False)
    assert deployed.rows("SELECT state FROM deid.interval_state") == [("published",)]


def test_what_was_withdrawn_since_may_be_missing(deployed: Any, ledger: Ledger) -> None:
    run_id = ledger.night(NIGHT, 60)
    actions.summarise(NIGHT)
    deployed.rows("INSERT INTO deid.withdrawal (run_id, document_id) VALUES (%s, %s)", (run_id, ONE))
    assert actions.publish(NIGHT)["published"] == published(deployed) == 58


@pytest.mark.parametrize(
    "statement", ["UPDATE deid.staged_content SET digest = 'x'", "DELETE FROM deid.staged_content"]
)
def test_no_working_role_can_change_a_digest(deployed: Any, statement: str) -> None:
    for role in ("worker", "publisher", "steward"):
        with pytest.raises(Exception, match="permission denied"):
            deployed.rows(statement, role=role)
