"""One draw for a town and what belongs to it: inhabitants, department, hospital, gare; one for a country."""

from __future__ import annotations

import re

import pytest

from deid.domain.document import Patient
from deid.french.articles import of_place
from deid.french.folding import comparable
from deid.french.gentiles import gentile_of, initials_of
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from deid.substitution.generators.organisation_names import GARDENS, SAINTS
from deid.substitution.places.abroad import CALLED, World, world
from deid.substitution.places.areas import area, area_names
from tests.unit.substitution.examples import marked, surrogates

KEYS = [f"patient-{number}" for number in range(5)]


def _text(substitutor: Substitutor, markup: str, key: str) -> str:
    return substitutor.substitute(*marked(markup, patient=Patient(key=key))).text


def _one(substitutor: Substitutor, markup: str, key: str) -> list[str]:
    return surrogates(substitutor.substitute(*marked(markup, patient=Patient(key=key))))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("town", "form", "feminine", "plural"),
    [
        ("Nantes", "Nantaise", True, False),
        ("Tours", "Tourangeaux", False, True),
        ("Beaune", "Beaunois", False, False),
        ("Vierzon", "Vierzonnaises", True, True),
    ],
)
def test_inhabitants_are_those_of_the_town_drawn(
    town: str, form: str, feminine: bool, plural: bool, key: str, substitutor: Substitutor
) -> None:
    named, city = _one(substitutor, f"Des [[LOC|{form}]] nés à [[CITY|{town}]]", key)
    name = gentile_of(city, feminine, plural)
    assert named == (name.capitalize() if name else f"habitant{'e' * feminine}{'s' * plural} {of_place(city)}")


@pytest.mark.parametrize("key", KEYS)
def test_the_words_ahead_of_inhabitants_stay_right(key: str, substitutor: Substitutor) -> None:
    text = _text(substitutor, "Ce [[LOC|Grayois]] de [[CITY|Gray]]. Cet [[LOC|Angevin]]. La [[LOC|Nantaise]].", key)
    assert re.match(r"Ce (?![aeiouéèêœh])", text, re.IGNORECASE)
    assert re.search(r"Cet [aeiouéèêœh]", text, re.IGNORECASE)
    assert re.search(r"La (?![aeiouéèêœh])", text, re.IGNORECASE)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("town", "area_of"),
    [
        ("Vierzon", "18"),
        ("Autun", "71"),
        ("Bastia", "2B"),
        ("Saint-Denis", "93"),
        ("Bourg", "01"),
        ("Guéret", "Creuse"),
    ],
)
def test_the_department_behind_a_town_is_that_of_the_town_drawn(
    town: str, area_of: str, key: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    first, city, behind = _one(substitutor, f"[[CITY|Dijon]], né à [[CITY|{town}]] ([[LOC|{area_of}]])", key)
    assert first
    departments = {one.department for one in communes.find(city)}
    told = (
        {behind} if behind[0].isdigit() else {code for code in departments if communes.department_name(code) == behind}
    )
    assert told
    assert told <= departments


@pytest.mark.parametrize("key", KEYS)
def test_a_department_behind_a_town_separates_namesakes(key: str, substitutor: Substitutor) -> None:
    markup = "[[CITY|Saint-Denis]] ([[LOC|93]]), [[CITY|Saint-Denis]], [[CITY|Saint-Denis]] ([[LOC|974]])"
    one, _, again, other, kept = _one(substitutor, markup, key)
    assert one == again != other
    assert kept == "974"


@pytest.mark.parametrize("key", KEYS)
def test_land_of_a_town_that_is_told_follows_it(key: str, substitutor: Substitutor) -> None:
    city, station, port = _one(substitutor, "à [[CITY|Nantes]], [[LOC|gare de Nantes]], [[LOC|port de Nantes]]", key)
    assert (station, port) == (f"gare {of_place(city)}", f"port {of_place(city)}")


@pytest.mark.parametrize("key", KEYS)
def test_a_site_has_one_name_whatever_it_was_taken_for(key: str, substitutor: Substitutor) -> None:
    markup = "[[ORG|hôpital Bichat]], à [[CITY|Bichat]], à [[LOC|Bichat]], à [[ORG|Bichat]], [[ORG|CHU Bichat]]"
    hospital, *short, _ = _one(substitutor, markup, key)
    assert set(short) == {hospital.removeprefix("hôpital ")}
    assert "Bichat" not in hospital
    text = _text(substitutor, "[[ORG|Clinique des Cèdres]]. Revue aux [[CITY|Cèdres]].", key)
    drawn = re.fullmatch(
        r"Clinique (?P<of>de la |de l'|des |du |de |)(?P<name>.+)\. Revue (?P<to>.*?)(?P=name)\.", text
    )
    assert drawn is not None
    assert drawn["to"] in {"de la ": ("à la ",), "de l'": ("à l'",), "des ": ("aux ",), "du ": ("au ",)}.get(
        drawn["of"], ("à ", "aux ")
    )


@pytest.mark.parametrize("key", KEYS)
def test_a_hospital_told_short_is_in_the_town_of_the_one_told_whole(key: str, substitutor: Substitutor) -> None:
    whole, acronym, short, city = _one(
        substitutor, "[[ORG|CHU de Rennes]] ([[ORG|CHUR]]), le [[ORG|CHU]], à [[CITY|Rennes]]", key
    )
    assert whole == f"CHU {of_place(city)}"
    assert comparable(short) == comparable(whole)
    assert acronym == initials_of(whole)


def test_the_same_acronym_twice_ends(substitutor: Substitutor) -> None:
    one, again = _one(substitutor, "[[ORG|CHSR]] puis [[ORG|CHSR]], [[ORG|GHTX]] et [[ORG|GHTX]]", "k")[:2]
    assert one == again != "CHSR"


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", ["Suisse", "Pérou", "Mali", "Angleterre", "USA", "RDC", "Kabylie", "Argentine"])
@pytest.mark.parametrize("label", ["LOC", "CITY"])
def test_a_country_is_replaced_by_one_of_its_part_of_the_world(
    name: str, label: str, key: str, substitutor: Substitutor
) -> None:
    kind, code = area(name) or ("", "")
    (found,) = _one(substitutor, f"pays : [[{label}|{name}]]", key)
    drawn = area(found)
    assert drawn is not None
    assert (drawn[0], world(drawn[1])) == (kind, world(code))
    assert drawn[1] != code


@pytest.mark.parametrize("key", KEYS)
def test_a_country_has_one_draw_whatever_calls_it(key: str, substitutor: Substitutor) -> None:
    one, *others = _one(
        substitutor,
        "[[LOC|Royaume-Uni]], [[LOC|Grande-Bretagne]], [[CITY|Angleterre]], [[LOC|Écosse]], [[LOC|Royaume Uni]]",
        key,
    )
    assert set(others) == {one}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", ["Afrique", "Maghreb", "Asie du Sud-Est", "Europe", "Amérique latine"])
def test_a_continent_is_replaced_by_one_of_its_countries(name: str, key: str, substitutor: Substitutor) -> None:
    (found,) = _one(substitutor, f"séjour : [[LOC|{name}]]", key)
    drawn = area(found)
    assert drawn is not None
    assert world(drawn[1]) == World((area(name) or ("", ""))[1])


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("country", "number"),
    [
        ("Espagne", "+34 824 65 43 21"),
        ("Suisse", "0041 22 372 33 11"),
        ("Italie", "(+39 06 6982 1234)"),
        ("Canada", "+1 514 555 01 23"),
        ("Maroc", "+212 537 11 22 33"),
    ],
)
def test_the_calling_code_is_of_the_country_drawn(
    country: str, number: str, key: str, substitutor: Substitutor
) -> None:
    (told, phone), (alone,) = (
        _one(substitutor, f"[[LOC|{country}]] : [[PHONE|{number}]]", key),
        _one(substitutor, f"tél : [[PHONE|{number}]]", key),
    )
    code = (area(told) or ("", ""))[1]
    calling = next(calling for calling, countries in CALLED.items() if code in countries)
    assert re.sub(r"\D", "", phone).removeprefix("00").startswith(calling)
    assert country == "Canada" or alone == phone


def test_each_country_has_a_calling_code() -> None:
    assert {code for countries in CALLED.values() for code in countries} == set(area_names("country"))


@pytest.mark.parametrize("number", ["+262 692 12 34 56", "+689 40 12 34 56"])
def test_territories_of_france_keep_their_calling_code(number: str, substitutor: Substitutor) -> None:
    (found,) = _one(substitutor, f"tél : [[PHONE|{number}]]", "k")
    assert found[:4] == number[:4]


@pytest.mark.parametrize("key", KEYS)
def test_unknown_organisations_get_no_name_of_a_saint_or_a_flower(key: str, substitutor: Substitutor) -> None:
    drawn = _one(
        substitutor,
        "Travaille chez [[ORG|Gold's gym]], [[ORG|société Ferronor]] ; [[ORG|école Jules Ferry]] ; au [[ORG|Xanadu]]",
        key,
    )
    said = re.compile("|".join(re.escape(name.removeprefix("Les ")) for name in (*SAINTS, *GARDENS)))
    assert not [name for name in drawn if said.search(name)]
    assert drawn[1].startswith("société ")
    assert drawn[2].startswith("école ")


@pytest.mark.parametrize("key", KEYS)
def test_a_town_cut_short_as_land_is_the_town_told_whole(key: str, substitutor: Substitutor) -> None:
    markup = "né : [[CITY|Bourg-en-Bresse]], vit à 20 km de [[LOC|Bourg]]"
    town, short = _one(substitutor, markup, key)
    assert short == town
