"""Mentions tied to a town: its department's number, its inhabitants, a hospital's acronym and short name."""

from __future__ import annotations

import pytest

from deid.detection.refining.towns import complete_towns
from deid.detection.text.reading import Reading
from deid.french.gentiles import derived_gentile, gentile_of, initials_of, read_gentile
from tests.unit.substitution.examples import marked


def _found(markup: str) -> set[tuple[str, str]]:
    """Return (label, text) of the mentions of a text in which given ones are written "[[CITY|Gray]]"."""
    document, mentions = marked(markup)
    text = document.text
    given = complete_towns(Reading(document), mentions)
    assert given == sorted(given)
    return {(one.label.value, text[one.start : one.end]) for one in given}


@pytest.mark.parametrize(
    ("markup", "code"),
    [
        ("Né à [[CITY|Vierzon]] ([[DATE|18]]).", "18"),
        ("TRANSFERT DEPUIS [[CITY|AUTUN]] ([[AGE|71]])", "71"),
        ("Née à [[CITY|Bastia]] (2B), vit ailleurs", "2B"),
        ("vit à [[CITY|Saint-Denis]] ( 974 )", "974"),
        ("Originaire du [[CITY|Havre]] [[PHONE|(76)]]", "76"),
        ("opéré à [[CITY|Dijon]] (dpt 21)", "21"),
        ("née à [[CITY|Dole]] ([[LOC|39]])", "39"),
        ("Département : 21", "21"),
        ("DÉPARTEMENT DE NAISSANCE : 2A, COMMUNE : [[CITY|AJACCIO]]", "2A"),
        ("Dépt : 974.", "974"),
    ],
)
def test_a_number_in_brackets_behind_a_town_is_its_department(markup: str, code: str) -> None:
    found = _found(markup)
    assert ("LOC", code) in found
    assert not {label for label, text in found if code in text} - {"LOC"}


@pytest.mark.parametrize(
    "markup",
    [
        "vit à [[CITY|Tours]] ([[AGE|37 ans]])",
        "[[PATIENT|Petit]] ([[AGE|18]])",
        "score de Glasgow (15)",
        "à [[CITY|Paris]] (15e)",
        "vu à [[CITY|Lens]] ([[DATE|2018]])",
        "vu à [[CITY|Lens]] (99)",
        "Département : 21 lits, 12 médecins",
        "Département : 21/06 fermé",
        "Département : 96",
    ],
)
def test_other_numbers_in_brackets_stay_what_they_are(markup: str) -> None:
    assert "LOC" not in {label for label, _ in _found(markup)}


@pytest.mark.parametrize(
    ("markup", "word"),
    [
        ("Cette Nantaise vit à [[CITY|Nantes]].", "Nantaise"),
        ("Ce Lillois fume.", "Lillois"),
        ("NANTAISE DE [[AGE|54 ANS]]", "NANTAISE"),
        ("MARSEILLAISE, vit à [[CITY|MARSEILLE]]", "MARSEILLAISE"),
        ("patiente lyonnaise, suivie depuis 2012", "lyonnaise"),
        ("L'agglomération stéphanoise recrute.", "stéphanoise"),
        ("M. [[PATIENT|Durand]], [[PERSON|Stéphanois]], vit à [[CITY|Saint-Étienne]].", "Stéphanois"),
        ("suivi au [[ORG|CHU de Rennes]]. Rennais d'origine.", "Rennais"),
        ("Une Grayloise qui habite [[CITY|Gray]].", "Grayloise"),
        ("famille vierzonnaise, de [[CITY|Vierzon]]", "vierzonnaise"),
    ],
)
def test_the_inhabitants_of_a_town_are_a_mention(markup: str, word: str) -> None:
    assert ("LOC", word) in _found(markup)


@pytest.mark.parametrize(
    "markup",
    [
        "Aime la salade niçoise ; vit à [[CITY|Nice]].",
        "une sauce bordelaise",
        "protocole lillois",
        "Mme Lyonnais Claire",
        "vu par le Dr Langrois",
        "Nom : Parisien",
        "Supporter du Stade rennais",
        "il parle français et anglais à [[CITY|Angles]]",
        "un ballon, [[CITY|Balle]]",
    ],
)
def test_dishes_clubs_and_names_are_no_inhabitants(markup: str) -> None:
    assert "LOC" not in {label for label, _ in _found(markup)}


def test_a_town_taken_for_a_name_is_told_by_its_inhabitants() -> None:
    found = _found("La patiente, [[PERSON|Dijonnaise]], vit à [[PERSON|Dijon]].")
    assert found == {("LOC", "Dijonnaise"), ("CITY", "Dijon")}


@pytest.mark.parametrize(
    ("markup", "label", "found"),
    [
        ("CENTRE DE PNEUMOLOGIE\n A N G E R S        le 16 FEV", "CITY", "A N G E R S"),
        ("N A N T E S, le 3 mars", "CITY", "N A N T E S"),
        ("Laboratoire, Site Palente – 61 rue des Cras", "LOC", "Palente"),
        ("CH de Dole - Site Les Capucins", "LOC", "Capucins"),
        ("consultation sur le site Georges-Pianta lundi", "LOC", "Georges-Pianta"),
        ("hémodialyse, site MINJOZ, box 3", "LOC", "MINJOZ"),
        ("fille [[PERSON|Amaia d]]'[[CITY|Anglet]] appelée", "PERSON", "Amaia"),
    ],
)
def test_towns_letter_by_letter_and_sites_are_found(markup: str, label: str, found: str) -> None:
    assert (label, found) in _found(markup)


@pytest.mark.parametrize(
    "text",
    [
        "Site Opératoire propre, site du Gripper, site Internet",
        "O R L et C R P, A B C D E F",
        "Site : Paris",
        "Site L4-L5 propre, site T12",
        "Site PICC propre, site Web",
        "Site Port-a-cath",
    ],
)
def test_other_sites_and_letters_are_no_places(text: str) -> None:
    assert _found(text) == set()


def test_an_acronym_in_brackets_has_the_initials_of_the_hospital() -> None:
    assert ("ORG", "CHUR") in _found("[[ORG|CHU de Rennes]] (CHUR) ; le CHUR rappelle")
    assert ("ORG", "IRM") not in _found("[[ORG|CHU de Rennes]] (IRM)")


def test_a_name_that_a_clinic_has_is_the_clinic_unless_somebody_bears_it() -> None:
    assert ("ORG", "Jules Verne") in _found("[[ORG|clinique Jules Verne]]. Revue à [[DOCTOR|Jules Verne]].")
    assert ("ORG", "Vial") not in _found("[[ORG|clinique Vial]]. Revue par le Dr [[DOCTOR|Vial]].")


def test_forms_are_read_as_they_are_written() -> None:
    for town in ("Nantes", "Tours", "Vitré", "Bourges", "Le Puy-en-Velay", "Martigues"):
        for feminine in (False, True):
            for plural in (False, True):
                name = gentile_of(town, feminine, plural)
                read = read_gentile(name or "")
                assert read is not None
                assert read.town == town
                assert gentile_of(town, read.feminine, read.plural) == name
    assert gentile_of("Tours", True, True) == "tourangelles"
    assert gentile_of("Gray", False, False) is None
    assert derived_gentile("Grayloise", "Gray") == ("", True, False)
    assert derived_gentile("Toulouse", "Toulouse") is None
    assert initials_of("Centre hospitalier de Mâcon") == "CHM"


@pytest.mark.parametrize(
    "markup",
    [
        "Né [[PERSON|Cluj-Napoca]], sans domicile",
        "Mme Petrova (née [[PATIENT|Plovdiv]])",
        "NE A [[PATIENT|ALGER]] EN 1955",
        "frère à [[PERSON|Yaoundé]]",
        "Vit à [[PERSON|Timisoara]] l'hiver",
        "née à [[PATIENT|Constantine]]",
        "originaire de [[PERSON|Cuenca]]",
    ],
)
def test_a_town_abroad_is_no_person_where_somebody_is_born_or_lives(markup: str) -> None:
    assert {label for label, _ in _found(markup)} == {"CITY"}


@pytest.mark.parametrize(
    "markup",
    [
        "née [[PATIENT|Oran]]",
        "née [[PATIENT|Martin]]",
        "confiée à [[PERSON|Constantine]]",
        "Mme [[PATIENT|Plovdiv]], née [[PATIENT|Plovdiv]]",
        "relu par [[DOCTOR|Gao]]",
        "[[PERSON|Kayes]] appelle",
    ],
)
def test_a_name_that_a_town_abroad_has_too_stays_somebodys(markup: str) -> None:
    assert "CITY" not in {label for label, _ in _found(markup)}


@pytest.mark.parametrize(
    ("markup", "town"),
    [
        ("Dr [[DOCTOR|Papot]], [[CITY|Celles]]/[[DOCTOR|Belle]]", "Celles/Belle"),
        ("vit à [[CITY|Chalon]]/Saône seul", "Chalon/Saône"),
        ("vit à [[CITY|Celles]]/[[DOCTOR|Martin]]", "Celles"),
        ("vit à [[CITY|Celles]]/[[DOCTOR|Belle Martin]] aussi", "Celles/Belle"),
        ("entre [[CITY|Lens]]/[[CITY|Arras]]", "Lens"),
    ],
)
def test_a_town_goes_on_behind_a_slash(markup: str, town: str) -> None:
    assert ("CITY", town) in _found(markup)


def test_the_name_behind_such_a_town_stays_somebodys() -> None:
    assert ("DOCTOR", "Martin") in _found("vit à [[CITY|Celles]]/[[DOCTOR|Belle Martin]] aussi")


@pytest.mark.parametrize(
    ("markup", "label"),
    [
        ("[[ORG|Institut de pathologie]]\n[[ORG|Lyon]]\nCompte rendu", "CITY"),
        ("[[ORG|Institut de pathologie]]\nadressé par [[ORG|Lyon]] ce jour", "ORG"),
        ("[[ORG|Institut de pathologie]]\n[[ORG|Transports Bignon]]", "ORG"),
    ],
)
def test_a_town_alone_on_its_line_is_no_organisation(markup: str, label: str) -> None:
    found = sorted(_found(markup), key=lambda one: one[1])
    assert ("ORG", "Institut de pathologie") in found
    assert label in {kind for kind, text in found if text != "Institut de pathologie"}


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("copie Dr [[DOCTOR|LANGE Reichshoffen]]", {("DOCTOR", "LANGE"), ("CITY", "Reichshoffen")}),
        ("copie Dr [[DOCTOR|LANGE Thierry]]", {("DOCTOR", "LANGE Thierry")}),
        ("copie Dr [[DOCTOR|LE Guilvinec]]", {("DOCTOR", "LE Guilvinec")}),
        ("copie Dr [[DOCTOR|Lange Reichshoffen]]", {("DOCTOR", "Lange Reichshoffen")}),
        ("1;Dr [[DOCTOR|LEGENTIL]];MG;[[DOCTOR|PERRUSSON]];rpps", {("DOCTOR", "LEGENTIL"), ("CITY", "PERRUSSON")}),
        ("20230227;ETT;MG;[[DOCTOR|PERRUSSON]];rpps", {("DOCTOR", "PERRUSSON")}),
    ],
)
def test_a_town_behind_a_doctor_is_no_part_of_the_name(markup: str, found: set[tuple[str, str]]) -> None:
    assert _found(markup) == found


@pytest.mark.parametrize(
    ("markup", "label"),
    [
        ("au pied du [[CITY|Mont Kerbrat]]", "LOC"), ("au [[CITY|Col de Kerbrat]] hier", "LOC"),
        ("né à [[CITY|Mont-Dauphin]]", "CITY"), ("né à [[CITY|Mont Saint Aignan]]", "CITY"),
        ("né à [[CITY|Colmar]]", "CITY"), ("vu par [[DOCTOR|Mont Kerbrat]]", "DOCTOR"),
        ("randonnée au [[ORG|Mont Kerbrat]]", "LOC"), ("vit dans le [[DOCTOR|massif du Kerbrat]]", "LOC"),
        ("[[CITY|Le Mont-Kerbrat]] en face", "LOC"), ("chute au [[PERSON|col du Kerbrat]]", "LOC"),
        ("Dr [[DOCTOR|Pic Kerbrat]]", "DOCTOR"), ("[[ORG|Lac Kerbrat]] et fils", "ORG"),
    ],
)  # fmt: skip
def test_land_called_by_no_town_is_no_town(markup: str, label: str) -> None:
    assert [kind for kind, _ in _found(markup)] == [label]
