"""What a trained tagger says of itself: it is refused at start if it was made for other features, tags or files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from deid.detection.taggers import table, templates, words
from deid.detection.tags import TAGS
from deid.domain.errors import PolicyError

FILE = "model.json"
WEIGHTS = "weights.safetensors"
# Raised when the same name of a column comes to hold something else.
FEATURES = 1


@cache
def features_digest() -> str:
    """Names the features and tags that this release computes: columns, n-grams, templates, tags."""
    what = [FEATURES, table.COLUMNS, words.GRAMS, templates.SINGLE, templates.TOGETHER, TAGS]
    return sha256(json.dumps(what).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Manifest:
    """`kind` is the annotator's name; `temperature` divides the logarithms of probabilities to calibrate them."""

    kind: str
    features: str
    weights: str  # sha256 of the weights' file
    temperature: float = 1.0
    shape: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)

    def save(self, folder: Path) -> None:
        """Write `model.json`."""
        (folder / FILE).write_text(json.dumps(asdict(self), indent=2, sort_keys=True) + "\n", encoding="utf-8")


def digest(path: Path) -> str:
    """sha256 of a file, hexadecimal."""
    return sha256(path.read_bytes()).hexdigest()


def read(folder: Path, kind: str) -> Manifest:
    """The manifest of the model in `folder`, checked against its weights and this release's features.

    Raises:
        PolicyError: nothing there, unreadable, another kind, other features or tags, or altered weights.
    """
    if not (folder / FILE).is_file() or not (folder / WEIGHTS).is_file():
        raise PolicyError(
            f"annotator {kind}: no model in {folder.name} ({FILE} and {WEIGHTS} are expected).",
            "Give the folder that `nocturne train` wrote, or leave out the option to use the model that ships.",
        )
    try:
        manifest = Manifest(**json.loads((folder / FILE).read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise PolicyError(f"annotator {kind}: {FILE} of model {folder.name} cannot be read.", _RETRAIN) from None
    if manifest.kind != kind:
        raise PolicyError(f"annotator {kind}: model {folder.name} is a {manifest.kind}.", "Name its own annotator.")
    if manifest.features != features_digest():
        raise PolicyError(
            f"annotator {kind}: model {folder.name} was trained for other features or labels "
            f"({manifest.features}; this release computes {features_digest()}).",
            _RETRAIN,
        )
    if manifest.weights != digest(folder / WEIGHTS):
        raise PolicyError(
            f"annotator {kind}: {WEIGHTS} of model {folder.name} is not the file that was saved.", _RETRAIN
        )
    return manifest


_RETRAIN = "Train it again with `nocturne train`, or restore it."
