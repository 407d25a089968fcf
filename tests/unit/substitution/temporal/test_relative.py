"""RELDATE and AGE mentions: what they say, and other values in the same form."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.config.policy import load
from deid.domain.document import Patient
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from deid.substitution.temporal import ages, relative
from deid.substitution.temporal.resolving import place_relative
from deid.substitution.temporal.values import Instant, Unit, index_of
from deid.substitution.temporal.wording import distance_otherwise, write_distance
from tests.unit.substitution.examples import KEY, marked

WEDNESDAY = date(2023, 5, 17)

# text, unit, distance from the anchor in that unit, the same form two units further away
RELATIVES = [
    ("il y a 10 ans", Unit.YEAR, -10, "il y a 12 ans"),
    ("Il y a un mois", Unit.MONTH, -1, "Il y a trois mois"),
    ("il y a une vingtaine d'années", Unit.YEAR, -20, "il y a vingt-deux ans"),
    ("ll y a hult ans", Unit.YEAR, -8, "il y a dix ans"),
    ("im y a 7 semaines", Unit.WEEK, -7, "im y a 9 semaines"),
    ("depuls clnq mols", Unit.MONTH, -5, "depuis sept mois"),
    ("y'a 4 ans", Unit.YEAR, -4, "y'a 6 ans"),
    ("il y avait trois ans", Unit.YEAR, -3, "il y avait cinq ans"),
    ("dans la huitaine", Unit.DAY, 8, "dans dix jours"),
    ("dans 3 jours", Unit.DAY, 3, "dans 5 jours"),
    ("dans trois semaines", Unit.WEEK, 3, "dans cinq semaines"),
    ("DANS 15 JOURS", Unit.DAY, 15, "DANS 17 JOURS"),
    ("d'ici deux mois", Unit.MONTH, 2, "d'ici quatre mois"),
    ("dans six à huit semaines", Unit.WEEK, 6, "dans huit à dix semaines"),
    ("dans 48 heures", Unit.DAY, 2, "dans quatre jours"),
    ("sous quinzaine", Unit.DAY, 15, "sous dix-sept jours"),
    ("ds 2 jrs", Unit.DAY, 2, "ds 4 jrs"),
    ("hier", Unit.DAY, -1, "il y a trois jours"),
    ("HIER SOIR", Unit.DAY, -1, "IL Y A TROIS JOURS"),
    ("avant-hier", Unit.DAY, -2, "il y a quatre jours"),
    ("demain matin", Unit.DAY, 1, "dans trois jours"),
    ("la semaine dernière", Unit.WEEK, -1, "il y a trois semaines"),
    ("le mois prochain", Unit.MONTH, 1, "dans trois mois"),
    ("l'an dernier", Unit.YEAR, -1, "il y a trois ans"),
    ("lundi dernier", Unit.DAY, -2, "samedi dernier"),
    ("vendredi prochain", Unit.DAY, 2, "dimanche prochain"),
    ("l'hiver dernier", Unit.SEASON, -1, "l'été dernier"),
    ("cet été", Unit.SEASON, 1, "l'hiver prochain"),
    ("février dernier", Unit.MONTH, -3, "décembre dernier"),
]


@pytest.mark.parametrize(("text", "unit", "distance", "further"), RELATIVES)
def test_a_reldate_is_read_and_written(text: str, unit: Unit, distance: int, further: str) -> None:
    found = relative.parse_relative(text)
    assert found is not None
    anchor = Instant(unit, index_of(unit, WEDNESDAY))
    assert place_relative(found, WEDNESDAY) == Instant(unit, anchor.index + distance)
    moved = Instant(unit, anchor.index + distance + (2 if distance > 0 else -2))
    assert write_distance(found, moved, anchor) == further


@pytest.mark.parametrize("text", ["ce jour", "aujourd'hui", "CE MATIN", "cette nuit", "ce soir"])
def test_the_day_itself_is_said_in_another_way(text: str) -> None:
    today = Instant(Unit.DAY, WEDNESDAY.toordinal())
    found = relative.parse_relative(text)
    assert found is not None
    assert write_distance(found, today, today) == text
    otherwise = distance_otherwise(found, today, today)
    assert otherwise is not None
    assert otherwise.casefold() == ("aujourd'hui" if text == "ce jour" else "ce jour")


@pytest.mark.parametrize("text", ["on y a 3 jours", "qui y a 3 ans"])
def test_words_that_are_no_slip_of_il_are_no_distance(text: str) -> None:
    """So that a mask takes their place: read as a distance within the kept days they would stay as they are."""
    assert relative.parse_relative(text) is None


@settings(deadline=None)
@given(st.text(max_size=30))
def test_no_text_breaks_the_readers(text: str) -> None:
    relative.parse_relative(text)
    ages.parse_age(text)


# text, unit, value (in steps), the same form two more, and five years more
AGES = [
    ("72 ans", Unit.YEAR, 72, "74 ans"),
    ("72 ANS", Unit.YEAR, 72, "74 ANS"),
    ("un an", Unit.YEAR, 1, "trois ans"),
    ("72", Unit.YEAR, 72, "74"),
    ("067", Unit.YEAR, 67, "069"),
    ("75a", Unit.YEAR, 75, "77a"),
    ("8O ans", Unit.YEAR, 80, "82 ans"),
    ("solxante aus", Unit.YEAR, 60, "soixante-deux aus"),
    ("trols ans", Unit.YEAR, 3, "cinq ans"),
    ("7 mols", Unit.MONTH, 7, "9 mols"),
    ("64 aus", Unit.YEAR, 64, "66 aus"),
    ("Age : 64", Unit.YEAR, 64, "Age : 66"),
    ("âge 7", Unit.YEAR, 7, "âge 9"),
    ("la trentaine passée", Unit.DECADE, 3, "la cinquantaine passée"),
    ("18 mois", Unit.MONTH, 18, "20 mois"),
    ("3 semaines", Unit.WEEK, 3, "5 semaines"),
    ("19 jours", Unit.DAY, 19, "21 jours"),
    ("3 ans et 10 mois", Unit.MONTH, 46, "4 ans et 0 mois"),
    ("9 ans 7/12", Unit.MONTH, 115, "9 ans 9/12"),
    ("2 ans et demi", Unit.YEAR, 5, "3 ans et demi"),
    ("2 ans ½", Unit.YEAR, 5, "3 ans ½"),
    ("soixante-douze ans", Unit.YEAR, 72, "soixante-quatorze ans"),
    ("quatre vingt deux ans", Unit.YEAR, 82, "quatre vingt quatre ans"),
    ("quarante et un ans", Unit.YEAR, 41, "quarante-trois ans"),
    ("trentaine", Unit.DECADE, 3, "cinquantaine"),
    ("quadragénaire", Unit.DECADE, 4, "sexagénaire"),
    ("quatre-vingt-quatrième année", Unit.YEAR, 84, "quatre-vingt-sixième année"),
    ("83e année", Unit.YEAR, 83, "85e année"),
    ("71ème année", Unit.YEAR, 71, "73ème année"),
]


@pytest.mark.parametrize(("text", "unit", "value", "more"), AGES)
def test_an_age_is_read_and_written(text: str, unit: Unit, value: int, more: str) -> None:
    found = ages.parse_age(text)
    assert found is not None
    assert (found.unit, found.value) == (unit, value)
    assert ages.write_age(found, value + 2, top_code=120) == more


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("72 ans", "plus de 90 ans"),
        ("72 ANS", "PLUS DE 90 ANS"),
        ("soixante-douze ans", "plus de quatre-vingt-dix ans"),
        ("72", "90+"),
        ("72a", "90+"),
        ("83e année", "90e année au moins"),
        ("soixante-douzième année", "quatre-vingt-dixième année au moins"),
    ],
)
def test_ninety_or_more_is_top_coded(text: str, expected: str) -> None:
    found = ages.parse_age(text)
    assert found is not None
    assert ages.write_age(found, 97, top_code=90) == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("Patiente de [[AGE|93 ans]], veuve, é", "Patiente de plus de 90 ans, veuve, é"),
        ("À [[AGE|94 ans]], il conduit.", "À plus de 90 ans, il conduit."),
        ("Âgée de [[AGE|92 ans]].", "Âgée de plus de 90 ans."),
        ("Vu. [[AGE|95 ans]], vit seul, é", "Vu. Plus de 90 ans, vit seul, é"),
        ("Depuis ses [[AGE|93 ans]], é", "Depuis ses 90 ans et plus, é"),
        ("Père mort à plus de [[AGE|93 ans]], é", "Père mort à plus de 90 ans, é"),
        ("Cohorte d'au moins [[AGE|96 ans]], é", "Cohorte d'au moins 90 ans, é"),
        ("Pas encore [[AGE|96 ans]], é", "Pas encore 90 ans et plus, é"),
        ("Âge > [[AGE|96 ans]], é", "Âge > 90 ans, é"),
        ("Âge ≤ [[AGE|96 ans]], é", "Âge ≤ 90 ans et plus, é"),
        ("Au-delà de [[AGE|96 ans]], é", "Au-delà de 90 ans, é"),
        ("Public de [[AGE|96 ans]] ou plus, é", "Public de 90 ans ou plus, é"),
        ("Femme de [[AGE|96 ans]] révolus, é", "Femme de 90 ans révolus, é"),
        ("Femme de [[AGE|96 ans]] passés, é", "Femme de 90 ans passés, é"),
        ("Sa sœur, [[AGE|quatre-vingt-quinze ans]], é", "Sa sœur, plus de quatre-vingt-dix ans, é"),
    ],
)
def test_words_around_an_age_of_the_oldest_read_on(told: str, expected: str, communes: CommuneTable) -> None:
    patient = Patient("p1", birth_date=date(1928, 3, 9))
    assert Substitutor(load(), KEY, communes).substitute(*marked(told, patient=patient)).text == expected


@pytest.mark.parametrize("text", ["213 ans", "213", "âge inconnu", "deux cents ans"])
def test_an_age_that_nobody_has_is_not_read(text: str) -> None:
    assert ages.parse_age(text) is None
