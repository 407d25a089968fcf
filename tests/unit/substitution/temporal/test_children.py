"""Ages of children on a finer public scale: they move less, adults as before, and nothing stays."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.config.policy import Policy
from deid.domain.document import Patient
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from deid.substitution.temporal.births import ADULT, age_at_place, place_of_age
from deid.substitution.temporal.parsing import parse
from deid.substitution.temporal.values import years_between
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

MANY = [f"patient-{number}" for number in range(120)]  # for tests that count draws, or wait for a rare one
KEYS = MANY[:5]


def _moved(substitutor: Substitutor, age: int, key: str) -> int:
    (text,) = surrogates(substitutor.substitute(*marked(f"son fils de [[AGE|{age} ans]]", patient=Patient(key=key))))
    return int(text.split()[0])


def _counting(policy: Policy, communes: CommuneTable, unit: str) -> Substitutor:
    return Substitutor(changed(policy, ages={"paediatric_unit": unit}), KEY, communes)


@settings(deadline=None)
@given(st.integers(0, 120), st.sampled_from([1, 4, 12]))
def test_the_scale_is_read_back_and_increases(years: int, in_year: int) -> None:
    assert age_at_place(place_of_age(years, in_year), in_year) == years
    assert place_of_age(years, in_year) < place_of_age(years + 1, in_year)


def test_the_finer_the_unit_the_less_a_child_moves(policy: Policy, communes: CommuneTable) -> None:
    means = {}
    for unit in ("year", "quarter", "month"):
        substitutor = _counting(policy, communes, unit)
        moved = [_moved(substitutor, 8, key) for key in MANY]
        assert 8 not in moved
        means[unit] = sum(abs(age - 8) for age in moved) / len(moved)
    assert means["month"] < means["quarter"] < means["year"]
    assert means["quarter"] < 2.5 < means["year"]


@pytest.mark.parametrize("unit", ["quarter", "month"])
def test_adults_move_as_before(unit: str, policy: Policy, communes: CommuneTable, substitutor: Substitutor) -> None:
    finer = _counting(policy, communes, unit)
    pairs = [(_moved(finer, 58, key), _moved(substitutor, 58, key)) for key in KEYS]
    assert all(one == other for one, other in pairs if other >= ADULT)


@pytest.mark.parametrize("key", KEYS)
def test_a_childs_birth_date_and_age_agree(key: str, policy: Policy, communes: CommuneTable) -> None:
    born = date(2015, 2, 3)
    text = "[[AGE|8 ans]], née le [[DATE|03/02/2015]]"
    result = _counting(policy, communes, "quarter").substitute(*marked(text, patient=Patient(key=key, birth_date=born)))
    age, moved = surrogates(result)
    found = parse(moved)
    assert found is not None
    assert result.reference_date is not None
    day = date(found.year or 0, found.month or 0, found.day or 0)
    assert abs(int(age.split()[0]) - years_between(day, result.reference_date)) <= 1
    assert (age, day) != ("8 ans", born)


def test_a_childs_birth_date_is_the_same_in_all_documents(policy: Policy, communes: CommuneTable) -> None:
    substitutor = _counting(policy, communes, "month")
    patient = Patient(key="p1", birth_date=date(2010, 2, 3))
    found = {
        surrogates(substitutor.substitute(*marked("né le [[DATE|03/02/2010]]", patient=patient, reference_date=day)))[0]
        for day in (date(2014, 1, 1), date(2019, 8, 9), date(2026, 5, 1))
    }
    assert len(found) == 1


@pytest.mark.parametrize(("unit", "first", "second"), [("year", 2, 4), ("month", 17, 19)])
def test_a_birth_date_told_in_two_units_has_two_noises(
    unit: str, first: int, second: int, policy: Policy, communes: CommuneTable
) -> None:
    """One number n, of months and then of years, would put 11 n months between the two, and be known."""
    substitutor, born = _counting(policy, communes, unit), date(2001, 2, 3)
    apart = set()
    for key in MANY:
        patient = Patient(key=key, birth_date=born)
        young, old = (_day(substitutor, patient, date(born.year + age, 2, 20)) for age in (first, second))
        if max(young, old) < born:  # neither was kept from the date of its document
            apart.add(round((old - young).days / 30.44) % 11)
    assert len(apart) > 3


def _day(substitutor: Substitutor, patient: Patient, on: date) -> date:
    document = marked("né le [[DATE|03/02/2001]]", patient=patient, reference_date=on)
    found = parse(surrogates(substitutor.substitute(*document))[0])
    assert found is not None
    return date(found.year or 0, found.month or 0, found.day or 0)
