"""The linear chain: probabilities of tags by forward and backward sums."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

Array = NDArray[np.float32]


def marginals(emissions: torch.Tensor, transitions: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Probability of each tag at each token of a batch of chains.

    Args:
        emissions: log-potentials (chains, tokens, tags), padded on the right.
        transitions: log-potentials (tags before, tags after).
        lengths: tokens of each chain, each at least 1.

    Returns:
        Probabilities (chains, tokens, tags); rows of padding are zero.
    """
    emissions, transitions = emissions.double(), transitions.double()
    tokens = emissions.shape[1]
    # Exponentials scaled per step: as exact as logarithms here, and one matrix product a step.
    high = emissions.amax(dim=2, keepdim=True)
    local = (emissions - high).exp()
    step = (transitions - transitions.max()).exp()
    alive = torch.arange(tokens).unsqueeze(0) < lengths.unsqueeze(1)
    forward = torch.empty_like(local)
    forward[:, 0] = local[:, 0] / local[:, 0].sum(dim=1, keepdim=True)
    for at in range(1, tokens):
        row = (forward[:, at - 1] @ step) * local[:, at]
        forward[:, at] = row / row.sum(dim=1, keepdim=True).clamp_min(1e-300)
    backward = torch.ones_like(local)
    back = step.T.contiguous()
    for at in range(tokens - 2, -1, -1):
        row = (backward[:, at + 1] * local[:, at + 1]) @ back
        row = row / row.sum(dim=1, keepdim=True).clamp_min(1e-300)
        backward[:, at] = torch.where(alive[:, at + 1].unsqueeze(1), row, backward[:, at])
    both = forward * backward
    both = both / both.sum(dim=2, keepdim=True).clamp_min(1e-300)
    return (both * alive.unsqueeze(2)).float()


def padded(arrays: Sequence[Array]) -> tuple[torch.Tensor, torch.Tensor]:
    """Arrays (tokens, n) as one tensor (arrays, most tokens, n) and their lengths."""
    lengths = torch.tensor([len(array) for array in arrays])
    batch = torch.zeros(len(arrays), int(lengths.max()), arrays[0].shape[1])
    for row, array in enumerate(arrays):
        batch[row, : len(array)] = torch.from_numpy(array)
    return batch, lengths
