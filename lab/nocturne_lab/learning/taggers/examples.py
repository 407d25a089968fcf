"""Training examples of the taggers: a feature table, and per token a tag, if it is known, and a teacher's opinion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from deid.detection.annotators import FEATURE_RULES
from deid.detection.taggers.features import AT, FROM_RULES, FROM_TABLES, FeatureTable, feature_table
from deid.detection.taggers.tags import encode
from deid.detection.text.reading import Reading
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.objectives import LEAST_CONFIDENCE, known_tokens

Distribution = NDArray[np.floating]  # probabilities (tokens, tags)


@dataclass(frozen=True, slots=True)
class TokenExample:
    """Feature table of a document, its tags and which of them are known, shape (tokens,).

    `teacher` holds the distributions of another model, shape (tokens, tags); None without one. `agrees`, of the same
    shape, holds which tags agree with a partial annotation, in the place of `tags`.
    """

    id: str
    author: str
    words: tuple[str, ...]
    table: FeatureTable
    tags: NDArray[np.int64]
    known: NDArray[np.bool_]
    teacher: Distribution | None = None
    text: str = ""
    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    agrees: NDArray[np.bool_] | None = None


def token_examples(
    documents: Iterable[GoldDocument],
    describe: str = "reading",
    least: float = LEAST_CONFIDENCE,
    teacher: Mapping[str, Distribution] = MappingProxyType({}),
) -> list[TokenExample]:
    """Return one example per document, in order.

    Args:
        documents: annotated; `score` of a mention is the confidence in it.
        describe: title of the progress bar.
        least: confidence of a mention from which its sentence is learned from.
        teacher: distributions of another model by document id; documents may lack one.
    """
    found = []
    for gold in tqdm(documents, desc=describe, unit=" documents", disable=None):
        reading = Reading(gold.document)
        if reading.starts:
            tags = encode(reading, gold.mentions)
            found.append(
                TokenExample(
                    gold.document.id,
                    gold.author,
                    tuple(reading.words),
                    feature_table(reading, FEATURE_RULES),
                    tags,
                    known_tokens(reading, gold.mentions, least),
                    teacher.get(gold.document.id),
                    reading.text,
                    reading.starts,
                    reading.ends,
                )
            )
    return found


def hidden(example: FeatureTable, random: np.random.Generator, tables: float, rules: float) -> FeatureTable:
    """Return a copy with table and rule features of tokens hidden at these rates.

    A model trained without hidden features relies on the tables too much, and misses names absent from them.
    """
    columns = example.columns.copy()
    for names, rate in ((FROM_TABLES, tables), (FROM_RULES, rules)):
        gone = random.random(len(columns)) < rate
        for name in names:
            columns[gone, AT[name]] = 0
    return FeatureTable(columns, example.kinds, example.kind)
