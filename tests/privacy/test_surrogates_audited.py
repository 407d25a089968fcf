"""Audits of ε on surrogates as they are published: thousands of secrets on neighbouring documents."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from math import log

import pytest
from scipy.stats import beta

from deid.config.policy import Policy
from deid.domain.document import Patient, Stay
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from deid.substitution.temporal.ages import parse_age
from deid.substitution.temporal.stages import epsilon_of, stage_of
from tests.unit.substitution.examples import marked, surrogates
from tests.unit.substitution.temporal.test_episodes import ADMITTED, communes, episodes, moved
from tests.unit.substitution.temporal.test_stages import WRITTEN, stages

__all__ = ["communes", "episodes", "stages"]
pytestmark = pytest.mark.slow


def test_no_audited_pair_of_stays_refutes_the_claim(episodes: Policy, communes: CommuneTable) -> None:
    """Admission a week later, whole document behind it: at most 7 episode_epsilon + 7 / anchor_scale_days."""
    near, far = ADMITTED, ADMITTED + timedelta(days=7)
    draws = 4000

    def histogram(first: date) -> Counter[date]:
        stay = Stay(first, first + timedelta(days=4))
        found: Counter[date] = Counter()
        for at in range(draws):
            substitutor = Substitutor(episodes, b"audit" + at.to_bytes(27, "big"), communes)
            found[min(moved(substitutor, [first], stay, first + timedelta(days=13)))] += 1
        return found

    one, other = histogram(near), histogram(far)
    claim = 7 * (episodes.substitution.dates.episode_epsilon + 1 / episodes.substitution.dates.anchor_scale_days)
    halves = sorted(one | other)
    bounds = [halves[len(halves) * at // 8] for at in range(1, 8)]
    worst = 0.0
    for bound in bounds:
        for early in (True, False):
            a = sum(count for day, count in one.items() if (day <= bound) == early)
            b = sum(count for day, count in other.items() if (day <= bound) == early)
            low, high = beta.ppf(0.0005, a, draws - a + 1), beta.ppf(0.9995, b + 1, draws - b)
            worst = max(worst, log(low / high) if a else 0.0)
    assert worst <= claim
    assert one != other


@pytest.mark.parametrize(("one", "other", "months"), [("70 ans", "71 ans", 12), ("12 ans", "14 ans", 24)])
def test_no_audited_pair_of_ages_refutes_the_claim(
    stages: Policy, communes: CommuneTable, one: str, other: str, months: int
) -> None:
    """A relative of nearly the patient's age, 72, costs as any other does (docs/privacy.md)."""
    draws = 3000
    patient = Patient("p1", birth_date=date(1949, 6, 1))

    def histogram(text: str) -> Counter[str]:
        document, mentions = marked(
            f"Agé de [[AGE|72 ans]]. Son frère a [[AGE|{text}]].", patient=patient, reference_date=WRITTEN
        )
        return Counter(
            surrogates(Substitutor(stages, b"audit" + at.to_bytes(27, "big"), communes).substitute(document, mentions))[
                1
            ]
            for at in range(draws)
        )

    near, far = histogram(one), histogram(other)
    age = parse_age(one)
    assert age is not None
    worst = max(
        log(beta.ppf(0.0005, near[text], draws - near[text] + 1) / beta.ppf(0.9995, far[text] + 1, draws - far[text]))
        for text in near
    )
    assert worst <= float(epsilon_of(stage_of(age)) * months)
