"""The optimizer, and a learning rate that rises and falls over the share of the work that is done."""

from __future__ import annotations

import torch
from torch import nn


def optimizer(model: nn.Module, learning_rate: float, weight_decay: float) -> torch.optim.AdamW:
    """AdamW (Loshchilov and Hutter 2019); biases and scales of norms are not pulled to zero."""
    decayed = [one for one in model.parameters() if one.requires_grad and one.dim() > 1]
    free = [one for one in model.parameters() if one.requires_grad and one.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": weight_decay}, {"params": free, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.98), eps=1e-6)


def rate(highest: float, warm_up: float, done: float) -> float:
    """The learning rate when a share `done` of the work is done: up to `highest` by `warm_up`, then down to 0."""
    if done < warm_up:
        return highest * done / warm_up
    return highest * max(0.0, 1.0 - done) / (1.0 - warm_up)


def step(model: nn.Module, descent: torch.optim.Optimizer, learning_rate: float, clip: float) -> None:
    """One step down the gradients, which are cut to a norm of `clip`."""
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    for group in descent.param_groups:
        group["lr"] = learning_rate
    descent.step()
    descent.zero_grad(set_to_none=True)
