"""Communes excluded as surrogates, and the cost of the exclusions beyond the strategy's bound."""

from __future__ import annotations

from fractions import Fraction
from math import log

import pytest

from deid.config.policy import Places, load
from deid.domain.document import Patient
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.context import DocumentContext, words_of_place
from nocturne_lab.evaluation.attacks import exclusions
from nocturne_lab.evaluation.attacks.exclusions import exclusion_cost
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

TABLE = packaged_tables().communes
QUARTER = Fraction(1, 4)


def test_a_surrogate_shares_neither_a_telling_word_nor_the_postal_code() -> None:
    """Saint-Loup-sur-Semouse: other saints and other towns "sur" something may come, another Loup or 70800 never."""
    policy = changed(load(), places={"strategy": "geo_indistinguishability", "unit_km": 8.0})
    substitutor, drawn = Substitutor(policy, KEY, TABLE), set()
    for number in range(150):
        markup = "[[ZIP|70800]] [[CITY|Saint-Loup-sur-Semouse]]"
        result = substitutor.substitute(*marked(markup, patient=Patient(key=f"patient-{number}")))
        code, city = surrogates(result)
        assert code != "70800"
        assert words_of_place(city).isdisjoint({"loup", "semouse"})
        drawn.add(city)
    assert any(city.startswith("Saint") for city in drawn)


def test_a_place_called_by_a_shared_word_alone_is_hidden_by_it() -> None:
    """Mer and Saintes are towns: while a document hides one, no other place of it may become that."""
    assert words_of_place("Mer") == {"mer"}
    assert words_of_place("Saintes") == {"saintes"}
    assert words_of_place("Boulogne-sur-Mer") == {"boulogne"}
    assert any(one.name == "Mer" for one in TABLE.communes)
    context = DocumentContext(*marked("Vit à [[CITY|Mer]]."), load().substitution, KEY)
    assert context.brings_back("Mer")


def test_setting_a_postal_code_aside_costs_more_than_the_words_of_a_name() -> None:
    places = Places(strategy="geo_indistinguishability")
    plain, coded = (exclusion_cost(TABLE, places, QUARTER, ["90"], with_code=one) for one in (False, True))
    assert 0 < plain.mean < coded.mean < 1
    assert plain.median <= coded.median
    assert plain.most < coded.most


def test_a_point_that_seldom_leaves_its_commune_costs_more_the_greater_epsilon_is() -> None:
    places = Places(strategy="geo_indistinguishability")
    few, many = (exclusion_cost(TABLE, places, Fraction(one), ["90"], with_code=False) for one in (Fraction(1, 4), 1))
    assert few.mean < many.mean
    assert few.most < log(2) < many.most


def test_departments_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="no commune"):
        exclusion_cost(TABLE, Places(), QUARTER, ["00"], with_code=False)


def test_the_command_prints_a_row_per_strategy_epsilon_and_way_to_write(capsys: pytest.CaptureFixture[str]) -> None:
    exclusions.main(["--departments", "90"])
    rows = capsys.readouterr().out.splitlines()[2:]
    assert len(rows) == 6
    assert all(row.count("|") == 6 for row in rows)
