"""Areas agree with the article that the text leaves standing ahead of them."""

from __future__ import annotations

import pytest

from deid.config.policy import Policy
from deid.domain.document import Patient
from deid.french.folding import comparable
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from deid.substitution.places.areas import agrees, area_names, article_ahead, article_of, own
from tests.unit.substitution.examples import KEY, marked, surrogates

KEYS = [f"patient-{number}" for number in range(25)]
ARTICLES = [
    ("Doubs", "le"), ("Côte-d'Or", "la"), ("Ain", "l'"), ("Hérault", "l'"), ("Haute-Saône", "la"), ("Vosges", "les"),
    ("Yonne", "l'"), ("Yvelines", "les"), ("Yémen", "le"), ("Paris", ""), ("Bretagne", "la"), ("Grand Est", "le"),
    ("Île-de-France", "l'"), ("Hauts-de-France", "les"), ("Maroc", "le"), ("Algérie", "l'"), ("Tunisie", "la"),
    ("États-Unis", "les"), ("Cuba", ""), ("Hongrie", "la"), ("Honduras", "le"), ("Mexique", "le"), ("Iran", "l'"),
    ("France", "la"), ("métropole", "la"), ("Polynésie française", "la"), ("La Réunion", ""),
]  # fmt: skip
# The words ahead of an area as texts have them, the area, and a place that the document names there.
TEXTS = [
    ("dans le ", "Doubs", "Besançon"), ("du ", "Doubs", "Besançon"), ("en ", "Côte-d'Or", "Dijon"),
    ("de la ", "Côte-d'Or", "Dijon"), ("dans l'", "Ain", "Bourg-en-Bresse"), ("de l'", "Hérault", "Montpellier"),
    ("dans les ", "Vosges", "Épinal"), ("des ", "Vosges", "Épinal"), ("dans le ", "Grand Est", "Reims"),
    ("en ", "Bretagne", "Rennes"), ("d'", "Occitanie", "Nîmes"), ("dans les ", "Hauts-de-France", "Lille"),
    ("au ", "Maroc", "Rabat"), ("en ", "Algérie", "Oran"), ("aux ", "États-Unis", "Boston"),
    ("du ", "Portugal", "Porto"),
    ("de l'", "Iran", "Téhéran"), ("en ", "France", "Dijon"), ("de l'", "Hexagone", "Dijon"),
    ("la ", "métropole", "Dijon"),
    ("en ", "Polynésie française", "Dijon"), ("de ", "Normandie", "Rouen"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "article"), ARTICLES)
def test_articles(name: str, article: str) -> None:
    assert article_of(name) == article


@pytest.mark.parametrize("kind", ["department", "region", "country"])
def test_every_article_has_names_to_choose_among(kind: str) -> None:
    counts = {
        word: sum(agrees(word, name) for name in area_names(kind).values()) for word in ("le", "la", "l'", "les", "en")
    }
    assert min(counts.values()) >= 2


def test_the_word_ahead() -> None:
    texts = ("vit dans le ", "de l’", "Voyage aux\n", "né : ", "vue de la ", "table ")
    assert [article_ahead(text) for text in texts] == ["le", "l'", "aux", None, "la", None]
    assert [own(text) for text in ("le Doubs", "L'Ain", "La Réunion", "Lot", "les  Vosges")] == [
        "le ", "L'", "", "", "les  ",
    ]  # fmt: skip


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(("words", "name", "town"), TEXTS)
def test_a_surrogate_agrees_with_the_words_ahead(
    words: str, name: str, town: str, named: bool, substitutor: Substitutor
) -> None:
    beside = f"Habite [[CITY|{town}]]. " if named else ""
    word = article_ahead(words)
    assert word is not None
    for key in KEYS:
        result = substitutor.substitute(*marked(f"{beside}Vit {words}[[LOC|{name}]].", patient=Patient(key=key)))
        told = surrogates(result)[-1]
        assert comparable(told) != comparable(name)
        assert agrees(word, told), told
        assert result.text.endswith(f"Vit {words}{told}.")


@pytest.mark.parametrize(("words", "name"), [("le ", "Doubs"), ("L'", "Ain"), ("les ", "Vosges"), ("la ", "Bretagne")])
def test_an_article_inside_the_mention_stays_and_is_agreed_with(
    words: str, name: str, substitutor: Substitutor
) -> None:
    for key in KEYS:
        (told,) = surrogates(substitutor.substitute(*marked(f"Vit : [[LOC|{words}{name}]].", patient=Patient(key=key))))
        assert told.startswith(words)
        assert agrees(words.strip().lower(), told.removeprefix(words))


def test_an_area_keeps_one_name_in_a_document(substitutor: Substitutor) -> None:
    text = "Pays : [[LOC|Maroc]]. Né au [[LOC|Maroc]], revient du [[LOC|MAROC]]."
    for key in KEYS:
        told = surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))
        assert len({comparable(one) for one in told}) == 1
        assert agrees("au", told[0])


def test_without_a_word_ahead_the_choice_tells_no_gender(policy: Policy, communes: CommuneTable) -> None:
    substitutor = Substitutor(policy, KEY, communes)
    found = {
        article_of(surrogates(substitutor.substitute(*marked("Pays : [[LOC|Maroc]]", patient=Patient(key=key))))[0])
        for key in (f"p{number}" for number in range(80))
    }
    assert {"le", "la", "l'"} <= found


def test_common_words_are_written_as_such(substitutor: Substitutor) -> None:
    found = set()
    for key in KEYS:
        text = "Habite [[CITY|Besançon]], dans le [[LOC|Doubs]]."
        found.add(surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))[-1])
    assert "département" in found
    assert not [one for one in found if one == "Département"]
