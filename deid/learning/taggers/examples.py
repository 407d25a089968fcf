"""Training examples of the taggers: a feature table and one tag per token."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from deid.detection.annotators import FEATURE_RULES
from deid.detection.reading import Reading
from deid.detection.taggers.features import AT, FROM_RULES, FROM_TABLES, FeatureTable, feature_table
from deid.detection.taggers.tags import encode
from deid.evaluation.corpus import GoldDocument


@dataclass(frozen=True, slots=True)
class TokenExample:
    """Feature table of a document and its tags, shape (tokens,)."""

    id: str
    author: str
    words: tuple[str, ...]
    table: FeatureTable
    tags: NDArray[np.int64]


def token_examples(documents: Iterable[GoldDocument], describe: str = "reading") -> list[TokenExample]:
    """Return one example per document, in order."""
    found = []
    for gold in tqdm(documents, desc=describe, unit=" documents", disable=None):
        reading = Reading(gold.document)
        if reading.starts:
            tags = encode(reading, gold.mentions)
            found.append(
                TokenExample(
                    gold.document.id, gold.author, tuple(reading.words), feature_table(reading, FEATURE_RULES), tags
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
