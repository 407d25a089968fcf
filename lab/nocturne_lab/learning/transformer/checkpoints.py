"""Checkpoints of a transformer's training: its place in epochs and batches, with all tensors that continue it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch

from nocturne_lab.learning.checkpoints import CheckpointFile


@dataclass(frozen=True, slots=True)
class Position:
    """Place in a training: `step` batches of the epoch `epoch` are done (both from 0), and the best epoch so far."""

    epoch: int = 0
    step: int = 0
    best_epoch: int = 0
    measures: dict[str, float] = field(default_factory=dict)


class Checkpoints(CheckpointFile):
    """The checkpoint of one training.

    Args:
        folder: folder of the file.
        training: hash of everything that decides the training.
        minutes: time between two checkpoints within an epoch.
    """

    def __init__(self, folder: Path, training: str, minutes: float) -> None:
        super().__init__(folder / "checkpoint.safetensors", training, 60 * minutes)

    def save(self, position: Position, tensors: Mapping[str, torch.Tensor]) -> None:
        """Write the checkpoint."""
        self.keep(position, tensors)

    def load(self) -> tuple[Position, dict[str, torch.Tensor]] | None:
        """Return the last checkpoint of this training; None if there is none, or it cannot be read."""
        return self.read(Position)
