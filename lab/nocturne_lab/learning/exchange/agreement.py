"""Agreement of annotators, as El Azzouzi et al. 2024 report it: κ over tokens, per pair, label and type of document.

Every token of a text is one item, its label or none the category. Fleiss's κ over all annotators takes items with
different numbers of ratings; Cohen's κ is that of two. Intervals are percentiles of a bootstrap over documents, which
are the independent units: tokens of one document are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.intervals import RESAMPLES, drawn_interval, resampled
from nocturne_lab.evaluation.scoring import labelled_tokens, tokenise

_CATEGORIES = (None, *Label)
_NUMBER = {label: number for number, label in enumerate(_CATEGORIES)}
Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Kappa:
    """κ with its interval of 95 %; all None where nobody used the label, or all gave every token the same."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement over documents that two or more people annotated; pairs are in alphabetical order."""

    documents: int
    tokens: int
    annotators: tuple[str, ...]
    overall: Kappa
    pairs: Mapping[tuple[str, str], Kappa]
    labels: Mapping[Label, Kappa]
    types: Mapping[str, Kappa]
    pairs_by_label: Mapping[Label, Mapping[tuple[str, str], Kappa]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Rated:
    """A document's ratings: (annotators, tokens) of numbers of categories, by the annotators' names."""

    type: str
    annotators: tuple[str, ...]
    ratings: NDArray[np.intp]


def measure_agreement(documents: Iterable[GoldDocument], seed: int = 2026, resamples: int = RESAMPLES) -> Agreement:
    """Return the agreement over the documents that two or more annotators have; the others do not count.

    Args:
        documents: one entry per document and annotator.
        seed: of the bootstrap.
        resamples: of the bootstrap.

    Raises:
        InputRefused: no document has two annotators, or a document has two texts.
    """
    rated = _rated(documents)
    if not rated:
        raise InputRefused("no document has two annotators.", "Give the files of both.")
    names = sorted({name for one in rated for name in one.annotators})
    pairs = {pair: both for pair in combinations(names, 2) if (both := [one for one in rated if _both(one, pair)])}
    used = sorted({int(number) for one in rated for number in np.unique(one.ratings)} - {0})
    labels = [label for label in Label if _NUMBER[label] in used]
    types = sorted({one.type for one in rated})

    def kappa(some: Sequence[_Rated], label: Label | None = None, pair: tuple[str, str] | None = None) -> Kappa:
        sums = np.array([_fleiss_sums(one, label) if pair is None else _cohen_sums(one, label, pair) for one in some])
        return _with_interval(sums, _fleiss if pair is None else _cohen, seed, resamples)

    return Agreement(
        len(rated),
        sum(one.ratings.shape[1] for one in rated),
        tuple(names),
        kappa(rated),
        {pair: kappa(both, pair=pair) for pair, both in pairs.items()},
        {label: kappa(rated, label) for label in labels},
        {kind: kappa([one for one in rated if one.type == kind]) for kind in types},
        {label: {pair: kappa(both, label, pair) for pair, both in pairs.items()} for label in labels},
    )


def _rated(documents: Iterable[GoldDocument]) -> list[_Rated]:
    together: dict[str, dict[str, GoldDocument]] = {}
    for one in documents:
        together.setdefault(one.document.id, {})[one.annotator] = one
    rated = []
    for name, by_annotator in sorted(together.items()):
        first = next(iter(by_annotator.values())).document
        if any(one.document.text != first.text for one in by_annotator.values()):
            raise InputRefused(f"document {name} has two texts.", "Import both files with --documents.")
        if len(by_annotator) < 2:
            continue
        tokens = tokenise(first.text)
        ratings = np.zeros((len(by_annotator), len(tokens)), dtype=np.intp)
        for row, annotator in enumerate(sorted(by_annotator)):
            for token, label in labelled_tokens(tokens, by_annotator[annotator].mentions).items():
                ratings[row, token] = _NUMBER[label]
        rated.append(_Rated(first.type or "", tuple(sorted(by_annotator)), ratings))
    return rated


def _both(one: _Rated, pair: tuple[str, str]) -> bool:
    return set(pair) <= set(one.annotators)


def _seen(ratings: NDArray[np.intp], label: Label | None) -> tuple[NDArray[np.intp], int]:
    """Return ratings and the number of categories: all, or a label against the rest."""
    return (ratings, len(_CATEGORIES)) if label is None else ((ratings == _NUMBER[label]).astype(np.intp), 2)


def _fleiss_sums(one: _Rated, label: Label | None) -> Counts:
    """Return what κ is made of, summed over a document's tokens: tokens, agreement, ratings of each category."""
    ratings, categories = _seen(one.ratings, label)
    raters = len(ratings)
    counts = np.stack([(ratings == category).sum(axis=0) for category in range(categories)])
    agreeing = (counts * (counts - 1)).sum() / (raters * (raters - 1))
    return np.array([ratings.shape[1], agreeing, *counts.sum(axis=1)], dtype=np.float64)


def _fleiss(sums: Counts) -> Counts:
    """Return Fleiss's κ (1971) of each row of sums; not a number where chance alone agrees on everything."""
    chance = ((sums[:, 2:] / sums[:, 2:].sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return _above_chance(sums[:, 1] / sums[:, 0], chance)


def _cohen_sums(one: _Rated, label: Label | None, pair: tuple[str, str]) -> Counts:
    """Return tokens, agreement, and the ratings of each category by one and the other, of a document."""
    ratings, categories = _seen(one.ratings[[one.annotators.index(name) for name in pair]], label)
    first, second = (np.bincount(row, minlength=categories) for row in ratings)
    return np.array([ratings.shape[1], (ratings[0] == ratings[1]).sum(), *first, *second], dtype=np.float64)


def _cohen(sums: Counts) -> Counts:
    """Return Cohen's κ (1960) of each row of sums; not a number where chance alone agrees on everything."""
    categories = (sums.shape[1] - 2) // 2
    both = sums[:, 2 : 2 + categories] * sums[:, 2 + categories :]
    return _above_chance(sums[:, 1] / sums[:, 0], both.sum(axis=1) / sums[:, 0] ** 2)


def _above_chance(observed: Counts, chance: Counts) -> Counts:
    certain = np.isclose(chance, 1)
    return np.where(certain, np.nan, (observed - chance) / np.where(certain, 1, 1 - chance))


def _with_interval(sums: Counts, kappa: Callable[[Counts], Counts], seed: int, resamples: int) -> Kappa:
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(kappa(sums.sum(axis=0, keepdims=True))[0])
        if np.isnan(value):
            return Kappa(None)
        drawn = kappa(resampled(len(sums), seed, resamples) @ sums)
    known = drawn[~np.isnan(drawn)]
    return Kappa(value, *(drawn_interval(known) if len(known) else (value, value)))
