"""The agreement of people's written forms, counted without a look at what drew them."""

from __future__ import annotations

import pytest

from benchmarks.agreement import Agreement, agreement
from deid.domain.document import Document, Patient, Surrogate
from nocturne_lab.evaluation.markup import parse_marked

PATIENT = Patient(key="p", last_name="DUPONT", first_names=("Jean",))


def _pair(markup: str, drawn: str) -> tuple[Document, list[Surrogate]]:
    text, mentions = parse_marked(markup, "d")
    names = zip(mentions, drawn.split(" | "), strict=True)
    return Document("d", text, PATIENT), [Surrogate(one, name, "test") for one, name in names]


@pytest.mark.parametrize(
    ("markup", "drawn", "expected"),
    [
        ("[[PATIENT|Jean DUPONT]] [[PATIENT|Dupont]]", "Luc PETIT | Petit", Agreement(3, 0, 0, 0, 0)),
        ("[[PATIENT|Jean DUPONT]] [[PERSON|M. Dupont]]", "Luc PETIT | M. Leroy", Agreement(3, 1, 0, 0, 0)),
        ("[[PATIENT|Jean DUPONT]] Dr [[DOCTOR|Anne Dupont]]", "Luc PETIT | Lise Roy", Agreement(4, 0, 0, 0, 0)),
        ("[[PERSON|Ali]] [[PERSON|Omar]]", "Yassine | Yassine", Agreement(2, 0, 0, 0, 1)),
        ("[[DOCTOR|Anne ROUX]] [[DOCTOR|AR]]", "Lise BEAU | LB", Agreement(3, 0, 1, 0, 0)),
        ("[[DOCTOR|Anne ROUX]] [[DOCTOR|R.A.]]", "Lise BEAU | L.B.", Agreement(2, 0, 1, 1, 0)),
        ("[[DOCTOR|Anne ROUX]] [[DOCTOR|X.Z.]]", "Lise BEAU | L.B.", Agreement(2, 0, 0, 0, 0)),
        ("[[PERSON|Maria Dos Santos]] [[PERSON|d'Arles]]", "Ana Silva | de Nantes", Agreement(3, 0, 0, 0, 0)),
    ],
)
def test_forms_and_initials_are_counted(markup: str, drawn: str, expected: Agreement) -> None:
    found = agreement([_pair(markup, drawn)])
    # "AR" and "LB" are words of two letters as well as initials.
    assert found == expected


def test_documents_of_one_patient_are_compared() -> None:
    one, other = (_pair("[[PATIENT|Jean DUPONT]]", name) for name in ("Luc PETIT", "Max PETIT"))
    assert agreement([one, one, other]).forms_apart == 1
