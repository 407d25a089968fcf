"""Random ids of the ledger: nobody who may not read originals links them to the hospital's, and who may finds them."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg2
import pytest

from benchmarks import linkage
from benchmarks.linkers import attack
from deid.cli import main
from deid.config.settings import settings
from deid.database.connection import connect, open_cursor
from deid.domain.errors import InputRefused, WarehouseError
from deid.ledger import identity, pseudonyms
from deid.ledger import opt_outs as removal
from deid.ledger.keys import record_destroyed
from deid.nightly import steps
from deid.privacy.stream import pseudonym
from deid.publication.publish import publish_interval
from deid.schema.provision import OWNER, ROLES
from deid.stewardship import opt_outs
from deid.stewardship.opt_outs import PatientKey
from demo.hospital import generate
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import ledger_id, night, oppose, process, reasons, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put

TELLING = "VASSEROT_Maelys_1961.html"


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """Documents of two patients, one of them named after its patient."""
    decide(monkeypatch, tmp_path)
    open_hospital(deployed, opaque=True)
    put(deployed, TELLING)
    put(deployed, "D2", LETTER + "Suite.", patient="P000002")
    return deployed


@pytest.fixture
def former(postgres_server: str) -> Iterator[Database]:
    """An empty database of the owner's."""
    database = Database(postgres_server, f"nocturne_test_{uuid.uuid4().hex[:12]}")
    _alone(postgres_server, f"CREATE DATABASE {database.name} OWNER {OWNER}")
    yield database
    _alone(postgres_server, f"DROP DATABASE {database.name} WITH (FORCE)")


def _alone(superuser: str, statement: str) -> None:
    link = psycopg2.connect(superuser)
    link.autocommit = True
    with link.cursor() as cursor:
        cursor.execute(statement)
    link.close()


@pytest.mark.slow
@pytest.mark.timeout(900)  # three databases, attacked as each role
def test_no_role_without_originals_links_a_row_in_a_new_or_an_upgraded_database(
    deployed: Database, former: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The linkers work: in the database of the former version they find nearly every document."""
    assert set(linkage.LINKERS) | set(linkage.EXEMPT) == set(ROLES)
    decide(monkeypatch, tmp_path)
    made = generate(11, patients=12, documents=60, nights=linkage.NIGHTS)
    linkage.play(replace(made, documents=tuple(one for one in made.documents if one.fault != "huge")))

    @contextmanager
    def in_former() -> Iterator[None]:
        with monkeypatch.context() as patched:
            for name, value in former.environment.items():
                patched.setenv(name, value)
            settings.cache_clear()
            yield
        settings.cache_clear()

    superuser = urlunsplit(urlsplit(former.superuser)._replace(path=f"/{former.name}"))
    outcomes = linkage.measure(deployed.dsn, former.dsn, superuser, in_former)
    for role in linkage.LINKERS:
        for database in ("new", "upgraded"):
            assert outcomes[database][role].told == set(), (database, role)
            assert outcomes[database][role].linked == set(), (database, role)
    assert outcomes["new"]["steward"].orders > 200  # counts, and rows that wait
    assert outcomes["new"]["publisher"].orders > 500
    assert outcomes["new"]["steward"].calls > 0
    before = outcomes["before random ids"]
    for role in ("steward", "publisher"):
        assert len(before[role].linked) > 40, role
        assert any(what.startswith("order of") for what in before[role].told), role
        assert "deid.audit.object" in before[role].told, role


@pytest.mark.parametrize(
    ("planted", "tells"),
    [
        ("GRANT USAGE ON SCHEMA identity TO nocturne_steward; GRANT SELECT ON identity.mapping TO nocturne_steward",
         "identity.mapping.source_id"),
        ("GRANT SELECT ON deid.document TO nocturne_steward", "deid.document.ingested_at"),
        ("GRANT SELECT (document_id, ingested_at) ON deid.document TO nocturne_steward", "by ingested_at"),
        ("CREATE TABLE deid.note AS SELECT encode(sha256(source_id::bytea), 'hex') AS d FROM identity.mapping;"
         "GRANT SELECT ON deid.note TO nocturne_steward", "digest"),
        ("CREATE FUNCTION deid.find(text) RETURNS text SECURITY DEFINER LANGUAGE sql AS"
         " 'SELECT ledger_id FROM identity.mapping WHERE source_id = $1'", "function deid.find"),
        ("CREATE TABLE deid.lying AS SELECT m.ledger_id FROM identity.mapping AS m WHERE kind = 'document'"
         " ORDER BY source_id; GRANT SELECT ON deid.lying TO nocturne_steward", "as they lie"),
    ],
    ids=["mapping", "arrival", "order of arrival", "digest", "function", "physical order"],
)  # fmt: skip
def test_each_linker_finds_what_it_looks_for(deployed: Database, planted: str, tells: str) -> None:
    open_hospital(deployed, opaque=True)
    for number in range(24):
        put(deployed, f"D{number:02}", f"{LETTER}\nExemplaire {number}.", at=NIGHT.replace(minute=number))
    steps.plan(interval_start=NIGHT - DAY, interval_end=NIGHT + DAY, triggered_by="night")
    known = linkage.read_known(deployed.owner, linkage.read_names(deployed.owner))
    assert attack(deployed.dsn("steward"), known).told == set()
    deployed.rows(planted)
    assert any(tells in what for what in attack(deployed.dsn("steward"), known).told)


def test_no_table_log_or_task_result_holds_an_id_of_the_hospital(
    hospital: Database, caplog: pytest.LogCaptureFixture
) -> None:
    put(hospital, "LEFEVRE Paul, courrier.doc", LETTER.encode("cp1252"), charset="utf-8")
    with caplog.at_level(logging.DEBUG):
        results = [process("night")]
        results.append(publish_interval(results[0]["interval_key"]))
    assert set(reasons(hospital)) == {"LEFEVRE Paul, courrier.doc"}
    tables = hospital.rows(
        "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname IN ('deid', 'research')"
    )
    held = [row for (table,) in tables for row in hospital.rows(f"SELECT t::text FROM {table} AS t")]
    everything = json.dumps([held, results], default=str, ensure_ascii=False) + caplog.text
    assert len(held) > 50
    for name in (TELLING, "LEFEVRE", "P000001", "P000002", "S000001"):
        assert name not in everything


def test_ids_are_random_and_stay_the_same(hospital: Database) -> None:
    night("first")
    before = hospital.rows("SELECT kind, source_id, ledger_id FROM identity.mapping ORDER BY 1, 2")
    assert {(kind, source) for kind, source, _ in before} == {
        *(("document", name) for name in (TELLING, "D2")),
        *(("patient", name) for name in ("P000001", "P000002")),
        *(("stay", name) for name in ("S000001", "S000002")),
    }
    assert all(len(ledger) == 20 and ledger not in source for _, source, ledger in before)
    put(hospital, "D2", LETTER + "Corrigé.", patient="P000002", at=NIGHT + DAY)
    assert night("second", NIGHT + DAY)["replaced"] == 1
    assert hospital.rows("SELECT kind, source_id, ledger_id FROM identity.mapping ORDER BY 1, 2") == before
    drawn = pseudonym(settings().key, "document", TELLING)
    assert hospital.rows("SELECT count(*) FROM research.document WHERE document_id = %s", (drawn,)) == [(1,)]


def test_an_operator_finds_a_document_and_the_way_back_and_both_are_recorded(
    hospital: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    night("first")
    assert main(["ids", "find", TELLING]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == {"kind": "document", "ledger_id": ledger_id(hospital, TELLING)}
    assert main(["ids", "reveal", found["ledger_id"]]) == 0
    assert json.loads(capsys.readouterr().out) == {"kind": "document", "source_id": TELLING}
    assert main(["ids", "find", "--kind", "patient", "P000001"]) == 0
    patient = json.loads(capsys.readouterr().out)["ledger_id"]
    lines = hospital.rows("SELECT action, object, login FROM deid.audit ORDER BY seq")
    document = ("translate_id", f"document {found['ledger_id']}", "nocturne_reader")
    assert lines == [document, document, ("translate_id", f"patient {patient}", "nocturne_reader")]
    for arguments in (["find", "never met"], ["reveal", "0" * 20], ["find", "--kind", "table", "x"]):
        assert main(["ids", *arguments]) == 2
    assert hospital.rows("SELECT count(*) FROM deid.audit") == [(3,)]


@pytest.mark.parametrize("role", ["publisher", "steward", "researcher", "refresher"])
def test_no_other_role_reads_the_mapping(hospital: Database, role: str) -> None:
    for table in ("mapping", "salt", "opt_out", "discarded"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            hospital.rows(f"SELECT * FROM identity.{table}", role=role)
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        hospital.rows("SELECT deid.audit_append('x', 'x', 'x', '{}'), ingested_at FROM deid.document", role=role)


def test_an_opt_out_by_the_hospitals_id_shows_nothing_until_it_is_applied(hospital: Database) -> None:
    night("first")
    seen = "SELECT opt_out_id, matched FROM deid.opt_out"
    with connect(hospital.dsn("steward")) as link, link.cursor() as cursor:
        for patient in ("P000001", "nobody"):
            opt_outs.record_opt_out(cursor, "intendante", PatientKey(patient_id=patient), "demande écrite")
        cursor.execute(f"{seen} ORDER BY 1")
        assert cursor.fetchall() == [(1, False), (2, False)]
        cursor.execute("SELECT patient_id FROM deid.opted_out_patient")
        assert cursor.fetchall() == []
    assert removal.apply_opt_outs()["removed"] == 1
    assert states(hospital) == {TELLING: "withdrawn", "D2": "published"}
    assert hospital.rows(f"{seen} ORDER BY 1") == [(1, True), (2, True)]


def test_a_destroyed_secret_takes_the_mapping_of_its_rows_along(
    hospital: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    decide(monkeypatch, tmp_path, "{rotation: keep}")
    night("first")
    (former,) = settings().keyring.keys
    monkeypatch.setenv("NOCTURNE_SECRET", f"1:{former.secret.hex()},2:{bytes(range(32)).hex()}")
    settings.cache_clear()
    put(hospital, "D3", LETTER + "Fin.", patient="P000002", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    record_destroyed(former.version, former.fingerprint)
    monkeypatch.setenv("NOCTURNE_SECRET", f"2:{bytes(range(32)).hex()}")
    settings.cache_clear()
    kept = {source for (source,) in hospital.rows("SELECT source_id FROM identity.mapping WHERE kind <> 'stay'")}
    assert kept == {"D3", "P000002"}  # the patient has a row under the key that is left
    assert hospital.rows("SELECT DISTINCT key_fingerprint FROM deid.pseudonym") != [(former.fingerprint,)]
    assert hospital.rows("SELECT count(*) FROM deid.pseudonym WHERE key_fingerprint = %s", (former.fingerprint,)) == [
        (0,)
    ]
    oppose("P000002")
    night("third", NIGHT + 2 * DAY)
    left = hospital.rows("SELECT DISTINCT key_fingerprint FROM deid.published_document")
    assert left == [(former.fingerprint,)]


def test_what_an_upgrade_left_is_adopted_or_nothing_is_removed(
    hospital: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    night("first")
    hospital.rows("DELETE FROM deid.pseudonym")
    hospital.rows("UPDATE identity.mapping SET adopted = false")
    oppose("P000001")
    with monkeypatch.context() as patched:
        patched.delenv("NOCTURNE_WORKER_DSN")
        settings.cache_clear()
        with pytest.raises(WarehouseError, match="wait for their pseudonyms"):
            removal.apply_opt_outs()
    settings.cache_clear()
    assert main(["ids", "adopt"]) == 0
    assert pseudonyms.adopt() == 0
    assert removal.apply_opt_outs()["removed"] == 1


def test_a_copy_of_the_database_has_no_correspondence_without_the_secret(hospital: Database) -> None:
    night("first")
    stored = {encrypted for (encrypted,) in hospital.rows("SELECT encrypted FROM deid.pseudonym")}
    columns = hospital.rows("SELECT document_id, patient_id, stay_id FROM research.document", role="researcher")
    shown = {name for row in columns for name in row}
    assert len(stored) == len(shown) == 6
    assert not stored & shown
    key = settings().keyring.current
    opened = {pseudonyms.encrypt(key, *row) for row in hospital.rows("SELECT ledger_id, encrypted FROM deid.pseudonym")}
    assert opened == shown


def test_an_id_that_the_ledger_never_met_is_refused_and_not_made(hospital: Database) -> None:
    assert states(hospital) == {}
    with pytest.raises(InputRefused, match="never met"):
        identity.find_ledger_id("x", "document", "D9")
    with open_cursor("identity") as cursor:
        cursor.execute("SELECT count(*) FROM identity.mapping WHERE source_id = 'D9'")
        assert cursor.fetchone() == (0,)
