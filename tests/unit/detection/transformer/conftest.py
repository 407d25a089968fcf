"""Tiny models, made once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.detection.transformer import models


@pytest.fixture(scope="session")
def model_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The directory of a model of an architecture; not to be changed."""
    made: dict[str, Path] = {}

    def of(kind: str) -> Path:
        if kind not in made:
            made[kind] = models.write(tmp_path_factory.mktemp(kind), kind, with_card=False)
        return made[kind]

    return of
