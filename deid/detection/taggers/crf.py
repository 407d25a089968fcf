"""The linear-chain CRF (Lafferty, McCallum and Pereira 2001): feature templates, weights, marginal probabilities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from deid.detection.taggers.features import AT, MISSING, FeatureTable, Ids, conjunction, salted
from deid.detection.taggers.tags import TAGS

Array = NDArray[Any]

# Templates: columns of `features.COLUMNS` at offsets from the token. word[-3:3] is seven features, word[-1] word[0] one
# feature, the conjunction of two columns.
_SINGLE = """
    word[-3:3], shape[-2:2], length[-1:1], prefix3[0:0], suffix2[0:0], suffix3[-1:1], suffix4[0:0],
    first_name[-1:1], surname[-1:1], common[-1:1], kind[-1:1], lexical[-2:2], part[-2:2], gap[-1:2], place[-2:2],
    line[0:0], case[0:0], field[0:0], opening[0:0], part_of_text[0:0], memory[-1:1], patterns[-2:2],
    gazetteer[-2:2], context[-2:2], rules[0:0]
"""
_TOGETHER = """
    word[-1] word[0], word[0] word[1], word[-2] word[-1], word[1] word[2], word[-1] word[1], word[-1] lexical[0],
    word[-1] shape[0], word[-2] shape[0], word[1] shape[0], word[1] lexical[0], word[-2] word[-1] shape[0],
    shape[-1] shape[0], shape[0] shape[1], shape[-1] shape[0] shape[1], shape[-2] shape[-1] shape[0],
    shape[0] shape[1] shape[2], lexical[-1] lexical[0], lexical[0] lexical[1], shape[0] lexical[0],
    shape[0] part[0], shape[0] case[0], shape[0] case[0] lexical[0], part[-1] part[0] part[1],
    shape[0] gap[0] gap[1], rules[0] lexical[0], rules[0] word[-1], rules[0] word[0], rules[-1] rules[0],
    rules[0] rules[1], rules[0] shape[0], rules[0] case[0], place[0] word[-1], place[0] lexical[0] shape[0],
    field[0] shape[0], opening[0] shape[0], line[0] shape[0], part_of_text[0] line[0] shape[0],
    memory[0] shape[0] lexical[0]
"""
SINGLE: tuple[tuple[str, tuple[int, ...]], ...] = tuple(
    (name, tuple(range(int(first), int(last) + 1)))
    for name, first, last in re.findall(r"(\w+)\[(.+?):(.+?)\]", _SINGLE)
)
TOGETHER: tuple[tuple[tuple[str, int], ...], ...] = tuple(
    tuple((name, int(offset)) for name, offset in re.findall(r"(\w+)\[(.+?)\]", template))
    for template in _TOGETHER.split(",")
)
FEATURE_COUNT = sum(len(offsets) for _, offsets in SINGLE) + len(TOGETHER)


def window_features(table: FeatureTable) -> Ids:
    """Return the feature numbers of each token, shape (tokens, FEATURE_COUNT); 0 where a feature is missing."""
    size = len(table)
    features = np.zeros((size, FEATURE_COUNT), dtype=np.uint64)
    seen: dict[tuple[str, int], Ids] = {}

    def at(name: str, offset: int) -> Ids:
        if (name, offset) not in seen:
            seen[name, offset] = salted(_shifted(table.columns[:, AT[name]], offset), 16 * AT[name] + offset + 8)
        return seen[name, offset]

    column = 0
    for name, offsets in SINGLE:
        for offset in offsets:
            features[:, column] = at(name, offset)
            column += 1
    for parts in TOGETHER:
        value = at(*parts[0])
        for part in parts[1:]:
            value = conjunction(value, at(*part))
        features[:, column] = value
        column += 1
    return features


def _shifted(column: Ids, offset: int) -> Ids:
    """Return `column[at + offset]` for each token `at`, missing beyond the ends of the document."""
    shifted = np.full_like(column, MISSING)
    size = len(column)
    if abs(offset) < size:
        if offset >= 0:
            shifted[: size - offset] = column[offset:]
        else:
            shifted[-offset:] = column[:offset]
    return shifted


@dataclass(frozen=True, slots=True)
class CrfWeights:
    """Sparse rows: feature `keys[i]` (sorted) has `tags[bounds[i]:bounds[i + 1]]` with as many `weights`."""

    keys: NDArray[np.uint64]
    bounds: NDArray[np.int32]
    tags: NDArray[np.uint8]
    weights: NDArray[np.float16]
    transitions: NDArray[np.float32]

    @classmethod
    def packed(
        cls, keys: Sequence[int], rows: Sequence[Sequence[tuple[int, float]]], transitions: NDArray[np.float32]
    ) -> CrfWeights:
        """Return the weights of sorted keys, with the (tag, weight) pairs of each."""
        return cls(
            np.array(keys, dtype=np.uint64),
            np.cumsum([0, *map(len, rows)], dtype=np.int32),
            np.array([tag for row in rows for tag, _ in row], dtype=np.uint8),
            np.array([weight for row in rows for _, weight in row], dtype=np.float16),
            transitions,
        )

    def save(self, path: Path, metadata: dict[str, str] | None = None) -> None:
        """Write as safetensors."""
        save_file({name: np.ascontiguousarray(getattr(self, name)) for name in self.__slots__}, path, metadata)

    @classmethod
    def load(cls, path: Path) -> CrfWeights:
        """Read what `save` wrote."""
        return cls(**load_file(path))


class CrfScores:
    """Scores of tags by the weights of a CRF."""

    def __init__(self, weights: CrfWeights) -> None:
        self.transitions = torch.from_numpy(weights.transitions)
        rows = np.zeros((len(weights.keys) + 1, len(TAGS)), dtype=np.float32)
        owner = np.repeat(np.arange(len(weights.keys)), np.diff(weights.bounds))
        rows[owner, weights.tags] = weights.weights
        self._rows = torch.from_numpy(rows)  # the last row is for features that the model does not know
        self._keys = np.append(weights.keys, MISSING)  # one key per row

    def emissions(self, features: Ids) -> NDArray[np.float32]:
        """Return the log-potentials (tokens, tags) of feature numbers (tokens, features)."""
        last = len(self._keys) - 1
        places = np.searchsorted(self._keys[:last], features)
        rows = torch.from_numpy(np.where(self._keys[places] == features, places, last))
        found: NDArray[np.float32] = torch.nn.functional.embedding_bag(rows, self._rows, mode="sum").numpy()
        return found


def marginals(emissions: torch.Tensor, transitions: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Return the probability of each tag at each token of a batch of chains, by forward and backward sums.

    Args:
        emissions: log-potentials (chains, tokens, tags), padded on the right.
        transitions: log-potentials (tags before, tags after).
        lengths: tokens of each chain, each at least 1.

    Returns:
        Probabilities (chains, tokens, tags); rows of padding are zero.
    """
    emissions, transitions = emissions.double(), transitions.double()
    tokens = emissions.shape[1]
    lengths = lengths.to(emissions.device)
    # Exponentials scaled per step are as exact as logarithms here.
    high = emissions.amax(dim=2, keepdim=True)
    local = (emissions - high).exp()
    step = (transitions - transitions.max()).exp()
    alive = torch.arange(tokens, device=emissions.device).unsqueeze(0) < lengths.unsqueeze(1)
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


def log_partition(emissions: torch.Tensor, transitions: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Return the logarithm of the summed potentials of all paths of each chain, shape (chains,).

    Args:
        emissions: log-potentials (chains, tokens, tags).
        transitions: log-potentials (tags before, tags after).
        lengths: tokens of each chain, each at least 1.
    """
    alive = torch.arange(emissions.shape[1], device=emissions.device).unsqueeze(0) < lengths.unsqueeze(1)
    total, step = emissions[:, 0], transitions.exp()
    for at in range(1, emissions.shape[1]):
        high = total.amax(dim=1, keepdim=True)
        reached = high + ((total - high).exp() @ step).clamp_min(1e-30).log() + emissions[:, at]
        total = torch.where(alive[:, at].unsqueeze(1), reached, total)
    return total.logsumexp(dim=1)


def path_loss(
    emissions: torch.Tensor, transitions: torch.Tensor, lengths: torch.Tensor, tags: torch.Tensor
) -> torch.Tensor:
    """Return the negative log-likelihood of the true paths, in nats, summed over the chains.

    Args:
        emissions, transitions, lengths: as in `marginals`, save that a chain may be empty.
        tags: indexes of the true tags (chains, tokens); those of padding are not read, but must be valid.
    """
    alive = torch.arange(tags.shape[1], device=tags.device).unsqueeze(0) < lengths.unsqueeze(1)
    gold = emissions.gather(2, tags.unsqueeze(2)).squeeze(2)
    steps = transitions[tags[:, :-1], tags[:, 1:]]
    score = (gold * alive).sum() + (steps * alive[:, 1:]).sum()
    loss: torch.Tensor = (log_partition(emissions, transitions, lengths) * alive[:, 0]).sum() - score
    return loss


def best_chain(emissions: NDArray[np.float32], transitions: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the tags (tokens,) of the path with the highest sum of potentials, by Viterbi's algorithm (1967)."""
    before = np.zeros(emissions.shape, dtype=np.intp)
    total = emissions[:1].sum(axis=0)
    for at in range(1, len(emissions)):
        reached = total[:, None] + transitions
        before[at] = reached.argmax(axis=0)
        total = reached.max(axis=0) + emissions[at]
    path = np.zeros(len(emissions), dtype=np.intp)
    path[-1:] = total.argmax()
    for at in range(len(emissions) - 1, 0, -1):
        path[at - 1] = before[at, path[at]]
    return path


def padded(arrays: Sequence[Array], rows: int = 0, width: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Return arrays (tokens, n) as one tensor (arrays, most tokens, n) and their lengths.

    The tensor has at least `rows` arrays and `width` tokens; added arrays have length 1.
    """
    lengths = [len(array) for array in arrays]
    missing = max(0, rows - len(arrays))
    batch = np.zeros((len(arrays) + missing, max(width, *lengths), arrays[0].shape[1]), dtype=arrays[0].dtype)
    for row, array in enumerate(arrays):
        batch[row, : len(array)] = array
    return torch.from_numpy(batch), torch.tensor(lengths + [1] * missing)
