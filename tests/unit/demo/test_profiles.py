"""People and places that are rare in a draw: every hospital has them, and its documents tell of them."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from stdnum.fr import nir

from deid import formats
from deid.domain.labels import Label
from demo.hospital import Hospital, Patient
from demo.hospital.build import patients_of, setting_of
from demo.hospital.places import by_insee, former_names, homonyms
from demo.hospital.profiles import ORIGINS, PROFILES, SURNAME_FIRST
from demo.hospital.streams import Stream

HOMES = {"outremer", "etranger", "homonyme", "commune_deleguee"}
EPICENE = {"Dominique", "Claude", "Camille", "Sacha", "Alix", "Lou", "Charlie", "Morgan", "Maxime", "Ange", "Eden"}


@pytest.fixture(scope="module")
def patients() -> tuple[Patient, ...]:
    setting, _ = setting_of(Stream("profiles:world"))
    return patients_of(Stream("profiles"), setting, 320)


def test_a_hospital_of_one_patient_per_profile_has_every_home(small: Hospital) -> None:
    few = small.patients[: len(PROFILES)]
    assert {trait for one in few for trait in one.traits} >= HOMES | {"one_line"}


def test_patients_live_in_each_overseas_department(patients: tuple[Patient, ...]) -> None:
    homes = [one.place for one in patients if "outremer" in one.traits]
    assert {home.department for home in homes} == {"971", "972", "973", "974", "976"}
    assert all(by_insee()[home.insee] == home for home in homes)


def test_homes_are_homonyms_former_communes_and_towns_abroad(patients: tuple[Patient, ...]) -> None:
    homes = {trait: [one.place for one in patients if trait in one.traits] for trait in HOMES}
    assert all(home.name in homonyms() for home in homes["homonyme"])
    assert all(home.name in former_names()[home.insee] for home in homes["commune_deleguee"])
    assert len({home.country for home in homes["etranger"]}) >= 6
    assert min(map(len, homes.values())) >= 10


def test_an_address_on_one_line_is_one_field_of_the_warehouse(patients: tuple[Patient, ...]) -> None:
    lines = [one for one in patients if "one_line" in one.traits]
    assert len(lines) >= 20
    for one in lines:
        assert one.address_line == f"{one.address} {one.place.zip} {one.place.name}"
    assert any(re.search(r" 97\d{3} ", one.address_line) for one in lines)


def test_names_are_of_every_origin_and_of_every_form(patients: tuple[Patient, ...]) -> None:
    surnames = {one.birth_name for one in patients}
    assert all(surnames & set(origin.surnames) for origin in ORIGINS)
    forms = {
        "apostrophe": r"\w'\w",
        "particle": r"(?:de|du|da|dos|El|Ben|Aït) ",
        "one letter": r"\w$",
        "two": r"\w+-\w+",
    }
    assert [name for name, form in forms.items() if not any(re.match(form, one) for one in surnames)] == []
    assert any(" " in one.first_names[0] for one in patients)
    assert len({one.sex for one in patients if one.first_names[0] in EPICENE}) == 2
    written_first = {name for origin in SURNAME_FIRST for name in origin.surnames}
    assert sum("surname_first" in one.traits and one.birth_name in written_first for one in patients) >= 5


def test_families_share_a_name_and_know_each_other(patients: tuple[Patient, ...]) -> None:
    tied = [one for one in patients if "parente" in one.traits]
    assert {one.relatives[0].role for one in tied} >= {"père", "fils", "frère"}
    bearers = {(one.first_names[0], one.birth_date.year): one for one in patients}
    for one in tied:
        relative = one.relatives[0]
        other = bearers[relative.first_name, relative.birth_year]
        assert one.last_name in (other.last_name, other.birth_name)
        assert other.relatives[0].first_name == one.first_names[0]
        if relative.role in ("père", "mère"):
            assert (one.place, one.address) == (other.place, other.address)
    shared = Counter(one.last_name for one in patients)
    assert sum(number > 1 for number in shared.values()) >= 20


def test_the_warehouse_agrees_with_the_names(patients: tuple[Patient, ...]) -> None:
    assert len({one.nir for one in patients}) == len(patients)
    for one in patients:
        assert nir.is_valid(one.nir)
        assert one.nir[0] == {"M": "1", "F": "2"}[one.sex]
        names = [one.first_names[0], *(relative.first_name for relative in one.relatives)]
        assert len(set(names)) == len(names)
        local = one.email.partition("@")[0]
        assert local.isascii()
        assert local[0].isalpha()


def test_documents_tell_of_homes_nicknames_relatives_and_signatures(small: Hospital) -> None:
    found: Counter[str] = Counter()
    patients = {one.patient_id: one for one in small.patients}
    for document in small.documents:
        version = document.versions[0]
        if document.fault is not None:
            continue
        text = formats.read_source(
            version.content, format=document.format, charset=document.charset, document_id="", max_bytes=10**7
        ).text
        patient = patients[document.patient_id or ""]
        marked = [(text[one.start : one.end], one.label) for one in version.gold]
        found["initials"] += any(
            re.fullmatch(r"(?:\w\.-?)+ ?\w\.|[A-Z]{2,3}", name) for name, label in marked if label is Label.PATIENT
        )
        found["nickname"] += bool(patient.nickname) and (patient.nickname, Label.PATIENT) in marked
        found["country"] += bool(patient.place.country) and (patient.place.country, Label.LOC) in marked
        found["organisation"] += any(name in ("SNCF", "RATP", "MAIF", "Keolis", "Air France") for name, _ in marked)
        found["honoured"] += any(name.endswith(("Prévert", "Camus", "Aubrac", "Parks")) for name, _ in marked)
        relative = patient.relatives[0]
        found["family"] += "parente" in patient.traits and (relative.first_name, Label.PERSON) in marked
    assert set(found) == {name for name, number in found.items() if number}
