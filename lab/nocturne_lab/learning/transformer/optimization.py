"""Device, precision, seeds, optimizer and learning rate of a training."""

from __future__ import annotations

import random
import re
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
from nocturne_lab.learning.transformer.working_copy import multiplies_bf16

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Machine:
    """Device of this process, how it computes, and the processes that train together.

    `half`: matrix products are in bf16; `copied`: so are weights and all that lies between them, in a copy of the
    model, in place of autocast, which converts the weights at each product.

    Several processes, one per GPU, are those that `torchrun` or `accelerate launch` starts; usually there is one.
    """

    device: torch.device
    half: bool
    processes: Accelerator
    copied: bool = False

    @classmethod
    def of(cls, precision: str) -> Machine:
        """Return the GPU if there is one, else the CPU, with the `precision` of a plan.

        Raises:
            InputRefused: `bf16` on a processor that does not multiply such numbers in hardware.
        """
        # Some architectures have parts that no tag depends on: their gradients must not be waited for.
        idle = DistributedDataParallelKwargs(find_unused_parameters=True)
        processes = Accelerator(cpu=not torch.cuda.is_available(), mixed_precision="no", kwargs_handlers=[idle])
        gpu = processes.device.type == "cuda"
        if precision == "bf16" and not gpu and not multiplies_bf16(torch.cpu.get_capabilities()):
            raise InputRefused(
                "precision: this processor does not multiply bf16 numbers (neither amx_bf16 nor avx512_bf16).",
                "Say `precision: auto`, which is fp32 here.",
            )
        fast = gpu and torch.cuda.is_bf16_supported()
        half = precision in ("bf16", "autocast") or (precision == "auto" and fast)
        return cls(processes.device, half, processes, precision == "bf16" and not gpu)

    def share(self, batch: Sequence[T]) -> Sequence[T]:
        """Return this process's part of a batch."""
        return batch[self.processes.process_index :: self.processes.num_processes]

    def agreed(self, values: dict[str, float]) -> dict[str, float]:
        """Return the first process's values, so that all decide alike."""
        found: list[dict[str, float]] = broadcast_object_list([values])
        return found[0]

    def numbers(self) -> AbstractContextManager[None]:
        """Return the context of forward passes: autocast, unless numbers are fp32 or the model is a bf16 copy."""
        autocast = self.half and not self.copied
        return torch.autocast(self.device.type, torch.bfloat16) if autocast else nullcontext()

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
def optimizers(
    model: nn.Module, kind: str, learning_rate: float, weight_decay: float, layer_decay: float = 1.0
) -> list[torch.optim.Optimizer]:
    """Return AdamW (Loshchilov and Hutter 2019) without weight decay of biases and norm scales.

    Transitions of a CRF start from nothing, unlike the encoder, and learn ten times as fast. With `muon`, matrices
    other than embeddings and what the loss reads learn by Muon (Jordan et al. 2024), at steps as long as AdamW's (Liu
    et al. 2025, Muon is Scalable for LLM Training, section 2.2). `layer_decay`: see `layer_shares`.
    """
    learned = [(name, one) for name, one in model.named_parameters() if one.requires_grad]
    turned = [one for name, one in learned if kind == "muon" and ".layers." in name and one.dim() == 2]
    shares = layer_shares([name for name, _ in learned], layer_decay)
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, one in learned:
        chain = name.endswith("transitions")
        if all(one is not two for two in turned):
            decay = weight_decay if one.dim() > 1 and not chain else 0.0
            groups.setdefault((10.0 if chain else shares[name], decay), []).append(one)
    found: list[torch.optim.Optimizer] = [
        torch.optim.AdamW(
            [{"params": some, "weight_decay": decay, "scale": scale} for (scale, decay), some in groups.items()],
            lr=learning_rate, betas=(0.9, 0.98), eps=1e-6, fused=learned[0][1].is_cuda,
        )
    ]  # fmt: skip
    if turned:
        found.append(
            torch.optim.Muon(turned, lr=learning_rate, weight_decay=weight_decay, adjust_lr_fn="match_rms_adamw")
        )
    return found


_LAYER = re.compile(r"\.(\d+)\.")


def layer_shares(names: Sequence[str], layer_decay: float) -> dict[str, float]:
    """Return the share of the learning rate of each parameter, by its name in the transformers library.

    The head has all of it, each layer `layer_decay` times what the next one above has, embeddings the least (Howard and
    Ruder 2018, section 3.2; Clark et al. 2020, appendix B): lower layers know more that holds for any text.
    """
    numbers = {name: int(found[1]) for name in names if (found := _LAYER.search(name))}
    layers = 1 + max(numbers.values(), default=-1)

    def below_head(name: str) -> int:
        if name in numbers:
            return layers - numbers[name]
        return layers + 1 if "emb" in name else 0

    return {name: layer_decay ** below_head(name) for name in names}


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
