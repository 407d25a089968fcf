"""Findings of `source check`, and refusals of a night, where documents would be lost, mixed up or misread."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, sleep

import psycopg2
import pytest
from psycopg2 import sql

from deid.config.settings import settings
from deid.database import embedded
from deid.database.embedded import EmbeddedServer
from deid.domain.errors import ContractBroken, PolicyError, WarehouseError, WarehouseUnreachable
from deid.nightly import steps
from deid.source import contract
from deid.source.contract import Source
from deid.source.contract_check import SourceReport, check_source
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, reasons, states
from tests.database.warehouse.small_hospital import DAY, NIGHT, open_hospital, put
from tests.unit.cli.conftest import Call, deid, secret

__all__ = ["deid", "secret"]

Break = Callable[..., None]


@pytest.fixture
def hospital(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """Three documents of two patients, read by the hospital's own copy of the eHOP-like contract."""
    open_hospital(deployed)
    decide(monkeypatch, tmp_path)
    folder = tmp_path / "contracts" / "mine"
    folder.mkdir(parents=True)
    for path in (contract.SQL / "sources" / "ehop").iterdir():
        (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_SOURCES", str(folder.parent))
    monkeypatch.setenv("NOCTURNE_SOURCE", "mine")
    settings.cache_clear()
    for number, name in enumerate(("one", "two", "three")):
        put(deployed, name, patient="P000002" if name == "two" else "P000001", at=NIGHT + timedelta(hours=number))
    return deployed


@pytest.fixture
def break_query(tmp_path: Path) -> Break:
    """`break_query(step, find, put_instead)` changes a query of the contract."""

    def change(step: str, find: str, put_instead: str) -> None:
        path = tmp_path / "contracts" / "mine" / f"{step}.sql"
        text = path.read_text(encoding="utf-8")
        assert find in text
        path.write_text(text.replace(find, put_instead), encoding="utf-8")

    return change


def check(sample: int = 200) -> SourceReport:
    return check_source(Source("mine"), NIGHT, NIGHT + DAY, sample)


def kinds(report: SourceReport) -> set[tuple[str, str]]:
    return {(found.step, found.kind) for found in report.findings}


@pytest.mark.usefixtures("hospital")
def test_a_contract_that_holds_has_no_error() -> None:
    report = check()
    assert report.errors == []
    assert report.rows == {"plan": 3, "present": 3, "contents": 3, "staff": 1, "merges": 0}
    assert check(sample=2).errors == [], "a second page goes on after the first"


@pytest.mark.usefixtures("hospital")
@pytest.mark.parametrize(
    ("step", "find", "put_instead", "kind"),
    [
        ("plan", "s.service_code AS service", "s.service_code AS ward", "column_missing"),
        ("plan", "d.ingested_at,", "d.ingested_at::timestamp,", "column_type"),
        ("plan", "d.type_code", "d.kind_of_it", "column_absent"),
        ("contents", "cdw.patient", "cdw.patients", "table_absent"),
        ("staff", "SELECT", "SELEC", "refused"),
        ("plan", "d.patient_id,", "NULL::text AS patient_id,", "no_patient"),
        ("plan", "d.document_id,\n", "nullif(d.document_id, 'two') AS document_id,\n", "null"),
        (
            "plan",
            "FROM cdw.document AS d",
            "FROM (SELECT * FROM cdw.document UNION ALL TABLE cdw.document) d",
            "repeated",
        ),
        ("plan", "d.ingested_at >= %(interval_start)s", "%(interval_start)s IS NOT NULL", None),
        ("plan", "ORDER BY d.ingested_at", "ORDER BY d.ingested_at DESC", "unordered"),
        ("present", "d.document_id = ANY", "'x' || d.document_id = ANY", "gone"),
        ("present", "d.patient_id", "'P' AS patient_id", "other_patient"),
        ("contents", "FROM cdw.document AS d", "FROM cdw.document AS d CROSS JOIN generate_series(1, 2)", "repeated"),
        ("contents", "LEFT JOIN cdw.patient", "INNER JOIN (SELECT * FROM cdw.patient LIMIT 1)", "gone"),
        (
            "contents",
            "LEFT JOIN cdw.patient AS p ON p.patient_id =",
            "LEFT JOIN cdw.patient AS p ON p.ipp =",
            "no_identity",
        ),
        ("contents", "encode(sha256(coalesce(d.content, ''::bytea)), 'hex')", "d.title", "other_digest"),
        ("contents", "d.document_id = ANY(%(document_ids)s)", "%(document_ids)s IS NOT NULL", None),
        ("contents", "coalesce(d.content, ''::bytea) AS content", "NULL::bytea AS content", "no_content"),
        ("contents", "coalesce(d.content, ''::bytea) AS content", "'\\x00ff00ff'::bytea AS content", "kept_back"),
        (
            "contents",
            "p.last_name",
            "convert_from(convert_to('Maëlys', 'UTF8'), 'LATIN1') AS last_name",
            "name_charset",
        ),
        ("contents", "p.birth_date", "'12/05/1961'::text AS birth_date", "birth_date"),
        ("contents", "e.admitted_on AS stay_start", "NULL::date AS stay_start", "dates"),
        ("contents", "d.written_on AS reference_date", "'2100-01-01'::date AS reference_date", "dates"),
        ("contents", "p.first_names", "ARRAY[]::text[] AS first_names", "empty_column"),
        ("staff", "m.last_name", "NULL::text AS last_name", "nobody"),
    ],
)
def test_a_fault_is_named(break_query: Break, step: str, find: str, put_instead: str, kind: str | None) -> None:
    break_query(step, find, put_instead)
    report = check()
    if kind is None:
        assert report.errors == [], "nothing of this sample shows it"
        return
    assert (step, kind) in kinds(report)
    for found in report.findings:
        assert "{" not in found.message + found.remedy
        assert "VASSEROT" not in found.message + found.remedy
    (first, *_) = [found for found in report.findings if (found.step, found.kind) == (step, kind)]
    assert f"mine/{step}.sql" in first.remedy or kind in ("no_select", "kept_back", "dates")


def test_what_no_night_reads_stops_none(hospital: Database) -> None:
    hospital.rows("DROP TABLE cdw.diagnosis CASCADE")
    report = check()
    assert ("codes", "table_absent") in kinds(report)
    assert report.errors == []


def test_rows_outside_the_interval_or_of_documents_not_asked_for_are_named(
    hospital: Database, break_query: Break
) -> None:
    put(hospital, "long ago", at=NIGHT - 9 * DAY)
    break_query("plan", "d.ingested_at >= %(interval_start)s", "%(interval_start)s IS NOT NULL")
    assert ("plan", "outside") in kinds(check())
    break_query("plan", "%(interval_start)s IS NOT NULL", "d.ingested_at >= %(interval_start)s")
    break_query("contents", "d.document_id = ANY(%(document_ids)s)", "%(document_ids)s IS NOT NULL")
    assert ("contents", "not_asked") in kinds(check())
    with pytest.raises(ContractBroken, match="not asked for"):
        night("n")


def test_a_page_that_repeats_is_named(hospital: Database, break_query: Break) -> None:
    break_query("plan", "(d.ingested_at, d.document_id) >", "%(after_document_id)s::text IS NOT NULL OR (now(), '') >")
    assert ("plan", "same_page") in kinds(check(sample=2))
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(0,)]


def test_a_local_time_read_as_utc_is_named(hospital: Database) -> None:
    now = datetime.now(UTC)
    for number in range(3):
        put(hospital, f"earlier{number}", at=now - timedelta(hours=number))
    assert ("plan", "future") not in kinds(check_source(Source("mine"), now - DAY, now, 2))
    put(hospital, "just now", at=now + timedelta(hours=2))
    assert ("plan", "future") in kinds(check_source(Source("mine"), now - DAY, now, 2)), "past the sample and its end"


def test_a_document_of_two_rows_is_held_back_and_the_others_go_on(hospital: Database, break_query: Break) -> None:
    twice = "LEFT JOIN (TABLE cdw.patient UNION ALL SELECT * FROM cdw.patient WHERE patient_id = 'P000002')"
    break_query("contents", "LEFT JOIN cdw.patient", twice)
    report = check()
    assert ("contents", "repeated") in kinds(report)
    assert report.errors == []
    assert night("n")["published"] == 2
    assert states(hospital) == {"one": "published", "two": "quarantined", "three": "published"}
    assert reasons(hospital) == {"two": ("detect", "repeated")}


@pytest.mark.usefixtures("hospital")
def test_the_bad_row_of_one_patient_is_no_fault_of_the_query(break_query: Break) -> None:
    other = "CASE WHEN p.patient_id <> 'P000002' THEN"
    break_query("contents", "p.last_name", f"{other} p.last_name END AS last_name")
    break_query("contents", "p.first_names", f"{other} p.first_names ELSE '{{CÃ©lestin}}' END AS first_names")
    report = check()
    assert {("contents", "no_identity"), ("contents", "name_charset")} <= kinds(report)
    assert report.errors == []


def test_a_cartesian_join_stops_the_night_before_anything_is_written(hospital: Database, break_query: Break) -> None:
    for number in range(30):
        put(hospital, f"more{number}", at=NIGHT + timedelta(hours=5, minutes=number))
    break_query("contents", "FROM cdw.document AS d", "FROM cdw.document AS d CROSS JOIN generate_series(1, 50)")
    with pytest.raises(ContractBroken, match=r"more rows than the 33 documents asked for in .*mine/contents\.sql"):
        night("n")
    assert hospital.rows("SELECT DISTINCT state FROM deid.document") == [("planned",)]
    assert hospital.rows("SELECT count(*) FROM deid.mention") == [(0,)]


def test_ids_listed_twice_stop_the_plan(hospital: Database, break_query: Break) -> None:
    again = "FROM (TABLE cdw.document UNION ALL SELECT d.* FROM cdw.document AS d) AS d"
    break_query("plan", "FROM cdw.document AS d", again)
    with pytest.raises(ContractBroken, match="rows repeat"):
        night("n")
    columns = "e.document_id, e.content, e.patient_id, e.stay_id, e.type_code, e.withdrawn_at"
    later = f"SELECT {columns}, e.ingested_at + n * interval '1 min' AS ingested_at"
    break_query("plan", again, f"FROM ({later} FROM cdw.document AS e, generate_series(0, 1) AS n) AS d")
    with pytest.raises(ContractBroken, match="3 documents are listed more than once"):
        night("n")
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(0,)]


def test_a_query_that_takes_too_long_is_named(
    hospital: Database, break_query: Break, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_query("contents", "WHERE d.document_id", "WHERE pg_sleep(60) IS NOT NULL AND d.document_id")
    monkeypatch.setenv("NOCTURNE_STATEMENT_TIMEOUT_S", "4")
    settings.cache_clear()
    assert ("contents", "too_long") in kinds(check())
    with pytest.raises(ContractBroken, match=r"mine/contents\.sql took longer than NOCTURNE_STATEMENT_TIMEOUT_S"):
        night("n")
    assert hospital.rows("SELECT DISTINCT state FROM deid.document") == [("planned",)]


def test_a_dry_run_checks_every_query_and_counts_only_if_they_hold(hospital: Database, break_query: Break) -> None:
    assert steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="dry", dry_run=True) == []
    assert hospital.rows("SELECT planned FROM deid.run WHERE dry_run") == [(3,)]
    break_query("staff", "m.rpps", "m.number")
    with pytest.raises(ContractBroken, match=r"staff column_absent\. .*source check --from 2026-03-02 --to 2026-03-03"):
        steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="dry again", dry_run=True)
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(1,)]


def test_a_password_that_expires_is_announced_and_one_that_expired_is_named(hospital: Database) -> None:
    until = sql.SQL("ALTER ROLE nocturne_reader VALID UNTIL {}")
    try:
        hospital.rows(until.format(sql.Literal((datetime.now(UTC) + timedelta(hours=5)).isoformat())))
        assert ("server", "password_expires") in kinds(check())
        hospital.rows(until.format(sql.Literal("2020-01-01")))
        with pytest.raises(WarehouseError, match=r"may have expired.*NOCTURNE_READER_DSN"):
            night("n")
    finally:
        hospital.rows(until.format(sql.Literal("infinity")))


def test_the_contract_of_a_run_is_in_its_provenance(hospital: Database, break_query: Break) -> None:
    first = Source("mine").digest
    night("n")
    put(hospital, "four")
    steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="later")
    break_query("staff", "m.rpps", "NULL::text AS rpps")
    with pytest.raises(PolicyError, match=r"another contract of the source mine .*Plan a new run"):
        steps.stage(steps.run_of("later"))
    assert Source("mine").digest != first == Source("ehop").digest, "the same queries, by another name"
    assert hospital.rows(
        "SELECT DISTINCT r.source, r.source_digest FROM deid.published_document AS p JOIN deid.run AS r USING (run_id)"
    ) == [("mine", first)]


def test_a_database_of_bytes_without_an_encoding(
    hospital: Database, break_query: Break, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Latin-1 in a database of encoding SQL_ASCII: named while it is unconverted, read once it is converted."""
    name = f"{hospital.name}_ascii"
    link = psycopg2.connect(hospital.superuser)
    link.autocommit = True
    with link.cursor() as cursor:
        cursor.execute(
            f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'"
        )
    try:
        dsn = hospital.superuser.rpartition("/")[0] + f"/{name}"
        old = psycopg2.connect(dsn)
        with old, old.cursor() as cursor:
            cursor.execute("CREATE SCHEMA cdw; CREATE TABLE cdw.nom (rpps text, nom text)")
            cursor.execute(r"INSERT INTO cdw.nom SELECT '1', convert_from('\x4cc94f'::bytea, 'SQL_ASCII')")
        old.close()
        monkeypatch.setenv("NOCTURNE_READER_DSN", dsn)
        settings.cache_clear()
        break_query(
            "staff",
            "cdw.staff AS m",
            "(SELECT rpps AS staff_id, rpps, nom AS last_name, nom AS first_name,"
            " rpps AS role, rpps AS service_code, rpps AS phone, rpps AS email FROM cdw.nom) AS m",
        )
        report = check()
        assert {("server", "sql_ascii"), ("staff", "unreadable")} <= kinds(report)
        break_query(
            "staff",
            "nom AS last_name, nom AS first_name",
            "convert_from(convert(convert_to(nom, 'SQL_ASCII'), 'LATIN1', 'UTF8'), 'SQL_ASCII') AS last_name,"
            " ''::text AS first_name",
        )
        assert "staff" not in {step for step, _ in kinds(check())}
    finally:
        with link.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")
        link.close()


@pytest.fixture
def replica() -> Iterator[tuple[EmbeddedServer, EmbeddedServer]]:
    """A primary of PostgreSQL and a standby that receives from it."""
    # Not under pytest's own folder, which is closed to other users, PostgreSQL's among them.
    home = Path(tempfile.mkdtemp(prefix="nocturne-tests-"))
    home.chmod(0o711)
    primary = EmbeddedServer(home / "primary", options={"fsync": "off"})
    standby = EmbeddedServer(home / "standby", options={"fsync": "off"})
    primary.start()
    try:
        standby.home.mkdir()
        standby.home.chmod(0o777)
        standby.log.touch()
        copy = [str(embedded.binaries() / "pg_basebackup"), "-R", "-X", "stream", "-c", "fast"]
        command = [*copy, "-D", str(standby.data), "-d", primary.uri("postgres")]
        subprocess.run(command, check=True, cwd="/", **embedded._as_system_user())
        standby._write_facts(json.loads(primary._facts_file.read_text()) | {"port": None})
        standby.start()
        yield primary, standby
    finally:
        standby.stop(immediate=True)
        primary.stop(immediate=True)
        shutil.rmtree(home)


@pytest.mark.slow
def test_a_replica_that_lags_stops_the_night_and_one_that_is_idle_does_not(
    hospital: Database, replica: tuple[EmbeddedServer, EmbeddedServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    primary, standby = replica
    rows = Database(primary.uri("postgres"), "postgres")
    copied = Database(standby.uri("postgres"), "postgres")
    rows.rows(
        (contract.SQL / "synthetic_hospital" / "cdw.sql").read_text(encoding="utf-8").replace("GRANT", "-- GRANT")
    )
    monkeypatch.setenv("NOCTURNE_READER_DSN", standby.uri("postgres"))
    settings.cache_clear()
    _until(lambda: copied.rows("SELECT to_regclass('cdw.document') IS NOT NULL")[0][0])
    assert ("server", "replica_late") not in kinds(check()), "all that it received is replayed"
    copied.rows("SELECT pg_wal_replay_pause()")
    rows.rows("CREATE TABLE cdw.later (n int)")
    _until(lambda: copied.rows("SELECT pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn()")[0][0])
    _until(lambda: copied.rows("SELECT pg_last_xact_replay_timestamp() < now() - interval '6 seconds'")[0][0])
    end = datetime.now(UTC)
    assert ("server", "replica_late") in kinds(check_source(Source("mine"), end - DAY, end))
    with pytest.raises(WarehouseUnreachable, match="replica that has replayed"):
        steps.plan(interval_start=end - DAY, interval_end=end, triggered_by="n")
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(0,)]


def _until(true: Callable[[], bool]) -> None:
    began = monotonic()
    while not true():
        assert monotonic() - began < 60
        sleep(0.1)


@pytest.mark.usefixtures("hospital")
def test_the_command_tells_each_finding_with_its_remedy(break_query: Break, deid: Call) -> None:
    asked = ("source", "check", "--from", "2026-03-01", "--to", "2026-03-03")
    said = deid(*asked)
    assert said.status == 0
    assert "lignes lues : plan 3" in said.out
    break_query("contents", "p.last_name", "NULL::text AS last_name")
    break_query("contents", "p.birth_name", "NULL::text AS birth_name")
    said = deid(*asked)
    assert said.status == 1
    assert "erreur     contents : 3 documents sur 3 sans nom de patient" in said.out
    records = [json.loads(line) for line in deid(*asked, "--json").out.splitlines()]
    assert {(one["step"], one["kind"], one["rows"]) for one in records if one.get("level") == "erreur"} == {
        ("contents", "no_identity", 3)
    }
    assert records[-1]["digest"] == Source("mine").digest
    assert deid("source", "check", "--from", "2026-03-05", "--to", "2026-03-03").status == 2
