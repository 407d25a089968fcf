"""The hospital's ids on another server: nights, opt-outs and originals go on, and neither database links alone."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchmarks.linkage import read_names
from benchmarks.linkers import Known, attack, read_tables
from deid.cli import main
from deid.config.settings import settings
from deid.database.connection import connect, open_cursor
from deid.database.embedded import EmbeddedServer
from deid.doctor import databases
from deid.domain.errors import WarehouseError, WarehouseUnreachable
from deid.ledger import opt_outs as removal
from deid.ledger import originals
from deid.ledger.keys import record_destroyed
from deid.ledger.originals import OriginalProblem, OriginalRefused
from deid.nightly import steps
from deid.publication.publish import make_visible, publish_interval
from deid.stewardship.opt_outs import PatientKey, record_opt_out
from tests.conftest import Database, embedded_server, fresh_database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import fingerprint, night, oppose, process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put
from tests.database.warehouse.test_backup import address, program, restoring

HELD = "SELECT kind, source_id, ledger_id FROM identity.mapping ORDER BY 1, 2"
IDS = ("VASSEROT_1961.txt", "D2", "P000001", "P000002", "S000001", "S000002")


pytestmark = pytest.mark.usefixtures("english")


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """A ledger with one night behind it, and the ids beside it, as an upgraded deployment has them."""
    decide(monkeypatch, tmp_path)
    open_hospital(deployed, opaque=True)
    put(deployed, IDS[0])
    put(deployed, "D2", LETTER + "Suite.", patient="P000002")
    night("first")
    return deployed


@pytest.fixture(scope="module")
def second_server() -> Iterator[EmbeddedServer]:
    """A server beside that of the ledger."""
    with embedded_server() as server:
        yield server


@pytest.fixture
def other(second_server: EmbeddedServer) -> Iterator[Database]:
    """A database for the ids, empty, on the second server."""
    with fresh_database(second_server.uri("postgres")) as database:
        yield database


def tell_of(other: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name a database for the ids, without role and password."""
    where = urlsplit(other.superuser)
    monkeypatch.setenv("NOCTURNE_IDENTITY_DATABASE", f"postgresql://{where.hostname}:{where.port}/{other.name}")
    settings.cache_clear()


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOCTURNE_IDENTITY_DATABASE")
    settings.cache_clear()


def levels() -> set[str]:
    return {str(found.level) for found in databases.check_identity()}


def test_the_ids_move_and_everything_goes_on(
    hospital: Database, other: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hospital.rows("ANALYZE")
    before, (salt,) = hospital.rows(HELD), hospital.rows("SELECT salt FROM identity.salt")
    assert {name for _, name, _ in before} == set(IDS)
    assert levels() == {"ok"}
    tell_of(other, monkeypatch)
    assert levels() == {"error"}, "the ids are still in the ledger's database"
    assert (main(["migrate"]), main(["migrate"])) == (0, 0)
    assert "6 ids moved" in capsys.readouterr().out
    assert levels() == {"ok"}
    assert (other.rows(HELD), other.rows("SELECT salt FROM identity.salt")) == (before, [salt])
    for table in ("mapping", "salt", "opt_out", "discarded"):
        assert hospital.rows(f"SELECT count(*) FROM identity.{table}") == [(0,)], table
    kept = hospital.rows("SELECT attname FROM pg_stats WHERE schemaname = 'identity'")
    assert set(kept) <= {("kind",), ("adopted",)}

    put(hospital, "D2", LETTER + "Corrigé.", patient="P000002", at=NIGHT + DAY)
    put(hospital, "D3", LETTER + "Fin.", patient="P000002", at=NIGHT + DAY)
    release = night("second", NIGHT + DAY)
    assert (release["replaced"], release["published"]) == (1, 2)
    assert [row for row in other.rows(HELD) if row[1] != "D3"] == before
    assert main(["ids", "find", IDS[0]]) == 0
    name = json.loads(capsys.readouterr().out)["ledger_id"]
    asked = hospital.rows("SELECT run_id, document_id, content_hash FROM deid.document WHERE document_id = %s", (name,))
    assert originals.read_original("référente", *asked[0]).text == LETTER
    oppose("P000001")
    with pytest.raises(OriginalRefused) as refused:
        originals.read_original("référente", *asked[0])
    assert refused.value.why is OriginalProblem.WITHDRAWN
    assert removal.apply_opt_outs()["removed"] == 1
    (key,) = settings().keyring.keys
    record_destroyed(key.version, key.fingerprint)
    assert {source for kind, source, _ in other.rows(HELD) if kind != "stay"} == {IDS[0], "P000001"}


@pytest.mark.slow
def test_neither_database_links_without_the_other(
    hospital: Database, other: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    oppose("P000001")
    names = read_names(hospital.owner)
    tell_of(other, monkeypatch)
    assert main(["migrate"]) == 0
    for number in range(10):
        put(hospital, f"E{number}", f"{LETTER}\nExemplaire {number}.", patient="P000002", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    sources = {source for _, source, _ in other.rows(HELD)}
    ledger, ids = tmp_path / "nocturne.dump", tmp_path / "identity.dump"
    program("pg_dump", "--format=custom", "--exclude-schema=cdw", f"--file={ledger}", address(hospital, hospital.name))
    program("pg_dump", "--format=custom", f"--file={ids}", address(other, other.name))
    with restoring(hospital, ledger) as alone:
        known = Known([(source, "", "") for source in sorted(sources)], [], names)
        found = attack(alone.owner, known)
        assert found.cells > 1000
        assert (found.linked, found.told) == (set(), set())
        assert alone.rows("SELECT count(*) FROM research.document") == [(11,)]
    with restoring(other, ids) as alone:
        columns = "document_id, patient_id, stay_id"
        published = {name for row in hospital.rows(f"SELECT {columns} FROM research.document") for name in row}
        with connect(alone.owner) as link, link.cursor() as cursor:
            cells = {cell for _, rows in read_tables(cursor).values() for row in rows for cell in row if cell}
        assert len(cells) > 100
        assert not [cell for cell in cells if any(name in cell for name in published)]
        assert {source for _, source, _ in alone.rows(HELD)} == sources


def test_what_would_lose_or_divide_the_ids_is_refused(
    hospital: Database, other: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_of(hospital, monkeypatch)
    assert main(["migrate"]) == 1
    tell_of(other, monkeypatch)
    other.rows("INSERT INTO identity.mapping (kind, source_id) VALUES ('document', 'D2')")
    assert main(["migrate"]) == 1
    assert len(hospital.rows(HELD)) == len(IDS), "nothing left"
    other.rows("DELETE FROM identity.mapping")
    assert main(["migrate"]) == 0
    other.rows("DELETE FROM identity.mapping WHERE source_id = 'D2'")  # as an older backup would
    with pytest.raises(WarehouseError, match="1 documents of the ledger are not in the schema identity"):
        process("second", NIGHT + DAY)
    oppose("P000002")
    with monkeypatch.context() as forgetful:
        forget(forgetful)
        assert levels() == {"error"}
        for act in (lambda: process("second", NIGHT + DAY), lambda: oppose("P000001"), removal.apply_opt_outs):
            with pytest.raises(WarehouseError, match="42501"):
                act()
    settings.cache_clear()
    assert hospital.rows("SELECT count(*) FROM deid.opt_out") == [(1,)]
    other.rows("DELETE FROM identity.opt_out")
    with pytest.raises(WarehouseError, match="the patients of 1 opt-outs"):
        removal.apply_opt_outs()


def test_an_opt_out_is_recorded_in_a_ledger_that_is_older_than_the_ids(
    hospital: Database, other: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Opt-outs of which a restored ledger knows nothing keep their numbers; a new one takes the next that is free."""
    tell_of(other, monkeypatch)
    assert main(["migrate"]) == 0
    dump = tmp_path / "nocturne.dump"
    program("pg_dump", "--format=custom", f"--file={dump}", address(hospital, hospital.name))
    for patient in ("P000001", "never met", "P000001"):
        oppose(patient)
    with restoring(hospital, dump) as older:
        for name, value in older.environment.items():
            monkeypatch.setenv(name, value)
        settings.cache_clear()
        oppose("P000002")
        assert older.rows("SELECT opt_out_id FROM deid.opt_out") == [(4,)]
        assert other.rows("SELECT source_id FROM identity.opt_out ORDER BY opt_out_id") == [
            ("P000001",), ("never met",), ("P000001",), ("P000002",)
        ]  # fmt: skip
        assert removal.apply_opt_outs() == {"oppositions": 1, "unmatched": 0, "removed": 1, "withdrawn": 1}
        assert older.rows("SELECT object FROM deid.audit WHERE action = 'opt_out'") == [("opt-out 4",)]
        with open_cursor("steward") as cursor:  # one by pseudonym needs no patient, and takes the number that follows
            assert record_opt_out(cursor, "intendante", PatientKey(pseudonym="a" * 20), "demande écrite") == (5, 0)


@pytest.mark.slow
def test_no_file_of_the_ledgers_server_holds_an_id_of_the_hospital(
    postgres: Database,
    other: Database,
    second_server: EmbeddedServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """The ledger alone on a server; warehouse and ids on another, from the first night on."""
    ids = {kind: f"{kind}-{uuid.uuid4()}" for kind in ("document", "patient", "stay")}
    for name, value in other.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("NOCTURNE_READER_DSN", postgres.dsn("reader"))
    monkeypatch.setenv("NOCTURNE_IDENTITY_DSN", other.dsn("reader"))
    decide(monkeypatch, tmp_path)
    tell_of(postgres, monkeypatch)
    assert main(["migrate"]) == 0
    assert levels() == {"ok"}
    open_hospital(postgres, opaque=True)
    postgres.rows("ALTER TABLE cdw.stay DROP CONSTRAINT stay_patient_id_fkey")
    postgres.rows("UPDATE cdw.patient SET patient_id = %(patient)s WHERE patient_id = 'P000001'", ids)
    postgres.rows("UPDATE cdw.stay SET (stay_id, patient_id) = (%(stay)s, %(patient)s) WHERE nda = '260012345'", ids)
    put(postgres, ids["document"], patient=ids["patient"], stay_id=ids["stay"])
    put(postgres, "D2", LETTER + "Suite.", patient="P000002")
    assert night("first")["published"] == 2
    oppose(ids["patient"])
    assert removal.apply_opt_outs()["removed"] == 1
    ((published,),) = other.rows("SELECT document_id FROM research.document")
    assert {source for _, source, _ in postgres.rows(HELD)} >= set(ids.values())
    dumps = {}
    for database in (other, postgres):
        path = tmp_path / f"{database.name}.sql"
        program("pg_dump", f"--file={path}", address(database, database.name))
        dumps[database] = path.read_bytes()
    second_server.stop()  # all is in its files
    files = [path.read_bytes() for path in second_server.home.rglob("*") if path.is_file()]
    second_server.start()
    assert any(published.encode() in content for content in files)
    for value in map(str.encode, ids.values()):
        assert value in dumps[postgres]
        assert not [content for content in (*files, dumps[other]) if value in content]


@pytest.mark.slow
def test_the_ids_come_back(
    hospital: Database, other: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["migrate", "--identity-back"]) == 2
    assert "NOCTURNE_IDENTITY_DATABASE" in capsys.readouterr().err
    tell_of(other, monkeypatch)
    assert main(["migrate"]) == 0
    put(hospital, "D3", LETTER + "Fin.", patient="P000002", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    oppose("P000001")
    before, salt = other.rows(HELD), other.rows("SELECT salt FROM identity.salt")

    # A process that dies once the ids are here and before they leave there: both have them, and another call ends it.
    other.rows(
        "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stopped'; END $$;"
        "CREATE TRIGGER stop BEFORE TRUNCATE ON identity.salt EXECUTE FUNCTION stop()"
    )
    assert main(["migrate", "--identity-back"]) == 1
    assert hospital.rows(HELD) == other.rows(HELD) == before
    other.rows("DROP TRIGGER stop ON identity.salt; DROP FUNCTION stop()")
    capsys.readouterr()
    assert (main(["migrate", "--identity-back"]), main(["migrate", "--identity-back"])) == (0, 0)
    assert f"{len(before)} ids moved to the other database" in capsys.readouterr().out
    assert (hospital.rows(HELD), hospital.rows("SELECT salt FROM identity.salt")) == (before, salt)
    for table in ("mapping", "salt", "opt_out", "discarded"):
        assert other.rows(f"SELECT count(*) FROM identity.{table}") == [(0,)], table
    assert levels() == {"error"}, "this process is still told of the other database"
    with pytest.raises(WarehouseError, match="42501"):
        process("third", NIGHT + 2 * DAY)

    forget(monkeypatch)
    assert levels() == {"ok"}
    assert removal.apply_opt_outs()["removed"] == 1
    put(hospital, "D3", LETTER + "Corrigé.", patient="P000002", at=NIGHT + 2 * DAY)
    release = night("third", NIGHT + 2 * DAY)
    assert (release["replaced"], release["published"]) == (1, 1)
    assert hospital.rows(HELD) == before, "every id is the same"

    tell_of(other, monkeypatch)
    assert main(["migrate"]) == 0
    assert (other.rows(HELD), other.rows("SELECT salt FROM identity.salt")) == (before, salt)


@pytest.mark.slow
def test_what_stops_while_the_ids_are_away_is_said_and_goes_on_later(
    hospital: Database, other: Database, second_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_of(other, monkeypatch)
    assert main(["migrate"]) == 0
    put(hospital, "D3", LETTER + "Fin.", patient="P000002", at=NIGHT + DAY)
    when = {"interval_start": NIGHT + DAY, "interval_end": NIGHT + 2 * DAY, "triggered_by": "second"}
    shown = hospital.rows("SELECT run_id, document_id, content_hash FROM deid.document WHERE state = 'published'")

    def refused(*acts: Callable[[], object]) -> None:
        before = fingerprint(hospital)
        second_server.stop()
        try:
            assert levels() == {"error"}
            for act in acts:
                with pytest.raises(WarehouseUnreachable) as away:
                    act()
                assert f"{urlsplit(other.superuser).port}/{other.name} does not answer" in away.value.message
                assert "NOCTURNE_IDENTITY_DATABASE" in away.value.remedy
                assert fingerprint(hospital) == before, "nothing was written"
        finally:
            second_server.start()

    refused(
        lambda: steps.plan(**when),
        lambda: oppose("P000001"),
        lambda: originals.read_original("référente", *shown[0]),
    )
    (batch,) = steps.plan(**when)
    run = (batch["run_id"], batch["batch_id"])
    refused(lambda: steps.detect(*run))
    for step in (steps.detect, steps.substitute, steps.validate):
        step(*run)
    staged = steps.stage(batch["run_id"])
    oppose("P000002")
    refused(removal.apply_opt_outs, lambda: publish_interval(staged["interval_key"]))
    publish_interval(staged["interval_key"])
    assert removal.apply_opt_outs()["oppositions"] == 1
    make_visible("nightly")
    ((name,),) = hospital.rows("SELECT patient_id FROM research.document")
    second_server.stop()
    try:
        with open_cursor("steward") as cursor:
            _, removed = record_opt_out(cursor, "intendante", PatientKey(pseudonym=name), "demande écrite")
    finally:
        second_server.start()
    assert removed == 1
    assert hospital.rows("SELECT count(*) FROM research.document") == [(0,)]
