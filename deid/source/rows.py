"""Rows of the hospital's warehouse, as its queries give them: documents that are listed, and their contents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from deid.domain.document import Patient, Stay


@dataclass(frozen=True, slots=True)
class Listed:
    """One document of the interval: ids, digest and filter fields; no content.

    `content_hash` is of the version (`deid.source.extraction.version_hash`).
    """

    document_id: str
    content_hash: str
    patient_id: str | None
    ingested_at: datetime
    withdrawn: bool
    document_type: str | None
    service: str | None


@dataclass(frozen=True, slots=True)
class Content:
    """One document with its bytes, or the path of its file, and its patient as the warehouse knows the patient.

    `content_hash` is of the version (`deid.source.extraction.version_hash`).
    """

    document_id: str
    content_hash: str
    patient_id: str | None
    stay_id: str | None
    document_type: str | None
    loinc_code: str | None
    title: str | None
    format: str | None
    charset: str | None
    content: bytes
    reference_date: date | None
    patient: Patient
    stay: Stay | None
    service: str | None = None
    path: str | None = None  # of the file that holds the content
    stated_hash: str = ""  # the source's own, which may be of the file's bytes
    digest: str | None = None  # SHA-256 of the file that was read
    repeated: bool = False  # the source gives several rows for it
    misread_birth: str = ""  # shape (“99/99/9999”) of a birth date that is none
