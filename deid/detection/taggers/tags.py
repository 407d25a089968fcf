"""Tags of the learned taggers, one per token, and the best path of tags.

The first token of a mention is B-LABEL, the others are I-LABEL; O is outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import OPTIONAL, TAGGED, Label

Array = NDArray[np.float32]
TAGS: tuple[str, ...] = ("O", *(f"{place}-{label}" for label in TAGGED for place in "BI"))
INDEX: Mapping[str, int] = {tag: index for index, tag in enumerate(TAGS)}
LABELS: tuple[Label | None, ...] = (None, *(label for label in TAGGED for _ in "BI"))
OUTSIDE = 0


def allowed_transitions() -> NDArray[np.bool_]:
    """Return `[before, after]`, True if a tag may follow another: I-L only follows B-L or I-L."""
    table = np.ones((len(TAGS), len(TAGS)), dtype=bool)
    for tag in range(2, len(TAGS), 2):
        table[:, tag] = False
        table[[tag - 1, tag], tag] = True
    return table


_ALLOWED = allowed_transitions()
_OPENING = np.arange(1, len(TAGS), 2, dtype=np.int16)  # B-L by label
_INSIDE = np.arange(2, len(TAGS), 2, dtype=np.int16)  # I-L by label
_STARTS = ~np.isin(np.arange(len(TAGS)), _INSIDE)  # tags that a chain may start with
_FORBIDDEN = np.float32(-1e9)


def encode(reading: Reading, mentions: Sequence[Mention]) -> NDArray[np.int64]:
    """Return the tag index of each token, shape (tokens,): a mention holds the tokens that it covers by half or more.

    Mentions of labels that taggers do not know are outside.
    """
    tags = np.zeros(len(reading.starts), dtype=np.int64)
    for mention in mentions:
        if mention.label in OPTIONAL:
            continue
        first = True
        for index in range(reading.token_at(mention.start), len(reading.starts)):
            start, end = reading.starts[index], reading.ends[index]
            if start >= mention.end:
                break
            if 2 * (min(end, mention.end) - max(start, mention.start)) >= end - start:
                tags[index] = INDEX[f"{'B' if first else 'I'}-{mention.label}"]
                first = False
    return tags


def decode(reading: Reading, path: Sequence[int], scores: Sequence[float] | NDArray[np.floating]) -> list[Mention]:
    """Return the mentions of a tag path; the score of a mention is the mean of its tokens' `scores`.

    A line break cuts a mention, as the annotation guide asks.
    """
    if not len(path):
        return []
    tags = np.asarray(path)
    labels = (tags + 1) // 2  # 0 for O, the same for B-L and I-L
    opens = (tags % 2 == 1) | reading.breaks  # odd tags are B-L
    opens[1:] |= (labels[1:] != labels[:-1]) | reading.breaks[:-1]
    opens[0] = True
    firsts = np.flatnonzero(opens)
    lengths = np.diff(firsts, append=len(tags))
    means = np.add.reduceat(np.asarray(scores, dtype=np.float64), firsts) / lengths
    mentions = []
    for first, length, score in zip(firsts.tolist(), lengths.tolist(), means.tolist(), strict=True):
        label = LABELS[tags[first]]
        if label is not None and not reading.breaks[first]:
            start, end = reading.starts[first], reading.ends[first + length - 1]
            mentions.append(Mention(start, end, label, min(max(score, 0.0), 1.0)))
    return mentions


def best_path(scores: Array) -> list[int]:
    """Return the allowed tag path with the highest sum of `scores` (tokens, tags), by Viterbi's algorithm (1967).

    No transition has a weight, so that O and B-L follow the best tag before them, and the likeliest tags are the best
    path of most documents: the search is left out where they are allowed.
    """
    likeliest: NDArray[np.intp] = scores.argmax(axis=1)
    if not len(scores) or (_STARTS[likeliest[0]] and _ALLOWED[likeliest[:-1], likeliest[1:]].all()):
        return [int(tag) for tag in likeliest]
    total = np.where(_STARTS, scores[0], _FORBIDDEN)
    before = np.zeros(scores.shape, dtype=np.int16)
    for at in range(1, len(scores)):
        opening, inside = total[1::2], total[2::2]
        before[at] = total.argmax()
        before[at, 2::2] = np.where(opening >= inside, _OPENING, _INSIDE)
        reached = np.full_like(total, total.max())
        reached[2::2] = np.maximum(opening, inside)
        total = reached + scores[at]
    path = [int(total.argmax())]
    for at in range(len(scores) - 1, 0, -1):
        path.append(int(before[at, path[-1]]))
    return path[::-1]


def log_probabilities(distribution: Array, floor: float = 1e-6) -> Array:
    """Return the logarithms of probabilities, at least log(`floor`)."""
    return np.log(np.maximum(distribution, floor))
