"""Facts about trained models that stay in the hospital: what training wrote, and which documents were learned from."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from deid.domain.errors import InputRefused
from deid.models.directories import place
from nocturne_lab.hospital.private import private_files

_KIND = re.compile(r"[a-z][a-z0-9_]*")


def kind_of(directory: Path) -> str:
    """Return the annotator that a directory is a model of, as its manifest says.

    Raises:
        InputRefused: there is no manifest, or it cannot be read.
    """
    if (directory / "config.json").is_file():
        return "transformer"
    kind = read_training(directory).get("kind")
    if not isinstance(kind, str) or not _KIND.fullmatch(kind):
        raise InputRefused(
            f"{directory.name} is no model: it has neither config.json nor a model.json that names a kind.",
            "Give the directory that training wrote.",
        )
    return kind


def read_training(directory: Path) -> Mapping[str, Any]:
    """Return what training wrote about itself, `nocturne.json` or `model.json`; empty for a model trained elsewhere.

    Raises:
        InputRefused: it cannot be read.
    """
    path = next((directory / name for name in ("nocturne.json", "model.json") if (directory / name).is_file()), None)
    if path is None:
        return {}
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        told = None
    if not isinstance(told, dict):
        raise InputRefused(f"{path.name} of {directory.name} cannot be read.", "Restore it, or train the model again.")
    return told


def record_learned(kind: str, digest: str, documents: Collection[str]) -> None:
    """Write beside a model of the registry the ledger's ids of the documents that it learned from, and no text.

    They are not among its files: what leaves with an exported model does not say who was learned from.

    Raises:
        OSError: it cannot be written.
    """
    with private_files():
        beside(kind, digest, "learned").write_text(json.dumps(sorted(documents)) + "\n", encoding="utf-8")


def learned_documents(kind: str, digest: str) -> frozenset[str] | None:
    """Return the ids of `record_learned`; None where none were written or can be read."""
    try:
        return frozenset(map(str, json.loads(beside(kind, digest, "learned").read_text(encoding="utf-8"))))
    except (OSError, ValueError, TypeError):
        return None


def beside(kind: str, digest: str, what: str) -> Path:
    """Return the file beside a model of the registry, with facts on the model that do not leave with it."""
    path = place(kind, digest)
    return path.with_name(f"{path.name}.{what}.json")
