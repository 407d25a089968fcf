"""One small fictional hospital for all attacks, and the one of docs/privacy.md where few patients say too little."""

from __future__ import annotations

import pytest

from deid.privacy.attacks.fiction import Fiction, fiction


@pytest.fixture(scope="session")
def small() -> Fiction:
    return fiction(30)


@pytest.fixture(scope="session")
def large() -> Fiction:
    return fiction(160)
