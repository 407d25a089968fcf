"""Sources outside PostgreSQL: a real MariaDB, a DuckDB file, an exported folder; published rows as from PostgreSQL."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pymysql
import pytest

from deid.cli.language import french
from deid.config.settings import settings
from deid.domain import PARIS
from deid.domain.errors import NocturneError, SettingsError, WarehouseError, WarehouseUnreachable
from deid.nightly.steps import plan as plan_night
from deid.source.contract import Source, open_source
from deid.source.contract_check import SourceFinding, SourceReport, check_source
from deid.source.contract_draft import draft_source
from deid.source.extraction import list_documents, present_documents, read_contents
from deid.source.links import Asked, StatementRefused
from tests.conftest import Database, fresh_database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, published, reasons, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put
from tests.ports import reserve_port

MARIADBD = shutil.which("mariadbd", path=f"{os.environ['PATH']}:/usr/sbin")
TABLES = {
    "patient": "patient_id VARCHAR(20), ipp VARCHAR(20), last_name VARCHAR(80), birth_name VARCHAR(80),"
    " first_names {many}, sex CHAR(1), birth_date DATE, nir VARCHAR(15), address VARCHAR(200), zip VARCHAR(5),"
    " city VARCHAR(80), phone VARCHAR(20), mobile VARCHAR(20), email VARCHAR(80)",
    "stay": "stay_id VARCHAR(20), patient_id VARCHAR(20), nda VARCHAR(20), service_code VARCHAR(20), admitted_on DATE,"
    " discharged_on DATE",
    "staff": "staff_id VARCHAR(20), rpps VARCHAR(11), last_name VARCHAR(80), first_name VARCHAR(80), role VARCHAR(80),"
    " service_code VARCHAR(20), phone VARCHAR(20), email VARCHAR(80)",
    "document": "document_id VARCHAR(20), patient_id VARCHAR(20), stay_id VARCHAR(20), type_code VARCHAR(20),"
    " loinc_code VARCHAR(20), title VARCHAR(200), format VARCHAR(40), charset VARCHAR(20), content {blob},"
    " written_on DATE, ingested_at {local} NOT NULL, withdrawn_at {local} NULL",
}
Statement = Callable[..., Any]


@dataclass(frozen=True)
class Other:
    """A database beside PostgreSQL: the reader's address, what runs a statement in it, its words for types."""

    address: str
    run: Statement
    types: dict[str, str]
    mark: str  # of a parameter

    def copy(self, hospital: Database) -> None:
        """Make the tables of the hospital with its rows; times are local, as such warehouses keep them."""
        for table, columns in TABLES.items():
            self.run(f"DROP TABLE IF EXISTS dpi.{table}")
            self.run(f"CREATE TABLE dpi.{table} ({columns.format(**self.types)})")
            names = [column.split()[0] for column in columns.split(", ")]
            for row in hospital.rows(f"SELECT {', '.join(names)} FROM cdw.{table}"):
                self.run(
                    f"INSERT INTO dpi.{table} VALUES ({', '.join([self.mark] * len(row))})", list(map(self._to, row))
                )

    def _to(self, value: Any) -> Any:
        if isinstance(value, list):
            return json.dumps(value, ensure_ascii=False) if "JSON" in self.types["many"] else value
        if isinstance(value, datetime):
            return value.astimezone(PARIS).replace(tzinfo=None)
        return bytes(value) if isinstance(value, memoryview) else value


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[tuple[int, Statement]]:
    """Port of a MariaDB with a database `dpi` in Latin-1 and an account that may read it; what runs a statement."""
    if MARIADBD is None:
        pytest.skip("MariaDB is not installed (Debian: apt install mariadb-server)")
    home = Path(tempfile.mkdtemp(prefix="nocturne-mariadb-"))
    home.chmod(0o755)
    account = "mysql" if os.geteuid() == 0 else str(os.geteuid())
    port, socket = reserve_port(), home / "socket"
    own = ["--no-defaults", f"--datadir={home / 'data'}", *([f"--user={account}"] if os.geteuid() == 0 else [])]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    install = ["mariadb-install-db", *own, "--auth-root-authentication-method=normal", "--skip-test-db"]
    subprocess.run(install, check=True, **quiet)
    if os.geteuid() == 0:
        shutil.chown(home, account)
    small = ["--innodb-buffer-pool-size=16M", "--innodb-flush-log-at-trx-commit=0", "--skip-log-bin"]
    server = subprocess.Popen(
        [MARIADBD, *own, f"--socket={socket}", f"--port={port}", "--bind-address=127.0.0.1", *small], **quiet
    )
    try:
        run = _runner(server, str(socket))
        run("CREATE DATABASE dpi CHARACTER SET latin1")
        run("CREATE USER lecteur@'%' IDENTIFIED BY 'secret:@1'")
        run("GRANT SELECT ON dpi.* TO lecteur@'%'")
        yield port, run
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(home)


def _runner(server: subprocess.Popen[bytes], socket: str) -> Statement:
    while True:
        try:
            link = pymysql.connect(unix_socket=socket, user="root", autocommit=True)
            break
        except pymysql.OperationalError:
            assert server.poll() is None, "MariaDB ended"

    def run(statement: str, parameters: Any = None) -> Any:
        with link.cursor() as cursor:
            cursor.execute(statement, parameters)
            return cursor.fetchall()

    return run


@pytest.fixture
def mariadb(mariadb_server: tuple[int, Statement]) -> Other:
    port, run = mariadb_server
    types = {"many": "JSON", "blob": "LONGBLOB", "local": "DATETIME(6)"}
    return Other(f"mariadb+pymysql://lecteur:secret%3A%401@127.0.0.1:{port}/dpi", run, types, "%s")


@pytest.fixture
def duck(tmp_path: Path) -> Other:
    path = tmp_path / "hospital.duckdb"

    def run(statement: str, parameters: Any = None) -> Any:
        with duckdb.connect(str(path)) as link:
            return link.execute(statement, parameters).fetchall()

    run("CREATE SCHEMA dpi")
    return Other(f"duckdb:///{path}", run, {"many": "VARCHAR[]", "blob": "BLOB", "local": "TIMESTAMP"}, "?")


@pytest.fixture(params=["mariadb", "duck"])
def other(request: pytest.FixtureRequest) -> Other:
    database: Other = request.getfixturevalue(request.param)
    return database


def _fill(hospital: Database) -> None:
    open_hospital(hospital)
    put(hospital, "letter")
    put(hospital, "page", PAGE.encode("latin-1"), patient="P000002", format="text/html", charset="latin1")
    put(hospital, "late", at=NIGHT + timedelta(hours=5))
    put(hospital, "noise", bytes(range(256)) * 4, at=NIGHT + timedelta(hours=1))
    put(hospital, "old", at=NIGHT - DAY)


@pytest.fixture(scope="module")
def as_postgresql(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> list[tuple]:
    """Rows that researchers read after a night on the same documents in PostgreSQL."""
    with pytest.MonkeyPatch.context() as patch, fresh_database(postgres_server) as database:
        home = tmp_path_factory.mktemp("postgresql")
        for name, value in {**database.environment, "NOCTURNE_HOME": str(home)}.items():
            patch.setenv(name, value)
        decide(patch, home)
        _fill(database)
        night("n")
        return published(database)


def _give_zones(run: Statement) -> None:
    """Give a MariaDB two time zones, as its administrator gives it all."""
    run("TRUNCATE mysql.time_zone_name")
    ((socket,),) = run("SELECT @@socket")
    client = ["mariadb", "--no-defaults", "--user=root", f"--socket={socket}", "mysql"]
    for zone in ("Europe/Paris", "UTC"):
        written = ["mariadb-tzinfo-to-sql", f"/usr/share/zoneinfo/{zone}", zone]
        subprocess.run(client, input=subprocess.run(written, check=True, capture_output=True).stdout, check=True)
    run("FLUSH TABLES")


def _draft(other: Other, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NOCTURNE_READER_DSN", other.address)
    monkeypatch.setenv("NOCTURNE_SOURCES", str(tmp_path / "contracts"))
    monkeypatch.setenv("NOCTURNE_SOURCE", "chu")
    decide(monkeypatch, tmp_path)
    folder = tmp_path / "contracts" / "chu"
    draft = draft_source(folder, ["dpi"])
    assert draft.tables == {thing: f"dpi.{thing}" for thing in ("document", "patient", "stay", "staff")}
    assert draft.missing == []
    return folder


def test_a_drafted_contract_publishes_the_rows_that_postgresql_gives(
    other: Other, deployed: Database, as_postgresql: list[tuple], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(deployed)
    other.copy(deployed)
    deployed.rows("DROP SCHEMA cdw CASCADE")
    folder = _draft(other, tmp_path, monkeypatch)
    if "mariadb" in other.address:
        other.run("TRUNCATE mysql.time_zone_name")
        other.run("FLUSH TABLES")
        report = check_source(Source("chu"), NIGHT, NIGHT + DAY)
        assert {(one.step, one.kind) for one in report.errors} >= {("plan", "no_zones")}
        with pytest.raises(WarehouseError, match=r"time zones are empty.*mysql_tzinfo_to_sql"):
            night("without zones")
        _give_zones(other.run)
    report = check_source(Source("chu"), NIGHT, NIGHT + DAY)
    assert [(one.step, one.kind, one.detail) for one in report.errors] == []
    assert report.rows == {"plan": 4, "present": 4, "contents": 4, "staff": 1}
    assert ("contents", "kept_back", 1) in {(one.step, one.kind, one.rows) for one in report.findings}
    assert night("n")["published"] == 3
    assert published(deployed) == as_postgresql
    assert reasons(deployed) == {"noise": ("detect", "undecodable")}
    other.run("DELETE FROM dpi.document WHERE document_id = 'late'")
    night("m", NIGHT + DAY)
    assert states(deployed)["late"] == "withdrawn"
    with open_source("tests") as link:
        many = [f"d{number}" for number in range(2500)]
        assert set(present_documents(link, Source("chu"), ["letter", *many, "page"])) == {"letter", "page"}
        assert present_documents(link, Source("chu"), []) == {}
        monkeypatch.setenv("NOCTURNE_MAX_DOCUMENT_BYTES", "40")
        settings.cache_clear()
        assert read_contents(link, Source("chu"), ["letter"])["letter"].content == LETTER.encode()[:41]
    assert sorted(path.name for path in folder.iterdir()) == ["contents.sql", "plan.sql", "present.sql", "staff.sql"]


FAULTS = [
    ("staff", "dpi.staff", "dpi.personnel", ("staff", "table_absent", "personnel")),
    ("staff", "m.rpps AS rpps", "m.rpp AS rpps", ("staff", "column_absent", "rpp")),
    ("staff", "m.rpps AS rpps", "42 AS rpps", ("staff", "column_type", "rpps text")),
    ("staff", "m.rpps AS rpps", "m.rpps AS number", ("staff", "column_missing", "rpps")),
    ("staff", "SELECT", "SELEC", ("staff", "refused", "")),
    ("staff", "m.rpps AS rpps", "%(rpps)s AS rpps", ("staff", "refused", "%(rpps)s no such parameter")),
]


def test_a_fault_of_a_query_is_named_without_a_value(
    other: Other, deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(deployed)
    other.copy(deployed)
    folder = _draft(other, tmp_path, monkeypatch)
    for step, find, put_instead, fault in FAULTS:
        path = folder / f"{step}.sql"
        text = path.read_text()
        path.write_text(text.replace(find, put_instead, 1))
        found = check_source(Source("chu"), NIGHT, NIGHT + DAY).findings
        path.write_text(text)
        told = {(one.step, one.kind): one.detail for one in found}
        assert fault[2] in told[fault[:2]]
        assert "VASSEROT" not in "".join(one.message + one.remedy for one in found)
        assert [one.message for one in found if french(one.message) is None] == []


def test_times_of_two_zones_in_one_column_are_named_and_mended_by_the_remedy(
    other: Other, deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Local times beside those of another column that tell their zone, as after a move of the warehouse."""
    _fill(deployed)
    other.copy(deployed)
    folder = _draft(other, tmp_path, monkeypatch)
    if maria := "mariadb" in other.address:
        _give_zones(other.run)
        other.run("SET time_zone = '+00:00'")
    other.run(f"ALTER TABLE dpi.document ADD COLUMN stamped {'TIMESTAMP NULL' if maria else 'VARCHAR'}")
    other.run(
        f"UPDATE dpi.document SET stamped = '2026-03-02 07:30:00{'' if maria else 'Z'}' WHERE document_id = 'late'"
    )
    local = (
        "convert_tz(d.ingested_at, 'Europe/Paris', 'UTC')" if maria else "(d.ingested_at AT TIME ZONE 'Europe/Paris')"
    )
    mixed, mended = (
        ("coalesce(d.stamped, d.ingested_at)", f"coalesce(convert_tz(d.stamped, @@session.time_zone, 'UTC'), {local})")
        if maria
        else ("coalesce(d.stamped, d.ingested_at::text)::timestamptz", f"coalesce(d.stamped::timestamptz, {local})")
    )
    plan = folder / "plan.sql"
    drafted = plan.read_text()
    assert local in drafted
    plan.write_text(drafted.replace(local, mixed))
    kind = "mixed_zones" if maria else "zones"
    (found,) = _zones(check_source(Source("chu"), NIGHT, NIGHT + DAY))
    assert (found.kind, found.error, found.rows + int(found.detail)) == (kind, not maria, found.sample)
    assert "plan.sql" in found.remedy
    if not maria:
        with pytest.raises(WarehouseError, match="plan zones"):
            plan_night(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="dry", dry_run=True)
        assert deployed.rows("SELECT count(*) FROM deid.run") == [(0,)]
    else:  # as right as the mended one: the session of a night is in UTC
        plan.write_text(drafted.replace(local, f"coalesce(d.stamped, {local})"))
        report = check_source(Source("chu"), NIGHT, NIGHT + DAY)
        assert [one.kind for one in _zones(report)] == ["mixed_zones"]
        assert report.errors == []
        plan_night(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="dry", dry_run=True)
    plan.write_text(drafted.replace(local, mended))
    report = check_source(Source("chu"), NIGHT, NIGHT + DAY)
    assert (_zones(report), report.errors) == ([], [])


def _zones(report: SourceReport) -> list[SourceFinding]:
    return [one for one in report.findings if one.kind in ("zones", "mixed_zones")]


def test_a_query_that_is_refused_in_another_zone_leaves_the_session_in_its_own(
    other: Other, deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(deployed)
    other.copy(deployed)
    _draft(other, tmp_path, monkeypatch)
    maria = "mariadb" in other.address
    zone = "@@session.time_zone" if maria else "current_setting('TimeZone')"
    if maria:
        other.run("SET GLOBAL log_output = 'TABLE', GLOBAL general_log = ON")
    told = Asked(f"SELECT {zone} AS zone", {}, {"zone": "text"})
    with open_source("tests") as link:
        (own,) = link.rows(told)
        with link.earlier(1):
            assert list(link.rows(told)) != [own]
        with pytest.raises(StatementRefused), link.earlier(1):
            list(link.rows(told._replace(statement="SELECT nothing AS zone")))
        assert list(link.rows(told)) == [own]
    if maria:
        other.run("SET GLOBAL general_log = OFF")
        logged = other.run(
            "SELECT CAST(argument AS CHAR) FROM mysql.general_log WHERE argument LIKE 'SET SESSION time_z%'"
        )
        assert {f"SET SESSION time_zone = '{west}:00'" for west in ("+00", "-01")} == {one for (one,) in logged}


def test_a_draft_reads_texts_with_and_without_an_offset(
    other: Other, deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(deployed)
    endings = {"spaced": ".5000000 +02:00", "short": "+02", "joined": " +0200", "small": "z"}
    for name in endings:
        put(deployed, name)
    texts = replace(other, types={**other.types, "local": "VARCHAR(40)"})
    texts.copy(deployed)
    texts.run("UPDATE dpi.document SET ingested_at = '2026-03-02T07:30:00Z' WHERE document_id = 'late'")
    texts.run("UPDATE dpi.document SET ingested_at = '2026-03-02T04:30:00.5+02:00' WHERE document_id = 'page'")
    for name, ending in endings.items():
        told = f"2026-03-02 {'02' if name == 'small' else '04'}:30:00{ending}"
        texts.run(f"UPDATE dpi.document SET ingested_at = '{told}' WHERE document_id = '{name}'")
    _draft(texts, tmp_path, monkeypatch)
    if "mariadb" in other.address:
        _give_zones(other.run)
    assert check_source(Source("chu"), NIGHT, NIGHT + DAY).errors == []
    with open_source("tests") as link:
        (page,) = list_documents(link, Source("chu"), NIGHT, NIGHT + DAY)
    assert {one.document_id: (one.ingested_at - NIGHT).total_seconds() for one in page} == {
        "letter": 0, "page": 0.5, "noise": 3600, "late": 5 * 3600, "spaced": 0.5, "short": 0, "joined": 0, "small": 0,
    }  # fmt: skip


def test_a_server_that_refuses_is_named_without_a_password(
    mariadb: Other, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refused(address: str, kind: type[NocturneError]) -> str:
        monkeypatch.setenv("NOCTURNE_READER_DSN", address)
        settings.cache_clear()
        with pytest.raises(kind) as caught, open_source("tests"):
            pass
        assert "secret" not in str(caught.value)
        return str(caught.value)

    assert "may have expired" in refused(mariadb.address.replace("lecteur:secret", "lecteur:secretly"), WarehouseError)
    assert "refused the login" in refused(mariadb.address.replace("/dpi", "/dossier"), WarehouseError)
    mariadb.run("ALTER USER lecteur@'%' PASSWORD EXPIRE")
    try:
        assert "may have expired" in refused(mariadb.address, WarehouseError)
    finally:
        mariadb.run("ALTER USER lecteur@'%' IDENTIFIED BY 'secret:@1'")
    down = f"mysql+pymysql://lecteur:secret@127.0.0.1:{reserve_port()}/dpi"
    assert "does not answer" in refused(down, WarehouseUnreachable)
    assert "knows no mysq://" in refused("mysq://lecteur:secret@dpi/dpi", SettingsError)
    assert "pip install PyMySQL" in refused("mysql://lecteur:secret@dpi/dpi", SettingsError)
    assert "pip install oracledb" in refused("oracle+oracledb://lecteur:secret@dpi/dpi", SettingsError)
    assert "%40" in refused("mysql+pymysql://lecteur:secret@dpi:port/dpi", SettingsError)
    assert "no such file" in refused(f"duckdb:///{tmp_path}/absent.duckdb", WarehouseUnreachable)
    (tmp_path / "text.duckdb").write_text("secret" * 5000)
    assert "not one that this version" in refused(f"duckdb:///{tmp_path}/text.duckdb", WarehouseError)


def test_nothing_is_written_and_a_long_statement_is_stopped(
    other: Other, deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(deployed)
    other.copy(deployed)
    folder = _draft(other, tmp_path, monkeypatch)
    if "mariadb" in other.address:
        other.run("GRANT ALL ON dpi.* TO lecteur@'%'")
    try:
        with open_source("tests") as link, pytest.raises(StatementRefused):
            list(link.rows(Asked("DELETE FROM dpi.staff", {}, {})))
    finally:
        if "mariadb" in other.address:
            other.run("REVOKE ALL ON dpi.* FROM lecteur@'%'")
            other.run("GRANT SELECT ON dpi.* TO lecteur@'%'")
    slow = (
        "sleep(60) + length(m.staff_id) > 99"
        if "mariadb" in other.address
        else "(SELECT count(*) FROM range(9000000000000)) < 0"
    )
    staff = folder / "staff.sql"
    staff.write_text(staff.read_text() + f"WHERE {slow}")
    monkeypatch.setenv("NOCTURNE_STATEMENT_TIMEOUT_S", "4")
    settings.cache_clear()
    assert ("staff", "too_long") in {
        (one.step, one.kind) for one in check_source(Source("chu"), NIGHT, NIGHT + DAY).errors
    }


HEAD = (
    "id_document;fichier;taille;encodage;date_export;annule;type_document;titre;date_document;ipp;iep;nom;"
    "nom_naissance;prenoms;sexe;date_naissance;adresse;code_postal;ville;telephone;courriel;nir;uf;date_entree;date_sortie"
)
PERSON = (
    "P000001;S000001;VASSEROT;QUILLEC;Maëlys, Anne;F;14/05/1961;12 rue des Lilas;21000;Dijon;03 80 11 22 33;;;CARD;"
    "25/02/2026;02/03/2026"
)


def _line(name: str, file: str, at: str, *, size: str = "", person: str = PERSON, gone: str = "N") -> str:
    kind = 'CRH;"Compte rendu ; hospitalisation";02/03/2026'
    return f"{name};{file};{size};latin1;{at};{gone};{kind};{person}"


def test_a_folder_of_exported_files_is_read_by_its_index(
    deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Latin-1, semicolons and French dates; a file that is missing, one of another size, lines that stand twice."""
    open_hospital(deployed)  # whose tables nothing reads: readable ids alone
    folder = tmp_path / "export"
    (folder / "2026").mkdir(parents=True)
    for name in ("letter", "twice", "differs", "short", "late"):
        (folder / "2026" / f"{name}.txt").write_bytes(LETTER.encode("latin-1"))
    size = str(len(LETTER.encode("latin-1")))
    twice = _line("twice", "2026\\twice.txt", "02/03/2026 04:10")
    lines = [
        HEAD,
        _line("letter", "2026\\letter.txt", "02/03/2026 04:00", size=size),
        *(twice, twice),
        _line("differs", "2026/differs.txt", "02/03/2026 04:20"),
        _line("differs", "2026/differs.txt", "02/03/2026 04:20", person=PERSON.replace("P000001", "P000002")),
        _line("missing", "2026/missing.txt", "02/03/2026 04:30"),
        _line("short", "2026/short.txt", "02/03/2026 04:40", size="12"),
        _line("late", "2026/late.txt", "03/03/2026 04:00"),
    ]
    (folder / "index_20260302.csv").write_bytes("\r\n".join([*lines, ""]).encode("latin-1"))
    staff = "matricule;rpps;nom;prenom;fonction;uf;telephone;courriel\n7;10001234567;TREGUIER;Yann;médecin;CARD;;\n"
    (folder / "personnel.csv").write_bytes(staff.encode("latin-1"))
    monkeypatch.setenv("NOCTURNE_READER_DSN", "duckdb:///:memory:")
    monkeypatch.setenv("NOCTURNE_SOURCE", "export_folder")
    monkeypatch.setenv("NOCTURNE_FILE_ROOTS", str(folder))
    decide(monkeypatch, tmp_path)
    findings = check_source(Source("export_folder"), NIGHT, NIGHT + DAY).findings
    found = {(one.step, one.kind, one.rows) for one in findings}
    assert {("contents", "repeated", 1), ("contents", "kept_back", 1)} <= found
    assert night("n")["published"] == 2
    held = {"differs": "repeated", "missing": "file_missing", "short": "file_changed"}
    assert reasons(deployed) == {name: ("detect", reason) for name, reason in held.items()}
    texts = deployed.rows("SELECT text, reference_date FROM research.document", role="researcher")
    assert all("bisoprolol 2,5 mg" in text and "hospitalisée" in text for text, _ in texts)
    assert not any(word in text for text, _ in texts for word in ("VASSEROT", "Maëlys", "TREGUIER", "Lilas"))
    gone = _line("letter", "2026\\letter.txt", "03/03/2026 05:00", gone="O")
    (folder / "index_20260303.csv").write_bytes("\n".join([HEAD, gone, ""]).encode("latin-1"))
    night("m", NIGHT + DAY)
    assert states(deployed)["letter"] == "withdrawn"
    assert states(deployed)["late"] == "published"
    index = folder / "index_20260303.csv"
    for raw, said in (
        ("Œdème;’".encode("cp1252"), "another encoding"),
        (f"{HEAD}\n{gone.replace('03/03/2026 05:00', 'hier')}\n".encode("latin-1"), "a value is not of the form"),
        (f"{HEAD.replace('ipp', 'patient')}\n{gone}\n".encode("latin-1"), "other columns"),
        (
            f"{HEAD}\n{gone.replace('03/03/2026 05:00', '2026-03-03T05:00:00+01:00')}\n".encode(),
            "of times in two zones",
        ),
    ):
        index.write_bytes(raw)
        with pytest.raises(WarehouseError, match=said) as caught:
            night("bad", NIGHT + 2 * DAY)
        assert "VASSEROT" not in str(caught.value)
    assert deployed.rows("SELECT count(*) FROM deid.run") == [(2,)], "nothing of what failed is registered"
    told = {one.kind: one.remedy for one in check_source(Source("export_folder"), NIGHT, NIGHT + DAY).errors}
    assert "'%%Y-%%m-%%dT%%H:%%M:%%S%%z'" in told["value"]
    shutil.rmtree(folder)
    with pytest.raises(WarehouseError, match="no such file"):
        night("bad", NIGHT + 2 * DAY)
