"""Prepositions and articles ahead of a place are written again to fit the one that is drawn."""

from __future__ import annotations

import re

import pytest

from deid.domain.document import Patient
from deid.french.articles import PERSON, TOWN, Ahead, Kind, Noun, fitted, is_elided, of_place, own_article, read_ahead
from deid.french.folding import comparable
from deid.quality.grammar import count_errors
from deid.substitution import Substitutor
from deid.substitution.places.areas import area_names, article_of
from tests.unit.substitution.examples import marked, surrogates

MANY = [f"patient-{number}" for number in range(25)]  # for tests that count draws, or wait for a rare one
KEYS = MANY[:5]
ARTICLES = [
    ("Doubs", "le"), ("Côte-d'Or", "la"), ("Ain", "l'"), ("Hérault", "l'"), ("Haute-Saône", "la"), ("Vosges", "les"),
    ("Yonne", "l'"), ("Yvelines", "les"), ("Yémen", "le"), ("Paris", ""), ("Bretagne", "la"), ("Grand Est", "le"),
    ("Île-de-France", "l'"), ("Hauts-de-France", "les"), ("Maroc", "le"), ("Algérie", "l'"), ("Tunisie", "la"),
    ("États-Unis", "les"), ("Cuba", ""), ("Hongrie", "la"), ("Honduras", "le"), ("Mexique", "le"), ("Iran", "l'"),
    ("France", "la"), ("métropole", "la"), ("Polynésie française", "la"), ("La Réunion", ""),
]  # fmt: skip
DOUBS, AIN, SAONE = Noun(Kind.DEPARTMENT, "le"), Noun(Kind.DEPARTMENT, "l'"), Noun(Kind.DEPARTMENT, "la")
EST, BRETAGNE, OCCITANIE = Noun(Kind.REGION, "le"), Noun(Kind.REGION, "la"), Noun(Kind.REGION, "l'")
MAROC, ALGERIE, STATES = Noun(Kind.COUNTRY, "le"), Noun(Kind.COUNTRY, "l'"), Noun(Kind.COUNTRY, "les")
CUBA, SNCF, BARE = Noun(Kind.COUNTRY), Noun(Kind.NAME, "la"), Noun(Kind.NAME)
# What a text has ahead of a name, the grammar of the name that comes, the name, and what is to be read.
FITTED = [
    ("CHU d'", TOWN, "Saint-Laurent", "CHU de Saint-Laurent"), ("vient de ", TOWN, "Aubord", "vient d'Aubord"),
    ("vient de ", TOWN, "Le Mans", "vient du Mans"), ("vient d’", TOWN, "Yutz", "vient de Yutz"),
    ("natif de ", TOWN, "Yvetot", "natif d'Yvetot"),
    ("vient du ", TOWN, "Dijon", "vient de Dijon"), ("vit au ", TOWN, "Dijon", "vit à Dijon"),
    ("vit à ", TOWN, "Le Havre", "vit au Havre"), ("vit à ", TOWN, "Les Abymes", "vit aux Abymes"),
    ("vit à ", TOWN, "La Rochelle", "vit à La Rochelle"), ("vit à ", TOWN, "L'Isle-Adam", "vit à L'Isle-Adam"),
    ("né aux ", TOWN, "Hyères", "né à Hyères"), ("en ", TOWN, "Le Mans", "au Mans"), ("Du ", TOWN, "Gray", "De Gray"),
    ("DU ", TOWN, "GRAY", "DE GRAY"), ("D'", TOWN, "GRAY", "DE GRAY"), ("vers la ", TOWN, "Gray", "vers Gray"),
    ("À ", TOWN, "LE HAVRE", "AU HAVRE"), ("A ", TOWN, "GRAY", "A GRAY"),
    ("A ", TOWN, "LE PIN", "AU PIN"),
    ("dans le ", AIN, "Ain", "dans l'Ain"), ("dans l'", SAONE, "Haute-Saône", "en Haute-Saône"),
    ("en ", DOUBS, "Doubs", "dans le Doubs"), ("en ", Noun(Kind.DEPARTMENT), "Paris", "à Paris"),
    ("de l'", DOUBS, "Doubs", "du Doubs"), ("du ", AIN, "Ain", "de l'Ain"), ("des ", SAONE, "Creuse", "de la Creuse"),
    ("du ", Noun(Kind.DEPARTMENT), "Paris", "de Paris"), ("le ", AIN, "Ain", "l'Ain"), ("Les ", DOUBS, "Lot", "Le Lot"),
    ("en ", EST, "Grand Est", "dans le Grand Est"), ("dans le ", BRETAGNE, "Bretagne", "en Bretagne"),
    ("de ", OCCITANIE, "Occitanie", "d'Occitanie"), ("d'", BRETAGNE, "Bretagne", "de Bretagne"),
    ("de ", EST, "Grand Est", "du Grand Est"), ("du ", OCCITANIE, "Occitanie", "de l'Occitanie"),
    ("au ", ALGERIE, "Algérie", "en Algérie"), ("en ", MAROC, "Maroc", "au Maroc"), ("en ", CUBA, "Cuba", "à Cuba"),
    ("en ", STATES, "États-Unis", "aux États-Unis"), ("d'", MAROC, "Maroc", "du Maroc"),
    ("de la ", BARE, "Airbus", "d'Airbus"), ("à ", SNCF, "SNCF", "à la SNCF"),
    ("au ", BARE, "Les Cèdres", "aux Cèdres"),
    ("de ", CUBA, "Antigua", "d'Antigua"), ("chez ", SNCF, "SNCF", "chez SNCF"), ("du ", SNCF, "SNCF", "de la SNCF"),
    ("mère d'", PERSON, "Lucie", "mère de Lucie"), ("mère de ", PERSON, "Émilie", "mère d'Émilie"),
    ("fils d’", PERSON, "Karim", "fils de Karim"), ("fils de ", PERSON, "Henri", "fils d'Henri"),
    ("de ", PERSON, "Yasmine", "de Yasmine"), ("de ", PERSON, "Yvonne", "d'Yvonne"), ("D'", PERSON, "LUC", "DE LUC"),
    ("plus qu'", PERSON, "Jean", "plus que Jean"), ("ce que ", PERSON, "Alain", "ce qu'Alain"),
    ("du ", PERSON, "Anne", "du Anne"), ("la ", PERSON, "Le Goff", "la Le Goff"),
    ("de ", PERSON, "Le Goff", "de Le Goff"), ("le ", PERSON, "Édouard", "l'Édouard"), ("la ", PERSON, "Zoé", "la Zoé"),
    ("à la ", PERSON, "Éliane", "à l'Éliane"), ("LA ", PERSON, "ELIANE", "L'ELIANE"), ("le ", PERSON, "Léo", "le Léo"),
    ("chez la ", PERSON, "Henriette", "chez l'Henriette"), ("de la ", PERSON, "Odile", "de l'Odile"),
    ("à ", PERSON, "Anne", "à Anne"), ("plus que ", TOWN, "Avignon", "plus qu'Avignon"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "article"), ARTICLES)
def test_articles(name: str, article: str) -> None:
    assert article_of(name) == article


@pytest.mark.parametrize(("before", "noun", "name", "whole"), FITTED)
def test_the_words_ahead_fit_the_name(before: str, noun: Noun, name: str, whole: str) -> None:
    ahead = read_ahead(before)
    if ahead is None:
        assert before + name == whole
    else:
        assert before.removesuffix(ahead.text) + fitted(ahead, noun, name) == whole


def test_the_words_ahead_are_read_on_one_line_and_whole() -> None:
    assert read_ahead("vue de la ") == Ahead("de la ", "de", "la")
    for text in ("table ", "né : ", "aujourd'", "Vu à\n", "L'Isle-d'", "", "demande "):
        assert read_ahead(text) is None
    assert [own_article(text) for text in ("le Doubs", "L’Ain", "Lot")] == ["le ", "L’", ""]


def test_elision() -> None:
    assert [of_place(name) for name in ("Eu", "Ouistreham", "Haguenau", "Œuilly", "Les Essarts", "Leers")] == [
        "d'Eu", "d'Ouistreham", "de Haguenau", "d'Œuilly", "des Essarts", "de Leers",
    ]  # fmt: skip
    assert is_elided("Île-de-France")


def test_without_a_word_ahead_nothing_is_written() -> None:
    assert read_ahead("Pays : ") is None


TEXTS = [
    "hospitalisé au CHU d'[[CITY|Avignon]], vient de [[CITY|Nantes]] et du [[CITY|Mans]]",
    "vit au [[CITY|Havre]] puis à [[CITY|La Rochelle]], aux [[CITY|Abymes]] et à [[CITY|Le Tampon]]",
    "originaire d'[[CITY|Yssingeaux]] et de [[CITY|Hyères]]", "D’[[CITY|AVIGNON]] À [[CITY|NANTES]]",
    "dans le [[LOC|Doubs]], en [[LOC|Côte-d'Or]], de l'[[LOC|Hérault]], des [[LOC|Vosges]], [[LOC|le Lot]]",
    "au [[LOC|Maroc]], en [[LOC|Algérie]], aux [[LOC|États-Unis]], à [[LOC|Cuba]], du [[LOC|Portugal]]",
    "en [[LOC|Bretagne]], dans les [[LOC|Hauts-de-France]], de [[LOC|Normandie]], dans le [[LOC|Grand Est]]",
]  # fmt: skip


@pytest.mark.parametrize("named", ["", "Habite [[CITY|Besançon]], [[CITY|Rennes]] et [[CITY|Oran]]. "])
@pytest.mark.parametrize("text", TEXTS)
def test_no_text_is_left_with_an_elision_or_an_article_that_does_not_fit(
    text: str, named: str, substitutor: Substitutor
) -> None:
    for key in KEYS:
        document, mentions = marked(named + text, patient=Patient(key=key))
        result = substitutor.substitute(document, mentions)
        assert count_errors(result) == 0, result.text


def test_the_elision_ahead_of_a_person_tells_no_letter_of_the_name(substitutor: Substitutor) -> None:
    for key in KEYS:
        markup = "mère d'[[PERSON|Anne]] et de [[PERSON|Lucie]], vue par l'épouse d'[[DOCTOR|Étienne Oger]] hier"
        text = substitutor.substitute(*marked(markup, patient=Patient(key=key))).text
        assert not re.search(r"\bd['’][BCDFGJKLMNPQRSTVWXZ]|\bde [AEIOUÉ]\w*[a-z]", text), text


def test_the_replaced_span_begins_at_the_article(substitutor: Substitutor) -> None:
    moved = 0
    for key in MANY:
        document, mentions = marked("vit au [[CITY|Havre]].", patient=Patient(key=key))
        result = substitutor.substitute(document, mentions)
        ((start, end),), (surrogate,) = result.spans, result.surrogates
        assert result.text[start:end] == surrogate.text
        assert document.text[surrogate.mention.start : surrogate.mention.end] in ("Havre", "au Havre")
        assert (surrogate.mention.start < mentions[0].start) == surrogate.text.startswith(("à ", "aux "))
        moved += surrogate.mention.start < mentions[0].start
    assert moved > len(MANY) / 2


def test_a_span_never_reaches_into_the_mention_before(substitutor: Substitutor) -> None:
    for key in KEYS:
        markup = "suivi [[ORG|clinique de la]] [[CITY|Rochelle]] et d'[[CITY|Avignon]]"
        result = substitutor.substitute(*marked(markup, patient=Patient(key=key)))
        ends = [0, *(surrogate.mention.end for surrogate in result.surrogates)]
        assert all(one.mention.start >= end for one, end in zip(result.surrogates, ends, strict=False))


def test_candidates_do_not_depend_on_the_words_ahead(substitutor: Substitutor) -> None:
    """An area has one surrogate, whatever stands ahead of it: the draw tells nothing of the text."""
    for key in KEYS:
        texts = ("Pays : [[LOC|Maroc]].", "Né au [[LOC|Maroc]].", "Revient du [[LOC|MAROC]].", "[[LOC|Le Maroc]].")
        told = set()
        for text in texts:
            (one,) = surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))
            told.add(
                next(name for name in area_names("country").values() if comparable(one).endswith(comparable(name)))
            )
        assert len({article_of(name) for name in told}) == 1


def test_an_overseas_department_is_kept(substitutor: Substitutor) -> None:
    for key in KEYS:
        text = "né à [[CITY|Saint-Leu]] à [[LOC|La Réunion]], vit en [[LOC|Guyane]] ([[LOC|973]])"
        found = surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))
        assert found[1:] == ["La Réunion", "Guyane", "973"]


def test_a_preposition_at_the_end_of_a_line_is_left() -> None:
    assert read_ahead("un séjour au \n") is None
    assert read_ahead("un séjour au ") is not None


def test_capitals_without_accents_stay_so_before_a_town(substitutor: Substitutor) -> None:
    for key in MANY:
        result = substitutor.substitute(*marked("TRANSFERE AU [[CITY|HAVRE]] CE JOUR.", patient=Patient(key=key)))
        assert result.text.isascii(), result.text
