"""The kinds of document, each a function from a scene to blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from demo.hospital.kinds import administrative, examinations, letters, notes
from demo.hospital.prose.scene import DocumentScene
from demo.hospital.rendering import Block


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of document: its code in the warehouse, its LOINC code (ANS, CI-SIS typeCode) and who signs."""

    code: str
    loinc: str
    titles: tuple[str, ...]
    compose: Callable[[DocumentScene], list[Block]]
    author_role: str = "médecin"
    author_service: str | None = None


KINDS: dict[str, Kind] = {
    kind.code: kind
    for kind in (
        Kind("CRH", "34112-3", ("Compte rendu d'hospitalisation", "CRH"), letters.report),
        Kind("LSO", "11490-0", ("Lettre de liaison à la sortie", "Lettre de sortie",
        "Courrier de sortie"), letters.discharge),
        Kind("CS", "11488-4", ("Compte rendu de consultation", "Courrier de consultation"), letters.consultation),
        Kind("URG", "15507-7", ("Compte rendu de passage aux urgences", "Observation des urgences"), notes.emergency,
             author_service="URGE"),
        Kind("CRO", "11504-8", ("Compte rendu opératoire",), examinations.operation),
        Kind("ACP", "11526-1", ("Compte rendu d'anatomie et de cytologie pathologiques",), examinations.pathology,
             author_service="ANAP"),
        Kind("IMG", "18748-4", ("Compte rendu d'imagerie médicale",), examinations.imaging, author_service="IMAG"),
        Kind("BIO", "11502-2", ("Compte rendu d'examens biologiques",), examinations.laboratory, author_service="BIOL"),
        Kind("CPA", "34749-2", ("Compte rendu de consultation pré-anesthésique",), examinations.anaesthesia,
             author_service="ANES"),
        Kind("IDE", "11506-3", ("Transmissions infirmières", "Fiche de liaison infirmière"), notes.nursing, "IDE"),
        Kind("ORD", "57833-6", ("Prescription de médicaments", "Ordonnance de sortie"), administrative.prescription),
        Kind("SOC", "28653-4", ("Rapport social", "Courrier du service social"), administrative.social,
             "assistant social", "SOCI"),
        Kind("CERT", "51851-4", ("Certificat médical", "Attestation"), administrative.certificate),
        Kind("RCP", "34794-8", ("Fiche de réunion de concertation pluridisciplinaire",), examinations.board,
             author_service="ONCO"),
    )
}  # fmt: skip
