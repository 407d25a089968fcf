"""One commune table for the session, and a substitutor whose dates and ages have noise of their own each."""

from __future__ import annotations

import pytest

from deid.config.policy import Policy, load
from deid.reference import CommuneTable
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from tests.unit.substitution.examples import KEY, changed


@pytest.fixture(scope="session")
def communes() -> CommuneTable:
    return packaged_tables().communes


@pytest.fixture(scope="session")
def policy() -> Policy:
    """Return the policy that ships, but dates and ages as in Tchouka et al. 2023.

    Tests of the strategies that ship take `load()`: temporal/test_episodes.py, temporal/test_stages.py.
    """
    metric = {"strategy": "metric"}
    return changed(load(), dates=metric | {"anchor_scale_days": 14}, ages=metric)


@pytest.fixture(scope="session")
def substitutor(policy: Policy, communes: CommuneTable) -> Substitutor:
    return Substitutor(policy, KEY, communes)
