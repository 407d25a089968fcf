"""Towns and countries abroad stay in their part of the world; nothing else of them is kept."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from deid.domain.document import Patient
from deid.reference import CommuneTable
from deid.reference.place_names import place_key
from deid.substitution import Substitutor
from deid.substitution.places import abroad
from deid.substitution.places.abroad import World
from deid.substitution.places.areas import area_names, countries
from tests.unit.substitution.examples import marked, surrogates

KEYS = [f"patient-{number}" for number in range(20)]
AT_HOME = {"zip": "21000", "city": "Dijon"}


def _one(substitutor: Substitutor, markup: str, patient: Patient | None = None) -> list[str]:
    return surrogates(substitutor.substitute(*marked(markup, patient=patient)))


def _names(part: World) -> set[str]:
    return {town.name for town in abroad.towns()[part]}


@pytest.mark.parametrize("part", list(World))
def test_each_part_of_the_world_is_a_crowd(part: World) -> None:
    assert len(_names(part)) >= 64
    if part is not World.FRANCE:
        assert len(countries(part)) >= 15


def test_no_surrogate_town_reads_as_a_commune_and_none_is_in_two_lists(communes: CommuneTable) -> None:
    counts = Counter(place_key(town.name) for part in World for town in abroad.towns()[part])
    assert max(counts.values()) == 1
    for part in set(World) - {World.FRANCE}:
        assert [name for name in _names(part) if communes.find(name)] == []


@pytest.mark.parametrize(
    ("town", "part"),
    [
        ("Bouaké", World.AFRICA),
        ("CASABLANCA", World.MEDITERRANEAN),
        ("Tizi-Ouzou", World.MEDITERRANEAN),
        ("Kayes", World.AFRICA),
        ("Kehl", World.EUROPE),
        ("Shanghai", World.ASIA),
        ("Montréal", World.AMERICA),
        ("Sydney", World.AMERICA),
        ("Papeete", World.FRANCE),
        ("Faa'a", World.FRANCE),
        ("Monaco", World.EUROPE),
        ("Lampedusa", World.EUROPE),
        ("Ostende", World.EUROPE),
        ("Djerba", World.MEDITERRANEAN),
        ("Tombouctou", World.AFRICA),
    ],
)
def test_a_town_abroad_stays_in_its_part_of_the_world(town: str, part: World, substitutor: Substitutor) -> None:
    for patient in KEYS:
        (city,) = _one(substitutor, f"né : [[CITY|{town}]]", Patient(key=patient, **AT_HOME))
        assert place_key(city) in {place_key(name) for name in _names(part)}
        assert place_key(city) != place_key(town)


def test_it_is_drawn_uniformly_and_alike_for_two_towns(substitutor: Substitutor) -> None:
    """Nothing of the town but its part of the world decides: ε is not needed."""
    number, size = 1500, len(_names(World.AFRICA))
    for town in ("Bouaké", "Kigali"):
        drawn = Counter(_one(substitutor, f"né : [[CITY|{town}]]", Patient(key=f"p{at}"))[0] for at in range(number))
        expected = number / (size - 1)
        assert set(drawn) <= _names(World.AFRICA) - {town}
        assert max(drawn.values()) < expected + 6 * sqrt(expected)
        assert len(drawn) > 0.95 * size


@pytest.mark.parametrize(
    ("markup", "department"),
    [
        ("à [[CITY|Montréal]], [[ZIP|32250]] [[CITY|Montréal]]", "32"),
        ("à [[CITY|Montréal]]; notaire à [[CITY|Preignan]], [[ZIP|32810]]", "32"),
        ("[[ZIP|32430]] [[CITY|Cologne]]", "32"),
    ],
)
def test_a_namesake_in_france_is_meant_where_the_document_says_so(
    markup: str, department: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    document, mentions = marked(markup)
    result = substitutor.substitute(document, mentions)
    for one in result.surrogates:
        if one.mention.label == "CITY":
            assert any(found.department == department for found in communes.find(one.text))


def test_a_foreign_postal_code_keeps_its_form(substitutor: Substitutor) -> None:
    for patient in KEYS:
        code, city = _one(substitutor, "[[ZIP|1205]] [[CITY|Genève]]", Patient(key=patient, **AT_HOME))
        assert code.isdigit()
        assert len(code) == 4
        assert code != "1205"
        assert city in _names(World.EUROPE)
        code, city = _one(substitutor, "[[ZIP|98000]] [[CITY|MONACO]]", Patient(key=patient, **AT_HOME))
        assert code != "98000"
        assert len(code) == 5


def test_a_collectivity_has_its_own_codes(substitutor: Substitutor) -> None:
    codes = {code for town in abroad.towns()[World.FRANCE] for code in town.zips}
    for patient in KEYS:
        code, city = _one(substitutor, "[[ZIP|98800]] [[CITY|NOUMÉA]]", Patient(key=patient))
        assert code in codes - {"98800"}
        (alone,) = _one(substitutor, "BP 12, [[ZIP|98713]]", Patient(key=patient))
        assert alone in codes - {"98713"}
        (area,) = _one(substitutor, "en [[LOC|Nouvelle-Calédonie]]", Patient(key=patient))
        assert area != "Nouvelle-Calédonie"
        assert city.title() != "Nouméa"


def test_a_country_follows_the_town(substitutor: Substitutor) -> None:
    changed = 0
    for patient in KEYS:
        town, country = _one(substitutor, "né à [[CITY|Bouaké]] ([[LOC|Côte d'Ivoire]])", Patient(key=patient))
        where = str(abroad.country_of(town))
        assert country == area_names("country")[where]  # also where the town drawn is of the same country
        changed += where != "99326"
    assert changed > 10


@pytest.mark.parametrize(
    "markup",
    [
        "[[ZIP|17600]] [[CITY|Figueras]], [[LOC|Espagne]]",
        "[[ZIP|17600]] [[CITY|FIGUERAS]] ([[LOC|ESPAGNE]])",
        "Calle Mayor, [[CITY|Figueras]] en [[LOC|Espagne]]",
    ],
)
def test_a_country_beside_a_town_says_that_it_is_abroad(markup: str, substitutor: Substitutor) -> None:
    """17600 is a postal code of Charente-Maritime as well."""
    names = {place_key(name) for name in _names(World.EUROPE)}
    for patient in KEYS:
        *_, city, country = _one(substitutor, markup, Patient(key=patient, **AT_HOME))
        assert place_key(city) in names
        assert place_key(country).endswith(place_key(area_names("country")[str(abroad.country_of(city))]))


def test_an_address_abroad_on_one_line_has_a_code_and_a_town_abroad(substitutor: Substitutor) -> None:
    names = {place_key(name) for name in _names(World.EUROPE)}
    for patient in KEYS:
        line, _ = _one(substitutor, "[[STREET|Calle Mayor 3, 17600 Figueras]], [[LOC|Espagne]]", Patient(key=patient))
        assert "17600" not in line
        assert "[" not in line
        assert any(place_key(line).endswith(name) for name in names)


def test_a_town_of_france_stays_in_france_beside_a_country(substitutor: Substitutor, communes: CommuneTable) -> None:
    for patient in KEYS:
        _, city, country = _one(substitutor, "[[ZIP|74100]] [[CITY|Annemasse]], [[LOC|Suisse]]", Patient(key=patient))
        assert communes.find(city)
        assert country != "Suisse"


def test_a_collectivity_follows_the_town(substitutor: Substitutor) -> None:
    named = area_names("collectivity")
    for patient in KEYS:
        town, area = _one(substitutor, "né à [[CITY|Papeete]] ([[LOC|Tahiti]])", Patient(key=patient))
        here = next(one for one in abroad.towns()[World.FRANCE] if place_key(one.name) == place_key(town))
        assert place_key(area) == place_key(named[here.region])


@pytest.mark.parametrize("text", ["FRANCE", "France", "l'Hexagone", "métropole"])
def test_france_stays_what_it_is(text: str, substitutor: Substitutor) -> None:
    """All documents are of France: the word tells nothing, and no other word stands for it."""
    for patient in KEYS[:4]:
        assert _one(substitutor, f"né en [[LOC|{text}]]", Patient(key=patient)) == [text]


@pytest.mark.parametrize("markup", ["[[ZIP|30000]] [[CITY|Nîles]]", "30000 [[CITY|Nîles]]"])
def test_a_misspelt_town_is_that_of_its_postal_code(markup: str, substitutor: Substitutor) -> None:
    """Niles is a town of Michigan, and Nîmes one of Gard."""
    for patient in KEYS:
        *_, city = _one(substitutor, markup, Patient(key=patient, **AT_HOME))
        *_, right = _one(substitutor, "[[ZIP|30000]] [[CITY|Nîmes]]", Patient(key=patient, **AT_HOME))
        assert city == right


@pytest.mark.parametrize(("country", "part"), [("Algérie", World.MEDITERRANEAN), ("Portugal", World.EUROPE)])
def test_a_country_stays_in_its_part_of_the_world(country: str, part: World, substitutor: Substitutor) -> None:
    for patient in KEYS:
        (found,) = _one(substitutor, f"pays : [[LOC|{country}]]", Patient(key=patient))
        assert place_key(found) in {place_key(area_names("country")[code]) for code in countries(part)} - {
            place_key(country)
        }


def test_a_hospital_abroad_stays_abroad(substitutor: Substitutor) -> None:
    for patient in KEYS:
        (hospital,) = _one(substitutor, "opéré à l'[[ORG|hôpital de Casablanca]]", Patient(key=patient, **AT_HOME))
        assert any(hospital.endswith(name) for name in _names(World.MEDITERRANEAN))
