"""Input of every attack: documents with their true mentions, so that detection plays no role, and who lives where."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from deid.domain.document import Document, Mention


@dataclass(frozen=True, slots=True)
class Stay:
    """First and last day of the stay for which a document was written."""

    admitted_on: date
    discharged_on: date


@dataclass(frozen=True, slots=True)
class Record:
    """A document of the warehouse, its true mentions, and the stay for which it was written."""

    document: Document
    mentions: tuple[Mention, ...]
    stay: Stay

    @property
    def patient(self) -> str:
        """The warehouse's identifier of the patient."""
        return self.document.patient.key or ""


@dataclass(frozen=True, slots=True)
class Resident:
    """A patient of the population; `insee` and `department` are codes of the home commune."""

    patient_id: str
    last_name: str
    insee: str
    department: str


@dataclass(frozen=True, slots=True)
class Population:
    """Patients, the surnames of their clinicians, and the readable documents."""

    records: tuple[Record, ...]
    residents: tuple[Resident, ...]
    clinicians: frozenset[str]
