"""Chains of tags over the tokens of a document, for models whose head is a linear-chain CRF.

Lafferty, McCallum and Pereira 2001. The transitions are one tensor among the weights, so that their hash covers it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open

from deid.detection.annotators.transformer.subwords import Distributions
from deid.detection.taggers.crf import best_chain, marginals
from deid.detection.taggers.tagging import one_thread

TRANSITIONS = "crf.transitions"  # (tags before, tags after), log-potentials, in the file of the weights
_LEAST = 1e-12  # probability, where its logarithm is taken


def load_transitions(weights: Path) -> torch.Tensor:
    """Return the transitions among the weights, in single precision.

    Raises:
        KeyError: there are none.
    """
    with safe_open(weights, framework="pt") as tensors:
        if TRANSITIONS not in tensors.keys():  # noqa: SIM118 - not a mapping
            raise KeyError(TRANSITIONS)
        found: torch.Tensor = tensors.get_tensor(TRANSITIONS).float()
        return found


def log_marginals(emissions: torch.Tensor, transitions: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Return the logarithms of `deid.detection.taggers.crf.marginals`, finite everywhere."""
    return marginals(emissions, transitions, lengths).clamp_min(_LEAST).log()


def settle(
    rows: Distributions,
    known: NDArray[np.bool_],
    shared: NDArray[np.bool_],
    transitions: torch.Tensor,
    temperature: float,
) -> Distributions:
    """Turn log-potentials into probabilities in place, and return the best path, 1 at each token's tag.

    The chain goes over first sub-words, as in training; a token that shares its sub-word takes the row of the token
    before.

    Args:
        rows: (tokens, tags); log-potentials of the tokens `known`.
        known: whether a token has a sub-word, shape (tokens,).
        shared: whether it is that of the token before, shape (tokens,).
        transitions: log-potentials (tags before, tags after).
        temperature: divides log-probabilities, to calibrate them.
    """
    decided = np.zeros_like(rows)
    chain = np.flatnonzero(known & ~shared)
    if not len(chain):
        return decided
    emissions = rows[chain]
    with one_thread():
        found = log_marginals(torch.from_numpy(emissions).unsqueeze(0), transitions, torch.tensor([len(chain)]))[0]
        rows[chain] = torch.softmax(found / temperature, dim=1).numpy()
    decided[chain, best_chain(emissions, transitions.numpy())] = 1
    joined = np.flatnonzero(known & shared)
    before = chain[np.searchsorted(chain, joined) - 1]
    rows[joined], decided[joined] = rows[before], decided[before]
    return decided
