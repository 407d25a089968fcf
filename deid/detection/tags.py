"""The tags of learned taggers, one per token: a mention's first token is B-LABEL, the others I-LABEL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from deid.detection.reading import Reading
from deid.document import Mention
from deid.labels import Label

TAGS: tuple[str, ...] = ("O", *(f"{place}-{label}" for label in Label for place in "BI"))
INDEX: Mapping[str, int] = {tag: index for index, tag in enumerate(TAGS)}
LABELS: tuple[Label | None, ...] = (None, *(label for label in Label for _ in "BI"))
OUTSIDE = 0


def begins(tag: int) -> bool:
    """Whether the tag opens a mention."""
    return tag % 2 == 1


def allowed() -> NDArray[np.bool_]:
    """`[before, after]`: whether a tag may follow another; I-L only follows B-L or I-L."""
    table = np.ones((len(TAGS), len(TAGS)), dtype=bool)
    for tag in range(2, len(TAGS), 2):
        table[:, tag] = False
        table[[tag - 1, tag], tag] = True
    return table


def encode(reading: Reading, mentions: Sequence[Mention]) -> NDArray[np.int64]:
    """Tag index of each token of `reading`, shape (tokens,): a token belongs to a mention that holds half of it."""
    tags = np.zeros(len(reading.starts), dtype=np.int64)
    for mention in mentions:
        first = True
        for index in range(reading.token_at(mention.start), len(reading.starts)):
            start, end = reading.starts[index], reading.ends[index]
            if start >= mention.end:
                break
            if 2 * (min(end, mention.end) - max(start, mention.start)) >= end - start:
                tags[index] = INDEX[f"{'B' if first else 'I'}-{mention.label}"]
                first = False
    return tags


def decode(reading: Reading, path: Sequence[int], scores: Sequence[float]) -> list[Mention]:
    """Mentions of a tag path over the tokens; the score of a mention is the mean of its tokens' `scores`.

    A mention never holds a line break: it is cut there, as the annotation guide asks.
    """
    mentions = []
    for first, last in _runs(reading, path):
        label = LABELS[path[first]]
        if label is not None:
            score = float(np.clip(np.mean(scores[first : last + 1]), 0.0, 1.0))
            mentions.append(Mention(reading.starts[first], reading.ends[last], label, score))
    return mentions


def _runs(reading: Reading, path: Sequence[int]) -> list[tuple[int, int]]:
    """`(first, last)` token indexes of maximal runs of one mention."""
    breaks = [0]
    for index, (before, after) in enumerate(pairwise(path), start=1):
        same = LABELS[before] is LABELS[after] and not begins(after)
        if not same or reading.words[index] == "\n" or reading.words[index - 1] == "\n":
            breaks.append(index)
    breaks.append(len(path))
    return [
        (first, after - 1)
        for first, after in pairwise(breaks)
        if first < after and path[first] != OUTSIDE and reading.words[first] != "\n"
    ]
