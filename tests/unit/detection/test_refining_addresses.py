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
