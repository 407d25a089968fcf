"""Scores of coders against the codes of stays, and paired intervals of differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nocturne_lab.evaluation.intervals import Interval, drawn_interval

Matrix = NDArray[np.bool_]  # shape (stays, classes)


@dataclass(frozen=True, slots=True)
class Prf:
    """Precision, recall and F1, in 0..1; a share of nothing is 0."""

    precision: float
    recall: float
    f1: float


def micro(gold: Matrix, found: Matrix) -> Prf:
    """Return scores over all pairs of stay and class."""
    return _prf(float((gold & found).sum()), float(found.sum()), float(gold.sum()))


def macro(gold: Matrix, found: Matrix) -> Prf:
    """Return the mean of the scores of classes that occur in `gold`."""
    told = gold.any(axis=0)
    right = (gold & found).sum(axis=0)[told]
    each = [
        _prf(float(r), float(f), float(g))
        for r, f, g in zip(right, found.sum(axis=0)[told], gold.sum(axis=0)[told], strict=True)
    ]
    if not each:
        return Prf(0.0, 0.0, 0.0)
    return Prf(*(float(np.mean([getattr(one, name) for one in each])) for name in ("precision", "recall", "f1")))


def precision_at(gold: Matrix, scores: NDArray[np.float64], k: int) -> float:
    """Return the mean share of right classes among the k best of a stay (P@k)."""
    best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return float(np.take_along_axis(gold, best, axis=1).mean())


def jaccard(one: Matrix, other: Matrix) -> NDArray[np.float64]:
    """Return |A ∩ B| / |A ∪ B| of each stay, shape (stays,); 1 where both are empty (Tchouka et al. 2022, figure 8)."""
    union = (one | other).sum(axis=1)
    return np.where(union, (one & other).sum(axis=1) / np.maximum(union, 1), 1.0)


def micro_f1(gold: Matrix, found: Matrix, weights: NDArray[np.float64]) -> Interval:
    """Return the micro F1 with its interval; `weights` is what `intervals.resampled` gives."""
    return Interval(micro(gold, found).f1, *drawn_interval(_f1s(gold, found, weights)))


def mean(values: NDArray[np.float64], weights: NDArray[np.float64]) -> Interval:
    """Return the mean over stays of values of shape (stays,), with its interval."""
    return Interval(float(values.mean()), *drawn_interval(weights @ values / np.maximum(weights.sum(axis=1), 1e-12)))


def alpha(one: Matrix, other: Matrix, weights: NDArray[np.float64]) -> Interval | None:
    """Return Krippendorff's α of two coders' sets with 1 - Jaccard as distance; None if all sets are equal.

    Passonneau 2006, Measuring agreement on set-valued items, LREC. Observed distances are drawn again and the expected
    one is that of all stays: a stay drawn twice would be nearer to itself than stays are to each other.
    """
    sets = np.vstack((one, other)).astype(np.float64)
    shared, sizes = sets @ sets.T, sets.sum(axis=1)
    union = sizes[:, None] + sizes - shared
    apart = np.where(union > 0, 1 - shared / np.maximum(union, 1), 0.0)
    if not apart.any():
        return None
    observed = mean(np.diagonal(apart, offset=len(one)), weights)
    expected = apart.sum() / (len(sets) * (len(sets) - 1))
    return Interval(*(float(1 - part / expected) for part in (observed.value, observed.high, observed.low)))


def loss(gold: Matrix, before: Matrix, after: Matrix, weights: NDArray[np.float64]) -> Interval:
    """Return the micro F1 of `before` − micro F1 of `after`, paired by stay, with its interval."""
    value = micro(gold, before).f1 - micro(gold, after).f1
    return Interval(value, *drawn_interval(_f1s(gold, before, weights) - _f1s(gold, after, weights)))


def _f1s(gold: Matrix, found: Matrix, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    right, marked, told = ((part).sum(axis=1).astype(np.float64) for part in (gold & found, found, gold))
    f1s: NDArray[np.float64] = 2 * (weights @ right) / np.maximum(weights @ (marked + told), 1e-12)
    return f1s


def _prf(right: float, found: float, gold: float) -> Prf:
    precision, recall = right / found if found else 0.0, right / gold if gold else 0.0
    return Prf(precision, recall, 2 * right / (found + gold) if found + gold else 0.0)


def encoded(codes: Sequence[frozenset[str]], classes: Sequence[str]) -> Matrix:
    """Return which stay has which class, shape (stays, classes); classes that are not listed are left out."""
    at = {name: index for index, name in enumerate(classes)}
    found = np.zeros((len(codes), len(classes)), dtype=np.bool_)
    for row, own in enumerate(codes):
        for name in own & at.keys():
            found[row, at[name]] = True
    return found
