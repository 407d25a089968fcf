"""Checkpoints of a training: model, optimizer, position and random states in one file, replaced by a rename.

They are safetensors, so that reading one can run no code.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

log = logging.getLogger(__name__)

_FILE = "checkpoint.safetensors"


@dataclass(frozen=True, slots=True)
class Position:
    """Place in a training: `step` batches of the epoch `epoch` are done (both from 0), and the best epoch so far."""

    epoch: int = 0
    step: int = 0
    best_epoch: int = 0
    measures: dict[str, float] = field(default_factory=dict)


class Checkpoints:
    """The checkpoint of one training.

    Args:
        folder: folder of the file; made at the first checkpoint.
        training: hash of everything that decides the training; a checkpoint of another is not read.
        minutes: time between two checkpoints within an epoch.
    """

    def __init__(self, folder: Path, training: str, minutes: float) -> None:
        self._path, self._training, self._seconds = folder / _FILE, training, 60 * minutes
        self._last = time.monotonic()

    @property
    def due(self) -> bool:
        """Return whether the last one is old enough for another within an epoch."""
        return time.monotonic() - self._last >= self._seconds

    def save(self, position: Position, tensors: Mapping[str, torch.Tensor]) -> None:
        """Write the checkpoint; if that fails (a full disk), log it, keep the one before and go on."""
        self._last = time.monotonic()
        partial = self._path.with_suffix(".partial")
        whole = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            save_file(whole, partial, {"training": self._training, "position": json.dumps(asdict(position))})
            _synchronise(partial)
            partial.replace(self._path)
        except (OSError, SafetensorError):
            partial.unlink(missing_ok=True)
            log.warning(
                "The checkpoint of epoch %d, batch %d could not be written (is the disk full?). Training goes on; after"
                " a kill it would resume from the checkpoint before.", position.epoch + 1, position.step,
            )  # fmt: skip

    def load(self) -> tuple[Position, dict[str, torch.Tensor]] | None:
        """Return the last checkpoint of this training; None if there is none, or it cannot be read."""
        if not self._path.is_file():
            return None
        try:
            with safe_open(self._path, framework="pt") as file:
                known = file.metadata() or {}
                if known.get("training") != self._training:
                    log.warning("A checkpoint of another plan or corpus is there: training starts from the beginning.")
                    return None
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
            return Position(**json.loads(known["position"])), tensors
        except (OSError, SafetensorError, KeyError, TypeError, ValueError):
            log.warning("The checkpoint cannot be read: training starts from the beginning.")
            return None


def part(tensors: Mapping[str, torch.Tensor], beginning: str) -> dict[str, torch.Tensor]:
    """Return the tensors whose names begin so, without that beginning."""
    return {name.removeprefix(beginning): one for name, one in tensors.items() if name.startswith(beginning)}


def _synchronise(path: Path) -> None:
    """Wait until the file is on the disk: a rename before that may leave an empty file after a power cut."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
