"""A patient who objects leaves at once, and no night, backfill or rotation of the secret brings him back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg2
import pytest
from psycopg2.extensions import cursor as Cursor

from deid.config.keys import make_key
from deid.config.settings import settings
from deid.database.connection import connect
from deid.database.queries import query
from deid.ledger import audit
from deid.ledger import opt_outs as removal
from deid.nightly import steps
from deid.publication.publish import publish_interval
from deid.stewardship import opt_outs
from deid.stewardship.opt_outs import LiveDocuments, OptOutProblem, OptOutRefused, PatientKey, RemovalProof
from deid.substitution import pseudonym
from tests.conftest import SECRET, Database, Deploy
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import fingerprint, night, process, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put

REASON = "courrier reçu du patient"
SECOND = make_key(2).secret.hex()


def publish_three(database: Database) -> None:
    open_hospital(database)
    put(database, "D1")
    put(database, "D2", PAGE, patient="P000002", format="text/html")
    put(database, "D3", LETTER + "Bilan refait.", type_code="ORD")
    night("first")


@pytest.fixture
def hospital(deploy: Deploy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """Two patients with published documents: P000001 (D1, D3), P000002 (D2)."""
    decide(monkeypatch, tmp_path)
    return deploy(publish_three)


@contextmanager
def office(role: str = "steward") -> Iterator[Cursor]:
    with connect(settings().dsn(role)) as link, link.cursor() as cursor:
        yield cursor


def name(patient_id: str = "P000001") -> str:
    return pseudonym(settings().key, "patient", patient_id)


def _all(cursor: Cursor, statement: str, values: list[str]) -> list[tuple[int]]:
    cursor.execute(statement, values)
    return cursor.fetchall()


def objects(patient: PatientKey) -> int:
    with office() as cursor:
        return opt_outs.record_opt_out(cursor, "intendante", patient, REASON)[0]


def proof(opt_out_id: int) -> RemovalProof:
    with office() as cursor:
        found = opt_outs.prove_removal(cursor, "intendante", opt_out_id)
    assert found is not None
    return found


def readers_see(hospital: Database) -> int:
    return hospital.rows("SELECT count(*) FROM research.document", role="researcher")[0][0]


def two_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOCTURNE_SECRET", f"1:{SECRET},2:{SECOND}")
    settings.cache_clear()


def test_a_search_counts_without_release_or_type_and_is_recorded(hospital: Database) -> None:
    with office() as cursor:
        by_name = opt_outs.search_patient(cursor, "intendante", PatientKey(name()))
        by_id = opt_outs.search_patient(cursor, "intendante", PatientKey(patient_id="P000001"))
    assert (by_name.documents, by_id.documents) == (2, None)
    assert by_name.opt_out_id is by_id.opt_out_id is None
    assert hospital.rows("SELECT action, object FROM deid.audit ORDER BY seq") == [
        ("search_patient", f"patient {name()}"),
        ("search_patient", f"patient {opt_outs.BY_SOURCE_ID}"),
    ]


def test_by_pseudonym_the_rows_leave_at_once_and_the_ledger_follows(hospital: Database) -> None:
    opt_out = objects(PatientKey(name()))
    assert readers_see(hospital) == 1
    before = proof(opt_out)
    assert (before.readable, before.found_now) == (0, None)
    assert (before.opt_out.applied_at, before.opt_out.matched) == (None, False)
    assert before.opt_out.removed == 2
    assert removal.apply_opt_outs() == {"oppositions": 1, "unmatched": 0, "removed": 0, "withdrawn": 2}
    assert states(hospital) == {"D1": "withdrawn", "D2": "published", "D3": "withdrawn"}
    after = proof(opt_out)
    assert after.opt_out.matched
    assert after.opt_out.applied_at is not None
    assert (after.found_now, after.opt_out.removed) == (0, 2)
    assert [line.action for line in after.lines] == ["opt_out", "search_patient", "opt_out_applied", "search_patient"]
    with office() as cursor:
        assert audit.find_first_break(cursor) is None


def test_by_the_hospitals_own_id_the_next_night_removes(hospital: Database) -> None:
    opt_out = objects(PatientKey(patient_id="P000001"))
    assert readers_see(hospital) == 3
    assert proof(opt_out).found_now is None  # a count would tell whose documents they are
    process("a night without anything", NIGHT + DAY)
    assert readers_see(hospital) == 1
    assert proof(opt_out).opt_out.removed == 2
    assert proof(opt_out).found_now == 0


@pytest.mark.parametrize("by", ["pseudonym", "source id"])
def test_no_later_night_or_backfill_brings_the_patient_back(hospital: Database, by: str) -> None:
    objects(PatientKey(name()) if by == "pseudonym" else PatientKey(patient_id="P000001"))
    put(hospital, "D4", at=NIGHT + DAY)
    put(hospital, "D1", LETTER + "Corrigé.", at=NIGHT + DAY)
    put(hospital, "D5", PAGE, patient="P000002", format="text/html", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    process("backfill")
    publish_interval("2026-03-02")
    process("backfill again", NIGHT + DAY)
    publish_interval("2026-03-03")
    assert readers_see(hospital) == 2
    assert hospital.rows("SELECT count(*) FROM deid.published_document WHERE patient_id = %s", (name(),)) == [(0,)]
    held = hospital.rows("SELECT DISTINCT state FROM deid.document WHERE patient_id = 'P000001'")
    assert {state for (state,) in held} <= {"withdrawn", "superseded"}
    assert hospital.rows("SELECT count(*) FROM deid.candidate WHERE patient_id = 'P000001'") == [(0,)]


def test_by_pseudonym_the_proof_claims_nothing_of_what_waits_until_the_patient_is_known(hospital: Database) -> None:
    put(hospital, "D4", at=NIGHT + DAY)
    process("second", NIGHT + DAY)
    assert states(hospital)["D4"] == "staged"
    opt_out = objects(PatientKey(name()))
    before = proof(opt_out)
    assert (before.readable, before.ledger, before.found_now) == (0, None, None)
    removal.apply_opt_outs()
    after = proof(opt_out)
    assert (after.readable, after.ledger, after.found_now) == (0, LiveDocuments(0, 0, 0, 0), 0)


def test_the_proof_counts_every_live_document_of_a_known_patient_once(
    hospital: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    two_keys(monkeypatch)
    decide(monkeypatch, tmp_path, "{rotation: keep}")
    put(hospital, "D4", at=NIGHT + DAY)
    night("under the new key", NIGHT + DAY)
    put(hospital, "D5", LETTER + "Autre.", at=NIGHT + 2 * DAY)
    put(hospital, "D6", LETTER + "Retenue.", at=NIGHT + 2 * DAY)
    process("staged", NIGHT + 2 * DAY)
    hospital.rows("UPDATE deid.document SET state = 'quarantined' WHERE document_id = 'D6'")
    put(hospital, "D7", LETTER + "Encore.", at=NIGHT + 3 * DAY)
    (batch,) = steps.plan(
        interval_start=NIGHT + 3 * DAY, interval_end=NIGHT + 4 * DAY, triggered_by="begun", batch_size=500
    )
    steps.detect(batch["run_id"], batch["batch_id"])
    by_id = objects(PatientKey(patient_id="P000001"))
    assert (proof(by_id).readable, proof(by_id).ledger) == (0, None)
    old = pseudonym(settings().keyring.of(1).secret, "patient", "P000001")
    matched = "INSERT INTO deid.opt_out (pseudonym, patient_id, asked_by) VALUES (%s, 'P000001', 'x') RETURNING 1"
    hospital.rows(matched, (old,))
    found = proof(by_id + 1)
    assert found.ledger == LiveDocuments(published=3, staged=1, unfinished=1, quarantined=1)
    assert (found.readable, found.found_now) == (2, 6)  # its two rows are two of the three published documents
    removal.apply_opt_outs()
    assert proof(found.opt_out.opt_out_id).found_now == 0


def test_the_proof_counts_what_is_held_under_merged_ids(hospital: Database) -> None:
    hospital.rows("INSERT INTO cdw.patient_merge VALUES ('P000002', 'P000001')")
    put(hospital, "D4", at=NIGHT + DAY)
    process("second", NIGHT + DAY)
    opt_out = objects(PatientKey(name()))
    with office("publisher") as cursor:
        cursor.execute(query("deid", "opt_out", "match"), {"opt_out_id": opt_out, "patient_id": "P000001"})
    found = proof(opt_out)
    assert found.ledger == LiveDocuments(published=3, staged=1, unfinished=0, quarantined=0)
    removal.apply_opt_outs()
    assert proof(found.opt_out.opt_out_id).found_now == 0


def test_what_waits_for_publication_is_not_published(hospital: Database) -> None:
    put(hospital, "D4", at=NIGHT + DAY)
    put(hospital, "D5", PAGE, patient="P000002", format="text/html", at=NIGHT + DAY)
    staged = process("second", NIGHT + DAY)
    objects(PatientKey(name()))
    publish_interval(staged["interval_key"])
    assert states(hospital) == {
        **{"D1": "withdrawn", "D3": "withdrawn", "D4": "withdrawn"},
        **{"D2": "published", "D5": "published"},
    }
    assert hospital.rows("SELECT count(*) FROM deid.candidate") == [(0,)]


def test_publication_itself_refuses_whoever_slipped_through(
    hospital: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the night nor the start of the publication knows: the batch that would write looks again."""
    put(hospital, "D4", at=NIGHT + DAY)
    put(hospital, "D5", PAGE, patient="P000002", format="text/html", at=NIGHT + DAY)
    staged = process("second", NIGHT + DAY)
    monkeypatch.setattr(removal, "apply_opt_outs", lambda *_: objects(PatientKey(name())))
    publish_interval(staged["interval_key"])
    assert states(hospital)["D4"] == "withdrawn"
    assert states(hospital)["D5"] == "published"
    assert hospital.rows("SELECT count(*) FROM deid.published_document WHERE patient_id = %s", (name(),)) == [(0,)]
    assert hospital.rows("SELECT count(*) FROM deid.candidate") == [(0,)]


@pytest.mark.parametrize("rotation", ["redo", "keep"])
def test_a_pseudonym_of_a_former_key_still_finds_the_patient(
    hospital: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rotation: str
) -> None:
    old = name()
    two_keys(monkeypatch)
    decide(monkeypatch, tmp_path, f"{{rotation: {rotation}}}")
    put(hospital, "D4", at=NIGHT + DAY)
    night("under the new key", NIGHT + DAY)
    if rotation == "redo":
        night("redone")
    assert old != name()
    opt_out = objects(PatientKey(old))
    removal.apply_opt_outs()
    names = [pseudonym(key.secret, "patient", "P000001") for key in settings().keyring.keys]
    assert hospital.rows("SELECT count(*) FROM deid.published_document WHERE patient_id = ANY(%s)", (names,)) == [(0,)]
    assert proof(opt_out).opt_out.removed == 3
    night("later", NIGHT + 2 * DAY)
    put(hospital, "D6", at=NIGHT + 3 * DAY)
    process("later still", NIGHT + 3 * DAY)
    assert "D6" not in states(hospital)  # planning leaves out who has objected


def test_an_opt_out_outlives_the_key_that_its_pseudonym_came_from(
    hospital: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    two_keys(monkeypatch)
    decide(monkeypatch, tmp_path, "{rotation: redo}")
    objects(PatientKey(pseudonym(settings().keyring.of(1).secret, "patient", "P000001")))
    removal.apply_opt_outs()
    night("redone")
    hospital.rows("UPDATE deid.key SET destroyed_at = now() WHERE key_version = 1")
    monkeypatch.setenv("NOCTURNE_SECRET", f"2:{SECOND}")
    settings.cache_clear()
    put(hospital, "D6", at=NIGHT + 3 * DAY)
    process("without the former key", NIGHT + 3 * DAY)
    assert "D6" not in states(hospital)  # planning leaves out who has objected


def test_a_pseudonym_that_leads_to_nobody_stays_unmatched_and_is_told(hospital: Database) -> None:
    opt_out = objects(PatientKey("a" * 20))
    assert removal.apply_opt_outs() == {"oppositions": 1, "unmatched": 1, "removed": 0, "withdrawn": 0}
    assert proof(opt_out).opt_out.applied_at is None
    assert proof(opt_out).found_now is None
    assert readers_see(hospital) == 3


def test_what_is_applied_once_is_left_alone_for_good(hospital: Database) -> None:
    objects(PatientKey(name()))
    removal.apply_opt_outs()
    before = fingerprint(hospital)
    assert removal.apply_opt_outs() == {"oppositions": 1, "unmatched": 0, "removed": 0, "withdrawn": 0}
    assert fingerprint(hospital) == before


def test_the_second_request_is_told_of_the_first(hospital: Database) -> None:
    first = objects(PatientKey(name()))
    for patient in (PatientKey(name()),):
        with pytest.raises(OptOutRefused) as refused:
            objects(patient)
        assert (refused.value.why, refused.value.opt_out_id) == (OptOutProblem.ALREADY, first)
    removal.apply_opt_outs()
    for _ in range(2):
        objects(PatientKey(patient_id="P000001"))  # the same person: to say so would tell whose pseudonym it is
    removal.apply_opt_outs()
    assert hospital.rows("SELECT count(*), count(DISTINCT patient_id) FROM deid.opt_out") == [(3, 1)]


def test_questions_on_pseudonyms_are_bounded_by_steward_and_in_all(hospital: Database) -> None:
    hospital.rows("UPDATE deid.patient_bound SET per_steward = 2, per_day = 3", role="owner")
    for actor in ("intendante", "intendante"):
        with office() as cursor:
            assert opt_outs.search_patient(cursor, actor, PatientKey(name())).documents == 2
    with pytest.raises(OptOutRefused) as own, office() as cursor:
        opt_outs.search_patient(cursor, "intendante", PatientKey(name()))
    with office() as cursor:
        opt_outs.search_patient(cursor, "intendante", PatientKey(patient_id="P000001"))  # gives no count
        assert opt_outs.search_patient(cursor, "référente", PatientKey(name())).documents == 2
    with pytest.raises(OptOutRefused) as everyone:
        objects(PatientKey(name("P000002")))
    assert own.value.why is everyone.value.why is OptOutProblem.TOO_MANY
    assert hospital.rows("SELECT count(*) FROM deid.opt_out") == [(0,)]
    assert readers_see(hospital) == 3
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        hospital.rows("UPDATE deid.patient_bound SET per_day = 99", role="steward")


def test_a_question_that_is_rolled_back_still_counts(hospital: Database) -> None:
    hospital.rows("UPDATE deid.patient_bound SET per_day = 2", role="owner")
    link = psycopg2.connect(hospital.dsn("steward"))
    answers = []
    for _ in range(3):
        with link.cursor() as cursor:
            cursor.execute("SELECT deid.count_patient(%s, 'intendante')", (name(),))
            answers += cursor.fetchall()
        link.rollback()
    link.close()
    assert answers == [(2,), (2,), (None,)]


@pytest.mark.parametrize(
    "given", ["", "a" * 19, "a" * 21, "A" * 20, "1" * 20, "<script>alert(1)</sc", "' OR true --'''''''''", "é" * 20]
)
def test_what_has_not_the_shape_of_a_pseudonym_is_refused(given: str) -> None:
    with pytest.raises(OptOutRefused) as refused:
        PatientKey(given)
    assert refused.value.why is OptOutProblem.NOT_A_PSEUDONYM


@pytest.mark.parametrize("given", ["", " ", "x" * 101, "P\n1", "P\x001"])
def test_what_cannot_be_an_id_of_the_hospital_is_refused(given: str) -> None:
    with pytest.raises(OptOutRefused) as refused:
        PatientKey(patient_id=given)
    assert refused.value.why is OptOutProblem.NOT_AN_ID


@pytest.mark.parametrize(
    ("reason", "why"),
    [("", OptOutProblem.TOO_SHORT), ("x" * 9, OptOutProblem.TOO_SHORT), ("x" * 501, OptOutProblem.TOO_LONG)],
)
@pytest.mark.usefixtures("deployed")
def test_an_opt_out_says_why(reason: str, why: OptOutProblem) -> None:
    with office() as cursor, pytest.raises(OptOutRefused) as refused:
        opt_outs.record_opt_out(cursor, "intendante", PatientKey("a" * 20), reason)
    assert refused.value.why is why


def test_a_patient_who_consents_again_is_taken_from_then_on(hospital: Database) -> None:
    opt_out = objects(PatientKey(name()))
    removal.apply_opt_outs()
    with office("worker") as cursor:
        assert opt_outs.revoke_opt_out(cursor, "exploitant", opt_out, "consentement signé ce jour")
    with office("worker") as cursor:
        assert not opt_outs.revoke_opt_out(cursor, "exploitant", opt_out, "consentement signé ce jour")
    assert readers_see(hospital) == 1  # lifting puts nothing back by itself
    night("backfill")
    assert readers_see(hospital) == 3
    assert objects(PatientKey(name())) != opt_out  # and one may object again


def test_nobody_lifts_an_opt_out_from_the_pages(hospital: Database) -> None:
    objects(PatientKey(name()))
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        hospital.rows("UPDATE deid.opt_out SET revoked_at = now()", role="steward")


REMOVED = "('deid.published_document'), ('research.document'), ('deid.opt_out_removal'), ('deid.recalled_document')"
READ_BY_STEWARDS = f"""
WITH RECURSIVE built AS (
    SELECT v.name::regclass AS relation FROM (VALUES {REMOVED}) AS v (name)
    UNION
    SELECT r.ev_class::regclass
    FROM built AS b
    INNER JOIN pg_depend AS d ON d.refobjid = b.relation AND d.classid = 'pg_rewrite'::regclass
    INNER JOIN pg_rewrite AS r ON r.oid = d.objid
)
SELECT b.relation::text FROM built AS b
WHERE has_any_column_privilege('nocturne_steward', b.relation, 'SELECT') ORDER BY 1
"""
OF_ITSELF = {"deid.opt_out_total", "deid.recall_tally"}  # what one removal took in all, or by type: its proof
ASKED = [
    "SELECT * FROM deid.interval_balance('2026-03-02')", "SELECT deid.is_read('2026-03-02')",
    "SELECT * FROM deid.read_published('{document}', 'intendante')",
    "SELECT * FROM deid.read_published_file('{document}', 'intendante')",
    "SELECT deid.count_patient('{patient}', 'intendante')", "SELECT * FROM deid.count_training()",
    "SELECT * FROM deid.export_training('1', 10, 'intendante', '{{}}')",
]  # fmt: skip


WAITING_OPT_OUT = (
    "INSERT INTO deid.opt_out (pseudonym, asked_by, reason) VALUES (%s, 'intendante', %s) RETURNING opt_out_id"
)
RECALL = f"""
SELECT deid.recall_interval('2026-03-02', array_agg(r.release_id ORDER BY r.release_id), 'intendante', '{REASON}')
FROM deid.release AS r WHERE r.interval_key = '2026-03-02'
"""


@pytest.mark.parametrize("removal_by", ["an opt-out", "a recall"])
def test_nothing_that_leaves_tells_its_night_to_a_steward_who_rolls_back(hospital: Database, removal_by: str) -> None:
    relations = {row[0] for row in hospital.rows(READ_BY_STEWARDS)} - OF_ITSELF
    assert {"deid.release_tally", "deid.removal_tally", "deid.disagreement_tally", "deid.recall_check"} <= relations
    (document,) = hospital.rows("SELECT min(document_id) FROM research.document")[0]
    questions = [f"SELECT * FROM {one}" for one in sorted(relations)]
    questions += [one.format(document=document, patient=name()) for one in ASKED]
    with psycopg2.connect(hospital.dsn("steward")) as link, link.cursor() as cursor:
        (recorded,) = _all(cursor, WAITING_OPT_OUT, [name("P000002"), REASON])
        removals = {"an opt-out": f"SELECT deid.withdraw_pseudonym({recorded[0]})", "a recall": RECALL}
        cursor.execute(removals[removal_by])
        questions += removals.values()
        for question in questions:
            cursor.execute("SAVEPOINT asked")
            with pytest.raises(psycopg2.errors.InsufficientPrivilege, match="commit it before reading"):
                cursor.execute(question)
            cursor.execute("ROLLBACK TO SAVEPOINT asked")
        link.rollback()
        for question in questions:
            cursor.execute(question)
            link.rollback()


@pytest.mark.parametrize("role", ["worker", "publisher", "reader", "researcher", "refresher"])
def test_only_a_steward_makes_rows_leave_by_a_name(hospital: Database, role: str) -> None:
    opt_out = objects(PatientKey("a" * 20))
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        hospital.rows("SELECT deid.withdraw_pseudonym(%s)", (opt_out,), role=role)


def test_no_row_leaves_without_an_opt_out(hospital: Database) -> None:
    opt_out = objects(PatientKey(patient_id="P000001"))
    for number in (opt_out, opt_out + 9):
        assert hospital.rows("SELECT deid.withdraw_pseudonym(%s)", (number,), role="steward") == [(0,)]
    lifted = objects(PatientKey(name("P000002")))
    hospital.rows("UPDATE deid.opt_out SET revoked_at = now()")
    night("backfill")
    assert hospital.rows("SELECT deid.withdraw_pseudonym(%s)", (lifted,), role="steward") == [(0,)]


def test_texts_in_a_review_leave_with_the_patient(hospital: Database) -> None:
    hospital.rows(
        "INSERT INTO deid.review (interval_key, staged_digest, population, sample, target, confidence, readings, seed,"
        " opened_by) VALUES ('2026-03-02', 'd', 3, 3, 0.1, 0.95, 1, 's', 'x');"
        "INSERT INTO deid.review_document (review_id, ordinal, run_id, document_id, content_hash, text, spans)"
        " SELECT 1, row_number() OVER (), run_id, document_id, content_hash, 'texte', '[]' FROM deid.document"
    )
    objects(PatientKey(name()))
    removal.apply_opt_outs()
    kept = hospital.rows("SELECT document_id FROM deid.review_document WHERE text IS NOT NULL")
    assert kept == [("D2",)]
