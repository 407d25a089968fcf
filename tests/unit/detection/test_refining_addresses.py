"""Addresses reach to the end of their line or to the postal code."""

from __future__ import annotations

import pytest

from deid.detection import Detector
from deid.detection.refining.addresses import complete_addresses
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.labels import Label


@pytest.fixture
def detector(rules: Detector) -> Detector:
    """Sentences made for one rule: no learned annotator takes part."""
    return rules


@pytest.mark.parametrize(
    ("text", "street"),
    [
        ("Demeurant 12 rue des Tilleuls, porte 4\n29880 Plouguerneau", "12 rue des Tilleuls, porte 4"),
        ("Demeurant 12 rue des Tilleuls, chambre du fond, 76600 Le Havre", "12 rue des Tilleuls, chambre du fond"),
        ("Demeurant 12 rue des Tilleuls. Va bien.", "12 rue des Tilleuls"),
        ("Trouvé inanimé lieu-dit Morlaix, près du puits.", "lieu-dit Morlaix"),
        ("Demeurant villa 3 rue du Port, porte 4", "villa 3 rue du Port, porte 4"),
        ("Demeurant entrée C2, 4e ét., porte face, 8 rue du Port.", "entrée C2, 4e ét., porte face, 8 rue du Port"),
        ("Demeurant 8 rue du Port, 2e gauche, boîte 14.", "8 rue du Port, 2e gauche, boîte 14"),
        ("Demeurant rue du Port, au 112 bis, seul.", "rue du Port, au 112 bis"),
    ],
)
def test_addresses_are_completed(detector: Detector, text: str, street: str) -> None:
    (found,) = detector.detect([Document("d", text)])
    assert [text[one.start : one.end] for one in found if one.label is Label.STREET] == [street]


@pytest.mark.parametrize(
    ("text", "first", "street", "whole"),
    [
        ("Adresse :   Bel-Air, 22 rue Briata", "Bel-Air", "22 rue Briata", "Bel-Air, 22 rue Briata"),
        ("Espagne, calle Mayor 13, 2o B", "calle Mayor", "13, 2o B", "calle Mayor 13, 2o B"),
        ("Adresse : Jean Morel, 22 rue Briata", "Jean Morel", "22 rue Briata", "22 rue Briata"),
        ("Né à Gray\nBel-Air, 22 rue Briata", "Bel-Air", "22 rue Briata", "Bel-Air, 22 rue Briata"),
        ("Né à Gray\nPetit, 22 rue Briata", "Petit", "22 rue Briata", "22 rue Briata"),
        ("Né à Gray\nDE OLIVEIRA Rose, 22 rue Briata", "DE OLIVEIRA Rose", "22 rue Briata", "22 rue Briata"),
        ("Vu par Kergadec, 22 rue Briata", "Kergadec", "22 rue Briata", "22 rue Briata"),
        ("Vu par Kergadec 22 rue Briata", "Kergadec", "22 rue Briata", "22 rue Briata"),
    ],
)
def test_a_name_is_the_first_part_of_the_address_behind_it(text: str, first: str, street: str, whole: str) -> None:
    mentions = [
        Mention(text.index(part), text.index(part) + len(part), label, 0.9)
        for part, label in ((first, Label.DOCTOR), (street, Label.STREET))
    ]
    found = complete_addresses(Reading(Document("d", text)), mentions)
    assert [text[one.start : one.end] for one in found if one.label is Label.STREET] == [whole]


@pytest.mark.parametrize(
    ("name", "apart"),
    [
        ("Centre Hospitalier des Trois Vallées", True), ("Amicale des Vignes", True), ("Clinique du Verger", True),
        ("Résidence du Verger", False),
    ],
)  # fmt: skip
def test_a_body_is_no_part_of_its_address_and_a_home_is(name: str, apart: bool) -> None:
    text, street = f"À l'attention de la direction\n{name}, 22 rue Briata", "22 rue Briata"
    mentions = [
        Mention(text.index(part), text.index(part) + len(part), label, 0.9)
        for part, label in ((name, Label.ORG), (street, Label.STREET))
    ]
    found = complete_addresses(Reading(Document("d", text)), mentions)
    assert [text[one.start : one.end] for one in found] == ([name, street] if apart else [f"{name}, {street}"])


@pytest.mark.parametrize(
    ("text", "name", "label", "whole"),
    [
        ("avant : ferme du Mazel", "Mazel", Label.PERSON, "ferme du Mazel"),
        ("pêcheur de la tribu de Hunöj", "Hunöj", Label.LOC, "tribu de Hunöj"),
        ("quai 14, péniche « Ma Douce »", "Ma Douce", Label.PERSON, "péniche « Ma Douce"),
        ("elle vit section Bosrédon", "Bosrédon", Label.PERSON, "section Bosrédon"),
        ("la section Bosrédon du syndicat", "Bosrédon", Label.PERSON, "Bosrédon"),
        ("moulin à vent de Bosrédon", "Bosrédon", Label.CITY, "Bosrédon"),
    ],
)
def test_a_place_to_live_is_part_of_its_name(text: str, name: str, label: Label, whole: str) -> None:
    at = text.index(name)
    (found,) = complete_addresses(Reading(Document("d", text)), [Mention(at, at + len(name), label, 0.9)])
    assert text[found.start : found.end] == whole
    assert (found.label is Label.STREET) == (whole != name)
