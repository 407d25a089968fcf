"""Looking places up in the table that ships."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.reference import Commune
from deid.reference.tables import packaged_tables

TABLE = packaged_tables().communes
FEATURES = ("apl_gen", "median_income", "radon")


@pytest.mark.parametrize(
    ("name", "zip", "department", "insee"),
    [
        ("Besançon", None, None, "25056"),
        ("BESANCON CEDEX 9", None, None, "25056"),
        ("Saint-Denis", None, None, "97411"),
        ("St Denis", "93200", None, "93066"),
        ("Saint-Denis", None, "93", "93066"),
        ("Saint-Denis", "93999", None, "93066"),
        ("Paris 15e arrondissement", "75015", None, "75056"),
        ("au Havre", None, None, "76351"),
        ("Mans", None, None, "72181"),
        ("ABERGEMENT CLEMENCIAT", None, None, "01001"),
        ("Ajaccio", "20000", None, "2A004"),
        ("Mamoudzou", None, None, "97611"),
        ("Amareins", None, None, "01165"),
        ("Marconne", None, None, "62447"),
    ],
)
def test_find(name: str, zip: str | None, department: str | None, insee: str) -> None:
    assert TABLE.find(name, zip, department)[0].insee == insee


def test_homonyms_come_the_most_populous_first_and_a_code_that_fits_none_is_ignored() -> None:
    named = TABLE.find("Saint-Claude")
    assert [commune.insee for commune in named] == ["97124", "39478"]
    assert TABLE.find("Saint-Claude", "59000") == named
    assert TABLE.find("Saint-Claude", department="39") == (TABLE.get("39478"),)


def test_what_is_no_commune_is_not_found() -> None:
    assert TABLE.find("Trifouilly-les-Oies") == ()
    assert TABLE.find("") == ()
    assert TABLE.find("France") == ()
    assert TABLE.at_zip("00000") == ()
    assert TABLE.in_department("99") == ()
    assert TABLE.region_of("99") is None
    assert TABLE.get("99999") is None


@given(st.sampled_from(TABLE.communes))
def test_every_commune_is_found_by_its_name_and_each_of_its_codes(commune: Commune) -> None:
    assert commune in TABLE.find(commune.name)
    assert commune in TABLE.find(commune.name.upper().replace("-", " "))
    for code in commune.zips:
        assert commune in TABLE.find(commune.name, code)
        assert commune in TABLE.at_zip(code)
    assert commune in TABLE.in_department(commune.department)
    assert TABLE.get(commune.insee) == commune


def test_arrondissements_are_their_commune() -> None:
    paris = TABLE.get("75056")
    assert TABLE.get("75115") is paris
    assert TABLE.at_zip("75015") == (paris,)
    assert not [commune for commune in TABLE.communes if "arrondissement" in commune.name.lower()]


def test_names_of_areas() -> None:
    assert TABLE.department_name("25") == "Doubs"
    assert TABLE.region_of("2a") == "94"
    assert TABLE.department_name("2a") == "Corse-du-Sud"
    assert TABLE.region_name("27") == "Bourgogne-Franche-Comté"
    assert TABLE.department_name("00") is None


def test_streets_and_establishments() -> None:
    assert len(TABLE.streets) > 10_000
    assert len(set(TABLE.streets)) == len(TABLE.streets)
    assert TABLE.establishments("25056")[0].kind == "hospital"
    assert TABLE.establishments("75115") == TABLE.establishments("75056") != ()
    assert TABLE.establishments("00000") == ()


def test_distance_is_within_a_territory_only() -> None:
    besancon, beaune = TABLE.get("25056"), TABLE.get("21054")
    for other in TABLE.territory(besancon):
        assert TABLE.distance(besancon, other, FEATURES) == TABLE.distance(other, besancon, FEATURES)
    assert TABLE.distance(besancon, besancon, FEATURES) == 0
    with pytest.raises(ValueError, match="not of one territory"):
        TABLE.distance(besancon, beaune, FEATURES)
    with pytest.raises(KeyError):
        TABLE.distance(besancon, besancon, ("horoscope",))


def test_the_table_is_read_once() -> None:
    assert packaged_tables().communes is TABLE
    assert TABLE.version.startswith("packaged-")
