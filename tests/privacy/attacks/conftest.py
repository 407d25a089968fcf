"""One small synthetic hospital for all attacks, and the one of docs/privacy.md where few patients say too little."""

from __future__ import annotations

import pytest

from demo.population import population
from nocturne_lab.evaluation.attacks.inputs import Population


@pytest.fixture(scope="session")
def small() -> Population:
    return population(30)


@pytest.fixture(scope="session")
def large() -> Population:
    return population(160)
