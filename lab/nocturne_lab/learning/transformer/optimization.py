"""Device, precision, seeds, optimizer and learning rate of a training."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from queue import Queue
from threading import Thread
from typing import Generic, TypeVar

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import DistributedDataParallelKwargs, broadcast_object_list
from numpy.typing import NDArray
from torch import nn

from deid.domain.errors import InputRefused

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Machine:
    """Device of this process, whether its matrix products are in bf16, and the processes that train together.

    Several processes, one per GPU, are those that `torchrun` or `accelerate launch` starts; usually there is one.
    """

    device: torch.device
    half: bool
    processes: Accelerator

    @classmethod
    def of(cls, precision: str) -> Machine:
        """Return the GPU if there is one, else the CPU, with the `precision` of a plan."""
        # Some architectures have parts that no tag depends on: their gradients must not be waited for.
        idle = DistributedDataParallelKwargs(find_unused_parameters=True)
        processes = Accelerator(cpu=not torch.cuda.is_available(), mixed_precision="no", kwargs_handlers=[idle])
        fast = processes.device.type == "cuda" and torch.cuda.is_bf16_supported()
        return cls(processes.device, precision == "bf16" or (precision == "auto" and fast), processes)

    def share(self, batch: Sequence[T]) -> Sequence[T]:
        """Return this process's part of a batch."""
        return batch[self.processes.process_index :: self.processes.num_processes]

    def agreed(self, values: dict[str, float]) -> dict[str, float]:
        """Return the first process's values, so that all decide alike."""
        found: list[dict[str, float]] = broadcast_object_list([values])
        return found[0]

    def numbers(self) -> AbstractContextManager[None]:
        """Return the autocast context of forward passes."""
        return torch.autocast(self.device.type, torch.bfloat16) if self.half else nullcontext()

    def moved(self, array: NDArray[np.generic]) -> torch.Tensor:
        """Return `array` on the device."""
        tensor = torch.from_numpy(array)
        return tensor if self.device.type == "cpu" else tensor.pin_memory().to(self.device, non_blocking=True)


def seeded(seed: int) -> None:
    """Seed every generator of the libraries; on a CPU the same seed then gives the same weights."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


# The optimizers, and a learning rate that rises, then falls, with the share of work done.
def optimizers(model: nn.Module, kind: str, learning_rate: float, weight_decay: float) -> list[torch.optim.Optimizer]:
    """Return AdamW (Loshchilov and Hutter 2019) without weight decay of biases and norm scales.

    Transitions of a CRF start from nothing, unlike the encoder, and learn ten times as fast. With `muon`, matrices
    other than embeddings and what the loss reads learn by Muon (Jordan et al. 2024), at steps as long as AdamW's (Liu
    et al. 2025, Muon is Scalable for LLM Training, section 2.2).
    """
    learned = [(name, one) for name, one in model.named_parameters() if one.requires_grad]
    turned = [one for name, one in learned if kind == "muon" and ".layers." in name and one.dim() == 2]
    others = [(name.endswith("transitions"), one) for name, one in learned if all(one is not two for two in turned)]
    decayed = [one for chain, one in others if not chain and one.dim() > 1]
    free = [one for chain, one in others if not chain and one.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": weight_decay}, {"params": free, "weight_decay": 0.0}]
    if chains := [one for chain, one in others if chain]:
        groups.append({"params": chains, "weight_decay": 0.0, "scale": 10.0})
    fused = learned[0][1].is_cuda
    found: list[torch.optim.Optimizer] = [
        torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.98), eps=1e-6, fused=fused)
    ]
    if turned:
        found.append(
            torch.optim.Muon(turned, lr=learning_rate, weight_decay=weight_decay, adjust_lr_fn="match_rms_adamw")
        )
    return found


def rate(highest: float, warm_up: float, done: float) -> float:
    """Return the learning rate at a share `done` of the work: up to `highest` at `warm_up`, then down to 0."""
    if done < warm_up:
        return highest * done / warm_up
    return highest * max(0.0, 1.0 - done) / (1.0 - warm_up)


def step(model: nn.Module, descents: Sequence[torch.optim.Optimizer], learning_rate: float, clip: float) -> None:
    """Take one step of each optimizer with gradients clipped to a norm of `clip`.

    Raises:
        TrainingDiverged: the gradient is not a finite number, as after a loss that is none; no step is taken.
    """
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    if not torch.isfinite(norm):
        raise TrainingDiverged(
            "the loss or its gradient is not a finite number; training stopped and wrote no model.",
            "Lower learning_rate, or say `precision: fp32`.",
        )
    for descent in descents:
        for group in descent.param_groups:
            group["lr"] = learning_rate * group.get("scale", 1.0)
        descent.step()
        descent.zero_grad(set_to_none=True)


class TrainingDiverged(InputRefused):
    """A loss or gradient that is not a finite number."""


# Batches prepared by a thread while the device computes.
@dataclass(frozen=True, slots=True)
class _Made(Generic[T]):
    item: T


def prepared(make: Callable[[], Iterable[T]], most: int) -> Iterator[T]:
    """Yield the values of `make()` in order, prepared by a thread at most `most` values ahead.

    An exception of `make()` is raised in its turn.
    """
    queue: Queue[_Made[T] | Exception | None] = Queue(most)
    left = False

    def fill() -> None:
        try:
            for item in make():
                queue.put(_Made(item))
                if left:
                    return
        except Exception as error:
            queue.put(error)
        else:
            queue.put(None)

    thread = Thread(target=fill, daemon=True)
    thread.start()
    try:
        while (made := queue.get()) is not None:
            if isinstance(made, Exception):
                raise made
            yield made.item
    finally:
        left = True
        while thread.is_alive():
            while not queue.empty():
                queue.get()
            thread.join(0.05)
