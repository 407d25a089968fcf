"""The best allowed path of tags through probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deid.detection.tags import TAGS, allowed

Array = NDArray[np.float32]
_FORBIDDEN = np.float32(-1e9)


def best_path(scores: Array) -> list[int]:
    """The tag path of the highest summed `scores` (tokens, tags) in which I-L only follows B-L or I-L."""
    tokens = len(scores)
    if not tokens:
        return []
    likeliest = scores.argmax(axis=1)
    if _STARTS[likeliest[0]] and _MAY[likeliest[:-1], likeliest[1:]].all():
        return [int(tag) for tag in likeliest]  # without transition weights nothing can beat it
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


_MAY = allowed()
_STARTS = np.array([not tag.startswith("I-") for tag in TAGS])
_OPENING = np.arange(1, len(TAGS), 2, dtype=np.int16)
_INSIDE = np.arange(2, len(TAGS), 2, dtype=np.int16)


def log_probabilities(distribution: Array, floor: float = 1e-6) -> Array:
    """Logarithms of probabilities, none below that of `floor`."""
    return np.log(np.maximum(distribution, floor))
