"""bf16 copy of a model in training, for processors that multiply such numbers, beside its weights in fp32."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Generic, TypeVar

import torch
from torch import nn
from transformers import PreTrainedModel

M = TypeVar("M", bound=nn.Module)


def multiplies_bf16(capabilities: Mapping[str, object]) -> bool:
    """Return whether a processor multiplies bf16 in hardware: AMX or AVX-512 on x86, their kind on ARM.

    Args:
        capabilities: what `torch.cpu.get_capabilities()` returns. Without one of these instructions, products in bf16
            are emulated, slower than in fp32.
    """
    return any(name.endswith("bf16") and has is True for name, has in capabilities.items())


class WorkingCopy(Generic[M]):
    """Model that computes losses and gradients: the trained one, or a copy whose encoder and head are in bf16.

    A step of the optimizer is mostly smaller than what eight significant bits can add to a weight, so that it moves the
    fp32 weights, from which the copy is renewed (Micikevicius et al. 2018, Mixed Precision Training, section 3.1).

    Args:
        trained: fp32, with the weights that the optimizer moves.
        copied: whether to compute in a copy.
    """

    def __init__(self, trained: M, *, copied: bool) -> None:
        self.model = deepcopy(trained) if copied else trained
        self._pairs: list[tuple[nn.Parameter, nn.Parameter]] = []
        if copied:
            for module in self.model.modules():
                if isinstance(module, PreTrainedModel):
                    _halve(module)
            self._pairs = [*zip(trained.parameters(), self.model.parameters(), strict=True)]

    def hand_over(self) -> None:
        """Add the gradients of the copy to those of the trained model, in fp32, and forget them."""
        for trained, copy in self._pairs:
            if copy.grad is not None:
                found = copy.grad.float()
                trained.grad = found if trained.grad is None else trained.grad.add_(found)
                copy.grad = None

    @torch.no_grad()
    def renew(self) -> None:
        """Round the weights of the trained model into the copy, after a step."""
        for trained, copy in self._pairs:
            copy.copy_(trained)


def _halve(module: nn.Module) -> None:
    """Give the parameters of a module in bf16; its buffers, such as angles of positions, keep their digits."""
    for one in module.parameters():
        one.data = one.data.to(torch.bfloat16)
