"""`doctor` on a real PostgreSQL: each test breaks one thing, and sees the finding with its remedy."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from deid.config.keys import Key, format_keys, split
from deid.config.settings import settings
from deid.database.queries import SQL
from deid.doctor.airflow import POOLS, SCHEDULED, XCOM_BACKEND, check_airflow
from deid.doctor.databases import MAY, NEEDS
from deid.doctor.finding import Finding, Level
from deid.models import FOLDER
from deid.refresh.refreshing import refresh
from deid.schema.provision import ROLES
from tests import ROOT
from tests.conftest import PASSWORD, SECRET, Database
from tests.database.cli.relay import relay
from tests.database.refresh.certificates import Authority
from tests.key_services import forget_shares, serve
from tests.ports import reserve_port
from tests.unit.cli.conftest import Call

Findings = dict[str, list[tuple[str, str, str]]]
Diagnose = Callable[..., Findings]
ERROR, ATTENTION, OK, NOTHING = "erreur", "attention", "ok", "sans objet"


@pytest.fixture
def deployment(deployed: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A deployment without a fault: the tables of a warehouse, a database, a secret, no Airflow."""
    for name in [name for name in os.environ if name.startswith("AIRFLOW_")]:
        monkeypatch.delenv(name)
    deployed.rows((SQL / "synthetic_hospital" / "cdw.sql").read_text(encoding="utf-8"), role="owner")
    return deployed


@pytest.fixture
def diagnose(deid: Call, monkeypatch: pytest.MonkeyPatch) -> Diagnose:
    """Run `doctor` with changed variables (None unsets one), look at the exit status, give the findings by check."""

    def run(**variables: str | Path | None) -> Findings:
        for name, value in variables.items():
            if value is None:
                monkeypatch.delenv(f"NOCTURNE_{name}", raising=False)
            else:
                monkeypatch.setenv(f"NOCTURNE_{name}", str(value))
        settings.cache_clear()
        said = deid("doctor", "--json")
        assert not [word for word in (PASSWORD, SECRET) if word in said.out + said.err]
        found: Findings = {}
        for line in said.lines:
            assert line["remedy"] or line["level"] in (OK, NOTHING)
            assert "\n" not in line["remedy"]
            found.setdefault(line["check"], []).append((line["level"], line["message"], line["remedy"]))
        levels = {level for findings in found.values() for level, _, _ in findings}
        assert said.status == (1 if ERROR in levels else 0)
        return found

    return run


def only(findings: Findings, check: str) -> tuple[str, str, str]:
    """The one finding of a check."""
    (finding,) = findings[check]
    return finding


def faults(findings: Findings) -> set[str]:
    """The checks with an error."""
    return {check for check, found in findings.items() if ERROR in {level for level, _, _ in found}}


@pytest.mark.usefixtures("deployment")
def test_a_deployment_without_fault(diagnose: Diagnose, deid: Call) -> None:
    findings = diagnose()
    assert faults(findings) == set()
    for role in ROLES:
        for check in ("base", "chiffrement", "droits", "journal", "horloge"):
            assert only(findings, f"{check} {role}")[0] == OK
    for check in (
        "migrations",
        "secret",
        "secret du registre",
        "modèles",
        "autres comptes",
        "canaux",
    ):
        assert only(findings, check)[0] == OK
    assert only(findings, "Airflow")[0] == NOTHING
    # The warehouse of the test is empty.
    assert {message for _, message, _ in findings["contrat de la source"]} == {
        "plan : aucun document dans l'intervalle : le reste n'est pas vérifié",
        "staff : aucun professionnel",
    }
    assert only(findings, "référentiels")[0] == ATTENTION  # nothing was loaded
    said = deid("doctor")
    assert said.status == 0
    assert "ok         base worker : 127.0.0.1:" in said.out
    assert "           → Dire où lire les siennes" in said.out
    assert PASSWORD not in said.out


def test_without_any_database_every_check_says_that_it_has_nothing_to_look_at(
    diagnose: Diagnose, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("AIRFLOW_HOME", raising=False)
    for name, days in (("essai1", 6), ("essai2", 8)):
        folder = tmp_path / "exchange" / "trainings" / name
        folder.mkdir(parents=True)
        for path in (folder / "corpus.jsonl", folder):
            path.touch()
            os.utime(path, (time.time() - days * 86_400,) * 2)
    findings = diagnose(HOME=tmp_path, EXCHANGE_FOLDER=tmp_path / "exchange")
    assert faults(findings) == set()
    assert only(findings, "réglages")[0] == ATTENTION
    level, left, _ = only(findings, "entraînements")
    assert (level, left.partition(" : ")[2]) == (ATTENTION, "essai2"), "a training that failed for good keeps its texts"
    for check in ("base worker", "migrations", "contrat de la source", "secret", "secret du registre", "référentiels"):
        assert only(findings, check)[0] == NOTHING


def test_every_role_has_its_privileges_said() -> None:
    assert set(MAY) | {"owner"} == set(ROLES)
    assert set(NEEDS) <= set(MAY)


@pytest.mark.usefixtures("deployment")
def test_settings_and_files_that_cannot_be_used(diagnose: Diagnose, tmp_path: Path) -> None:
    level, message, _ = diagnose(TYPO="1")["réglages"][0]
    assert (level, "NOCTURNE_TYPO" in message) == (ATTENTION, True)
    (tmp_path / "policy.yaml").write_text("epsilon: [")
    (tmp_path / "references.yaml").write_text("sources: {moon: {}}")
    findings = diagnose(
        TYPO=None, POLICY=tmp_path / "policy.yaml", REFERENCES=tmp_path / "references.yaml", SOURCE="nowhere"
    )
    assert faults(findings) == {"politique", "référentiels", "source"}
    assert "policy validate" in only(findings, "politique")[2]
    findings = diagnose(POLICY=None, REFERENCES=None, SOURCE=None, STATEMENT_TIMEOUT_S="soon")
    assert "NOCTURNE_STATEMENT_TIMEOUT_S" in only(findings, "réglages")[1]
    assert "réglages" in faults(findings)


def test_a_server_that_does_not_answer_or_refuses(deployment: Database, diagnose: Diagnose) -> None:
    away = f"postgresql://nocturne_worker:{PASSWORD}@127.0.0.1:{reserve_port()}/x"
    findings = diagnose(WORKER_DSN=away, STEWARD_DSN=deployment.dsn("steward").replace(PASSWORD, f"not-{PASSWORD}"))
    assert faults(findings) == {"base worker", "base steward"}
    assert "ne répond pas" in only(findings, "base worker")[1]
    assert "NOCTURNE_WORKER_DSN" in only(findings, "base worker")[2]
    assert "a refusé la connexion" in only(findings, "base steward")[1]


def test_an_old_server(deployment: Database, diagnose: Diagnose) -> None:
    dsn = deployment.dsn("publisher")
    with relay(dsn, major=14) as port:
        findings = diagnose(PUBLISHER_DSN=dsn.replace(f":{port_of(dsn)}/", f":{port}/"))
    level, message, remedy = only(findings, "base publisher")
    assert (level, "PostgreSQL 14" in message, "PostgreSQL 15" in remedy) == (ERROR, True, True)


def port_of(dsn: str) -> str:
    """The port of a URI, as written."""
    return dsn.rsplit("/", 1)[0].rsplit(":", 1)[1]


def elsewhere(dsn: str, port: object, options: str = "") -> str:
    """The URI of the same server as if it were another machine, `base.chu.example`."""
    moved = dsn.replace(f"127.0.0.1:{port_of(dsn)}/", f"base.chu.example:{port}/")
    return f"{moved}?hostaddr=127.0.0.1{options}"


def test_another_machine_without_tls_or_with_a_server_that_is_not_verified(
    deployment: Database, diagnose: Diagnose, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    bundle, context = authority.bundle, authority.server(host="base.chu.example")
    worker, steward, publisher = (deployment.dsn(role) for role in ("worker", "steward", "publisher"))
    with relay(worker, tls=context) as port:
        findings = diagnose(
            WORKER_DSN=elsewhere(worker, port_of(worker)),
            STEWARD_DSN=elsewhere(steward, port, "&sslmode=require"),
            PUBLISHER_DSN=elsewhere(publisher, port, f"&sslmode=verify-full&sslrootcert={bundle}"),
        )
    assert faults(findings) == set()
    levels = {role: only(findings, f"chiffrement {role}") for role in ("worker", "steward", "publisher")}
    assert {role: level for role, (level, _, _) in levels.items()} == {
        "worker": ATTENTION,
        "steward": ATTENTION,
        "publisher": OK,
    }
    assert "sans TLS" in levels["worker"][1]
    assert "pas vérifié" in levels["steward"][1]
    assert "sslmode=verify-full" in levels["steward"][2]


def test_migrations_that_lack_or_are_unknown(deployment: Database, diagnose: Diagnose) -> None:
    last = max(path.stem for path in (SQL / "migrations").glob("*.sql"))
    deployment.rows("UPDATE _yoyo_migration SET migration_id = '9999_later' WHERE migration_id = %s", (last,))
    lacking, unknown = diagnose()["migrations"]
    assert (lacking[0], last in lacking[1], "migrate" in lacking[2]) == (ERROR, True, True)
    assert (unknown[0], "9999_later" in unknown[1]) == (ERROR, True)
    deployment.rows("DROP TABLE _yoyo_migration CASCADE")
    assert "0001_walls" in only(diagnose(), "migrations")[1]


@pytest.mark.parametrize(
    ("statement", "check", "said"),
    [
        ("GRANT USAGE ON SCHEMA research TO nocturne_worker; GRANT SELECT ON research.document TO nocturne_worker",
         "droits worker", "lire research (1 tables, dont document)"),
        ("GRANT UPDATE (state) ON deid.document TO researcher", "droits researcher", "changer deid"),
        ("GRANT UPDATE ON research.document TO nocturne_publisher", "droits publisher", "changer research"),
        ("GRANT CREATE ON SCHEMA research TO nocturne_publisher", "droits publisher", "créer dans research"),
        ("GRANT SELECT (text) ON deid.candidate TO nocturne_steward", "droits steward", "candidate.text"),
        ("GRANT SELECT ON deid.published_document TO nocturne_worker", "droits worker", "published_document.text"),
        ("GRANT DELETE ON cdw.patient TO nocturne_reader", "droits reader", "écrire dans l'entrepôt (1 tables)"),
        ("REVOKE INSERT ON ALL TABLES IN SCHEMA ref FROM nocturne_refresher", "droits refresher",
         "ne peut pas : ajouter"),
    ],
)  # fmt: skip
def test_a_role_that_can_do_more_or_less_than_it_should(
    deployment: Database, diagnose: Diagnose, statement: str, check: str, said: str
) -> None:
    deployment.rows(statement)
    findings = diagnose()
    assert faults(findings) == {check}
    level, message, _ = only(findings, check)
    assert (level, said in message) == (ERROR, True), message


def test_logins_that_are_more_than_the_role(deployment: Database, diagnose: Diagnose) -> None:
    login = f"svc_{uuid.uuid4().hex[:8]}"
    deployment.rows(f"CREATE ROLE {login} LOGIN PASSWORD '{PASSWORD}' IN ROLE nocturne_steward, researcher")
    try:
        findings = diagnose(
            STEWARD_DSN=deployment.dsn("steward").replace("nocturne_steward", login),
            REFRESHER_DSN=deployment.dsn("refresher").replace("nocturne_refresher", "nocturne_owner"),
            OWNER_DSN=f"{deployment.superuser.rsplit('/', 1)[0]}/{deployment.name}",
        )
    finally:
        deployment.rows(f"DROP ROLE {login}")
    assert "devenir researcher" in only(findings, "droits steward")[1]
    assert "CREATEROLE" in only(findings, "droits refresher")[1]
    assert "nocturne_refresher" in only(findings, "droits refresher")[2]
    assert only(findings, "droits owner")[0] == ATTENTION


def test_accounts_beside_the_roles(deployment: Database, diagnose: Diagnose) -> None:
    deployment.rows("GRANT SELECT ON deid.quarantine TO PUBLIC")
    findings = diagnose()
    level, message, _ = only(findings, "autres comptes")
    assert (level, message) == (ATTENTION, "droits donnés hors des rôles du produit : PUBLIC (deid)")
    assert "droits researcher" in faults(findings)
    assert only(findings, "canaux")[0] == OK
    deployment.rows("GRANT EXECUTE ON FUNCTION pg_advisory_lock(bigint) TO PUBLIC")
    level, message, remedy = only(diagnose(), "canaux")
    assert (level, "pg_advisory_lock" in message, "close_channels.sql" in remedy) == (ATTENTION, True, True)


def test_a_server_that_logs_statements(deployment: Database, diagnose: Diagnose) -> None:
    deployment.rows(f"ALTER ROLE nocturne_worker IN DATABASE {deployment.name} SET log_statement = 'all'")
    deployment.rows(f"ALTER ROLE nocturne_reader IN DATABASE {deployment.name} SET log_min_messages = 'error'")
    findings = diagnose()
    assert faults(findings) == {"journal worker", "journal reader"}
    assert only(findings, "journal worker")[1].endswith("log_statement=all")
    assert "ALTER ROLE nocturne_worker SET" in only(findings, "journal worker")[2]


def test_clocks_and_zones_that_differ(deployment: Database, diagnose: Diagnose) -> None:
    """Functions of these names stand before PostgreSQL's own in the search paths of two roles."""
    deployment.rows("""
        CREATE SCHEMA late;
        CREATE FUNCTION late.clock_timestamp() RETURNS timestamptz LANGUAGE sql
            AS $$ SELECT pg_catalog.clock_timestamp() - interval '10 minutes' $$;
        CREATE SCHEMA old;
        CREATE FUNCTION old.timezone(text, timestamptz) RETURNS timestamp LANGUAGE sql
            AS $$ SELECT pg_catalog.timezone('UTC', $2) $$;
        GRANT USAGE ON SCHEMA late, old TO PUBLIC;
    """)
    for role, schema in (("nocturne_worker", "late"), ("nocturne_steward", "old")):
        deployment.rows(f"ALTER ROLE {role} IN DATABASE {deployment.name} SET search_path = {schema}, pg_catalog")
    findings = diagnose()
    assert faults(findings) == {"horloge worker", "horloge steward"}
    assert only(findings, "horloge worker")[1].startswith("600 s")
    assert "Europe/Paris" in only(findings, "horloge steward")[1]


def test_a_warehouse_without_a_column(deployment: Database, diagnose: Diagnose) -> None:
    deployment.rows("ALTER TABLE cdw.patient DROP COLUMN last_name CASCADE")
    findings = diagnose()
    assert faults(findings) == {"contrat de la source"}
    (found,) = [found for found in findings["contrat de la source"] if found[0] == ERROR]
    assert found[1] == "contents : la colonne p.last_name n'existe pas dans la table lue"
    assert "contents.sql" in found[2]


def test_a_secret_that_lacks_is_weak_or_is_not_the_one_of_the_ledger(deployment: Database, diagnose: Diagnose) -> None:
    absent = diagnose(SECRET=None)
    assert faults(absent) == {"secret"}
    assert "key new" in only(absent, "secret")[2]
    assert only(absent, "secret du registre")[0] == NOTHING
    weak = diagnose(SECRET="5e" * 32)
    assert faults(weak) == {"secret"}
    assert "n'est pas aléatoire" in only(weak, "secret")[1]
    assert only(diagnose(SECRET=SECRET), "secret du registre")[0] == OK
    deployment.rows("INSERT INTO deid.key (key_version, fingerprint) VALUES (1, %s)", ("0" * 16,))
    other = diagnose()
    assert faults(other) == {"secret du registre"}
    assert "docs/keys.md" in only(other, "secret du registre")[2]


def test_references_that_are_old(deployment: Database, diagnose: Diagnose, tmp_path: Path) -> None:
    refresh("establishments", dsn=deployment.dsn("refresher"))
    (tmp_path / "policy.yaml").write_text(
        "extends: default\nname: ours\nreferences: {max_age_days: {establishments: 36500}}\n"
    )
    assert only(diagnose(POLICY=tmp_path / "policy.yaml"), "référentiels")[0] == OK
    deployment.rows("UPDATE ref.release SET loaded_at = '1900-01-01', published_on = '1900-01-01'")
    level, message, _ = only(diagnose(), "référentiels")
    assert (level, "establishments (" in message) == (ATTENTION, True)


@pytest.mark.usefixtures("deployment")
def test_a_model_that_is_not_the_one_of_its_training(diagnose: Diagnose, tmp_path: Path) -> None:
    model = tmp_path / "crf"
    shutil.copytree(FOLDER / "crf", model)
    choice = f"{{name: crf, options: {{model: {model}}}}}"
    (tmp_path / "policy.yaml").write_text(
        f"extends: light\nname: ours\ndetection: {{annotators: [{{name: patterns}}, {choice}]}}\n"
    )
    whole = diagnose(POLICY=tmp_path / "policy.yaml")
    assert only(whole, "modèles")[1].startswith("empreintes vérifiées : crf-")
    weights = bytearray((model / "weights.safetensors").read_bytes())
    weights[-1] ^= 1
    (model / "weights.safetensors").write_bytes(weights)
    broken = diagnose()
    assert faults(broken) == {"modèles"}
    assert "n'est pas le fichier qui a été écrit" in only(broken, "modèles")[1]


@pytest.mark.usefixtures("deployment")
def test_folders_without_room_or_that_cannot_be_written(diagnose: Diagnose, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    findings = diagnose(HOME="/proc/nocturne", LOOKUP_FOLDER=tmp_path / "file" / "lookup")  # /proc has no room at all
    assert faults(findings) == {"disque NOCTURNE_HOME", "disque lookup"}
    assert "ne peut pas être écrit" in only(findings, "disque lookup")[1]


@pytest.fixture(scope="module")
def airflow_home(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of an Airflow of its own, with its tables."""
    home = tmp_path_factory.mktemp("airflow")
    variables = {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__XCOM_BACKEND": XCOM_BACKEND,
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home / 'airflow.db'}",
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW_")}
    command = [sys.executable, "-m", "airflow", "db", "migrate"]
    subprocess.run(command, env=kept | variables, check=True, capture_output=True, timeout=300)
    return variables


@pytest.mark.slow
@pytest.mark.timeout(900)  # nine commands of Airflow, three at a time
@pytest.mark.usefixtures("deployment")
def test_airflow_without_its_pool_plugins_or_guard(
    diagnose: Diagnose, airflow_home: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in airflow_home.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("deid.doctor.airflow._WAIT_S", 600)
    no_pool = diagnose()
    assert faults(no_pool) == {"Airflow, pools"}
    assert "airflow pools import docker/pools.json" in only(no_pool, "Airflow, pools")[2]
    level, message, _ = only(no_pool, "Airflow, DAG")
    assert (level, message.startswith("pas encore lus par Airflow : apply_oppositions, ask_again")) == (ATTENTION, True)
    pools = [sys.executable, "-m", "airflow", "pools", "import", str(ROOT / "docker" / "pools.json")]
    subprocess.run(pools, check=True, capture_output=True, timeout=300)
    assert {only(diagnose(), f"Airflow, {part}")[0] for part in ("XCom", "plugins", "pools")} == {OK}
    monkeypatch.setenv("AIRFLOW__CORE__PLUGINS_FOLDER", str(tmp_path))
    monkeypatch.delenv("AIRFLOW__CORE__XCOM_BACKEND")
    monkeypatch.setenv("AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", f"sqlite:///{tmp_path / 'empty.db'}")
    broken = diagnose()
    assert faults(broken) == {"Airflow, XCom", "Airflow, plugins", "Airflow, pools", "Airflow, DAG"}
    assert "nocturne_airflow" in only(broken, "Airflow, plugins")[1]


def test_dags_that_start_by_themselves_but_are_paused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The answer is that of `airflow dags list`, said in its place: DAGs take it half a minute to read."""
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def finding(*paused: str) -> Finding:
        dags = [{"dag_id": name, "is_paused": str(name in paused)} for name in (*SCHEDULED, "train_detector")]
        (tmp_path / "airflow.py").write_text(f"print('a warning')\nprint({json.dumps(dags)!r})")
        return next(found for found in check_airflow() if found.check == "Airflow, DAGs")

    assert finding("train_detector").level is Level.OK
    found = finding("ask_again", "release_dataset", "train_detector")
    assert (found.level, found.message) == (Level.ATTENTION, "paused, they never run: ask_again, release_dataset")
    assert "airflow dags unpause" in found.remedy


def test_names_of_airflow_are_those_of_the_deployment() -> None:
    by_themselves = (ROOT / "README.md").read_text(encoding="utf-8").split("<!-- dags -->")[1]
    assert re.findall(r"^\| `(\w+)` \|", by_themselves, re.MULTILINE) == list(SCHEDULED)
    assert set(json.loads((ROOT / "docker" / "pools.json").read_text())) == set(POOLS)
    assert f"XCOM_BACKEND:-{XCOM_BACKEND}" in (ROOT / "docker" / "entrypoint.sh").read_text()


@pytest.mark.usefixtures("deployment")
def test_a_key_service_that_answers_refuses_or_is_gone(
    diagnose: Diagnose, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert only(diagnose(), "service de clés")[0] == NOTHING
    share, other = split(Key(1, bytes.fromhex(SECRET)))
    (tmp_path / "third").write_text(format_keys([other]))
    monkeypatch.setenv("NOCTURNE_SECRET", share.secret.hex())
    with serve(tmp_path) as service:
        service.use(monkeypatch)
        findings = diagnose()
        assert faults(findings) == set()
        level, message, remedy = only(findings, "service de clés")
        assert (level, "donne 1 part(s)" in message) == (ATTENTION, True)  # the certificate ends within 30 days
        assert "renouveler" in remedy
        assert only(findings, "secret du registre")[0] == OK
        forget_shares()
        service.shares.write_text(f"2:{other.secret.hex()}")
        findings = diagnose()
        assert faults(findings) == {"service de clés", "secret"}
        assert "holds no share of version 1" in only(findings, "service de clés")[1]
        assert other.secret.hex() not in str(findings)
    forget_shares()
    assert "ne répond pas" in only(diagnose(), "service de clés")[1]
    assert "mal réglé" in only(diagnose(KEY_SERVICE_AUTHORITY=None), "service de clés")[1]
    (later := tmp_path / "later").mkdir()
    with serve(later, days=390) as service:
        service.shares.write_text(format_keys([other]))
        service.use(monkeypatch)
        assert only(diagnose(), "service de clés")[0] == OK
