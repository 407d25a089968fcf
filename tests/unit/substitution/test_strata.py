"""Places keep their stratum, organisations their kind; addresses on one line; bad input."""

from __future__ import annotations

from math import hypot

import pytest

from deid.domain.document import Patient
from deid.french.articles import of_place
from deid.french.folding import comparable, words
from deid.quality.grammar import count_errors
from deid.reference import CommuneTable
from deid.reference.communes import is_town, sort_of
from deid.reference.partition import hospital_towns
from deid.substitution import Substitutor
from deid.substitution.places.finding import read_one_line
from tests.unit.substitution.examples import marked, surrogates

MANY = [f"patient-{number}" for number in range(25)]  # for tests that count draws, or wait for a rare one
KEYS = MANY[:5]


def _one(substitutor: Substitutor, markup: str, patient: Patient | None = None) -> list[str]:
    return surrogates(substitutor.substitute(*marked(markup, patient=patient)))


@pytest.mark.parametrize("town", ["Genlis", "Vesoul", "Aubord", "Rungis", "Avignon", "Corte", "Mérignac"])
def test_a_town_keeps_its_class_of_population_and_its_hospital(
    town: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    (true,) = communes.find(town)[:1]
    for key in KEYS:
        (city,) = _one(substitutor, f"né : [[CITY|{town}]]", Patient(key=key))
        assert sort_of(true) in map(sort_of, communes.find(city))


@pytest.mark.parametrize(
    ("town", "department"),
    [("Saint-Leu", "974"), ("Cayenne", "973"), ("Mamoudzou", "976"), ("Le Lamentin", "972"), ("Les Abymes", "971")],
)
def test_an_overseas_town_stays_in_its_department(
    town: str, department: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    for key in KEYS:
        (city,) = _one(substitutor, f"né : [[CITY|{town}]]", Patient(key=key))
        assert communes.find(city, department=department)[0].department == department


@pytest.mark.parametrize(
    ("markup", "kinds"),
    [
        ("[[ORG|CHU d'Angers]]", {"university"}), ("[[ORG|CHR Metz-Thionville]]", {"university"}),
        ("[[ORG|CH de Beaune]]", {"general"}), ("soins au [[ORG|CHBA]]", {"general", "university"}),
    ],
)  # fmt: skip
def test_a_hospital_moves_to_a_town_with_one_of_its_kind(
    markup: str, kinds: set[str], substitutor: Substitutor, communes: CommuneTable
) -> None:
    for key in KEYS:
        (name,) = _one(substitutor, markup, Patient(key=key, city="Aubord", zip="30620"))
        parts = words(name)
        towns = [one for end in range(1, len(parts)) for one in communes.find(" ".join(parts[end:]))]
        assert {hospital_towns().get(one.insee) for one in towns} & kinds, name


# The seats of university hospitals next to Vienne.
_NEXT_TO_VIENNE = {"Poitiers", "Tours", "Limoges", "Angers"}
_LETTER = (
    "[[ORG|CHU de Poitiers]]. Mme [[PATIENT|Ardouin]], [[CITY|Chauvigny]], transférée au [[ORG|CHU de Brest]] ; "
    "fille : [[CITY|La Rochelle]], IDE : [[CITY|Lussac-les-Châteaux]]"
)


def _seat(organisation: str) -> str:
    return organisation.removeprefix("CHU d").removeprefix("'").removeprefix("e ")


@pytest.mark.parametrize("home", [("Chauvigny", "86300"), None])
def test_a_hospital_is_drawn_near_the_villages_of_a_document(
    home: tuple[str, str] | None, substitutor: Substitutor, communes: CommuneTable
) -> None:
    """The stratum of a village says its department, by the home or the text; towns of anywhere are drawn near it."""
    seats = set()
    for key in MANY:
        patient = Patient(key=key, city=home[0], zip=home[1]) if home else Patient(key=key)
        here, _, village, there, town, other = _one(substitutor, _LETTER, patient)
        seats.add(_seat(here))
        assert here != there
        assert [communes.find(name, department="86")[0].department for name in (village, other)] == ["86", "86"]
        assert communes.find(town)[0].department in {"86", "79", "49", "37", "36", "87", "23", "16", "17"}
    assert seats == _NEXT_TO_VIENNE


def test_villages_follow_a_home_that_could_lie_anywhere(substitutor: Substitutor, communes: CommuneTable) -> None:
    """A patient of a great city moves with all of it: what lies around it is drawn around the surrogate."""
    departments = set()
    for key in MANY:
        patient = Patient(key=key, city="Poitiers", zip="86000")
        _, _, village, _, _, other = _one(substitutor, _LETTER, patient)
        assert _km(communes, village, other) < 50
        departments |= {one.department for one in communes.find(village)}
        (alone,) = _one(substitutor, "Née à : [[CITY|Chauvigny]]", patient)
        assert alone == village
    assert len(departments) > len(MANY) / 3


def _km(communes: CommuneTable, one: str, other: str) -> float:
    """Kilometres between two towns of the metropolis, of namesakes the nearest."""
    points = [[communes.atlas.point(here) for here in communes.find(name)] for name in (one, other)]
    return min(hypot(a.x - b.x, a.y - b.y) / 1000 for a in points[0] for b in points[1] if a.zone == b.zone)


def _departments(names: list[str], communes: CommuneTable) -> list[set[str]]:
    return [{one.department for one in communes.find(name)} for name in names]


def test_a_town_of_a_regions_stratum_is_drawn_near_the_village_of_the_home(
    substitutor: Substitutor, communes: CommuneTable
) -> None:
    """The stratum of Guéret holds towns from Guéret to Orthez, 350 km away."""
    seen = set()
    for key in MANY:
        patient = Patient(key=key, city="Saint-Vaury", zip="23320")
        (hospital,) = _one(substitutor, "suivi à l'hôpital de : [[CITY|Guéret]]", patient)
        seen.add(hospital)
    assert all(found & {"23", "87", "19", "36", "63", "03", "18"} for found in _departments([*seen], communes)), seen
    assert len(seen) > 4, "each of four spots has four candidates"


def test_villages_follow_a_home_that_could_lie_in_its_region(substitutor: Substitutor, communes: CommuneTable) -> None:
    areas = set()
    for key in MANY:
        patient = Patient(key=key, city="Brive-la-Gaillarde", zip="19100")
        home, *villages = _one(substitutor, "[[CITY|Brive-la-Gaillarde]] ; [[CITY|Ussac]], [[CITY|Donzenac]]", patient)
        assert _km(communes, *villages) < 80
        assert any({"87", "19", "23", "24", "33", "40", "47", "64", "16", "17", "79", "86"} & one
                   for one in _departments(villages, communes))  # fmt: skip
        areas |= set.union(*_departments(villages, communes))
        (alone,) = _one(substitutor, "Vit à : [[CITY|Brive-la-Gaillarde]]", patient)
        assert comparable(alone) == comparable(home)
    assert len(areas) > 5


def test_all_places_of_a_village_lie_about_one_town(substitutor: Substitutor, communes: CommuneTable) -> None:
    """Home, general practitioner, nurse and hospital of one department were up to 100 km apart."""
    for key in MANY:
        patient = Patient(key=key, city="Saint-Vaury", zip="23320")
        markup = "[[CITY|Saint-Vaury]], [[CITY|Bussière-Dunoise]], [[CITY|Ajain]], [[CITY|La Souterraine]]"
        home, *around, hospital = _one(substitutor, markup, patient)
        assert all(_km(communes, home, name) < 60 for name in around)
        assert _km(communes, home, hospital) < 80


def test_places_of_another_region_are_near_one_another(substitutor: Substitutor, communes: CommuneTable) -> None:
    """A patient who lives near Paris and falls ill on the coast of Vendée is treated there."""
    for key in KEYS:
        patient = Patient(key=key, city="Orly", zip="94310")
        village, hospital = _one(substitutor, "en vacances à [[CITY|Jard-sur-Mer]], vu à [[CITY|Challans]]", patient)
        coast, seat = _departments([village, hospital], communes)
        assert "85" in coast
        assert seat & {"85", "44", "49", "79", "17"}


def test_no_draw_depends_on_another_place_but_through_its_stratum(substitutor: Substitutor) -> None:
    for key in KEYS:
        patient = Patient(key=key)
        whole = _one(substitutor, _LETTER, patient)
        village = _one(substitutor, _LETTER.replace("Lussac-les-Châteaux", "Adriers"), patient)
        assert whole[:5] == village[:5]
        city = _one(substitutor, _LETTER.replace("La Rochelle", "Valence"), patient)
        assert (whole[:4], whole[5]) == (city[:4], city[5])


def test_an_overseas_hospital_stays_overseas(substitutor: Substitutor, communes: CommuneTable) -> None:
    for key in KEYS:
        patient = Patient(key=key, city="Le Lamentin", zip="97232")
        hospital, seat = _one(substitutor, "suivie au [[ORG|CHU de Fort-de-France]], puis : [[CITY|Bordeaux]]", patient)
        seats = {comparable(of_place(one.name)) for one in communes.in_department("972")}
        assert comparable(hospital.removeprefix("CHU ")) in seats
        assert communes.find(seat)[0].department != "972"


@pytest.mark.parametrize(
    ("markup", "department"),
    [
        ("né : [[ZIP|97220]] [[CITY|La Trinité]], suivi au [[ORG|CH de Trinité]]", "972"),
        ("né : [[ZIP|97600]] [[CITY|Mamoudzou]], suivi au [[ORG|Centre hospitalier de Mamoudzou]]", "976"),
        ("né : [[ORG|Centre hospitalier Franck Joly]]\n[[ZIP|97320]] [[CITY|Saint-Laurent-du-Maroni]]", "973"),
        ("[[ZIP|97410]] [[CITY|Saint-Pierre]]. Vu au [[ORG|CHU Sud Réunion]] à [[CITY|Saint-Pierre]]", "974"),
        ("né : [[ZIP|97139]] [[CITY|Les Abymes]], suivi à l'[[ORG|hôpital des Abymes]]", "971"),
    ],
)  # fmt: skip
def test_a_place_overseas_that_a_hospital_names_is_a_town(
    markup: str, department: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    here = {comparable(one.name): is_town(one) for one in communes.in_department(department)}
    for key in MANY:
        drawn = map(comparable, _one(substitutor, markup, Patient(key=key)))
        assert {here[name] for name in drawn if name in here} == {True}


def test_a_village_overseas_that_no_hospital_names_may_stay_one(
    substitutor: Substitutor, communes: CommuneTable
) -> None:
    markup = "suivi au [[ORG|CH de Trinité]], habite [[CITY|Le Diamant]]"
    homes = {_one(substitutor, markup, Patient(key=key))[1] for key in MANY}
    assert {is_town(communes.find(home, department="972")[0]) for home in homes} == {True, False}


@pytest.mark.parametrize(
    ("home", "code", "others"),
    [
        ("Guéret", "23000", ("Tulle", "Ussel", "Aubusson", "Orthez")),
        ("La Rochelle", "17000", ("Valence", "Niort", "Angoulême", "Bayonne")),
        ("Dijon", "21000", ("Besançon", "Nancy", "Reims", "Metz")),
    ],
)
def test_documents_of_one_patient_agree_on_a_home_that_could_lie_anywhere(
    home: str, code: str, others: tuple[str, ...], substitutor: Substitutor
) -> None:
    """A town told ahead of the home would otherwise take its draw: few stand for towns of several departments."""
    ahead = ", ".join(f"[[CITY|{one}]]" for one in others)
    for key in MANY:
        patient = Patient(key=key, city=home, zip=code)
        (alone,) = _one(substitutor, f"née, habite : [[CITY|{home}]]", patient)
        assert _one(substitutor, f"née à {ahead}, habite : [[CITY|{home}]]", patient)[-1] == alone


@pytest.mark.parametrize(
    ("markup", "head"),
    [
        ("école [[ORG|école Jules Ferry]]", "école "), ("[[ORG|Pharmacie de la Gare]]", "Pharmacie "),
        ("[[ORG|EHPAD Les Lilas]]", "EHPAD "), ("[[ORG|Laboratoire Bio67]]", "Laboratoire "),
        ("[[ORG|clinique Pasteur]]", "clinique "), ("[[ORG|mutuelle Bleue]]", "mutuelle "),
        ("[[ORG|Ambulances Martin]]", "Ambulances "), ("[[ORG|Association Horizon]]", "Association "),
    ],
)  # fmt: skip
def test_the_word_of_a_kind_stays_and_what_follows_varies(markup: str, head: str, substitutor: Substitutor) -> None:
    found = {_one(substitutor, markup, Patient(key=key))[0] for key in MANY}
    assert all(name.startswith(head) for name in found)
    assert len(found) > len(MANY) / 2


@pytest.mark.parametrize(
    "text",
    [
        "suivi au [[ORG|Les Cèdres]], employé à la [[ORG|SNCF]], puis à [[ORG|La Poste]] et chez [[ORG|Airbus]]",
        "adressé par le [[ORG|CHBA]], pris en charge par la [[ORG|MGEN]], compte au [[ORG|Crédit agricole]]",
        "de l'[[ORG|EFS]], du [[ORG|Secours populaire]], aux [[ORG|Tilleuls]], d'[[ORG|EDF]], à l'[[ORG|AP-HP]]",
        "du [[ORG|2e REP]], vient de [[ORG|Necker]], labo [[ORG|Biomnis]], au [[ORG|CMP de Chailly]]",
    ],
)
def test_articles_fit_the_organisation_that_is_drawn(text: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        result = substitutor.substitute(*marked(text, patient=Patient(key=key)))
        assert count_errors(result) == 0, result.text
        originals = [one.mention for one in result.surrogates]
        assert len(originals) == text.count("[[")


@pytest.mark.parametrize(
    ("address", "code", "town"),
    [
        ("18 impasse des Géraniums 97430 Le Tampon", "97430", "Le Tampon"),
        ("3 rue X, 21 110 GENLIS", "21 110", "GENLIS"),
        ("4 rue Haute - 75011 Paris CEDEX 11", "75011", "Paris"), ("7 allée des Pins 33700", "33700", ""),
    ],
)  # fmt: skip
def test_an_address_on_one_line_is_read(address: str, code: str, town: str) -> None:
    line = read_one_line(address)
    assert line is not None
    assert (line.code, line.town) == (code, town)
    assert "".join(line) == address


@pytest.mark.parametrize("address", ["BP 40112", "rue du 8 mai", "99999 Nulle-Part", "CS 30417 Rennes", "Kerandon"])
def test_other_addresses_are_no_line(address: str) -> None:
    assert read_one_line(address) is None


def test_an_address_on_one_line_follows_the_commune(substitutor: Substitutor, communes: CommuneTable) -> None:
    for key in KEYS:
        address, city = _one(
            substitutor, "[[STREET|18 impasse des Géraniums 97430 Le Tampon]], né au [[CITY|Tampon]]", Patient(key=key)
        )
        line = read_one_line(address)
        assert line is not None
        assert line.street.startswith(tuple("123456789"))
        assert "impasse" in line.street
        assert comparable(city).endswith(comparable(line.town)[-4:])
        assert any(line.code in one.zips for one in communes.find(line.town, line.code))
        assert {one.department for one in communes.at_zip(line.code)} == {"974"}


@pytest.mark.parametrize(
    "text",
    [
        "né à [[CITY|Trifouilly-les-Oies]]", "vit à [[CITY|Saint-Martin]]", "né à [[CITY|Agnières-en-Dévoluy]]",
        "[[STREET|12 Baker Street, London NW1 6XE]]", "[[STREET|Hauptstrasse 5, 79098 Freiburg]]",
        "[[STREET|4 rue Inconnue 00000 Nulle-Part]]", "suivi par [[ORG|Martin]]", "soins à [[ORG|Marie Dupont]]",
    ],
)  # fmt: skip
def test_bad_input_is_replaced_all_the_same(text: str, substitutor: Substitutor) -> None:
    """No such town, a homonym of ten departments, a former commune, foreign addresses, a person as organisation."""
    for key in KEYS:
        document, mentions = marked(text, patient=Patient(key=key))
        result = substitutor.substitute(document, mentions)
        original = document.text[mentions[0].start : mentions[0].end]
        assert comparable(result.surrogates[0].text) != comparable(original)
        telling = {word for word in words(original) if len(word) > 5} - {"devoluy"}  # the name of the commune today
        assert not telling & set(words(result.surrogates[0].text))
        assert count_errors(result) == 0
