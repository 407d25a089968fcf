"""A whole night by its public steps, and what it leaves in the research schema."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from deid.database.connection import open_cursor
from deid.ledger.identity import salted
from deid.nightly import steps
from deid.publication.publish import make_visible, publish_interval
from deid.stewardship import opt_outs
from deid.stewardship.opt_outs import PatientKey
from tests.conftest import Database
from tests.database.warehouse.small_hospital import DAY, NIGHT


def process(trigger: str, start: datetime = NIGHT, **asked: Any) -> dict[str, Any]:
    """Plan to stage; returns what `stage` does."""
    asked = {"interval_end": start + DAY, **asked}
    batches = steps.plan(interval_start=start, triggered_by=trigger, **asked)
    for batch in batches:
        for step in (steps.detect, steps.substitute, steps.validate):
            step(batch["run_id"], batch["batch_id"])
    return steps.stage(steps.run_of(trigger))


def night(trigger: str, start: datetime = NIGHT, **asked: Any) -> dict[str, Any]:
    """Plan to publish; returns what `publish_interval` does."""
    release = publish_interval(process(trigger, start, **asked)["interval_key"])
    make_visible("nightly")
    return release


def published(hospital: Database) -> list[tuple]:
    """Every row that researchers see, without the marks of when and by which run."""
    return hospital.rows(
        "SELECT document_id, patient_id, stay_id, document_type, loinc_code, title, text, markup, reference_date,"
        " policy_hash, pipeline_version, detector_version FROM research.document ORDER BY 1",
        role="researcher",
    )


def fingerprint(hospital: Database) -> list[tuple]:
    """Every row of deid and research as it lies in its table: the same only if nothing was written."""
    tables = hospital.rows(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('deid', 'research')"
        " AND tablename NOT IN ('run') ORDER BY 1, 2"
    )
    return [
        (schema, table, *row)
        for schema, table in tables
        for row in hospital.rows(f"SELECT t.xmin::text, t.ctid::text, t::text FROM {schema}.{table} AS t ORDER BY 3")
    ]


def states(hospital: Database) -> dict[str, str]:
    """State of the latest version of each document, by the hospital's id."""
    return dict(
        hospital.rows(
            "SELECT DISTINCT ON (source_id) source_id, state"
            " FROM deid.document JOIN identity.mapping ON ledger_id = document_id ORDER BY source_id, run_id DESC"
        )
    )


def ledger_id(hospital: Database, source_id: str, kind: str = "document") -> str:
    """The ledger's id of a document or patient of the hospital, made if it was never met."""
    known = (kind, source_id)
    hospital.rows("INSERT INTO identity.mapping (kind, source_id) VALUES (%s, %s) ON CONFLICT DO NOTHING", known)
    ((found,),) = hospital.rows("SELECT ledger_id FROM identity.mapping WHERE (kind, source_id) = (%s, %s)", known)
    return str(found)


def oppose(patient: str) -> None:
    """A steward records the opt-out of a patient, by the hospital's id."""
    with open_cursor("steward") as cursor:
        opt_outs.record_opt_out(cursor, "intendante", PatientKey(patient_id=patient), "demande écrite")


def version_of(hospital: Database, content_hash: str) -> str:
    """The ledger's digest of a version, from that of the source's content and patient."""
    ((salt,),) = hospital.rows("SELECT salt FROM identity.salt")
    return salted(salt, content_hash)


def reasons(hospital: Database) -> dict[str, tuple[str, str]]:
    """Step and reason of each quarantined document, by the hospital's id."""
    rows = hospital.rows(
        "SELECT source_id, step, reason FROM deid.quarantine JOIN identity.mapping ON ledger_id = document_id"
    )
    return {name: (step, reason) for name, step, reason in rows}
