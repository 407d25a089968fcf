"""Written forms of a place name: pairs with equal keys, and pairs with different keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.reference.place_names import department_of_zip, place_key, with_article, without_article


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Saint-Étienne", "saint etienne"),
        ("ST ETIENNE", "saint etienne"),
        ("St-Étienne CEDEX 2", "saint etienne"),
        ("Ste Foy-lès-Lyon", "sainte foy les lyon"),
        ("BESANCON CEDEX", "besancon"),
        ("L’Haÿ-les-Roses", "l hay les roses"),
        ("L'HAY LES ROSES", "l hay les roses"),
        ("Chalon s/ Saône", "chalon sur saone"),
        ("Œuilly", "oeuilly"),
        ("Paris 15e", "paris"),
        ("PARIS 15", "paris"),
        ("Paris XVe", "paris"),
        ("Lyon 3ème arrondissement", "lyon"),
        ("Marseille 1er Arrondissement", "marseille"),
        ("Paris-l'Hôpital", "paris l hopital"),
        ("Marseille-en-Beauvaisis", "marseille en beauvaisis"),
        ("Stenay", "stenay"),
        ("Y", "y"),
        ("", ""),
    ],
)
def test_written_forms(written: str, expected: str) -> None:
    assert place_key(written) == expected


@given(st.text(max_size=40))
def test_a_key_is_its_own_key(written: str) -> None:
    assert place_key(place_key(written)) == place_key(written)


@given(st.sampled_from(["Saint-Denis", "Châlons-en-Champagne", "Bourg-lès-Valence", "L'Isle-d'Abeau"]))
def test_case_and_separators_do_not_matter(name: str) -> None:
    assert place_key(name) == place_key(name.upper()) == place_key(name.replace("-", " ")) == place_key(f"  {name}  ")


@pytest.mark.parametrize(
    ("code", "department"),
    [
        ("25000", "25"),
        ("01000", "01"),
        ("20000", "2A"),
        ("20167", "2A"),
        ("20200", "2B"),
        ("20620", "2B"),
        ("97110", "971"),
        ("98800", "988"),
        ("2500", None),
        ("ABCDE", None),
        ("", None),
    ],
)
def test_department_of_a_postal_code(code: str, department: str | None) -> None:
    assert department_of_zip(code) == department


def test_articles() -> None:
    assert without_article("le havre") == "havre"
    assert without_article("lens") == "lens"
    assert without_article("le") == "le"
    assert with_article("au havre") == "le havre"
    assert with_article("des lilas") == "les lilas"
    assert with_article("aubagne") == "aubagne"
