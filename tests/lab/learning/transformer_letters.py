"""Documents and a plan with which the whole training takes seconds."""

from __future__ import annotations

from deid.domain.document import Document
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.markup import parse_marked
from nocturne_lab.learning.transformer import plan as plans
from nocturne_lab.learning.transformer.plan import CONFIGS, Plan

NAMES = ("Vraz", "Kerbrat", "Le Goff", "Madec", "Ouali", "Vandamme", "Nguyen", "Pereira")
TOWNS = ("Brest", "Quimper", "Lannilis", "Saint-Étienne", "Tours")


def letters(number: int = 24) -> list[GoldDocument]:
    """Letters of six authors, alike enough to be learned in seconds."""
    made = []
    for at in range(number):
        name, town = NAMES[at % len(NAMES)], TOWNS[at % len(TOWNS)]
        marked = (
            f"Cher confrère,\n\nJ'ai vu ce jour Mme [[PATIENT|{name}]], née le [[DATE|{at % 28 + 1}/03/19{40 + at}]],"
            f" qui habite [[CITY|{town}]].\nL'examen est normal. Le traitement est poursuivi.\n\n"
            f"Dr [[DOCTOR|{name}el]]\n"
        )
        text, mentions = parse_marked(marked * 2, "test")
        made.append(GoldDocument(Document(f"a{at % 6}-{at:02}", text), mentions, f"a{at % 6}"))
    return made


def small(**changes: object) -> Plan:
    """The plan train-small, changed."""
    return Plan.model_validate(plans.load_plan(CONFIGS / "train-small.yaml").model_dump() | changes)
