"""No date of a text comes to stand on the patient's true birth date."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from deid.config.policy import Policy
from deid.domain.document import Patient
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from tests.unit.substitution.examples import KEY, changed, marked

BORN = date(2025, 2, 19)


@pytest.mark.parametrize("strategy", ["metric", "bounded_laplace", "uniform_shift"])
def test_no_surrogate_says_the_birth_date(strategy: str, policy: Policy, communes: CommuneTable) -> None:
    """A newborn's dates are all within days of it."""
    substitutor = Substitutor(changed(policy, dates={"strategy": strategy, "shift_max_days": 9}), KEY, communes)
    days = [BORN + timedelta(days=one) for one in (1, 3, 4, 8, 21)]
    text = ", ".join(f"[[DATE|{day:%d/%m/%Y}]]" for day in (BORN, *days))
    moved = 0
    for number in range(150):
        known = Patient(key=f"p{number}", birth_date=BORN)
        result = substitutor.substitute(*marked(text, patient=known, reference_date=days[-1] + timedelta(days=2)))
        assert f"{BORN:%d/%m/%Y}" not in result.text
        moved += sum(one.parsed for one in result.surrogates)
    assert moved > 0.8 * 6 * 150
