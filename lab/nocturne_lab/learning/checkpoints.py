"""Checkpoints: the state of an unfinished training in one file, from which the same command goes on after a kill.

A file is written under another name, then renamed, so that it is whole or absent. It holds tensors as safetensors and
the rest as JSON; nothing in it is executed when it is read.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn

from deid.domain.errors import InputRefused

log = logging.getLogger(__name__)
EVERY = 120.0  # seconds between checkpoints
_STATE = "state"  # of the metadata
Tensors = Mapping[str, torch.Tensor]
State = TypeVar("State")


class CheckpointFile:
    """The file of one training.

    Args:
        path: the file; its folder is made at the first checkpoint.
        fingerprint: a hash of all that decides the result; a file with another one is not read.
        every: seconds between two checkpoints, for `due`.
    """

    def __init__(self, path: Path, fingerprint: str, every: float = EVERY) -> None:
        self._path, self._fingerprint, self._every = path, fingerprint, every
        self._last = monotonic()

    @property
    def due(self) -> bool:
        """Return whether the last checkpoint is old enough for another."""
        return monotonic() - self._last >= self._every

    def keep(self, state: Any, tensors: Tensors) -> None:
        """Write tensors and a dataclass of what JSON holds. A full disk is logged: the last checkpoint stays."""
        written = self._path.with_name(f"{self._path.name}.part")
        whole = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            save_file(whole, written, {_STATE: json.dumps([self._fingerprint, asdict(state)])})
            _synchronise(written)
            written.replace(self._path)
        except (OSError, SafetensorError) as error:
            log.warning("no checkpoint was written (%s): the training goes on", getattr(error, "strerror", None) or "?")
            with suppress(OSError):
                written.unlink()
        self._last = monotonic()

    def read(self, kind: Callable[..., State]) -> tuple[State, dict[str, torch.Tensor]] | None:
        """Return the state, of the dataclass `kind`, and tensors; None if there are none of this training."""
        if not self._path.is_file():
            return None
        try:
            with safe_open(self._path, "pt") as file:
                fingerprint, state = json.loads((file.metadata() or {}).get(_STATE, "[null, null]"))
                if fingerprint != self._fingerprint:
                    log.warning("%s is of another corpus or recipe: the training starts anew", self._path.name)
                    return None
                found = kind(**state), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
        except (SafetensorError, OSError, TypeError, ValueError):
            log.warning("%s cannot be read: the training starts anew", self._path.name)
            return None
        log.info("the training goes on from %s", self._path.name)
        return found

    def remove(self) -> None:
        """Delete the file: the training is complete."""
        self._path.unlink(missing_ok=True)


def _synchronise(path: Path) -> None:
    """Wait until the file is on the disk: a rename before that may leave an empty file after a power cut."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def part(tensors: Tensors, beginning: str) -> dict[str, torch.Tensor]:
    """Return the tensors whose names begin so, without that beginning."""
    return {name.removeprefix(beginning): one for name, one in tensors.items() if name.startswith(beginning)}


@dataclass(frozen=True, slots=True)
class Position:
    """The stage, epoch and step from which a training goes on; both numbers from 0."""

    stage: str
    epoch: int
    step: int


@dataclass(slots=True)
class _Stages:
    finished: list[str] = field(default_factory=list)
    position: dict[str, Any] | None = None
    numbers: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)  # of the optimizers


class Checkpoint(CheckpointFile):
    """State of a training of stages: results of the finished ones, network and optimizers of the present one."""

    def __init__(self, path: Path, fingerprint: str, every: float = EVERY) -> None:
        super().__init__(path, fingerprint, every)
        self._stages, self._tensors = self.read(_Stages) or (_Stages(), {})

    def result(self, stage: str) -> dict[str, torch.Tensor] | None:
        """Return the tensors given to `finish` for that stage; None while it is unfinished."""
        return part(self._tensors, f"finished/{stage}/") if stage in self._stages.finished else None

    def finish(self, stage: str, tensors: Tensors) -> None:
        """Keep the result of a stage, and save."""
        self._tensors = {name: value for name, value in self._tensors.items() if name.startswith("finished/")}
        self._tensors |= {f"finished/{stage}/{name}": value for name, value in tensors.items()}
        self._stages = _Stages([*self._stages.finished, stage])
        self.keep(self._stages, self._tensors)

    def restore(
        self, stage: str, model: nn.Module, optimisers: Sequence[torch.optim.Optimizer] = ()
    ) -> Position | None:
        """Bring network, optimizers and torch's generator to the saved state; None: nothing of that stage is saved."""
        position = self._stages.position
        if position is None or position["stage"] != stage:
            return None
        own = trained_tensors(model)
        with torch.no_grad():
            for name, value in part(self._tensors, "model/").items():
                own[name].copy_(value)
        for number, optimiser in enumerate(optimisers):
            state = optimiser.state_dict()
            for name, value in part(self._tensors, f"optimiser/{number}/").items():
                parameter, _, key = name.partition("/")
                state["state"].setdefault(int(parameter), {})[key] = value
            for parameter, numbers in self._stages.numbers.get(str(number), {}).items():
                state["state"].setdefault(int(parameter), {}).update(numbers)
            optimiser.load_state_dict(state)
        torch.set_rng_state(self._tensors["random"])
        return Position(**position)

    def offer(self, position: Position, model: nn.Module, optimisers: Sequence[torch.optim.Optimizer] = ()) -> None:
        """Save the state at `position` if the last save is long enough ago."""
        if self.due:
            self.save(position, model, optimisers)

    def save(self, position: Position, model: nn.Module, optimisers: Sequence[torch.optim.Optimizer] = ()) -> None:
        """Save the state at `position`."""
        kept = {name: value for name, value in self._tensors.items() if name.startswith("finished/")}
        kept |= {f"model/{name}": value for name, value in trained_tensors(model).items()}
        kept["random"] = torch.get_rng_state()
        numbers: dict[str, dict[str, dict[str, float]]] = {}
        for number, optimiser in enumerate(optimisers):
            for parameter, values in optimiser.state_dict()["state"].items():
                for key, value in values.items():
                    if isinstance(value, torch.Tensor):
                        kept[f"optimiser/{number}/{parameter}/{key}"] = value
                    else:
                        numbers.setdefault(str(number), {}).setdefault(str(parameter), {})[key] = value
        self._tensors, self._stages = kept, _Stages(self._stages.finished, asdict(position), numbers)
        self.keep(self._stages, kept)


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
    restore(folder)
    building = folder.with_name(f".{folder.name}")
    try:
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir(parents=True)
        yield building
        put_in_place(building, folder)
    except (OSError, SafetensorError):
        shutil.rmtree(building, ignore_errors=True)
        raise InputRefused(
            f"{folder.name}: the model cannot be written; an earlier one stays as it was.",
            "Free space or give another --out; the same command goes on from its last checkpoint.",
        ) from None


def put_in_place(building: Path, folder: Path) -> None:
    """Rename the folder `building` to `folder`; a kill meanwhile leaves the one before where `restore` finds it."""
    if folder.is_dir():
        folder.rename(_before(folder))
    building.rename(folder)
    shutil.rmtree(_before(folder), ignore_errors=True)


def restore(folder: Path) -> None:
    """Bring back the folder that a kill in `put_in_place` left under another name, or delete that."""
    if _before(folder).is_dir() and not folder.is_dir():
        _before(folder).rename(folder)
    shutil.rmtree(_before(folder), ignore_errors=True)


def _before(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.before")
