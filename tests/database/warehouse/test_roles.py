"""Privileges of the roles as a truth table, checked on the server itself."""

from __future__ import annotations

import re

import psycopg2
import pytest

from deid.config.settings import settings
from deid.publication.publish import make_visible
from deid.schema.provision import ROLES
from docs.tables import block
from tests import ROOT
from tests.conftest import Database

STATEMENTS = {
    "read cdw": "SELECT count(*) FROM cdw.probe",
    "write cdw": "INSERT INTO cdw.probe VALUES (1)",
    "read ledger": "SELECT count(*) FROM deid.document",
    "read quarantine": "SELECT count(*) FROM deid.quarantine",
    "write ledger": "DELETE FROM deid.document",
    "write mention": "DELETE FROM deid.mention",
    "read candidate text": "SELECT text FROM deid.candidate",
    "read candidate markup": "SELECT markup FROM deid.candidate",
    "read candidate title": "SELECT title FROM deid.candidate",
    "read candidate files": "SELECT file FROM deid.candidate",
    "read staged files": "SELECT file FROM deid.staged_file",
    "read candidate ids": "SELECT run_id, document_id FROM deid.candidate",
    "erase candidate": "DELETE FROM deid.candidate",
    "decide": "INSERT INTO deid.decision VALUES ('2026-01-01', 1, 'Publier', 'a', '', 'd')",
    "forge verdict": "INSERT INTO deid.verdict VALUES (1, 'd', 'c', 'critical', true, 0)",
    "read research": "SELECT count(*) FROM research.document",
    "read notes": "SELECT count(*) FROM research.note",
    "read OMOP": "SELECT FROM research.person, research.visit_occurrence, research.note_nlp, research.loinc_concept",
    "read perturbation": "SELECT count(*) FROM research.perturbation",
    "write concepts": "DELETE FROM research.loinc_concept",
    "read files": "SELECT file FROM research.document_file",
    "read releases": "SELECT count(*) FROM research.release",
    "write research": "DELETE FROM research.document",
    "write releases": "UPDATE deid.release SET published_at = now()",
    "read arrivals": "SELECT interval_key, published_at FROM deid.release",
    "read published texts": "SELECT text FROM deid.published_document",
    "read training texts": "SELECT text FROM deid.training_document",
    "read spans": "SELECT spans FROM deid.published_document",
    "make tables": "CREATE TABLE research.mine (a int)",
    "make in public": "CREATE TABLE public.mine (a int)",
}

ALLOWED = {
    "reader": {"read cdw"},
    "worker": {
        *("read ledger", "read quarantine", "write ledger", "write mention", "forge verdict"),
        *("read candidate text", "read candidate markup", "read candidate title", "read candidate ids"),
        *("read candidate files", "erase candidate"),
    },
    "refresher": set(),
    "publisher": {
        *("read ledger", "read quarantine", "decide", "erase candidate"),
        *("read candidate text", "read candidate markup", "read candidate title", "read candidate ids"),
        *("read candidate files", "read files"),
        *("read research", "read notes", "read releases", "write research", "write releases"),
        *("read OMOP", "read perturbation"),
        *("read arrivals", "read published texts", "read spans"),
    },
    "steward": {
        *("read ledger", "read quarantine", "read candidate ids", "read staged files", "read arrivals"),
        "read perturbation",
    },
    "researcher": {
        *("read research", "read notes", "read files", "read releases", "read OMOP", "read perturbation"),
    },
}


@pytest.mark.parametrize("role", ALLOWED)
def test_each_role_does_what_it_may_and_nothing_else(postgres: Database, role: str) -> None:
    postgres.rows("CREATE TABLE cdw.probe (a int)", role="owner")
    done = {name for name, statement in STATEMENTS.items() if _succeeds(postgres, role, statement)}
    assert done == ALLOWED[role]


def test_the_owners_of_states_are_those_that_the_architecture_names(postgres: Database) -> None:
    owners: set[tuple[str, str]] = set()
    tables: list[str] = []
    for line in block((ROOT / "docs/architecture.md").read_text(encoding="utf-8"), "owners")["body"].splitlines()[2:]:
        named, role, _ = (cell.strip() for cell in line.strip("|").split("|"))
        tables = re.findall("`(.+?)`", named) or tables
        owners |= {(table, role.strip("`")) for table in tables}
    found = postgres.rows(
        "SELECT c.oid::regclass::text, r.rolname FROM pg_class c CROSS JOIN pg_roles r"
        " WHERE c.oid::regclass::text = ANY(%s) AND r.rolname = ANY(%s) AND r.rolname <> 'nocturne_owner'"
        " AND (has_any_column_privilege(r.oid, c.oid, 'INSERT') OR has_any_column_privilege(r.oid, c.oid, 'UPDATE'))",
        (sorted({table for table, _ in owners}), list(ROLES.values())),
    )
    assert set(found) == owners


def test_a_function_of_the_owner_reads_nothing_that_a_session_made_for_itself(postgres: Database) -> None:
    """A temporary type of the name of a built-in one would run its check with the rights of the owner."""
    path = "search_path=pg_catalog, pg_temp"
    query = "SELECT oid::regprocedure::text FROM pg_proc WHERE prosecdef AND NOT coalesce(proconfig, '{}') @> ARRAY[%s]"
    assert postgres.rows(query, (path,)) == []
    with psycopg2.connect(postgres.dsn("publisher")) as link, link.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION pg_temp.allowed(told timestamptz) RETURNS boolean LANGUAGE plpgsql AS"
            " 'BEGIN RAISE EXCEPTION ''as %'', current_user; END';"
            "CREATE DOMAIN pg_temp.timestamptz AS pg_catalog.timestamptz CHECK (pg_temp.allowed(VALUE));"
            "INSERT INTO deid.publication (interval_key, staged_digest, life) VALUES ('k', 'd', '1')"
        )


def test_every_role_is_in_the_table() -> None:
    assert set(ALLOWED) | {"owner"} == set(ROLES)


def test_a_researcher_sees_a_document_once_its_release_is_complete(
    postgres: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCTURNE_PUBLISHER_DSN", postgres.dsn("publisher"))
    settings.cache_clear()
    postgres.rows(
        """
        INSERT INTO deid.release (interval_key, run_ids, policy_hash, pipeline_version, staged_digest)
        VALUES ('2026-01-01', '{1}', 'p', 'v', 's');
        INSERT INTO deid.published_document (document_id, patient_id, text, release_id, run_id, policy_hash,
            pipeline_version, detector_version, reference_versions)
        VALUES ('doc', 'patient', 'texte', 1, 1, 'p', 'v', 'd', '{}')
        """,
        role="publisher",
    )
    assert make_visible("nightly") == {"documents": 0, "added": 0}
    for view in ("document", "note"):
        assert postgres.rows(f"SELECT count(*) FROM research.{view}", role="researcher") == [(0,)]
    postgres.rows("UPDATE deid.release SET published_at = now()", role="publisher")
    assert make_visible("nightly") == {"documents": 1, "added": 1}
    note = "SELECT note_text, note_source_value, note_id > 0, visit_occurrence_id FROM research.note"
    assert postgres.rows(note, role="researcher") == [("texte", "doc", True, None)]


def test_what_a_role_does_stays_out_of_the_server_log(postgres: Database) -> None:
    for role in set(ROLES.values()):
        settings = postgres.rows("SELECT unnest(rolconfig) FROM pg_roles WHERE rolname = %s", (role,))
        assert ("log_min_error_statement=panic",) in settings
        assert ("log_parameter_max_length_on_error=0",) in settings


def _succeeds(postgres: Database, role: str, statement: str) -> bool:
    link = psycopg2.connect(postgres.dsn(role))
    try:
        with link.cursor() as cursor:
            cursor.execute(statement)
        return True
    except psycopg2.errors.InsufficientPrivilege:
        return False
    finally:
        link.close()
