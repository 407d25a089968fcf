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

_BITS = 20
_ADDRESS = np.uint64((1 << _BITS) - 1)


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
        rows = np.zeros((len(weights.keys) + 1, len(TAGS)), dtype=np.float32)
        owner = np.repeat(np.arange(len(weights.keys)), np.diff(weights.bounds))
        rows[owner, weights.tags] = weights.weights
        self._rows = torch.from_numpy(rows)  # the last row is for features that the model does not know
        self._places = _Places(weights.keys)

    def emissions(self, features: Ids) -> NDArray[np.float32]:
        """Log-potentials (tokens, tags) of feature numbers (tokens, features)."""
        found: NDArray[np.float32] = torch.nn.functional.embedding_bag(
            torch.from_numpy(self._places.of(features)), self._rows, mode="sum"
        ).numpy()
        return found


class _Places:
    """Where each of many sorted 64-bit keys stands: a table of direct addresses, and a search among keys that clash."""

    def __init__(self, keys: NDArray[np.uint64]) -> None:
        self._missing = len(keys)
        self._keys = np.append(keys, np.uint64(0))
        places = np.arange(len(keys))
        address = (keys & _ADDRESS).astype(np.int64)
        self._table = np.full(1 << _BITS, self._missing, dtype=np.int32)
        self._table[address[::-1]] = places[::-1]
        self._clashing = places[self._table[address] != places]
        self._clashing_keys = keys[self._clashing]

    def of(self, features: Ids) -> NDArray[np.int64]:
        """The place of each feature; the number of keys where it is unknown."""
        place = self._table[(features & _ADDRESS).astype(np.int64)].astype(np.int64)
        unknown = self._keys[place] != features
        place[unknown] = self._searched(features[unknown])
        return place

    def _searched(self, features: Ids) -> NDArray[np.int64]:
        if not len(self._clashing):
            return np.full(len(features), self._missing)
        at = np.minimum(np.searchsorted(self._clashing_keys, features), len(self._clashing) - 1)
        return np.where(self._clashing_keys[at] == features, self._clashing[at], self._missing)
