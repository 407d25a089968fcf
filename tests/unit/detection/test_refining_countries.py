"""Countries are places, whatever an annotator took them for; who bears the name of one stays a person."""

from __future__ import annotations

import pytest

from deid.detection.refining.countries import settle_countries
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Vote
from deid.domain.labels import Label


def settled(text: str, *given: tuple[str, Label], annotator: str = "bilstm_crf") -> dict[str, Label]:
    """Return the label of each mention after the pass, by its words."""
    mentions = [
        Mention(at := text.index(part), at + len(part), label, 0.7, None, (Vote(annotator, label, 0.7),))
        for part, label in given
    ]
    return {text[one.start : one.end]: one.label for one in settle_countries(Reading(Document("d", text)), mentions)}


@pytest.mark.parametrize(
    ("text", "part", "label"),
    [
        ("Contact Suisse : +41 22 372 33 11", "Suisse", Label.DOCTOR),
        ("Voyages : Norvège, Islande.", "Norvège", Label.PERSON),
        ("Retour du PÉROU en mai.", "PÉROU", Label.CITY),
        ("Séjour en Maurice.", "Maurice", Label.PERSON),
        ("donne le bon département la sarthe", "sarthe", Label.DOCTOR),
        ("Département : Loire (42)", "Loire", Label.PATIENT),
        ("Contact France +33 1 22 33 44 55", "France", Label.PATIENT),
    ],
)
def test_a_country_is_a_place(text: str, part: str, label: Label) -> None:
    assert settled(text, (part, label)) == {part: Label.LOC}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Vu par le Dr Suisse ce jour.", "Suisse"),
        ("Prénom : Chine", "Chine"),
        ("Sa fille France est prévenue.", "France"),
        ("Maurice dort bien.", "Maurice"),
        ("M. Loire dort bien.", "Loire"),
        ("Chef de département : Vienot", "Vienot"),
        ("Mme France LEROUX", "France LEROUX"),
    ],
)
def test_a_person_named_like_a_country_stays_one(text: str, part: str) -> None:
    assert settled(text, (part, Label.PERSON)) == {part: Label.PERSON}


def test_the_patient_may_bear_the_name_of_a_country() -> None:
    assert settled("Chine, 12 ans", ("Chine", Label.PATIENT), annotator="identity") == {"Chine": Label.PATIENT}


def test_a_first_name_beside_a_place_or_a_country_is_a_country() -> None:
    address = settled("25000 Besançon\nFrance", ("Besançon", Label.CITY), ("France", Label.PATIENT))
    assert address == {"Besançon": Label.CITY, "France": Label.LOC}
    voyages = settled("Togo, Maurice", ("Togo", Label.PERSON), ("Maurice", Label.PERSON))
    assert voyages == {"Togo": Label.LOC, "Maurice": Label.LOC}


def test_a_town_ends_before_its_country() -> None:
    assert settled("12 rue Haute 28013 Madrid Espagne", ("Madrid Espagne", Label.CITY)) == {
        "Madrid": Label.CITY,
        "Espagne": Label.LOC,
    }
