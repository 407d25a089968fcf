"""The fictional hospital as its keeper knows it: texts with their true mentions, so that detection plays no role."""

from __future__ import annotations

from dataclasses import dataclass

from deid.document import Document, Mention, Patient
from deid.formats import read
from deid.hospital import Hospital, generate
from deid.hospital import model as hospital_model
from deid.hospital.model import HospitalDocument, Stay

SEED = 2026
DOCUMENTS_PER_PATIENT = 8
_MAX_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class Record:
    """A document of the warehouse, its true mentions, and the stay that it was written for."""

    document: Document
    mentions: tuple[Mention, ...]
    stay: Stay

    @property
    def patient(self) -> str:
        """The warehouse's identifier of the patient."""
        return self.document.patient.key or ""


@dataclass(frozen=True, slots=True)
class Fiction:
    """A hospital and its readable documents."""

    hospital: Hospital
    records: tuple[Record, ...]


def fiction(patients: int, seed: int = SEED, *, progress: bool = False) -> Fiction:
    """The hospital of a seed with `patients` patients and eight documents for each, faulty ones left out.

    Raises:
        ValueError: no patient.
    """
    hospital = generate(seed, patients=patients, documents=DOCUMENTS_PER_PATIENT * patients + 40, progress=progress)
    people = {one.patient_id: _known(one) for one in hospital.patients}
    stays = {stay.stay_id: stay for stay in hospital.stays}
    records = tuple(
        _record(one, people[one.patient_id], stays[one.stay_id])
        for one in hospital.documents
        if one.fault is None and one.patient_id is not None and one.stay_id is not None
    )
    return Fiction(hospital, records)


def _record(one: HospitalDocument, patient: Patient, stay: Stay) -> Record:
    version = one.versions[0]
    source = read(
        version.content, format=one.format, charset=one.charset, document_id=one.document_id, max_bytes=_MAX_BYTES
    )
    document = Document(one.document_id, source.text, patient, one.written_on)
    return Record(document, tuple(Mention(gold.start, gold.end, gold.label) for gold in version.gold), stay)


def _known(patient: hospital_model.Patient) -> Patient:
    return Patient(
        key=patient.patient_id,
        last_name=patient.last_name,
        birth_name=patient.birth_name,
        first_names=patient.first_names,
        sex=patient.sex,
        birth_date=patient.birth_date,
        zip=patient.place.zip,
        city=patient.place.name,
    )
