"""Data model of the synthetic hospital: people, stays, documents and true mentions."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import sha256

from deid.domain.labels import Label


@dataclass(frozen=True, slots=True)
class Place:
    """Commune as written in an address; `country` is "" in France."""

    insee: str
    name: str
    zip: str
    department: str
    population: int
    country: str = ""


@dataclass(frozen=True, slots=True)
class Establishment:
    """A named organisation around the hospital (care home, laboratory, employer…)."""

    kind: str
    name: str
    place: Place
    street: str
    phone: str
    finess: str


@dataclass(frozen=True, slots=True)
class Relative:
    """Someone of the patient's family or neighbourhood. `role` is French ("épouse", "fils", "voisin")."""

    role: str
    first_name: str
    last_name: str
    sex: str
    birth_year: int
    city: Place
    phone: str
    occupation: str


@dataclass(frozen=True, slots=True)
class Professional:
    """A health professional, of the hospital (`service` set) or of the town."""

    staff_id: str
    rpps: str
    last_name: str
    first_name: str
    sex: str
    role: str
    service: str
    phone: str
    email: str
    extension: str
    place: Place
    street: str


@dataclass(frozen=True, slots=True)
class Patient:
    """Patient: the fields of the warehouse, then facts of the prose only.

    `traits` are what `demo.hospital.profiles` gave: "surname_first", "one_line" (the warehouse has the address on one
    line), and the sections of `prose/common.txt` that tell of the patient's home or of a relative who is a patient too.
    """

    patient_id: str
    ipp: str
    last_name: str
    birth_name: str
    first_names: tuple[str, ...]
    sex: str
    birth_date: date
    nir: str
    address: str
    place: Place
    phone: str
    mobile: str
    email: str
    birth_place: str
    birth_country: str
    occupation: str
    employer: Establishment
    relatives: tuple[Relative, ...]
    physician: Professional
    nurse: str
    pharmacy: Establishment
    laboratory: Establishment
    pathologies: tuple[str, ...]
    nickname: str = ""
    traits: tuple[str, ...] = ()

    @property
    def address_line(self) -> str:
        """The address as the warehouse has it: the street, for some patients followed by postal code and commune."""
        whole = f"{self.address} {self.place.zip} {self.place.name}"
        return whole if "one_line" in self.traits else self.address


@dataclass(frozen=True, slots=True)
class Stay:
    """A stay or an outpatient visit; `discharged_on` equals `admitted_on` for the latter.

    `diagnoses`: ICD-10 codes (CIM-10 of the ATIH, without point), the main one first.
    """

    stay_id: str
    patient_id: str
    nda: str
    service_code: str
    service_name: str
    admitted_on: date
    discharged_on: date
    pathology: str
    form: str  # "hospitalisation", "ambulatoire", "urgences", "consultation"
    diagnoses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldMention:
    """A true mention: `[start, end)` of the text that `deid.formats.read_source` extracts."""

    start: int
    end: int
    label: Label


@dataclass(frozen=True, slots=True)
class Version:
    """Event of a document: the content of the warehouse from `night` on.

    `night` is the day (Europe/Paris) of the event, hence of the interval of a nightly run. `action` is "insert",
    "correct" or "withdraw". A withdrawal keeps the last content.
    """

    document_id: str
    night: date
    action: str
    happened_at: datetime
    content: bytes = field(repr=False)
    gold: tuple[GoldMention, ...] = field(repr=False)

    @property
    def content_hash(self) -> str:
        """SHA-256 of the content, hexadecimal."""
        return sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class HospitalDocument:
    """A document with its metadata and every version of its content, oldest first.

    `form` is that of a file (`demo.hospital.files.FORMS`), None for what the warehouse holds as plain text or HTML.
    """

    document_id: str
    patient_id: str | None
    stay_id: str | None
    type_code: str
    loinc_code: str
    title: str
    format: str
    charset: str
    author_id: str
    written_on: date
    versions: tuple[Version, ...]
    fault: str | None = None  # planned fault ("empty", "truncated"…)
    form: str | None = None


@dataclass(frozen=True, slots=True)
class Hospital:
    """The whole synthetic hospital of one seed."""

    seed: int
    name: str
    patients: tuple[Patient, ...]
    stays: tuple[Stay, ...]
    staff: tuple[Professional, ...]
    documents: tuple[HospitalDocument, ...]
    first_night: date
    nights: int

    @property
    def events(self) -> tuple[Version, ...]:
        """Every event in the order in which it happened."""
        versions = (version for document in self.documents for version in document.versions)
        return tuple(sorted(versions, key=lambda version: (version.happened_at, version.document_id)))

    @property
    def faulty(self) -> dict[str, str]:
        """Map document ids to faults, for the documents that must be refused."""
        return {document.document_id: document.fault for document in self.documents if document.fault}

    def as_of(self, night: date | None) -> dict[str, Version]:
        """The version of each document that the warehouse holds at the end of `night` (None: of the last)."""
        state: dict[str, Version] = {}
        for version in self.events:
            if night is None or version.night <= night:
                state[version.document_id] = version
        return state
