"""Names: families, gender, shape, initials, pools, and the same person however written."""

from __future__ import annotations

import re

import pytest

from deid.document import Patient
from deid.substitution import Substitutor
from deid.substitution.names.tables import Pool, packaged
from tests.substitution.examples import marked, surrogates

KEYS = [f"patient-{number}" for number in range(25)]
MARTIN = Patient(key="p1", last_name="MARTIN", birth_name="LEROY", first_names=("Claire",), sex="F")


def _one(substitutor: Substitutor, markup: str, patient: Patient | None = None) -> list[str]:
    return surrogates(substitutor.substitute(*marked(markup, patient=patient)))


# text of a PATIENT mention, what its surrogate must look like
SHAPES = [
    ("DUPONT Jean", r"[A-Z]{2,} [A-ZÉ][a-zéèïëô]+"),
    ("Jean DUPONT", r"[A-ZÉ][a-zéèïëô]+ [A-Z]{2,}"),
    ("DUPONT JEAN", r"[A-Z]{2,} [A-Z]{2,}"),
    ("dupont jean", r"[a-zéèïëô]{2,} [a-zéèïëô]{2,}"),
    ("J. Dupont", r"[A-Z]\. [A-Z][a-z]+"),
    ("Dupont J.", r"[A-Z][a-z]+ [A-Z]\."),
    ("J.-P. Dupont", r"[A-Z]\.-[A-Z]\. [A-Z][a-z]+"),
    ("DUPONT-MARTIN", r"[A-Z]{2,}-[A-Z]{2,}"),
    ("de Kermadec", r"de [A-Z][a-z]+"),
    ("Le Bihan", r"Le [A-Z][a-z]+"),
    ("van der Berg", r"van der [A-Z][a-z]+"),
    ("d'Hauterive", r"d'[A-Z][a-z]+"),
    ("Jean-Do", r"[A-ZÉ][a-zéèïëô]+-[A-Z][a-z]+"),
    ("L.", r"[A-Z]\."),
    ("JP", r"[A-Z]{2}"),
    ("A. M.", r"[A-Z]\. [A-Z]\."),
    ("D U P O N T", r"(?:[A-Z] )+[A-Z]"),
    ("SaïdOmar", r"[A-Z][a-zéèïëôç]+[A-Z][a-zéèïëôç]+"),
]


@pytest.mark.parametrize(("text", "shape"), SHAPES)
@pytest.mark.parametrize("key", KEYS[:6])
def test_shape_and_case_are_kept(text: str, shape: str, key: str, substitutor: Substitutor) -> None:
    (surrogate,) = _one(substitutor, f"Vu à midi : [[PATIENT|{text}]], très fatigué.", Patient(key=key))
    assert re.fullmatch(shape, surrogate), surrogate


def test_a_person_stays_one_however_written(substitutor: Substitutor) -> None:
    full, short, turned, initial, glued = _one(
        substitutor,
        "[[DOCTOR|Hervé LACOUR]], Dr [[DOCTOR|Lacour]], [[DOCTOR|LACOUR Hervé]], [[DOCTOR|H. Lacour]], [[DOCTOR|HL]]",
    )
    first, last = full.split()
    assert short.upper() == last
    assert turned == f"{last} {first}"
    assert initial == f"{first[0]}. {short}"
    assert glued == first[0] + last[0]


def test_a_family_keeps_one_name(substitutor: Substitutor) -> None:
    patient, husband, child = _one(
        substitutor,
        "[[PATIENT|Claire MARTIN]], son mari [[PERSON|Paul MARTIN]], leur fils [[PERSON|Léo Martin]]",
        MARTIN,
    )
    assert patient.split()[1] == husband.split()[1] == child.split()[1].upper()
    assert len({name.split()[0] for name in (patient, husband, child)}) == 3


def test_names_are_alike_in_all_documents_of_a_patient(substitutor: Substitutor) -> None:
    (one, _) = _one(substitutor, "Mme [[PATIENT|MARTIN]] vue par le Dr [[DOCTOR|Anne Petit]].", MARTIN)
    (_, other) = _one(substitutor, "Le Dr [[DOCTOR|Petit]] adresse [[PATIENT|Claire Martin]].", MARTIN)
    assert other.split()[1].upper() == one


def test_a_doctor_of_the_same_name_is_someone_else(substitutor: Substitutor) -> None:
    patient, doctor = _one(substitutor, "Mme [[PATIENT|MARTIN]], Dr [[DOCTOR|MARTIN]]", MARTIN)
    assert patient != doctor


@pytest.mark.parametrize("key", KEYS)
def test_gender_is_kept(key: str, substitutor: Substitutor) -> None:
    woman, man, unknown = _one(
        substitutor,
        "Mme [[PERSON|Claire Leroy]], M. [[PERSON|Paul Leroy]], Mme [[DOCTOR|Xhyla Bobinet]]",
        Patient(key=key),
    )
    tables = packaged()
    for name, sex in ((woman, "F"), (man, "M"), (unknown, "F")):
        known = tables.first_name(name.split()[0])
        assert known is not None
        assert known.sex in (sex, None)


@pytest.mark.parametrize(("name", "least", "most"), [("MARTIN", 50_000, 10**6), ("KERBRAT", 500, 2_000)])
def test_the_frequency_band_is_kept(name: str, least: int, most: int, substitutor: Substitutor) -> None:
    tables = packaged()
    for key in KEYS:
        (surrogate,) = _one(substitutor, f"Dr [[DOCTOR|{name}]]", Patient(key=key))
        assert least <= tables.surname_births(surrogate) < most


def test_pools_share_no_name() -> None:
    tables = packaged()
    for like in ("MARTIN", "LACOUR", "Zwxyz"):
        surnames = [set(tables.surnames_like(like, pool)) for pool in Pool]
        assert all(len(names) > 5 for names in surnames)
        assert not surnames[0] & surnames[1] | surnames[1] & surnames[2] | surnames[0] & surnames[2]


@pytest.mark.parametrize("key", KEYS)
def test_no_surrogate_is_a_name_of_the_document_or_the_identity(key: str, substitutor: Substitutor) -> None:
    patient = Patient(key=key, last_name="MARTIN", first_names=("Claire",), city="Thomas")
    hidden = {"martin", "bernard", "thomas", "petit", "robert", "claire"}
    found = _one(
        substitutor,
        "[[PATIENT|MARTIN]] [[PERSON|BERNARD]] [[PERSON|THOMAS]] [[DOCTOR|PETIT]] [[DOCTOR|ROBERT]] [[PATIENT|Claire]]",
        patient,
    )
    assert not hidden & {name.lower() for name in found}


@pytest.mark.parametrize("key", KEYS)
def test_initials_are_those_of_the_surrogate(key: str, substitutor: Substitutor) -> None:
    full, letters = _one(substitutor, "[[DOCTOR|Samira OUALI]] ... [[DOCTOR|SO]]/gl", Patient(key=key))
    assert letters == "".join(word[0] for word in full.split())
    assert letters[0] != "S"
    assert letters[1] != "O"


def test_a_login_follows_the_name(substitutor: Substitutor) -> None:
    full, login = _one(substitutor, "Dr [[DOCTOR|Hélène Klein]] (saisi par [[DOCTOR|hklein]])")
    first, last = full.split()
    assert login == (first[0] + last).lower()


def test_a_name_in_another_alphabet_is_replaced(substitutor: Substitutor) -> None:
    (surrogate,) = _one(substitutor, "[[PATIENT|مريم]]")
    assert surrogate.isascii()
