"""Training examples of transformers: windows of sub-words with their tags."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from deid.detection.annotators.transformer.subwords import Alignment, plan_windows, special_subwords, tokenize
from deid.detection.reading import Reading
from deid.detection.taggers.tags import encode
from deid.evaluation.corpus import GoldDocument
from deid.learning.transformer.pretraining_data import IGNORED


@dataclass(frozen=True, slots=True)
class WindowExample:
    """Window of sub-words, special ones included, with one tag index each; `IGNORED` inside a token."""

    ids: NDArray[np.int64]
    tags: NDArray[np.int64]


def window_examples(tokenizer: Tokenizer, documents: Iterable[GoldDocument], length: int) -> Iterator[WindowExample]:
    """Return the windows of documents, aligned as at inference; each token is scored in one window.

    Args:
        length: sub-words of a window, special ones included.
    """
    before, after = special_subwords(tokenizer)
    size = length - len(before) - len(after)
    for gold in documents:
        reading = Reading(gold.document)
        wanted = encode(reading, gold.mentions)
        alignment = Alignment(reading.starts, reading.ends)
        parts = tokenize(tokenizer, reading.text)
        for window in plan_windows(reading.text, parts, size, size // 4):
            tokens, positions, shared = alignment.take(window)
            if len(tokens):
                ids = np.concatenate((before, window.subwords.ids, after)).astype(np.int64)
                tags = np.full(len(ids), IGNORED, dtype=np.int64)
                tags[positions[~shared] + len(before)] = wanted[tokens[~shared]]
                yield WindowExample(ids, tags)


def split(documents: Sequence[GoldDocument], share: float, seed: int) -> tuple[list[GoldDocument], list[GoldDocument]]:
    """Return `(training, held out)`: whole authors are held out up to a share of at least `share` of the documents.

    Documents of one author resemble each other, so that a split by document would overestimate the scores. With a
    single author, documents are held out instead.
    """
    if not share:
        return list(documents), []
    by_author = len({gold.author for gold in documents}) > 1
    groups: dict[str, list[GoldDocument]] = {}
    for gold in documents:
        groups.setdefault(gold.author if by_author else gold.document.id, []).append(gold)
    names = sorted(groups)
    random.Random(seed).shuffle(names)  # noqa: S311
    held: set[str] = set()
    while sum(len(groups[name]) for name in held) < share * len(documents) and len(names) > 1:
        held.add(names.pop())
    # In the given order: the measures must not depend on the order of the draws.
    out = {gold.document.id for name in held for gold in groups[name]}
    return [one for one in documents if one.document.id not in out], [
        one for one in documents if one.document.id in out
    ]
