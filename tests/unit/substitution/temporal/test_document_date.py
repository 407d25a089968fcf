"""`document_date: metric`: the document's own date has noise of its own, and nothing in the texts gives it back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from deid.config.policy import Dates, Policy
from deid.domain.document import Patient, Substitution
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from deid.substitution.temporal.parsing import parse
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

MANY = [f"patient-{number}" for number in range(40)]  # for tests that count draws, or wait for a rare one
KEYS = MANY[:5]
FIRST, SECOND = date(2023, 5, 17), date(2023, 6, 21)
BORN = date(1957, 9, 12)


@pytest.fixture(scope="module")
def noisy(policy: Policy, communes: CommuneTable) -> Substitutor:
    return Substitutor(changed(policy, dates={"document_date": "metric"}), KEY, communes)


def _on(substitutor: Substitutor, day: date, markup: str, key: str, **known: date) -> Substitution:
    document = marked(markup, id=f"{key}-{day}", patient=Patient(key=key, **known), reference_date=day)
    return substitutor.substitute(*document)


def _own(result: Substitution) -> date:
    assert result.reference_date is not None
    return result.reference_date


def _days(result: Substitution) -> list[date]:
    found = [parse(text) for text in surrogates(result)]
    return [date(one.year or 0, one.month or 0, one.day or 0) for one in found if one is not None]


def test_intervals_between_documents_no_longer_stay(noisy: Substitutor, substitutor: Substitutor) -> None:
    def gaps(by: Substitutor) -> Iterator[int]:
        for key in MANY:
            first, second = (_own(_on(by, day, "Revue.", key)) for day in (FIRST, SECOND))
            assert first != FIRST
            assert second != SECOND
            yield (second - first).days

    assert set(gaps(substitutor)) == {(SECOND - FIRST).days}
    assert len(set(gaps(noisy))) > 10


def test_a_day_moves_alike_as_a_documents_own_and_in_anothers_text(noisy: Substitutor) -> None:
    """Counted from the noisy anchor, a date that two documents say would give the days between them away."""
    text = f"Opérée le [[DATE|04/11/2021]], vue le [[DATE|{FIRST:%d/%m/%Y}]], suivie depuis [[DATE|mars 2018]]."
    for key in KEYS:
        first, second = (_on(noisy, day, text, key) for day in (FIRST, SECOND))
        assert surrogates(first) == surrogates(second)
        assert _own(first) != _own(second)
        assert f"{_own(first):%d/%m/%Y}" == surrogates(second)[1]


def test_documents_of_one_day_have_one_date(noisy: Substitutor) -> None:
    for key in KEYS:
        assert len({_own(_on(noisy, FIRST, text, key)) for text in ("Revue.", "Vue le [[DATE|03/04/2023]].", "")}) == 1


def test_the_birth_date_is_the_same_in_all_documents(noisy: Substitutor) -> None:
    text = "Né le [[DATE|12/09/1957]], [[AGE|65 ans]]"
    for key in KEYS:
        told = {surrogates(_on(noisy, day, text, key, birth_date=BORN))[0] for day in (FIRST, SECOND)}
        assert len(told) == 1
        assert "12/09/1957" not in told


@settings(max_examples=60, deadline=None)
@given(
    days=st.lists(st.integers(-900, 90), min_size=1, max_size=8, unique=True).map(sorted),
    key=st.sampled_from(MANY),
    strategy=st.sampled_from(["metric", "bounded_laplace"]),
)
def test_dates_stay_on_their_side_of_the_document_in_their_order(
    days: list[int], key: str, strategy: str, policy: Policy, communes: CommuneTable
) -> None:
    by = Substitutor(changed(policy, dates={"document_date": "metric", "strategy": strategy}), KEY, communes)
    text = ", ".join(f"[[DATE|{FIRST + timedelta(days=one):%d/%m/%Y}]]" for one in days)
    result = _on(by, FIRST, text, key)
    moved = _days(result)
    assert len(moved) == len(days)
    assert moved == sorted(moved)
    for one, to in zip(days, moved, strict=True):
        assert (to > _own(result)) <= (one > 0)
        assert (to < _own(result)) <= (one < 0)
        assert to != FIRST + timedelta(days=one)


def test_distances_are_told_from_the_noisy_date(noisy: Substitutor) -> None:
    text = f"Tombée [[RELDATE|il y a trois jours]], le [[DATE|{FIRST - timedelta(days=3):%d/%m/%Y}]]"
    for key in KEYS:
        result = _on(noisy, FIRST, text, key)
        assert (_own(result) - _days(result)[-1]).days >= 1
        assert surrogates(result)[0] != "il y a trois jours"


def test_it_costs_an_element(noisy: Substitutor, substitutor: Substitutor) -> None:
    for markup, dates in (("Revue.", 0), ("Vue le [[DATE|03/04/2023]], le [[DATE|17/05/2023]].", 1)):
        told, less = (
            {one.category: (one.epsilon, one.elements) for one in _on(by, FIRST, markup, "p").spends if one.elements}
            for by in (noisy, substitutor)
        )
        assert told["date"] == (0.25 * (dates + 1), dates + 1)
        assert less.get("date", (0, 0)) == (0.25 * dates, dates)
        assert told["anchor"] == less["anchor"]


def test_a_document_without_a_date_of_its_own(noisy: Substitutor) -> None:
    """The latest date of the text is the anchor: it has the noise of any other."""
    text = "Vue le [[DATE|17/05/2023]], opérée le [[DATE|03/04/2023]]."
    for key in KEYS:
        document, mentions = marked(text, patient=Patient(key=key), reference_date=None)
        result = noisy.substitute(document, mentions)
        assert result.reference_date is None
        assert surrogates(result) == surrogates(_on(noisy, SECOND, text, key))


@pytest.mark.parametrize("strategy", ["uniform_shift", "generalise"])
def test_where_the_texts_or_the_month_say_it_already_it_is_refused(strategy: str) -> None:
    with pytest.raises(ValidationError, match="document_date: metric is not for strategy"):
        Dates.model_validate({"strategy": strategy, "document_date": "metric"})


@pytest.mark.parametrize("strategy", ["metric", "bounded_laplace", "tag"])
def test_the_end_of_the_calendar_stops_nothing(strategy: str, policy: Policy, communes: CommuneTable) -> None:
    by = Substitutor(changed(policy, dates={"document_date": "metric", "strategy": strategy}), KEY, communes)
    for day in (date(1850, 1, 1), date(2150, 12, 31)):
        for key in KEYS:
            assert _own(_on(by, day, "Vue en [[DATE|1850]], [[RELDATE|hier]].", key)) != day
