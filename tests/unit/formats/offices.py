"""Programs of LibreOffice that some tests need; a machine without them skips these tests, and says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest


def _needs(program: str, remedy: str) -> pytest.MarkDecorator:
    """Skip where a program of LibreOffice is not installed: distributions package each of them alone."""
    office = shutil.which("soffice")
    found = office is not None and (Path(office).resolve().parent / f"s{program}").exists()
    return pytest.mark.skipif(not found, reason=f"LibreOffice's {program} is not installed ({remedy})")


WRITER = _needs("writer", "Debian: apt install libreoffice-writer")
CALC = _needs("calc", "Debian: apt install libreoffice-calc")
