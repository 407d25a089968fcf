"""Search for annotation errors: annotations contradicted by a tagger trained without the document.

Doubts are ranked by the confidence of held-out predictions, as in confident learning (Northcutt et al. 2021, section
3), by kinds of errors typical of annotators of names. Records hold no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from deid.detection.taggers.tags import LABELS, OUTSIDE, TAGS, decode
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import CIVILITIES, DOCTOR_TITLES
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.folding import fold
from nocturne_lab.evaluation.corpus import GoldDocument

SURE = 0.95
_WORD = re.compile(r"\w+")
_CIVIL = CIVILITIES | DOCTOR_TITLES


class DifferenceKind(StrEnum):
    """Kinds of difference between an annotation and a prediction."""

    NOTHING_THERE = "nothing there"  # annotated, but O with high probability
    UNMARKED = "unmarked"  # not annotated, but predicted with high probability
    OTHER_LABEL = "other label"
    OTHER_EDGES = "other edges"  # by a civility or punctuation only


@dataclass(frozen=True, slots=True)
class Doubt:
    """Doubtful annotation at `[start, end)`, the offsets of the annotation, else of the prediction.

    `probability`, in [0, 1], is that of the tagger's prediction.
    """

    document: str
    start: int
    end: int
    kind: DifferenceKind
    gold: Label | None
    predicted: Label | None
    probability: float


def doubts(
    documents: Sequence[GoldDocument], distributions: Sequence[NDArray[np.float32]], sure: float = SURE
) -> list[Doubt]:
    """Return the doubtful annotations of documents, by decreasing probability of the prediction.

    Args:
        documents: annotated documents.
        distributions: per document, the probabilities of `deid.detection.taggers.tags.TAGS` for each token,
            shape (tokens, 39), from taggers trained without the document.
        sure: least probability, in [0, 1], of a prediction that contradicts the annotation.

    Raises:
        ValueError: there are not as many distributions as documents, or the shape of one does not fit its document.
    """
    found = [
        doubt
        for gold, distribution in zip(documents, distributions, strict=True)
        for doubt in _doubts(gold, distribution, sure)
    ]
    return sorted(found, key=lambda one: (-one.probability, one.document, one.start, one.end, one.kind))


def _doubts(gold: GoldDocument, distribution: NDArray[np.float32], sure: float) -> Iterator[Doubt]:
    reading = Reading(gold.document)
    if distribution.shape != (len(reading.starts), len(TAGS)):
        raise ValueError(f"document {gold.document.id}: the distribution does not have one row of 39 per token")
    yield from _nothing_there(gold, reading, distribution, sure)
    predicted = [mention for mention in _predicted(reading, distribution) if mention.score >= sure]
    for mention in predicted:
        met = [one for one in gold.mentions if one.overlaps(mention)]
        if not met:
            yield _doubt(gold, mention, DifferenceKind.UNMARKED, None, mention)
        elif len(met) == 1 and sum(other.overlaps(met[0]) for other in predicted) == 1:
            kind = _difference(gold.document.text, met[0], mention)
            if kind is not None:
                yield _doubt(gold, met[0], kind, met[0].label, mention)


def _nothing_there(
    gold: GoldDocument, reading: Reading, distribution: NDArray[np.float32], sure: float
) -> Iterator[Doubt]:
    for mention in gold.mentions:
        tokens = slice(reading.token_at(mention.start), reading.token_at(mention.end - 1) + 1)
        outside = distribution[tokens, OUTSIDE]
        if outside.size and (least := float(outside.min())) >= sure:
            yield Doubt(
                gold.document.id,
                mention.start,
                mention.end,
                DifferenceKind.NOTHING_THERE,
                mention.label,
                None,
                min(least, 1.0),
            )


def _predicted(reading: Reading, distribution: NDArray[np.float32]) -> list[Mention]:
    """Return the mentions of the most probable label of each token; a mention's score is the mean over its tokens."""
    if not len(distribution):
        return []
    path = distribution.argmax(axis=1)
    # The probability of a label is the sum of its B- and I- tags.
    labels = (None, *Label)
    column = {label: number for number, label in enumerate(labels)}
    member = np.array([[LABELS[tag] is label for label in labels] for tag in range(len(TAGS))], dtype=np.float32)
    of_label = distribution @ member
    scores = [float(of_label[token, column[LABELS[tag]]]) for token, tag in enumerate(path)]
    return decode(reading, [int(tag) for tag in path], scores)


def _difference(text: str, gold: Mention, predicted: Mention) -> DifferenceKind | None:
    if gold.label is not predicted.label:
        return DifferenceKind.OTHER_LABEL
    edges = [sorted((gold.start, predicted.start)), sorted((gold.end, predicted.end))]
    apart = [text[low:high] for low, high in edges if low < high]
    if apart and all(word in _CIVIL for part in apart for word in _WORD.findall(fold(part))):
        return DifferenceKind.OTHER_EDGES
    return None


def _doubt(gold: GoldDocument, at: Mention, kind: DifferenceKind, label: Label | None, predicted: Mention) -> Doubt:
    return Doubt(gold.document.id, at.start, at.end, kind, label, predicted.label, predicted.score)
