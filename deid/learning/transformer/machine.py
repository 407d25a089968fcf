"""Where a training runs and with which numbers, and what makes it repeatable."""

from __future__ import annotations

import random
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Machine:
    """A device, and whether matrices are multiplied in bf16 there."""

    device: torch.device
    half: bool

    @classmethod
    def of(cls, precision: str) -> Machine:
        """The GPU where there is one. `precision`: as in a plan."""
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        fast = device.type == "cuda" and torch.cuda.is_bf16_supported()
        return cls(device, precision == "bf16" or (precision == "auto" and fast))

    def numbers(self) -> AbstractContextManager[None]:
        """The context of forward passes."""
        return torch.autocast(self.device.type, torch.bfloat16) if self.half else nullcontext()

    def moved(self, array: NDArray[np.int64]) -> torch.Tensor:
        """`array` on the device."""
        tensor = torch.from_numpy(array)
        return tensor if self.device.type == "cpu" else tensor.pin_memory().to(self.device, non_blocking=True)


def seeded(seed: int) -> None:
    """Start every generator that libraries draw from; on a CPU the same seed then gives the same weights."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
