"""An address stays one address: areas, codes, phones, hospitals and their numbers follow the commune that is drawn."""

from __future__ import annotations

import re

import pytest
from stdnum import luhn

from deid.config.policy import Policy
from deid.domain.document import Patient
from deid.french.articles import of_place
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

KEYS = [f"patient-{number}" for number in range(20)]
ZONES = {"11": "01", "24": "02", "53": "02", "27": "03", "44": "03", "84": "04", "93": "04", "75": "05"}


def _one(substitutor: Substitutor, markup: str, patient: Patient | None = None) -> list[str]:
    return surrogates(substitutor.substitute(*marked(markup, patient=patient)))


@pytest.fixture(scope="module")
def far(policy: Policy, communes: CommuneTable) -> Substitutor:
    """A strategy that takes communes far away: what follows a commune can then be told from what stayed."""
    return Substitutor(changed(policy, places={"strategy": "geo_indistinguishability", "unit_km": 60.0}), KEY, communes)


def test_a_department_and_a_region_follow_the_commune(far: Substitutor, communes: CommuneTable) -> None:
    seen = set()
    for key in KEYS:
        city, department, region = _one(
            far, "[[CITY|Dijon]] ([[LOC|Côte-d'Or]], [[LOC|Bourgogne-Franche-Comté]])", Patient(key=key)
        )
        assert "Côte-d'Or" not in (department, region)
        assert region != "Bourgogne-Franche-Comté"
        drawn = next(
            one for one in communes.find(city) if communes.department_name(one.department) in (department, None)
        )
        seen.add(drawn.department)
        assert region in (communes.region_name(drawn.region), "France")
    assert len(seen) > 5


def test_an_area_is_the_drawn_communes_even_where_it_stays(substitutor: Substitutor, communes: CommuneTable) -> None:
    """Strata of villages lie within a department, which is public: leaving it out would contradict the address."""
    for key in KEYS:
        city, department, code, region = _one(
            substitutor,
            "[[CITY|Genlis]] ([[LOC|Côte-d'Or]], [[LOC|21]]), [[LOC|Bourgogne-Franche-Comté]]",
            Patient(key=key),
        )
        assert (department, code, region) == ("Côte-d'Or", "21", "Bourgogne-Franche-Comté")
        assert any(one.department == "21" for one in communes.find(city))


def test_an_area_with_a_persons_name_is_told_less_precisely(substitutor: Substitutor) -> None:
    for key in KEYS:
        patient = Patient(key=key, last_name="Cher")
        _, department = _one(substitutor, "[[CITY|Vierzon]] dans le [[LOC|Cher]]", patient)
        assert department != "Cher"


def test_an_area_without_a_place_in_the_document_is_another_one(
    substitutor: Substitutor, communes: CommuneTable
) -> None:
    names = {communes.department_name(f"{number:02d}") for number in range(1, 96)} | {"Corse-du-Sud"}
    for key in KEYS:
        (area,) = _one(substitutor, "origine : [[LOC|Finistère]]", Patient(key=key))
        assert area != "Finistère"
        assert area in names | {"Haute-Corse"}


def test_the_code_of_a_department_is_that_of_the_drawn_commune_or_another(
    far: Substitutor, substitutor: Substitutor, communes: CommuneTable
) -> None:
    for key in KEYS:
        city, code = _one(far, "[[CITY|Plouzané]], dans le [[LOC|29]]", Patient(key=key))
        assert code in {one.department for one in communes.find(city)}
        (alone,) = _one(substitutor, "dans le [[LOC|59]]", Patient(key=key))
        assert alone != "59"
        assert communes.department_name(alone)


@pytest.mark.parametrize(
    ("text", "pattern"), [("15e", "e"), ("1er arrondissement", "arrondissement"), ("3e arr.", "arr.")]
)
def test_an_arrondissement_is_one_of_twenty(text: str, pattern: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, f"dans le [[LOC|{text}]]", Patient(key=key))
        number = int("".join(char for char in found if char.isdigit()))
        assert found.endswith(pattern)
        assert 1 <= number <= 20
        assert found != text


def test_a_lone_postal_code_is_of_the_commune_that_the_document_names(
    substitutor: Substitutor, communes: CommuneTable
) -> None:
    # 21240 is Talant's and no other's; 70000 is shared by a score of communes around Vesoul.
    served = communes.at_zip("70000")
    assert len(served) > 5
    for small in served[3:6]:
        city, code = _one(substitutor, f"vit à [[CITY|{small.name}]]. Code : [[ZIP|70000]]")
        assert any(code in one.zips for one in communes.find(city))


def test_a_cedex_code_is_of_its_town(substitutor: Substitutor, communes: CommuneTable) -> None:
    assert communes.at_zip("29869") == ()
    for key in KEYS:
        code, city = _one(substitutor, "[[ZIP|29869]] (boîte postale), à [[CITY|PLABENNEC CEDEX 2]]", Patient(key=key))
        assert communes.at_zip(code) == ()  # of a CEDEX's form, as the original
        assert any(code[:3] == zip[:3] for one in communes.find(city) for zip in one.zips)
        assert code[:2] == "29"


def test_a_postal_code_of_a_commune_beside_cedex_stays_one(substitutor: Substitutor, communes: CommuneTable) -> None:
    line, code, city = _one(
        substitutor, "[[STREET|3 rue Haute, 29107 QUIMPER CEDEX]] [[ZIP|87300]] [[CITY|BELLAC CEDEX]]"
    )
    assert any(code in one.zips for one in communes.find(city))
    found = re.search(r"\d{5}", line)
    assert found is not None
    assert communes.at_zip(found.group()) == ()


def test_the_words_ahead_of_a_hamlet_and_of_a_code_are_right(substitutor: Substitutor) -> None:
    for key in KEYS:
        patient = Patient(key=key)
        hamlet = "est au [[STREET|chef-lieu]] du [[CITY|Bouchet-Mont-Charvin]]"
        text = substitutor.substitute(*marked(hamlet, patient=patient)).text
        assert re.match("est (?:à la|aux?) [a-z]", text), text
        for ending in ("à]] [[ZIP|31110]] [[CITY|CIER-DE-LUCHON]]", "à 31110 CIER-DE-LUCHON]]"):
            address = f"[[STREET|28, route de Luchon, 2e étage gauche, {ending}"
            text = substitutor.substitute(*marked(address, patient=patient)).text
            assert re.search(r"étage gauche, à 31\d{3} [A-Z]", text), text


@pytest.mark.parametrize(
    ("city", "code"), [("Paris 15e", "75015"), ("Lyon 3e arrondissement", "69003"), ("MARSEILLE", "13005")]
)
def test_arrondissements_are_their_commune(
    city: str, code: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    members = communes.territory(communes.find(city.split()[0])[0])
    numbers = set()
    for key in KEYS:
        number, name = _one(substitutor, f"[[ZIP|{code}]] [[CITY|{city}]]", Patient(key=key))
        drawn = communes.find(name, number)[0]
        assert drawn in members
        assert number in drawn.zips
        numbers.add(number)
    assert len(numbers) > len(KEYS) / 2


def test_a_hospital_follows_its_town_however_it_is_named(substitutor: Substitutor) -> None:
    city, *hospitals = _one(
        substitutor,
        "[[CITY|Beaune]] [[ORG|CH de Beaune]] [[ORG|CH Beaune]] [[ORG|CH de Beaune - site Nord]] "
        "[[ORG|EHPAD de Beaune]] [[ORG|Mairie de Beaune]]",
    )
    kinds = ("CH", "CH", "CH", "EHPAD", "Mairie")
    assert hospitals == [f"{kind} {of_place(city)}" for kind in kinds]


def test_a_phone_follows_the_address(far: Substitutor, communes: CommuneTable) -> None:
    zones = set()
    for key in KEYS:
        city, phone, mobile = _one(
            far, "[[CITY|Dijon]] [[PHONE|03 80 29 30 31]] [[PHONE|06 12 34 56 78]]", Patient(key=key)
        )
        regions = {one.region for one in communes.find(city)}
        assert phone[:2] in {ZONES.get(region, phone[:2]) for region in regions}
        assert mobile[:2] == "06"
        zones.add(phone[:2])
    assert len(zones) > 1


def test_a_phone_of_another_zone_stays_in_it(substitutor: Substitutor) -> None:
    for key in KEYS:
        _, phone = _one(substitutor, "[[CITY|Dijon]], son fils : [[PHONE|01 45 12 13 14]]", Patient(key=key))
        assert phone[:2] == "01"


def test_numbers_of_toulouse_and_montpellier_are_of_two_zones(substitutor: Substitutor) -> None:
    """One region, two zones: Languedoc and Roussillon have 04. A number of no zone gets that of the home's stratum."""
    for village, zone in (("Saint-Jean-de-Cuculles", "04"), ("Lanta", "05")):
        _, phone = _one(substitutor, f"[[CITY|{village}]] [[PHONE|0800 11 22 33]]")
        assert phone.startswith(zone)


def test_a_number_of_no_zone_tells_the_stratum_of_a_home_alone(substitutor: Substitutor) -> None:
    """Lille, Lyon and Toulouse are of one stratum, which lies in four zones."""
    for key in KEYS:
        homes = [Patient(key=key, city=city) for city in ("Lille", "Lyon", "Toulouse")]
        assert len({_one(substitutor, "Joindre le [[PHONE|0972 10 11 12]]", home)[0] for home in homes}) == 1


@pytest.mark.parametrize(
    ("markup", "label", "starts"),
    [
        ("[[CITY|Genlis]] FINESS [[RPPS|210987558]]", "FINESS", ("21",)),
        ("[[CITY|Genlis]] ADELI [[RPPS|21 1 01234 5]]", "ADELI", ("21",)),
        ("[[CITY|Ajaccio]] FINESS [[RPPS|2A0000014]]", "Corsica", None),
        ("[[CITY|Borgo]] ADELI [[RPPS|209310457]]", "Corsica", ("20",)),
        ("[[CITY|Cayenne]] FINESS [[RPPS|970300026]]", "overseas", ("9701", "9702", "9703", "9704", "9706")),
        ("[[CITY|Cayenne]] ADELI [[RPPS|973109771]]", "overseas", ("971", "972", "973", "974", "976")),
    ],
)
def test_a_number_of_an_establishment_begins_with_the_surrogate_s_department(
    markup: str, label: str, starts: tuple[str, ...] | None, substitutor: Substitutor
) -> None:
    for key in KEYS:
        _, number = _one(substitutor, markup, Patient(key=key))
        assert f"|{number}]]" not in markup
        if starts is not None:
            digits = number.replace(" ", "")
            assert digits.startswith(starts), label
            assert luhn.is_valid(digits)


def test_a_number_of_an_establishment_moves_with_its_commune(far: Substitutor, communes: CommuneTable) -> None:
    for key in KEYS:
        city, number = _one(far, "[[CITY|Dijon]] FINESS [[RPPS|210987558]]", Patient(key=key))
        assert number[:2] in {one.department.replace("A", "0").replace("B", "0") for one in communes.find(city)}


def test_a_number_of_an_establishment_elsewhere_is_of_the_home_territory(substitutor: Substitutor) -> None:
    for key in KEYS:
        _, number = _one(substitutor, "[[CITY|Genlis]], cachet : FINESS [[RPPS|590000188]]", Patient(key=key))
        assert number.startswith("21")


@pytest.mark.parametrize("key", KEYS[:5])
def test_a_dictated_address_stays_one(substitutor: Substitutor, key: str) -> None:
    markup = "Mme [[PATIENT|Vasserot]] : [[EMAIL|lea point vasserot arobase ch tiret gap point example]]"
    name, address = _one(substitutor, markup, Patient(key=key))
    assert re.fullmatch(rf"\w+ point {name.lower()} arobase [\w ]+ point example", address)
