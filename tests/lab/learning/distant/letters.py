"""Letters of people who do not exist, with what the warehouse knows of them."""

from __future__ import annotations

from collections.abc import Iterator

from deid.domain.document import Document, Patient, Professional

TEXT = (
    "Service de cardiologie\nDr Yann TREGUIER\n\n"
    "Madame Maëlys VASSEROT, née le 14/05/1961, habite 12 rue des Lilas à Dijon. "
    "Le traitement par bisoprolol continue. "
    "Elle est suivie par le Dr Treguier-Delorme. Tél. 03 80 11 22 33.\n"
)
STAFF = (Professional("TREGUIER", ("Yann",)), Professional("KERGOAT-VASQUIN", ("Anne-Laure",)))


def letter(number: int = 0, text: str = TEXT) -> Document:
    """Return a letter of the patient of that number."""
    patient = Patient(key=f"P{number}", last_name="VASSEROT", first_names=("Maëlys",), city="Dijon")
    return Document(f"D{number}", text, patient, type="lettre")


def letters(count: int) -> Iterator[Document]:
    """Yield letters of as many patients."""
    return map(letter, range(count))
