"""Fixtures of the release room: a deployed database whose ledger tests fill."""

from __future__ import annotations

from typing import Any

import pytest

from tests.database.release.ledger import Ledger


@pytest.fixture
def ledger(deployed: Any) -> Ledger:
    """Nights to be written into the database that `deid.config.settings` points at."""
    return Ledger(deployed)
