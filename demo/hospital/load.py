"""Load the synthetic hospital into PostgreSQL as of the end of a night, with its gold mentions."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from psycopg2.extensions import cursor as Cursor
from tqdm import tqdm

from deid.database.connection import connect
from deid.database.queries import SQL, copy_rows, query
from demo.hospital.model import Hospital, HospitalDocument, Version

DEFINITIONS = ("cdw", "omop", "gold", "grants")
BATCH = 250
_LABELS = Path(__file__).with_name("icd10_labels.csv")

COLUMNS: dict[str, tuple[str, ...]] = {
    "patient": (
        "patient_id", "ipp", "last_name", "birth_name", "first_names", "sex", "birth_date", "nir", "address", "zip",
        "city", "insee", "phone", "mobile", "email",
    ),
    "stay": ("stay_id", "patient_id", "nda", "service_code", "service_name", "admitted_on", "discharged_on"),
    "diagnosis": ("stay_id", "position", "code", "label"),
    "staff": ("staff_id", "rpps", "last_name", "first_name", "role", "service_code", "phone", "email"),
    "document": (
        "document_id", "patient_id", "stay_id", "type_code", "loinc_code", "title", "format", "charset", "content",
        "author_id", "written_on", "ingested_at", "withdrawn_at",
    ),
    "mention": ("document_id", "content_hash", "start_offset", "end_offset", "label"),
}  # fmt: skip


def load(dsn: str, hospital: Hospital, *, until: date | None = None) -> dict[str, int]:
    """Bring the warehouse to its content at the end of `until` (None: of the last night); return rows changed.

    Creates schemas `cdw` and `gold` where they are absent. May be called again at any time, after an interruption too:
    existing rows stay, and a document never goes back to an earlier version. `dsn` is the owner's. The gold of every
    version up to `until` is kept.

    Raises:
        WarehouseUnreachable: the server does not answer.
        WarehouseError: a statement was refused.
    """
    with connect(dsn) as link, link.cursor() as cursor:
        for name in DEFINITIONS:
            cursor.execute((SQL / "synthetic_hospital" / f"{name}.sql").read_text(encoding="utf-8"))
        changed = {
            "patients": _add(cursor, "cdw", "patient", _patients(hospital)),
            "stays": _add(cursor, "cdw", "stay", _stays(hospital)),
            "diagnoses": _add(cursor, "cdw", "diagnosis", _diagnoses(hospital)),
            "staff": _add(cursor, "cdw", "staff", _staff(hospital)),
        }
        cursor.execute(query("synthetic_hospital", "load", "present"))
        present: dict[str, datetime] = dict(cursor.fetchall())
    changed |= {"documents": 0, "mentions": 0}
    state = hospital.as_of(until)
    due = [document for document in hospital.documents if _behind(present, state.get(document.document_id))]
    with tqdm(total=len(due), desc="warehouse", unit="doc", file=sys.stderr) as bar:
        for batch in _batches(due):
            with connect(dsn) as link, link.cursor() as cursor:
                rows = (_document(document, state[document.document_id]) for document in batch)
                changed["documents"] += _add(cursor, "cdw", "document", rows)
                changed["mentions"] += _add(cursor, "gold", "mention", _mentions(batch, until))
            bar.update(len(batch))
    return changed


@cache
def icd10_labels() -> Mapping[str, str]:
    """Return the French label of each code that the hospital assigns, by code."""
    with _LABELS.open(encoding="utf-8", newline="") as rows:
        return {row["code"]: row["label"] for row in csv.DictReader(rows)}


def _behind(present: Mapping[str, datetime], version: Version | None) -> bool:
    """True if the warehouse does not have `version` yet."""
    if version is None:
        return False
    there = present.get(version.document_id)
    return there is None or there < version.happened_at


def _add(cursor: Cursor, schema: str, table: str, rows: Iterable[Sequence[Any]]) -> int:
    copy_rows(cursor, schema, table, COLUMNS[table], rows)
    cursor.execute(query("synthetic_hospital", "load", table))
    return int(cursor.rowcount)


def _batches(documents: Sequence[HospitalDocument]) -> Iterator[list[HospitalDocument]]:
    remaining = iter(documents)
    while batch := list(islice(remaining, BATCH)):
        yield batch


def _array(values: Iterable[str]) -> str:
    """A PostgreSQL array literal."""
    quoted = ('"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' for value in values)
    return "{" + ",".join(quoted) + "}"


def _patients(hospital: Hospital) -> Iterator[Sequence[Any]]:
    for one in hospital.patients:
        yield (
            one.patient_id, one.ipp, one.last_name, one.birth_name, _array(one.first_names), one.sex, one.birth_date,
            one.nir, one.address_line, one.place.zip, one.place.name, one.place.insee, one.phone, one.mobile, one.email,
        )  # fmt: skip


def _stays(hospital: Hospital) -> Iterator[Sequence[Any]]:
    for one in hospital.stays:
        yield (
            one.stay_id, one.patient_id, one.nda, one.service_code, one.service_name, one.admitted_on,
            one.discharged_on,
        )  # fmt: skip


def _diagnoses(hospital: Hospital) -> Iterator[Sequence[Any]]:
    labels = icd10_labels()
    for one in hospital.stays:
        for position, code in enumerate(one.diagnoses, 1):
            yield one.stay_id, position, code, labels[code]


def _staff(hospital: Hospital) -> Iterator[Sequence[Any]]:
    for one in hospital.staff:
        yield (one.staff_id, one.rpps, one.last_name, one.first_name, one.role, one.service, one.phone, one.email)


def _document(document: HospitalDocument, version: Version) -> Sequence[Any]:
    withdrawn = version.happened_at if version.action == "withdraw" else None
    return (
        document.document_id, document.patient_id, document.stay_id, document.type_code, document.loinc_code,
        document.title, document.format, document.charset, "\\x" + version.content.hex(), document.author_id,
        document.written_on, version.happened_at, withdrawn,
    )  # fmt: skip


def _mentions(documents: Iterable[HospitalDocument], until: date | None) -> Iterator[Sequence[Any]]:
    for document in documents:
        for version in document.versions:
            if version.action != "withdraw" and (until is None or version.night <= until):
                for mention in version.gold:
                    yield (document.document_id, version.content_hash, mention.start, mention.end, str(mention.label))
