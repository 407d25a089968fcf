"""The linear chain: probabilities of tags by forward and backward sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Array = NDArray[Any]


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


def padded(arrays: Sequence[Array], rows: int = 0, width: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Arrays (tokens, n) as one tensor (arrays, most tokens, n) and their lengths.

    With `rows` and `width` the tensor has at least so many arrays and tokens; arrays that are missing have length 1.
    """
    lengths = [len(array) for array in arrays]
    missing = max(0, rows - len(arrays))
    batch = np.zeros((len(arrays) + missing, max(width, *lengths), arrays[0].shape[1]), dtype=arrays[0].dtype)
    for row, array in enumerate(arrays):
        batch[row, : len(array)] = array
    return torch.from_numpy(batch), torch.tensor(lengths + [1] * missing)
