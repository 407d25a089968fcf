"""Progress of trainings and of rounds of annotation, in numbers and names of annotators, for the stewards' pages.

A file per training and per round lies in `.progress` of the registry's folder, which workers write and the pages read:
the exchange folder, with the texts, is closed to them. `nocturne_lab.learning.progress` writes them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from deid.config.settings import settings

Subject = Literal["trainings", "rounds"]
FOLDER = ".progress"
_SHOWN = 20  # of each subject, the latest


def read(subject: Subject) -> list[dict[str, Any]]:
    """Return what is known of the latest trainings or rounds, the last told first; what cannot be read is left out."""
    found = [read_file(path) for path in folder(subject).glob("[!.]*.json")]
    return sorted((one for one in found if one), key=lambda one: str(one.get("told")), reverse=True)[:_SHOWN]


def folder(subject: Subject) -> Path:
    """Return the folder of the files of trainings or of rounds."""
    return settings().registry / FOLDER / subject


def read_file(path: Path) -> dict[str, Any]:
    """Return what a file holds; nothing where it cannot be read."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}
