"""A commune told many times: worth one draw within a scope that remembers, and no ε helps where none does."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from deid.reference import Commune
from deid.reference.tables import packaged_tables
from deid.substitution.places.finding import Place
from deid.substitution.places.gazette import Gazette
from nocturne_lab.evaluation.attacks.averaging import average_communes, surrogates_per_patient
from nocturne_lab.evaluation.attacks.inputs import Population, with_places

TABLE = packaged_tables().communes
DEPARTMENTS = ("30", "34", "84")


def test_a_remembered_commune_is_one_observation(small: Population) -> None:
    for scope in ("patient", "corpus"):
        policy = with_places("health_exponential", scope=scope)
        one, many = average_communes(policy, [1, 24], small.residents, DEPARTMENTS, TABLE)
        assert (many.surrogates, many.guess, many.truth) == (1.0, one.guess, one.truth)


def test_communes_drawn_for_each_document_can_be_averaged_unless_epsilon_is_small(small: Population) -> None:
    """Of uniform draws the original comes as often as any other, and however many tell nothing."""
    few, much = (with_places("health_exponential", Fraction(one), scope="document") for one in ("1/1000", "16"))
    one, many = average_communes(few, [1, 300], small.residents, DEPARTMENTS, TABLE, patients=12)
    assert many.surrogates > 45
    assert many.truth == pytest.approx(one.truth, rel=0.2)
    first, told = average_communes(much, [1, 100], small.residents, DEPARTMENTS, TABLE, patients=12)
    assert told.truth > 3 * first.truth
    assert told.guess > 0.4  # draws of homes of several departments' strata are uniform


def test_nearest_communes_drawn_again_give_the_home_away(small: Population) -> None:
    policy = with_places("knn_exponential", scope="document")
    (found,) = average_communes(policy, [16], small.residents, DEPARTMENTS, TABLE, patients=12)
    assert found.truth > 0.9


def test_an_epsilon_of_its_own_per_document_is_a_draw_of_its_own(small: Population) -> None:
    policy = with_places("health_exponential", split="uniform")
    one, four, many = average_communes(policy, [1, 4, 24], small.residents, DEPARTMENTS, TABLE, patients=12)
    assert one.surrogates == 1
    assert 3 < four.surrogates == many.surrogates <= 4
    assert many.truth == four.truth


def test_a_home_has_one_surrogate_in_a_patients_documents_but_where_one_is_hidden(small: Population) -> None:
    patient, document = (
        surrogates_per_patient(small, with_places("health_exponential", scope=scope), TABLE)
        for scope in ("patient", "document")
    )
    assert patient.patients == document.patients > 15
    assert patient.surrogates < 1.4
    assert document.surrogates > 3


def test_a_commune_drawn_anew_each_time_is_caught(small: Population, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: the stream forgets what it was for."""
    numbers = iter(range(10**6))
    whole = Gazette._choose

    def forgetful(self: Gazette, place: Place, attempt: int) -> Commune:
        return whole(self, replace(place, key=f"{place.key} {next(numbers) % 40}"), attempt)

    monkeypatch.setattr(Gazette, "_choose", forgetful)
    found = surrogates_per_patient(small, with_places("health_exponential"), TABLE)
    assert found.surrogates > 3


def test_no_patient_no_figure(small: Population) -> None:
    with pytest.raises(ValueError, match="no patient lives"):
        average_communes(with_places("health_exponential"), [1], small.residents, ("75",), TABLE)
    with pytest.raises(ValueError, match="draws no commune"):
        average_communes(with_places("tag"), [1], small.residents, DEPARTMENTS, TABLE)
