"""One detector for all tests of the folder: loading its tables takes seconds."""

from __future__ import annotations

import pytest

from deid.config import policy
from deid.detection import Detector


@pytest.fixture(scope="session")
def detector() -> Detector:
    """The detector of the policy that ships."""
    return Detector(policy.load())


@pytest.fixture(scope="session")
def rules() -> Detector:
    """The detector of the policy without learned annotators."""
    return Detector(policy.load(policy.DEFAULT.with_name("rules.yaml")))
