"""The tags of learned taggers, one per token: a mention's first token is B-LABEL, the others I-LABEL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label

TAGS: tuple[str, ...] = ("O", *(f"{place}-{label}" for label in Label for place in "BI"))
INDEX: Mapping[str, int] = {tag: index for index, tag in enumerate(TAGS)}
LABELS: tuple[Label | None, ...] = (None, *(label for label in Label for _ in "BI"))
OUTSIDE = 0


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


def decode(reading: Reading, path: Sequence[int], scores: Sequence[float] | NDArray[np.floating]) -> list[Mention]:
    """Mentions of a tag path over the tokens; the score of a mention is the mean of its tokens' `scores`.

    A mention never holds a line break: it is cut there, as the annotation guide asks.
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
    kept = np.flatnonzero((tags[firsts] != OUTSIDE) & ~reading.breaks[firsts])
    firsts, lengths = firsts[kept], lengths[kept]
    spans = zip(firsts.tolist(), (firsts + lengths - 1).tolist(), strict=True)
    return [
        Mention(reading.starts[first], reading.ends[last], _LABELS[label], min(max(score, 0.0), 1.0))
        for (first, last), label, score in zip(spans, labels[firsts].tolist(), means[kept].tolist(), strict=True)
    ]


_LABELS = (Label.PERSON, *Label)  # by half of a tag's index, rounded up; the first is O's, which no mention has
