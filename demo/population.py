"""The synthetic hospital as the population that `nocturne_lab.evaluation.attacks` attacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from deid.domain.document import Document, Mention, Patient
from deid.domain.document import Stay as StayDates
from deid.formats import read_source
from demo.hospital import generate, model
from nocturne_lab.evaluation.attacks.inputs import Population, Record, Resident, Stay

SEED = 2026
DOCUMENTS_PER_PATIENT = 8
_MAX_BYTES = 10_000_000


def population(patients: int, seed: int = SEED, *, progress: bool = False) -> Population:
    """The hospital of a seed with `patients` patients and eight documents for each, faulty ones left out.

    Raises:
        ValueError: no patient.
    """
    documents = DOCUMENTS_PER_PATIENT * patients + 40
    return population_of(generate(seed, patients=patients, documents=documents, progress=progress))


def population_of(hospital: model.Hospital) -> Population:
    """The first versions of a hospital's documents, faulty ones left out."""
    people = {one.patient_id: _known(one) for one in hospital.patients}
    stays = {stay.stay_id: stay for stay in hospital.stays}
    around = surrounding(hospital.stays)
    records = tuple(
        _record(one, people[one.patient_id], stays[one.stay_id], around[one.stay_id])
        for one in hospital.documents
        if one.fault is None and one.patient_id is not None and one.stay_id is not None
    )
    residents = tuple(
        Resident(one.patient_id, one.last_name, one.place.insee, one.place.department) for one in hospital.patients
    )
    clinicians = (*hospital.staff, *(one.physician for one in hospital.patients))
    return Population(records, residents, frozenset(one.last_name for one in clinicians))


def surrounding(stays: Iterable[model.Stay]) -> Mapping[str, model.Stay]:
    """Return the stay whose dates each moves with, by its id: itself, or the first of those that it goes on from.

    A stay goes on from the patient's earlier ones where it begins before all of them are over. It is what
    `sql/sources/ehop/contents.sql` gives.
    """
    found: dict[str, model.Stay] = {}
    until: dict[str, date] = {}
    first: dict[str, model.Stay] = {}
    for stay in sorted(stays, key=lambda one: (one.admitted_on, one.stay_id)):
        before = until.get(stay.patient_id)
        if before is None or before < stay.admitted_on:
            first[stay.patient_id] = stay
        until[stay.patient_id] = max(before or stay.discharged_on, stay.discharged_on)
        found[stay.stay_id] = first[stay.patient_id]
    return found


def _record(one: model.HospitalDocument, patient: Patient, stay: model.Stay, around: model.Stay) -> Record:
    version = one.versions[0]
    source = read_source(
        version.content, format=one.format, charset=one.charset, document_id=one.document_id, max_bytes=_MAX_BYTES
    )
    document = Document(
        one.document_id, source.text, patient, one.written_on, stay=StayDates(around.admitted_on, around.discharged_on)
    )
    marked = tuple(Mention(gold.start, gold.end, gold.label) for gold in version.gold)
    return Record(document, marked, Stay(stay.admitted_on, stay.discharged_on))


def _known(patient: model.Patient) -> Patient:
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
