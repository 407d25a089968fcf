"""The best allowed path of tags through probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deid.detection.tags import TAGS, allowed

Array = NDArray[np.float32]
_FORBIDDEN = np.float32(-1e9)
_TOGETHER = 64  # chains searched at once; they are padded to the longest


def best_path(scores: Array) -> list[int]:
    """The tag path of the highest summed `scores` (tokens, tags) in which I-L only follows B-L or I-L."""
    return best_paths([scores])[0]


def best_paths(chains: Sequence[Array]) -> list[list[int]]:
    """`best_path` of each chain of scores (tokens, tags), those that need a search searched together."""
    paths: list[list[int]] = []
    searched: list[int] = []
    for scores in chains:
        likeliest = scores.argmax(axis=1)
        if len(likeliest) and not (_STARTS[likeliest[0]] and _MAY[likeliest[:-1], likeliest[1:]].all()):
            searched.append(len(paths))
        paths.append(likeliest.tolist())  # without transition weights nothing can beat it where it is allowed
    searched.sort(key=lambda chain: -len(paths[chain]))
    for start in range(0, len(searched), _TOGETHER):
        some = searched[start : start + _TOGETHER]
        for chain, path in zip(some, _searched([chains[chain] for chain in some]), strict=True):
            paths[chain] = path
    return paths


def _searched(chains: Sequence[Array]) -> list[list[int]]:
    """The best allowed paths (Viterbi 1967) of chains of one token or more, the longest first."""
    lengths = np.array([len(scores) for scores in chains])
    going = [int(np.count_nonzero(lengths > at)) for at in range(lengths[0])]  # chains that have a token there
    padded = np.zeros((lengths[0], len(chains), len(TAGS)), dtype=chains[0].dtype)
    for chain, scores in enumerate(chains):
        padded[: len(scores), chain] = scores
    # Without transition weights a free tag (O or B-L) follows the best tag so far, whichever that is.
    total = np.where(_STARTS, padded[0], _FORBIDDEN)
    came = np.zeros(padded.shape, dtype=np.int16)
    for at in range(1, len(padded)):
        still = going[at]
        reached, origin = total[:still], came[at, :still]
        origin[:] = free = reached.argmax(axis=1, keepdims=True)
        opened, inside = reached[:, 1::2], reached[:, 2::2]
        origin[:, 2::2] = np.where(opened >= inside, _OPENING, _INSIDE)
        longest = np.maximum(opened, inside)
        reached[:] = np.take_along_axis(reached, free, axis=1)
        reached[:, 2::2] = longest
        reached += padded[at, :still]
    last = total.argmax(axis=1).tolist()
    return [_traced(came[:, chain], tag, int(lengths[chain])) for chain, tag in enumerate(last)]


def _traced(came: NDArray[np.int16], tag: int, tokens: int) -> list[int]:
    path = [tag]
    for at in range(tokens - 1, 0, -1):
        path.append(int(came[at, path[-1]]))
    return path[::-1]


_MAY = allowed()
_STARTS = np.array([not tag.startswith("I-") for tag in TAGS])
_OPENING = np.arange(1, len(TAGS), 2, dtype=np.int16)
_INSIDE = np.arange(2, len(TAGS), 2, dtype=np.int16)


def log_probabilities(distribution: Array, floor: float = 1e-6) -> Array:
    """Logarithms of probabilities, none below that of `floor`."""
    return np.log(np.maximum(distribution, floor))
