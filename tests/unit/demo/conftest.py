"""A small hospital, generated once."""

from __future__ import annotations

import pytest

from demo.hospital import Hospital, generate


@pytest.fixture(scope="session")
def small() -> Hospital:
    return generate(patients=40, documents=260, nights=6)
