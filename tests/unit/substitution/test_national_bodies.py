"""National bodies stay, their town or department goes; one that somebody works for becomes another of its kind."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.domain.document import Patient
from deid.french.articles import of_place
from deid.french.folding import comparable
from deid.french.organisations import is_national, read_national
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from tests.unit.substitution.examples import marked, surrogates

KEYS = [f"patient-{number}" for number in range(6)]
ALONE = (
    "Croix-Rouge", "la Croix-Rouge", "SOS Médecins", "PASS", "SAMU", "CCMM", "BUMIDOM", "ENIM", "MSA", "CPAM", "CAF",
    "MDPH", "Pôle emploi", "France Travail", "Éducation nationale", "Agence de la biomédecine", "EFS", "C.P.A.M.",
    "SAMU-SOCIAL", "armée de Terre", "Police nationale", "Médecins du Monde", "ÉDUCATION NATIONALE", "Cimade",
)  # fmt: skip
CARE = ("affiliée à", "régulation :", "colis de", "dossier envoyé à", "Appel de", "Copie :", "suivie par", "vue avec")
WORK = ("travaille à la", "employée à la", "agent de la", "retraité de la", "caissière à la", "bénévole à la")


def _text(substitutor: Substitutor, markup: str, key: str) -> str:
    return substitutor.substitute(*marked(markup, patient=Patient(key=key))).text


@given(body=st.sampled_from(ALONE), ahead=st.sampled_from(CARE), key=st.text("abcdef", min_size=1))
def test_a_body_of_the_whole_country_stays(substitutor: Substitutor, body: str, ahead: str, key: str) -> None:
    assert is_national(body)
    assert _text(substitutor, f"{ahead} [[ORG|{body}]] ce jour.", key) == f"{ahead} {body} ce jour."


@given(
    body=st.sampled_from(("MSA", "CPAM", "CAF", "MDPH", "Croix-Rouge", "Cimade", "CARSAT")),
    ahead=st.sampled_from(WORK),
    key=st.text("abcdef", min_size=1),
)
def test_where_somebody_works_or_belongs_is_hidden(substitutor: Substitutor, body: str, ahead: str, key: str) -> None:
    assert body not in _text(substitutor, f"Elle est {ahead} [[ORG|{body}]] depuis mai.", key)


def test_those_who_rescue_and_the_forces_stay_whoever_works_there(substitutor: Substitutor) -> None:
    for body in ("SAMU", "SMUR", "gendarmerie", "Légion étrangère"):
        assert body in _text(substitutor, f"Il travaille avec [[ORG|{body}]] depuis mai.", "k")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("name", "body", "of"),
    [
        ("CPAM de Quimper", "CPAM", True), ("SOS Médecins Quimper", "SOS Médecins", False),
        ("SMUR Quimper", "SMUR", False), ("Croix-Rouge de Quimper", "Croix-Rouge", True),
        ("PASS du CH de Quimper", "PASS", True), ("CAP-TV de Quimper", "CAP-TV", True),
        ("VSAV de Quimper", "VSAV", True), ("antenne MDPH de Quimper", "antenne MDPH", True),
        ("Hôtel-Dieu de Quimper", "Hôtel-Dieu", True), ("centre de secours de Quimper", "centre de secours", True),
        ("CTS Quimper", "CTS", False), ("CRC-MHC de Quimper", "CRC-MHC", True),
    ],
)  # fmt: skip
def test_the_town_of_a_body_is_the_one_drawn(
    name: str, body: str, of: bool, key: str, substitutor: Substitutor
) -> None:
    found, city = surrogates(substitutor.substitute(*marked(f"[[ORG|{name}]], [[CITY|Quimper]]", patient=Patient(key))))
    assert found == f"{body} {of_place(city) if of else city}"


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "name",
    [
        "SAMU 39",
        "CPAM du Jura",
        "MDPH Jura",
        "CARSAT Bourgogne-Franche-Comté",
        "CRCDC Bourgogne-Franche-Comté",
        "caisse M.S.A. du Jura",
        "SPA du Jura",
    ],
)
def test_the_department_of_a_body_is_that_of_the_town_drawn(
    name: str, key: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    markup = f"[[ORG|{name}]]. Habite à [[CITY|Lons-le-Saunier]]."
    found, city = surrogates(substitutor.substitute(*marked(markup, patient=Patient(key=key))))
    told = {(one.department, one.region) for one in communes.find(city)}
    areas = {area for department, region in told for area in (
        department, communes.department_name(department), communes.region_name(region)
    )}  # fmt: skip
    body = read_national(found)
    assert body is not None
    assert re.sub(r"^(?:de la |de l'|du |des |de |d')", "", found[body.end :].strip()) in areas


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("MSA Sud Aquitaine", "MSA"), ("ADMR du Causse", "ADMR"), ("CCMM de Toulouse", "CCMM"),
        ("PASS de l'hôpital Saint-Louis", "PASS"), ("CNR des Ajoncs", "CNR"),
        ("CNR des vibrions et du choléra", "CNR des vibrions"), ("CARMI du Centre-Est", "CARMI"),
        ("Caisse M.S.A. du Grand Berr1", "Caisse M.S.A."), ("Hôtel-Dieu Saint-Yves", "Hôtel-Dieu"),
    ],
)  # fmt: skip
def test_what_no_table_knows_behind_a_body_goes(name: str, left: str, key: str, substitutor: Substitutor) -> None:
    assert _text(substitutor, f"Vu avec [[ORG|{name}]] hier.", key) == f"Vu avec {left} hier."


@pytest.mark.parametrize("name", ["SAMU 974", "EFS Guyane", "CAF de La Réunion"])
def test_an_overseas_department_stays_with_its_body(name: str, substitutor: Substitutor) -> None:
    assert _text(substitutor, f"Vu avec [[ORG|{name}]].", "k") == f"Vu avec {name}."


@pytest.mark.parametrize("name", ["Croix-Rousse", "CAFÉ de la Poste", "PASSERELLES", "hôpital de la Croix-Rouge"])
def test_a_name_that_only_begins_like_a_body_is_replaced(name: str, substitutor: Substitutor) -> None:
    assert read_national(name) is None
    for key in KEYS:
        found = _text(substitutor, f"Vu à [[ORG|{name}]].", key)
        assert comparable(name) not in comparable(found)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "ahead", ["touche la retraite de la", "pension versée par la", "retraite complémentaire de la"]
)
def test_the_fund_that_pays_a_pension_stays_in_the_region_drawn(
    ahead: str, key: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    markup = f"{ahead} [[ORG|Carsat Bourgogne-Franche-Comté]], vit à [[CITY|Lons-le-Saunier]]."
    fund, city = surrogates(substitutor.substitute(*marked(markup, patient=Patient(key=key))))
    assert fund.removeprefix("Carsat ") in {communes.region_name(one.region) for one in communes.find(city)}


@pytest.mark.parametrize("key", KEYS)
def test_a_body_of_a_department_is_that_of_the_patients_home(
    key: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    markup = "Vue à [[CITY|Dole]], puis à [[CITY|Dole]]. Vit à [[CITY|Champagnole]]. [[ORG|MDPH du Jura]]"
    patient = Patient(key=key, city="Champagnole", zip="39300")
    *_, home, body = surrogates(substitutor.substitute(*marked(markup, patient=patient)))
    names = {communes.department_name(one.department) for one in communes.find(home)}
    assert re.sub(r"^MDPH (?:de la |de l'|du |des |de |d')", "", body) in names


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("region", ["Bourgogne", "Picardie", "Midi-Pyrénées"])
def test_a_body_of_a_former_region_is_that_of_a_region(
    region: str, key: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    text = _text(substitutor, f"[[ORG|MSA {region}]]", key)
    names = {comparable(communes.region_name(one.region) or "") for one in communes.communes}
    assert comparable(text.removeprefix("MSA ")) in names
