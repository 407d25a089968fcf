"""One commune table for the session, and a substitutor of the policy that ships."""

from __future__ import annotations

import pytest

from deid.config.policy import Policy, load
from deid.reference import CommuneTable
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from tests.unit.substitution.examples import KEY


@pytest.fixture(scope="session")
def communes() -> CommuneTable:
    return packaged_tables().communes


@pytest.fixture(scope="session")
def policy() -> Policy:
    return load()


@pytest.fixture(scope="session")
def substitutor(policy: Policy, communes: CommuneTable) -> Substitutor:
    return Substitutor(policy, KEY, communes)
