"""Aggregation of votes: a distribution over the labels for each token, by one of two methods.

`Agreement` trusts each function as merging does and lets independent votes add up (noisy or). `LabelModel` estimates
from the votes alone how often each function is right on each label (Dawid and Skene 1979, by expectation and
maximisation), as the label models of weak supervision do (Ratner et al. 2017).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deid.detection.merging.votes import WEIGHTS
from deid.domain.document import Mention, Vote
from deid.domain.errors import InputRefused
from nocturne_lab.learning.distant.functions import ABSTAINS, LABELS, OUTSIDE, SYMBOLS, LabellingFunction, Votes

Array = NDArray[np.float64]
_SURE = 0.99  # greatest strength of one vote
_SMOOTH = 0.01  # tokens of each label under each symbol before any is seen
_ROUNDS, _STILL = 30, 1e-4
_SILENT = np.where(np.arange(len(LABELS)) == 0, 0.0, -20.0)  # of a token of which no function speaks


class Aggregation(Protocol):
    """Makes one distribution over `LABELS` per token from the votes on it."""

    def distributions(self, votes: Votes) -> Array:
        """Return probabilities (tokens, labels); rows sum to one."""
        ...


class Agreement:
    """Noisy or of the votes for each label, each as strong as its weight in merging times its score."""

    def __init__(self, functions: Sequence[LabellingFunction]) -> None:
        rows = [[0.0, *(WEIGHTS[one.annotator][label] / 100 for label in LABELS if label)] for one in functions]
        self._weights = np.array([*rows, [0.9, *[0.0] * (len(LABELS) - 1)]])

    def distributions(self, votes: Votes) -> Array:
        """Return probabilities (tokens, labels); rows sum to one."""
        doubt = np.ones((len(votes.symbols), len(LABELS)))
        for column, (symbols, weights) in enumerate(zip(votes.symbols.T, self._weights, strict=True)):
            labels = symbols // 2
            at = np.flatnonzero(symbols != ABSTAINS)
            score = np.where(symbols[at] == OUTSIDE, 1.0, votes.strengths[at, column])
            doubt[at, labels[at]] *= 1 - np.minimum(weights[labels[at]] * score, _SURE)
        odds = (1 - doubt) / doubt
        odds[:, 0] = 1 / doubt[:, 0]
        probabilities: Array = odds / odds.sum(axis=1, keepdims=True)
        return probabilities


@dataclass(frozen=True, slots=True)
class LabelModel:
    """Probabilities of the true label given what one function says.

    A function that says nothing of a token tells nothing of it. The others are independent given the label.

    Args:
        truths: shape (functions, symbols, labels); the last axis sums to one.
        shares: of the labels among the tokens of which some function speaks.
    """

    truths: Array
    shares: Array

    @classmethod
    def fit(cls, patterns: Patterns) -> LabelModel:
        """Return the model of the votes on many tokens; half of what it learns from is their first guess."""
        rows, counts, first = patterns.spoken()
        start, guess = _joint(rows, counts * first), first
        for _ in range(_ROUNDS):
            better = cls._maximised(rows, counts * guess, start).infer(rows)
            moved = float((counts * np.abs(better - guess)).sum() / counts.sum())
            guess = better
            if moved < _STILL:
                break
        return cls._maximised(rows, counts * guess, start)

    @classmethod
    def _maximised(cls, rows: NDArray[np.int16], weighted: Array, start: Array) -> LabelModel:
        seen = (_joint(rows, weighted) + start) / 2 + _SMOOTH
        shares = weighted.sum(axis=0) + _SMOOTH
        return cls(seen / seen.sum(axis=2, keepdims=True), shares / shares.sum())

    def infer(self, rows: NDArray[np.int16]) -> Array:
        """Return probabilities (rows, labels) of rows of votes (rows, functions)."""
        spoken = rows != ABSTAINS
        likely = -np.log(self.shares) * (spoken.sum(axis=1) - 1)[:, None]
        for column, symbols in enumerate(rows.T):
            at = spoken[:, column]
            likely[at] += np.log(self.truths[column][symbols[at]])
        likely[~spoken.any(axis=1)] = _SILENT
        likely = np.exp(likely - likely.max(axis=1, keepdims=True))
        posterior: Array = likely / likely.sum(axis=1, keepdims=True)
        return posterior

    def distributions(self, votes: Votes) -> Array:
        """Return probabilities (tokens, labels); rows sum to one."""
        return self.infer(votes.symbols)


def _joint(rows: NDArray[np.int16], weighted: Array) -> Array:
    """Return the weights of the labels under each symbol of each function, shape (functions, symbols, labels)."""
    joint = np.zeros((rows.shape[1], SYMBOLS, len(LABELS)))
    for column, symbols in enumerate(rows.T):
        np.add.at(joint[column], symbols, weighted)
    return joint


class Patterns:
    """Rows of votes of many tokens with the number of tokens and the mean first guess of each.

    Their number is bounded by what functions say together, not by the number of tokens.
    """

    def __init__(self, guess: Aggregation) -> None:
        self._guess = guess
        self._counts: Counter[bytes] = Counter()
        self._sums: dict[bytes, Array] = {}

    def add(self, votes: Votes) -> None:
        """Count the tokens of a document."""
        for row, guess in zip(votes.symbols, self._guess.distributions(votes), strict=True):
            pattern = row.tobytes()
            self._counts[pattern] += 1
            self._sums[pattern] = self._sums.get(pattern, 0.0) + guess

    def spoken(self) -> tuple[NDArray[np.int16], Array, Array]:
        """Return rows, counts (rows, 1) and guesses (rows, labels) of the tokens of which some function speaks.

        Raises:
            InputRefused: no function speaks of any token.
        """
        kept = [one for one in self._counts if any(one)]
        if not kept:
            raise InputRefused("no labelling function finds anything in these documents.", "Are they in French?")
        rows = np.stack([np.frombuffer(one, dtype=np.int16) for one in kept])
        counts = np.array([self._counts[one] for one in kept], dtype=np.float64)[:, None]
        return rows, counts, np.stack([self._sums[one] for one in kept]) / counts


def decide(votes: Votes, probabilities: Array, functions: Sequence[LabellingFunction]) -> list[Mention]:
    """Return the mentions of the likeliest label of each token, each with its mean probability and its votes.

    Two neighbours of one label are two mentions where most of the votes for it begin anew. A line break ends a mention.
    """
    best = probabilities.argmax(axis=1)
    reading, mentions, at = votes.reading, [], 0
    while at < len(best):
        label = LABELS[best[at]]
        if label is None or reading.words[at] == "\n":
            at += 1
            continue
        last = at
        while last + 1 < len(best) and best[last + 1] == best[at] and not _parted(votes, last + 1, int(best[at])):
            last += 1
        score = float(probabilities[at : last + 1, best[at]].mean())
        mentions.append(Mention(reading.starts[at], reading.ends[last], label, min(score, 1.0)))
        at = last + 1
    return [_with_votes(votes, one, functions) for one in mentions]


def _parted(votes: Votes, token: int, label: int) -> bool:
    """Return whether a token of the same label as the one before begins another mention."""
    if votes.reading.words[token] == "\n":
        return True
    agree = votes.symbols[token] // 2 == label
    agree &= votes.symbols[token] > OUTSIDE
    strengths = votes.strengths[token]
    return bool(strengths[agree & votes.opens[token]].sum() > strengths[agree & ~votes.opens[token]].sum())


def _with_votes(votes: Votes, mention: Mention, functions: Sequence[LabellingFunction]) -> Mention:
    """Return the mention with one vote of each annotator and label, its strongest on the mention."""
    tokens = votes.reading.tokens(mention)
    found: dict[tuple[str, str], Vote] = {}
    for column, function in enumerate(functions):
        for at in tokens:
            label, score = LABELS[votes.symbols[at, column] // 2], float(votes.strengths[at, column])
            if label is None:
                continue
            own = Vote(function.annotator, label, score)
            old = found.get((function.annotator, label))
            if old is None or old.score < own.score:
                found[function.annotator, label] = own
    return replace(mention, votes=tuple(sorted(found.values())))
