"""`nocturne.json`, beside the weights of a model that the product trained: what it was trained with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deid.domain.errors import PolicyError

NAME = "nocturne.json"


class Card(BaseModel):
    """What a model was trained with. Hashes are SHA-256 in hexadecimal digits.

    `labels`: its tags, by index; `vocabulary`: entries of the tokenizer, special ones included; `tokenizer`: hash of
    tokenizer.json; `weights`: hash of model.safetensors; `corpus`: hash of documents and mentions; `temperature`:
    divides logits, so that probabilities are as often right as they say; `window`: sub-words that it saw at once,
    special ones included; `versions`: of the libraries; `settings`: the training
    configuration; `measures`: what was measured at the end.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    labels: tuple[str, ...]
    vocabulary: int
    tokenizer: str
    weights: str
    corpus: str
    seed: int
    temperature: float = Field(1.0, gt=0)
    window: int = 512
    versions: Mapping[str, str]
    settings: Mapping[str, Any] = {}
    measures: Mapping[str, float] = {}

    def write(self, folder: Path) -> None:
        """Write it to `folder`."""
        content = json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False)
        (folder / NAME).write_text(content + "\n", encoding="utf-8")


def read(folder: Path, model: str) -> Card | None:
    """The card in `folder`; None where there is none: another's model has no card.

    Raises:
        PolicyError: it cannot be read, or is not a card.
    """
    path = folder / NAME
    if not path.exists():
        return None
    try:
        return Card.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        raise PolicyError(
            f"model {model}: {NAME} cannot be read.", "Restore the directory as training wrote it."
        ) from None


def file_hash(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
