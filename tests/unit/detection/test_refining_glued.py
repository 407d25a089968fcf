"""Names that lost a blank are found, and nothing beside them."""

from __future__ import annotations

import pytest

from deid.detection.refining import find_glued
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.labels import Label


def _glued(text: str) -> list[tuple[str, Label]]:
    return [(text[one.start : one.end], one.label) for one in find_glued(Reading(Document("d", text)))]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Vu avec sonmariArmand ce soir.", [("Armand", Label.PERSON)]),
        ("Sa niècePaulinevient demain.", [("Pauline", Label.PERSON)]),
        ("Sa voisine Huguettepasse le soir.", [("Huguette", Label.PERSON)]),
        ("Ses filsLoïcetYann sont là.", [("Loïc", Label.PERSON), ("Yann", Label.PERSON)]),
        ("Horloge 4/7. PrOmnès, DrP.LEGAC", [("Omnès", Label.DOCTOR), ("P.LEGAC", Label.DOCTOR)]),
        ("Avis du docteurP.LEGAC, puis du ProfesseurOmnès.", [("P.LEGAC", Label.DOCTOR), ("Omnès", Label.DOCTOR)]),
    ],
)
def test_names_without_their_blank_are_found(text: str, names: list[tuple[str, Label]]) -> None:
    assert _glued(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Sa voisine Huguette passe le soir.",
        "Le mari et la femme, pH 7,38, PaCO2 40, HbA1c 7 %.",
        "La mère Levothyroxinée va bien.",
        "PaO2 85 mmHg, PrEP débutée, Mrs 3",
    ],
)
def test_whole_words_and_measures_are_left(text: str) -> None:
    assert _glued(text) == []
