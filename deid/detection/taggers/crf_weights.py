"""The weights of the CRF: which features speak for which tags, and how tags follow one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from deid.detection.taggers.hashing import Ids
from deid.detection.tags import TAGS


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
        """From sorted keys and the (tag, weight) pairs of each."""
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
    """Tag scores of feature rows, by one table look-up and one sum."""

    def __init__(self, weights: CrfWeights) -> None:
        self.transitions = torch.from_numpy(weights.transitions)
        self._keys = weights.keys
        rows = np.zeros((len(weights.keys) + 1, len(TAGS)), dtype=np.float32)
        owner = np.repeat(np.arange(len(weights.keys)), np.diff(weights.bounds))
        rows[owner, weights.tags] = weights.weights
        self._rows = torch.from_numpy(rows)  # the last row is for features that the model does not know

    def emissions(self, features: Ids) -> NDArray[np.float32]:
        """Log-potentials (tokens, tags) of feature numbers (tokens, features)."""
        if not len(self._keys):
            return np.zeros((len(features), len(TAGS)), dtype=np.float32)
        place = np.searchsorted(self._keys, features)
        np.minimum(place, len(self._keys) - 1, out=place)
        known = self._keys[place] == features
        place[~known] = len(self._keys)
        found: NDArray[np.float32] = torch.nn.functional.embedding_bag(
            torch.from_numpy(place), self._rows, mode="sum"
        ).numpy()
        return found
