"""Surnames that are words too beside an hour of a line in capitals; acts, states and things there stay."""

from __future__ import annotations

import pytest

from deid.detection.refining.frames import find_framed_names, without_beds
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.labels import Label


def found(text: str) -> list[str]:
    """Return the words of the names that frames find in a text, in its order."""
    spans = {(one.start, one.end) for one in find_framed_names(Reading(Document("d", text)), [])}
    return [text[start:end] for start, end in sorted(spans)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("RDV 14h PETIT AVEC SON FILS", "PETIT"),
        ("9h00 BERGER\n9h30 CHARPENTIER", "BERGER CHARPENTIER"),
        ("APPEL 14h MOULIN", "MOULIN"),
        ("APPEL 14h MOULIN, FILS DE LA PATIENTE", "MOULIN"),
        ("9h ROUX 10h BLANC 11h MOULIN", "ROUX BLANC MOULIN"),
        ("PASSAGE IDE 8h BERGER 20h BONNET", "BERGER BONNET"),
        ("TRANSMIS A BERGER 20h", "BERGER"),
        ("TRANSMIS PAR ROUX 7h", "ROUX"),
        ("ENTRETIEN AVEC LEGER 15h", "LEGER"),
        ("RDV 14H BLANC", "BLANC"),
        ("RDV A 14H30 LEGER", "LEGER"),
        ("VU 10h BOUCHER, RAS", "BOUCHER"),
        ("9H MEUNIER\n9H30 PETIT\n10H MERCIER", "MEUNIER PETIT MERCIER"),
        ("8h30 FONTAINE POUR CS", "FONTAINE"),
        ("14h LE ROUX\n15h MERCIER", "LE ROUX MERCIER"),
        ("BERGER 9h\nMOULIN 10h", "BERGER MOULIN"),
        ("VISITE 16h RENARD ET SON EPOUSE", "RENARD"),
        ("REVU 18H POULAIN", "POULAIN"),
        ("10:00 BARBIER\n10:30 CHEVALIER", "BARBIER CHEVALIER"),
        ("CS 14h MARCHAND", "MARCHAND"),
        ("ENTRETIEN 11h BRUN", "BRUN"),
        ("8H - BOUVIER 20H - MERLE", "BOUVIER"),  # Merle, of the orbit, is left to the taggers
        ("14 HEURES ROUSSEAU", "ROUSSEAU"),
        ("RDV 15h SAUVAGE", "SAUVAGE"),
        ("9h COMTE 10h BERGER", "COMTE BERGER"),
        ("13h30 : GRENIER\n14h00 : FOURNIER", "GRENIER FOURNIER"),
        ("8h POTIER 9h TOILETTE 10h MARECHAL", "POTIER MARECHAL"),
        ("RDV 9 h 15 PRUNIER", "PRUNIER"),
        ("Le 3 mai :\nRDV 14h30 PETIT\nTransport prévu.", "PETIT"),
    ],
)
def test_a_surname_beside_an_hour_in_capitals_is_one(text: str, names: str) -> None:
    assert " ".join(found(text)) == names


@pytest.mark.parametrize(
    "text",
    [
        "RDV 14h SCANNER", "9h00 TOILETTE", "20h GLYCEMIE", "REPAS 12h", "12h POISSON PUREE", "8h PETIT DEJEUNER",
        "10h PETIT VOMISSEMENT", "22h GROS RONFLEMENT", "CRACHATS 8h BLANC 12h BRUN 18h ROSE", "SELLES 10h NOIR",
        "20h GENTIL ET CALME", "14h SAUVAGE, CRIE", "18h COURTOIS", "BOUILLON 20h", "12h BOUILLON DE LEGUMES",
        "16h BOISSON", "9h LANGE CHANGE", "14h BARRIERE BAISSEE", "20h BARRE DE LIT", "15h CHAPELLE",
        "RDV 11h DENTISTE", "RDV 10h IRM, 14h DOPPLER", "APPEL 14h FILS", "APPEL 10h VOISIN", "APPEL 9h PARENTS",
        "VISITE 15h COUSIN", "20h COUCHER", "6h REVEIL", "7h RELEVE, 8h PAUSE, 9h STAFF", "14h REDON 50 ML",
        "16h PANSEMENT", "18h MARCHE 10 M", "15h FAUTEUIL", "22h TENSION 14/8", "20h CALME", "3h DORT",
        "10h BAIN DE BOUCHE", "14h SORTIE", "21h LEVER DE BARRIERE", "A JEUN 0h", "PERFUSION 20h",
        "TRANSFERT A 14h", "LEVEE A FAUTEUIL 10h", "10h PIQUET POSE", "10h BONNET DE BAIN", "8h MENU MIXE",
        "14h BUFFET", "10h BRULE AU BRAS", "14h SERRE LES DENTS", "20h PAQUET DE GATEAUX", "20h LEGER MIEUX",
        "14h FORT", "20h BON", "RDV 14h ANESTHESISTE", "RDV 14h CARDIO", "RDV 9h SAGE FEMME",
    ],
)  # fmt: skip
def test_an_act_a_state_or_a_thing_beside_an_hour_is_nobody(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("text", ["Vu à 14h Petit vomissement", "rdv 14h, petit mieux", "Repas 12h, boucher absent"])
def test_beside_an_hour_of_a_sentence_a_word_is_left_to_the_taggers(text: str) -> None:
    assert found(text) == []


def test_an_hour_is_no_part_of_a_name() -> None:
    text = "RDV 14H BLANC"
    (kept,) = without_beds(Reading(Document("d", text)), [Mention(4, len(text), Label.PERSON, 0.8)])
    assert text[kept.start : kept.end] == "BLANC"
