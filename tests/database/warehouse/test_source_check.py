"""Findings of `source check`, and refusals of a night, where documents would be lost, mixed up or misread."""

from __future__ import annotations

import json
import os
import re
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
from selectolax.lexbor import LexborHTMLParser

from deid.cli.language import translated_error
from deid.config.settings import settings
from deid.database import embedded
from deid.database.embedded import EmbeddedServer
from deid.domain.errors import ContractBroken, PolicyError, WarehouseError, WarehouseUnreachable
from deid.nightly import steps
from deid.release import actions
from deid.source import contract
from deid.source.contract import Source, open_source
from deid.source.contract_check import SourceReport, check_source
from deid.source.extraction import PAGE, list_documents, read_contents
from deid.source.links import Asked, StatementRefused
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
        ("contents", "p.birth_date", "'2999-01-01'::date AS birth_date", "birth_range"),
        ("contents", "p.sex::text AS sex", "'X9'::text AS sex", "sex"),
        ("contents", "e.admitted_on AS stay_start", "NULL::date AS stay_start", "dates"),
        ("contents", "d.written_on AS reference_date", "'2100-01-01'::date AS reference_date", "dates"),
        (
            "contents",
            "e.admitted_on AS stay_start",
            "((e.admitted_on + time '00:30') AT TIME ZONE 'Europe/Paris')::date AS stay_start",
            "session_day",
        ),
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
    with pytest.raises(ContractBroken, match=r"1 rows lie outside of the interval .*mine/plan\.sql"):
        night("n")
    break_query("plan", "%(interval_start)s IS NOT NULL", "d.ingested_at >= %(interval_start)s")
    break_query("contents", "d.document_id = ANY(%(document_ids)s)", "%(document_ids)s IS NOT NULL")
    assert ("contents", "not_asked") in kinds(check())
    with pytest.raises(ContractBroken, match="not asked for"):
        night("n")


def test_a_page_that_repeats_is_named(hospital: Database, break_query: Break) -> None:
    break_query("plan", "(d.ingested_at, d.document_id) >", "%(after_document_id)s::text IS NOT NULL OR (now(), '') >")
    assert ("plan", "same_page") in kinds(check(sample=2))
    fill = "INSERT INTO cdw.document (document_id, patient_id, type_code, title, format, content, ingested_at)"
    many = " SELECT 'n' || n, 'P000001', 'CRH', 'x', 'text/plain', '', %s FROM generate_series(1, %s) AS n"
    hospital.rows(fill + many, (NIGHT, PAGE))
    with pytest.raises(ContractBroken, match="a page does not start behind the former one"):
        night("n")
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(0,)]
    break_query("plan", "%(after_document_id)s::text IS NOT NULL OR (now(), '') >", "(d.ingested_at, d.document_id) >")
    with open_source("tests") as link:
        pages = list(list_documents(link, Source("mine"), NIGHT, NIGHT + DAY))
    assert [len(page) for page in pages] == [PAGE, 3], "documents of one time lie on two pages"


def test_a_local_time_read_as_utc_is_named(hospital: Database) -> None:
    now = datetime.now(UTC)
    for number in range(3):
        put(hospital, f"earlier{number}", at=now - timedelta(hours=number))
    assert ("plan", "future") not in kinds(check_source(Source("mine"), now - DAY, now, 2))
    put(hospital, "just now", at=now + timedelta(hours=2))
    assert ("plan", "future") in kinds(check_source(Source("mine"), now - DAY, now, 2)), "past the sample and its end"


@pytest.mark.parametrize(("local", "own"), [("'two'", 2), ("'one', 'two', 'three'", 0)])
def test_times_of_two_zones_in_one_column_are_named_before_anything_is_written(
    hospital: Database, break_query: Break, local: str, own: int
) -> None:
    """Texts with an offset beside local ones, read as instants: a local one takes the zone of the session."""
    columns = "e.document_id, e.content, e.patient_id, e.stay_id, e.type_code, e.withdrawn_at"
    at_paris = "e.ingested_at AT TIME ZONE 'Europe/Paris'"
    text = (
        f"CASE WHEN e.document_id IN ({local}) THEN ({at_paris})::text"
        " ELSE to_char(e.ingested_at, 'YYYY-MM-DD HH24:MI:SSOF') END"
    )
    read = f"FROM (SELECT {columns}, ({text})::timestamptz AS ingested_at FROM cdw.document AS e) AS d"
    break_query("plan", "FROM cdw.document AS d", read)
    (found,) = check().errors
    assert (found.step, found.kind, found.rows, found.sample, found.detail) == ("plan", "zones", 3 - own, 3, str(own))
    assert all(word in found.remedy for word in ("mine/plan.sql", "'Europe/Paris'", "'UTC'"))
    with pytest.raises(ContractBroken, match="plan zones"):
        steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="dry", dry_run=True)
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(0,)]
    mended = f"CASE WHEN e.document_id IN ({local}) THEN {at_paris} AT TIME ZONE 'Europe/Paris' ELSE e.ingested_at END"
    break_query("plan", f"({text})::timestamptz", mended)
    assert check().errors == []


@pytest.mark.usefixtures("hospital")
def test_a_query_that_is_refused_in_another_zone_leaves_the_session_in_its_own() -> None:
    told = Asked("SELECT current_setting('TimeZone') AS zone", {}, {"zone": "text"})
    with open_source("tests") as link:
        with link.earlier(1):
            with link.attempt():
                assert list(link.rows(told)) == [{"zone": "Etc/GMT-1"}]
            with pytest.raises(StatementRefused), link.earlier(2), link.attempt():
                link.columns("SELECT nothing AS zone", {})
            assert list(link.rows(told)) == [{"zone": "Etc/GMT-1"}]
        with pytest.raises(StatementRefused), link.earlier(1):
            link.columns("SELECT nothing AS zone", {})
        assert list(link.rows(told)) == [{"zone": "UTC"}]


def test_a_document_of_two_rows_is_held_back_and_the_others_go_on(hospital: Database, break_query: Break) -> None:
    twice = "LEFT JOIN (TABLE cdw.patient UNION ALL SELECT * FROM cdw.patient WHERE patient_id = 'P000002')"
    break_query("contents", "LEFT JOIN cdw.patient", twice)
    report = check()
    assert ("contents", "repeated") in kinds(report)
    assert report.errors == []
    assert night("n")["published"] == 2
    assert states(hospital) == {"one": "published", "two": "quarantined", "three": "published"}
    assert reasons(hospital) == {"two": ("detect", "repeated")}


def test_a_birth_date_that_is_none_holds_its_document_back_and_many_stop_the_night(
    hospital: Database, break_query: Break
) -> None:
    french = "to_char(p.birth_date, 'DD/MM/YYYY') AS birth_date"
    of_one = "CASE p.patient_id WHEN 'P000002' THEN '1948-02-30' ELSE p.birth_date::text END AS birth_date"
    break_query("contents", "p.birth_date", of_one)
    report = check()
    (found,) = [one for one in report.findings if one.kind == "birth_date"]
    assert (found.rows, found.sample, found.detail, found.error) == (1, 3, "9999-99-99 × 1", False), "one row's own"
    assert night("n")["published"] == 2
    assert reasons(hospital) == {"two": ("detect", "birth_date")}
    break_query("contents", of_one, french)
    report = check()
    assert {(one.step, one.kind, one.detail) for one in report.errors} == {("contents", "birth_date", "99/99/9999 × 3")}
    for number in range(30):
        put(hospital, f"more{number}", at=NIGHT + DAY + timedelta(minutes=number))
    with pytest.raises(ContractBroken, match=r"30 birth dates of 30 cannot be read \(99/99/9999\) in .*contents\.sql"):
        night("m", NIGHT + DAY)
    assert "publish" not in {state for (state,) in hospital.rows("SELECT state FROM deid.document WHERE run_id = 2")}


@pytest.mark.usefixtures("hospital")
def test_a_check_that_compared_nothing_is_not_said_to_hold(break_query: Break) -> None:
    break_query("contents", "p.birth_date", "NULL::date AS birth_date")
    night("n")
    page = LexborHTMLParser(Path(actions.report("2026-03-02")["html"]).read_text(encoding="utf-8"))
    said = {row.css_first("code").text(): row.css_first(".end").text() for row in page.css("tr:has(code):has(.end)")}
    assert (said["identity_birth_date"], said["identity_name"]) == ("non vérifiable", "conforme")


@pytest.mark.usefixtures("hospital")
@pytest.mark.parametrize("codes", [("1", "2"), ("H", "F"), ("masculin", "FÉMININ"), ("8507", "8532")])
def test_codes_of_the_sex_are_understood(break_query: Break, codes: tuple[str, str]) -> None:
    man, woman = codes
    break_query("contents", "p.sex::text AS sex", f"CASE p.sex WHEN 'M' THEN '{man}' ELSE '{woman}' END AS sex")
    assert "sex" not in {kind for _, kind in kinds(check())}
    with open_source("tests") as link:
        found = read_contents(link, Source("mine"), ["one", "two"])
    assert [found[name].patient.sex for name in ("one", "two")] == ["F", "M"]


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


def test_rows_without_an_id_stop_the_night_before_anything_is_written(hospital: Database, break_query: Break) -> None:
    break_query("contents", "    d.document_id,", "    nullif(d.document_id, 'two') AS document_id,")
    with pytest.raises(ContractBroken, match=r"a row has no id, or one that was not asked for in .*mine/contents\.sql"):
        night("n")
    assert hospital.rows("SELECT DISTINCT state FROM deid.document") == [("planned",)]
    assert hospital.rows("SELECT count(*) FROM deid.mention") == [(0,)]
    break_query("plan", "    d.document_id,", "    nullif(d.document_id, 'two') AS document_id,")
    with pytest.raises(ContractBroken, match=r"a row has no id, digest, time or withdrawal flag in .*mine/plan\.sql"):
        night("m")
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(1,)]


def test_a_query_that_takes_too_long_is_named(
    hospital: Database, break_query: Break, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_query("contents", "WHERE d.document_id", "WHERE pg_sleep(60) IS NOT NULL AND d.document_id")
    monkeypatch.setenv("NOCTURNE_STATEMENT_TIMEOUT_S", "4")
    settings.cache_clear()
    assert ("contents", "too_long") in kinds(check())
    with pytest.raises(ContractBroken, match=r"mine/contents\.sql: the query takes longer than NOCTURNE_ST"):
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
        assert {("server", "sql_ascii"), ("staff", "encoding")} <= kinds(report)
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


def test_an_interrupted_night_says_how_it_goes_on_and_a_full_disk_what_to_do(
    hospital: Database, break_query: Break, deid: Call, tmp_path: Path
) -> None:
    break_query("staff", "m.phone", "(1 / length(m.phone))::text AS phone")
    hospital.rows("UPDATE cdw.staff SET phone = ''")
    said = deid("night", "2026-03-02", "--stage-only")
    assert said.status == 1
    (name,) = re.findall(r"--name '([^']+)'", said.err)
    hospital.rows("UPDATE cdw.staff SET phone = '1'")
    assert deid("night", "2026-03-02", "--stage-only", "--name", name).status == 0
    assert set(states(hospital).values()) == {"staged"}
    folder = tmp_path / "reports"
    folder.mkdir(exist_ok=True)
    (folder / f".2026-03-02.html.{os.getpid()}.partial").symlink_to("/dev/full")
    said = deid("report", "2026-03-02")
    assert said.status == 1
    assert "le disque est plein" in said.err
    assert "python -m deid report 2026-03-02" in said.err
    assert "Traceback" not in said.err
    assert "File " not in said.err


@pytest.mark.usefixtures("hospital")
def test_every_fault_stands_beside_its_file_and_line_and_the_night_names_all_at_once(
    break_query: Break, tmp_path: Path
) -> None:
    break_query("staff", "m.rpps", "m.rpp")
    break_query("present", "d.patient_id", "d.patient")
    break_query("contents", "p.zip", "p.zip::bytea AS zip")
    folder = tmp_path / "contracts" / "mine"
    lines = {
        step: 1 + (folder / f"{step}.sql").read_text().partition(word)[0].count("\n")
        for step, word in (("staff", "m.rpp,"), ("present", "d.patient\n"), ("contents", "AS zip"))
    }
    told = {found.place for found in check().errors}
    assert told == {f"{folder}/{step}.sql:{line}" for step, line in lines.items()}
    with pytest.raises(ContractBroken) as caught:
        night("n")
    assert all(f"{folder}/{step}.sql:{line}" in str(caught.value) for step, line in lines.items())
    said = translated_error(caught.value)
    assert "une colonne n'est pas du type attendu : zip text" in said
    assert not re.search("the |column|remedy", said), "one language"


@pytest.mark.usefixtures("hospital")
def test_the_preview_counts_each_field_and_shows_values_only_if_asked(break_query: Break, deid: Call) -> None:
    asked = ("source", "preview", "--from", "2026-03-01", "--to", "2026-03-03")
    said = deid(*asked)
    assert said.status == 0
    assert re.search("birth_date +3 lisibles sur 3", said.out)
    assert re.search("last_name +donné pour 3 documents sur 3", said.out)
    assert re.search("birth_date +9999-99-99", said.out)
    assert "VASSEROT" not in said.out
    assert "1961" not in said.out
    told = deid(*asked, "--values").out
    assert "VASSEROT" in told
    assert "1961-05-14" in told
    assert "une douleur thoracique" not in told, "the beginning of a text alone"
    break_query("contents", "p.birth_date", "to_char(p.birth_date, 'DD/MM/YYYY') AS birth_date")
    said = deid(*asked, "--json")
    assert said.status == 1
    records = [json.loads(line) for line in said.out.splitlines()]
    assert {"column": "birth_date", "documents": 3, "given": 3, "readable": 0, "parsed": True} in records
    assert {one["birth_date"] for one in records if "birth_date" in one} == {"99/99/9999"}
