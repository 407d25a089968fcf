"""The linear chain: probabilities of tags by forward and backward sums, and the best allowed path."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from deid.detection.tags import TAGS

Array = NDArray[np.float32]
_FORBIDDEN = np.float32(-1e9)


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


def best_path(scores: Array) -> list[int]:
    """The tag path of the highest summed `scores` (tokens, tags) in which I-L only follows B-L or I-L."""
    tokens = len(scores)
    if not tokens:
        return []
    # Without transition weights a free tag (O or B-L) follows the best tag so far, whichever that is.
    total = np.where(_STARTS, scores[0], _FORBIDDEN)
    came = np.zeros((tokens, len(TAGS)), dtype=np.int16)
    for at in range(1, tokens):
        free = int(total.argmax())
        best, origin = total[free], np.full(len(TAGS), free, dtype=np.int16)
        reached = np.full(len(TAGS), best, dtype=scores.dtype)
        opened, inside = total[1::2], total[2::2]
        reached[2::2] = np.maximum(opened, inside)
        origin[2::2] = np.where(opened >= inside, _OPENING, _INSIDE)
        came[at] = origin
        total = reached + scores[at]
    path = [int(total.argmax())]
    for at in range(tokens - 1, 0, -1):
        path.append(int(came[at, path[-1]]))
    return path[::-1]


_STARTS = np.array([not tag.startswith("I-") for tag in TAGS])
_OPENING = np.arange(1, len(TAGS), 2, dtype=np.int16)
_INSIDE = np.arange(2, len(TAGS), 2, dtype=np.int16)


def log_probabilities(distribution: Array, floor: float = 1e-6) -> Array:
    """Logarithms of probabilities, none below that of `floor`."""
    return np.log(np.maximum(distribution, floor))


def padded(arrays: Sequence[Array]) -> tuple[torch.Tensor, torch.Tensor]:
    """Arrays (tokens, n) as one tensor (arrays, most tokens, n) and their lengths."""
    lengths = torch.tensor([len(array) for array in arrays])
    batch = torch.zeros(len(arrays), int(lengths.max()), arrays[0].shape[1])
    for row, array in enumerate(arrays):
        batch[row, : len(array)] = torch.from_numpy(array)
    return batch, lengths
