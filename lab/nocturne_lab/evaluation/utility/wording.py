"""Wording of published texts beside their originals: perplexity, and a classifier of originals against published.

Both learn from the documents of other patients, in folds. The encoder that ships gives no perplexity: it was trained on
to tags, and has no output over words. The language model is therefore one of triples of its sub-words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression

from deid.detection.annotators.transformer import SHIPPED
from deid.detection.annotators.transformer.model_directory import load_tokenizer
from deid.domain.document import Mention
from deid.domain.labels import TEMPORAL
from deid.formats.source import replaced
from deid.french.folding import words
from deid.models import FOLDER
from nocturne_lab.evaluation.utility.facts import Pair

Wording = tuple[list[str], list[str]]  # original and published texts
_ORDER = 3
_FEATURES = 1 << 18
_REGULARISATION = 10.0


def whole(pairs: Sequence[Pair]) -> Wording:
    """Return the original and the published texts."""
    return [one.document.text for one in pairs], [one.published.text for one in pairs]


def without_shared(pairs: Sequence[Pair], patients: Sequence[str], *, dates: bool = True) -> Wording:
    """Return the texts with labels for the identifiers that originals of several patients share, in both texts.

    The hospital, its staff and its town stand in the originals of all patients, so that whoever has seen some knows
    the others by them, however natural surrogates are. An identifier is shared if one of its words is; dates and ages
    are left out only if `dates` is False: documents of one season are told from those moved out of it.
    """
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for (document, published), patient in zip(pairs, patients, strict=True):
        for one in published.surrogates:
            for word in _telling(document.text, one.mention):
                owners[word].add(patient)
    originals, others = [], []
    for document, published in pairs:
        shared = [
            (one.mention, span)
            for one, span in zip(published.surrogates, published.spans, strict=True)
            if (one.mention.label in TEMPORAL and not dates)
            or any(len(owners[word]) > 1 for word in _telling(document.text, one.mention))
        ]
        originals.append(replaced(document.text, ((one.start, one.end, f"[{one.label}]") for one, _ in shared)))
        others.append(replaced(published.text, ((*span, f"[{one.label}]") for one, span in shared)))
    return originals, others


def _telling(text: str, mention: Mention) -> Iterator[str]:
    if mention.label not in TEMPORAL:
        yield from (word for word in words(text[mention.start : mention.end]) if len(word) > 1)


class Trigrams:
    """Model of sequences of sub-words: triples, interpolated with pairs and single ones (Witten and Bell 1991)."""

    def __init__(self, sequences: Iterable[Sequence[int]], size: int) -> None:
        self._size = size
        self._counts: Counter[tuple[int, ...]] = Counter()
        for sequence in sequences:
            for before, own in _in_context(sequence):
                self._counts.update((*before[at:], own) for at in range(_ORDER))
        self._after: defaultdict[tuple[int, ...], list[int]] = defaultdict(lambda: [0, 0])
        for known, times in self._counts.items():
            after = self._after[known[:-1]]
            after[0] += times
            after[1] += 1

    def surprise(self, sequence: Sequence[int]) -> float:
        """Return the negative log-likelihood of a sequence, in nats."""
        return -sum(log(self._probability(before, own)) for before, own in _in_context(sequence))

    def _probability(self, before: tuple[int, ...], own: int) -> float:
        found = 1 / self._size
        for at in range(_ORDER - 1, -1, -1):
            context = before[at:]
            if context not in self._after:
                break
            times, kinds = self._after[context]
            found = (self._counts.get((*context, own), 0) + kinds * found) / (times + kinds)
        return found


def _in_context(sequence: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield (the two previous sub-words, sub-word) for each, with -1 before the first."""
    padded = (*[-1] * (_ORDER - 1), *sequence)
    for at, own in enumerate(sequence):
        yield padded[at : at + _ORDER - 1], own


def surprises(texts: Wording, fold: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the negative log-likelihoods, in nats, and the numbers of sub-words: shape (documents, 2) each.

    The first column is of original texts, the second of published ones. A model learns from the originals of the other
    folds.
    """
    tokenizer = load_tokenizer(FOLDER / SHIPPED, SHIPPED)
    ids = [[one.ids for one in tokenizer.encode_batch(some, add_special_tokens=False)] for some in texts]
    found = np.zeros((len(fold), 2))
    for number in np.unique(fold):
        model = Trigrams((ids[0][at] for at in np.flatnonzero(fold != number)), tokenizer.get_vocab_size())
        for at in np.flatnonzero(fold == number):
            found[at] = [model.surprise(some[at]) for some in ids]
    return found, np.array([[len(one) for one in some] for some in ids], dtype=np.float64).T


def told_apart(texts: Wording, fold: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how many of the two texts of each document are told rightly, 0 to 2, by a classifier of the other folds.

    TF-IDF of words, pairs of words and 2 to 4 characters within words, and a logistic regression.
    """
    both = [*texts[0], *texts[1]]
    counted = [_counted(both, "word", (1, 2)), _counted(both, "char_wb", (2, 4))]
    kind = np.repeat([0, 1], len(fold))
    folds = np.tile(fold, 2)
    right = np.zeros(len(both))
    for number in np.unique(fold):
        test = folds == number
        weights = [TfidfTransformer(sublinear_tf=True).fit(some[~test]) for some in counted]
        features = hstack([one.transform(some) for one, some in zip(weights, counted, strict=True)]).tocsr()
        model = LogisticRegression(C=_REGULARISATION, solver="liblinear", random_state=0)
        right[test] = model.fit(features[~test], kind[~test]).predict(features[test]) == kind[test]
    of_document: NDArray[np.float64] = right.reshape(2, -1).sum(axis=0)
    return of_document


def _counted(texts: Sequence[str], analyzer: str, lengths: tuple[int, int]) -> csr_matrix:
    counter = HashingVectorizer(
        analyzer=analyzer, ngram_range=lengths, n_features=_FEATURES, norm=None, alternate_sign=False, lowercase=False
    )
    return counter.transform(texts)
