"""One small fictional hospital for all attacks."""

from __future__ import annotations

import pytest

from deid.privacy.attacks.fiction import Fiction, fiction


@pytest.fixture(scope="session")
def small() -> Fiction:
    return fiction(30)
