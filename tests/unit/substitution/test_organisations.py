"""Organisations agree with the address beside them, keep their kind, their own name and the case of their line."""

from __future__ import annotations

import pytest

from deid.domain.document import Patient
from deid.french.folding import comparable, fold_line
from deid.substitution import Substitutor
from tests.unit.substitution.examples import marked, surrogates

KEYS = [f"patient-{number}" for number in range(8)]


def _one(substitutor: Substitutor, markup: str, key: str) -> tuple[str, ...]:
    return tuple(surrogates(substitutor.substitute(*marked(markup, patient=Patient(key=key)))))


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("CENTRE HOSPITALIER", "[[STREET|12 rue de la Paix]]\n[[ZIP|06000]] [[CITY|Nice]]"),
        ("CH Les Tilleuls", "[[STREET|2 bd Foch]] - [[ZIP|21220]] [[CITY|Gevrey-Chambertin]]"),
        ("CHIC", "Service de cardiologie\nDr [[DOCTOR|Roy]]\n[[STREET|2 bd Foch]]\n[[ZIP|29000]] [[CITY|Quimper]]"),
        ("CENTRE HOSPITALIER ALPHONSE-GUÉRARD", "12 rue de la Paix\n[[ZIP|30000]] [[CITY|Nîmes]]"),  # no town is meant
        ("CPAM", "[[ZIP|80800]] [[CITY|Corbie]]"),
        ("CH de Gevrey-Chambertin", "[[ZIP|21220]] [[CITY|Gevrey-Chambertin]]"),
        ("CHU de Saint-Denis", "[[ZIP|97400]] [[CITY|Saint-Denis]]"),
    ],
)
def test_a_hospital_stands_in_the_town_of_its_address(name: str, address: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        found = _one(substitutor, f"[[ORG|{name}]]\n{address}\n\nSuivi par le [[ORG|{name}]].", key)
        town = comparable(found[-2]).removeprefix("le").removeprefix("la")
        assert comparable(found[0]).endswith(town)
        assert found[0] == found[-1]


def test_an_address_of_a_sentence_or_of_a_person_is_not_the_hospitals(substitutor: Substitutor) -> None:
    """The patient's village has no university hospital."""
    for between in (". Il habite ", "\n[[PATIENT|Paul Durand]]\n"):
        names = [_one(substitutor, f"Suivi au [[ORG|CHU]]{between}[[ZIP|21220]] [[CITY|Agey]]", key) for key in KEYS]
        assert not any(comparable(found[0]).endswith(comparable(found[-1])) for found in names)


def test_a_hospital_whose_town_follows_names_none(substitutor: Substitutor) -> None:
    for key in KEYS:
        hospital, town = _one(substitutor, "transféré du [[ORG|CH]] de [[CITY|Nice]]", key)
        assert hospital.startswith("CH ")
        assert comparable(town) not in comparable(hospital)
        assert " de " not in hospital


@pytest.mark.parametrize("text", ["école Jules-Ferry de Billom", "Clinique Saint-Vincent de Besançon"])
def test_a_name_beside_the_town_is_another_name_of_the_kind(text: str, substitutor: Substitutor) -> None:
    town = text.rpartition(" ")[2]
    for key in KEYS:
        found, city = _one(substitutor, f"[[ORG|{text}]], [[CITY|{town}]]", key)
        head, telling = text.split()[0], frozenset(text.split()[1].split("-"))
        assert found.startswith(head)
        assert comparable(found).endswith(comparable(city).removeprefix("le").removeprefix("la"))
        assert len(comparable(found)) > len(comparable(f"{head} de {city}"))
        assert not telling & set(found.replace("-", " ").split()) - {"Saint"}


def test_a_short_name_is_written_in_capitals_only_among_capitals(substitutor: Substitutor) -> None:
    for key in KEYS:
        mixed = _one(substitutor, "Il travaille à la [[ORG|SNCF]], suivi au [[ORG|CHU]] de jour", key)
        capitals = _one(substitutor, "IL TRAVAILLE A LA [[ORG|SNCF]], SUIVI AU [[ORG|CHU]] DE JOUR", key)
        assert capitals == tuple(one.upper() for one in capitals)
        assert fold_line(mixed[1]) == fold_line(capitals[1])
        assert any(char.islower() for char in mixed[1])


def test_a_mutuelle_stays_a_mutuelle_and_lower_case_stays(substitutor: Substitutor) -> None:
    for key in KEYS:
        found, bank = _one(substitutor, "adhérent [[ORG|harmonie mutuelle]], compte au [[ORG|Crédit agricole]]", key)
        assert "mutuelle" in found
        assert found.islower()
        assert "harmonie" not in found
        assert "Crédit" in bank
        assert "agricole" not in bank


def test_the_word_of_a_kind_ahead_of_a_name_is_not_said_twice(substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, "ampoules rendues à la pharmacie [[ORG|Kermaria]] ce jour", key)
        assert "pharmacie" not in found.lower()
