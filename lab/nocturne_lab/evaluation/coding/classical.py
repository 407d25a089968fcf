"""Classical coder: TF-IDF of words and pairs of words, one logistic regression per class; needs no GPU."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

from nocturne_lab.evaluation.coding.scores import Matrix

# Words and numbers; a tag such as [DATE] and a marker such as <CRH> are words.
_TOKENS = r"(?u)[<\[]?\b\w[\w'’-]*\b"
_FEWEST = 2  # stays of a class that is learned


class ClassicalCoder:
    """Coder of stays; `regularisation` is the C of the regressions."""

    name = "tf-idf"

    def __init__(self, regularisation: float = 30.0) -> None:
        self._words = _vectorizer()
        self._regularisation = regularisation
        self._models: list[LogisticRegression | None] = []
        self._shares: NDArray[np.float64] = np.zeros(0)

    def fit(self, texts: Sequence[str], gold: Matrix) -> ClassicalCoder:
        """Learn from the texts of stays and their classes; a class of fewer than two stays keeps its share.

        Texts without a word that tells them apart teach the shares alone.
        """
        self._shares = gold.mean(axis=0)
        self._models = []
        try:
            features = self._words.fit_transform(texts)
        except ValueError:  # no word is in some texts and not in most
            return self
        for column in tqdm(gold.T, desc="classes", disable=None, leave=False):
            if not _FEWEST <= column.sum() < len(column):
                self._models.append(None)
                continue
            model = LogisticRegression(C=self._regularisation, solver="liblinear", random_state=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                self._models.append(model.fit(features, column))
        return self

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability of each class, shape (stays, classes)."""
        found = np.tile(self._shares, (len(texts), 1))
        if not self._models:
            return found
        features = self._words.transform(texts)
        for index, model in enumerate(self._models):
            if model is not None:
                found[:, index] = model.predict_proba(features)[:, 1]
        return found


def vocabulary(texts: Sequence[str]) -> int:
    """Return the number of words and pairs of words that the coder learns from texts."""
    return len(_vectorizer().fit(texts).vocabulary_)


def _vectorizer() -> TfidfVectorizer:
    return TfidfVectorizer(
        ngram_range=(1, 2), min_df=2, max_df=0.6, sublinear_tf=True, token_pattern=_TOKENS, dtype=np.float64
    )


def best_threshold(gold: Matrix, scores: NDArray[np.float64]) -> float:
    """Return the threshold of a grid from 0.02 to 0.8 with the best micro F1."""
    grid = np.geomspace(0.02, 0.8, 40)
    told = gold.sum()
    f1s = [2 * (gold & (scores >= value)).sum() / max(1, (scores >= value).sum() + told) for value in grid]
    return float(grid[int(np.argmax(f1s))])
