"""Checkpoints: the state of an unfinished training in one file, from which the same command goes on after a kill.

A file is written under a temporary name, then renamed, so that it is whole or absent. It holds tensors as safetensors
and the position as JSON; nothing in it is executed when it is read.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import nn

from deid.domain.errors import InputRefused

log = logging.getLogger(__name__)
EVERY = 120.0  # seconds between checkpoints
_STATE = "state"  # of the metadata
Tensors = Mapping[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Position:
    """The stage, epoch and step from which a training goes on; both numbers from 0."""

    stage: str
    epoch: int
    step: int


class Checkpoint:
    """State of an unfinished training: results of finished stages, and network and optimizers of the present one.

    Args:
        path: the file.
        fingerprint: a hash of all that decides the result; a file with another one is not resumed from.
        every: seconds between two saves.
    """

    def __init__(self, path: Path, fingerprint: str, every: float = EVERY) -> None:
        self._path, self._fingerprint, self._every = path, fingerprint, every
        self._saved = monotonic()
        self._tensors: dict[str, torch.Tensor] = {}
        self._finished: list[str] = []
        self._position: Position | None = None
        self._numbers: dict[str, Any] = {}
        self._read()

    def _read(self) -> None:
        if not self._path.is_file():
            return
        try:
            with safe_open(self._path, "pt") as file:
                state = json.loads((file.metadata() or {}).get(_STATE, "{}"))
                if state.get("fingerprint") != self._fingerprint:
                    log.warning("%s is of another corpus or recipe: the training starts anew", self._path.name)
                    return
                self._tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
        except (SafetensorError, OSError, ValueError):
            log.warning("%s cannot be read: the training starts anew", self._path.name)
            return
        self._finished, self._numbers = state["finished"], state["numbers"]
        self._position = Position(**state["position"]) if state["position"] else None
        log.info("the training goes on from %s", self._path.name)

    def result(self, stage: str) -> dict[str, torch.Tensor] | None:
        """Return the tensors given to `finish` for that stage; None while it is unfinished."""
        return self._part(f"finished/{stage}/") if stage in self._finished else None

    def finish(self, stage: str, tensors: Tensors) -> None:
        """Keep the result of a stage, and save."""
        self._tensors = {name: value for name, value in self._tensors.items() if name.startswith("finished/")}
        self._tensors |= {f"finished/{stage}/{name}": value for name, value in tensors.items()}
        self._finished.append(stage)
        self._position, self._numbers = None, {}
        self._write()

    def restore(
        self, stage: str, model: nn.Module, optimisers: Sequence[torch.optim.Optimizer] = ()
    ) -> Position | None:
        """Bring network, optimizers and torch's generator to the saved state; None: nothing of that stage is saved."""
        if self._position is None or self._position.stage != stage:
            return None
        own = trained_tensors(model)
        with torch.no_grad():
            for name, value in self._part("model/").items():
                own[name].copy_(value)
        for number, optimiser in enumerate(optimisers):
            state = optimiser.state_dict()
            for name, value in self._part(f"optimiser/{number}/").items():
                parameter, _, key = name.partition("/")
                state["state"].setdefault(int(parameter), {})[key] = value
            for parameter, numbers in self._numbers.get(str(number), {}).items():
                state["state"].setdefault(int(parameter), {}).update(numbers)
            optimiser.load_state_dict(state)
        torch.set_rng_state(self._tensors["random"])
        return self._position

    def offer(self, position: Position, model: nn.Module, optimisers: Sequence[torch.optim.Optimizer] = ()) -> None:
        """Save the state at `position` if the last save is long enough ago."""
        if monotonic() - self._saved >= self._every:
            self.save(position, model, optimisers)

    def save(self, position: Position, model: nn.Module, optimisers: Sequence[torch.optim.Optimizer] = ()) -> None:
        """Save the state at `position`. A full disk is logged: the training goes on, the last save stays."""
        kept = {name: value for name, value in self._tensors.items() if name.startswith("finished/")}
        kept |= {f"model/{name}": value.detach() for name, value in trained_tensors(model).items()}
        kept["random"] = torch.get_rng_state()
        numbers: dict[str, dict[str, dict[str, float]]] = {}
        for number, optimiser in enumerate(optimisers):
            for parameter, values in optimiser.state_dict()["state"].items():
                for key, value in values.items():
                    if isinstance(value, torch.Tensor):
                        kept[f"optimiser/{number}/{parameter}/{key}"] = value
                    else:
                        numbers.setdefault(str(number), {}).setdefault(str(parameter), {})[key] = value
        self._tensors, self._position, self._numbers = kept, position, numbers
        self._write()

    def remove(self) -> None:
        """Delete the file: the training is complete."""
        self._path.unlink(missing_ok=True)

    def _part(self, prefix: str) -> dict[str, torch.Tensor]:
        return {name.removeprefix(prefix): value for name, value in self._tensors.items() if name.startswith(prefix)}

    def _write(self) -> None:
        place = self._position
        state = {
            "fingerprint": self._fingerprint,
            "finished": self._finished,
            "position": {"stage": place.stage, "epoch": place.epoch, "step": place.step} if place else None,
            "numbers": self._numbers,
        }
        content = {name: value.contiguous() for name, value in self._tensors.items()}
        written = self._path.with_name(f"{self._path.name}.part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with written.open("wb") as file:
                file.write(save(content, {_STATE: json.dumps(state)}))
                file.flush()
                os.fsync(file.fileno())
            written.replace(self._path)
        except OSError as error:
            log.warning("no checkpoint was written (%s): the training goes on", error.strerror)
            with suppress(OSError):
                written.unlink()
        self._saved = monotonic()


def trained_tensors(model: nn.Module) -> dict[str, torch.Tensor]:
    """Return the parameters that training changes, and the buffers."""
    return {name: value for name, value in model.named_parameters() if value.requires_grad} | dict(
        model.named_buffers()
    )


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """Give an empty folder to build in, which takes the place of `folder` when the block ends without an error.

    A kill or an error leaves `folder` as it was.

    Raises:
        InputRefused: the disk is full, or the folder cannot be written.
    """
    building, before = folder.with_name(f".{folder.name}"), folder.with_name(f".{folder.name}.before")
    if before.is_dir() and not folder.is_dir():
        before.rename(folder)  # killed between the two renames below
    try:
        for old in (building, before):
            shutil.rmtree(old, ignore_errors=True)
        building.mkdir(parents=True)
        yield building
        if folder.is_dir():
            folder.rename(before)
        building.rename(folder)
        shutil.rmtree(before, ignore_errors=True)
    except (OSError, SafetensorError):
        shutil.rmtree(building, ignore_errors=True)
        raise InputRefused(
            f"{folder.name}: the model cannot be written; an earlier one stays as it was.",
            "Free space or give another --out; the same command goes on from its last checkpoint.",
        ) from None
