"""A title is published whole or not at all."""

from __future__ import annotations

import pytest

from deid.detection.titles import clean_titles
from deid.domain.document import Patient
from deid.nightly import runtime

PATIENT = Patient(
    key="p",
    last_name="LE GOFF",
    birth_name="Vasserot-Quillec",
    first_names=("Maëlys",),
    city="Dijon",
    zip="21000",
    ipp="8001234567",
    addresses=("12 rue des Lilas",),
    emails=("ml.legoff@example.org",),
)


@pytest.mark.parametrize(
    ("title", "kept"),
    [
        (None, True),
        ("", True),
        ("Compte rendu d'hospitalisation", True),
        ("Ordonnance de sortie", True),
        ("Consultation de suivi post-opératoire", True),
        ("Courrier de Mme LE GOFF", False),
        ("Courrier Le Goff", False),
        ("courrier VASSEROT", False),
        ("Lettre pour maelys", False),
        ("CR_MaelysLeGoff", False),
        ("Transfert depuis Dijon", False),
        ("Dossier 8001234567", False),
        ("Scan 99999", False),
        ("Retour au 12, rue des lilas", False),
        ("Compte rendu du 12/03/2026", False),
        ("Avis du Dr Yann TREGUIER", False),
    ],
)
def test_what_may_be_published(title: str | None, kept: bool) -> None:
    assert clean_titles(runtime.detector(), [("d", title, PATIENT)]) == ({"d"} if kept else set())


def test_another_patient_s_name_is_no_reason_when_it_is_a_word() -> None:
    documents = [("one", "Consultation", Patient(last_name="Consultation")), ("two", "Consultation", PATIENT)]
    assert clean_titles(runtime.detector(), documents) == {"two"}
