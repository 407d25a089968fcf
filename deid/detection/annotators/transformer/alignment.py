"""From sub-words, which are the tokenizer's, to tokens, which are the reading's.

A token takes what the model says of the first sub-word that touches it, as models are trained (Devlin et al. 2019,
section 5.3): later sub-words were never taught a tag.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deid.detection.annotators.transformer.windows import Window
from deid.detection.taggers.tags import INDEX, OUTSIDE

Rows = NDArray[np.float32]
_BEGIN = slice(1, None, 2)
_INSIDE = slice(2, None, 2)


class Alignment:
    """Gives each token of one document its sub-word, window after window."""

    def __init__(self, starts: Sequence[int], ends: Sequence[int]) -> None:
        self._starts = np.asarray(starts, dtype=np.int64)
        self._ends = np.asarray(ends, dtype=np.int64)
        self._next = 0  # tokens before it have been given one

    def take(self, window: Window) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """`(tokens, positions, shared)` of the tokens that `window` answers for, each shape (tokens,).

        `positions` index the window's sub-words. `shared` says that the token before has the same sub-word ("M."
        is one for some tokenizers). Windows must come in the document's order; a token without any sub-word, because
        the tokenizer drops it, is in no answer.
        """
        own = window.subwords[window.first : window.last]
        low = np.searchsorted(self._ends, own.starts, side="right")
        high = np.searchsorted(self._starts, own.ends, side="left") - 1
        touching = low <= high
        if not touching.any():
            nothing = np.empty(0, dtype=np.int64)
            return nothing, nothing, np.empty(0, dtype=bool)
        reach = np.maximum.accumulate(np.where(touching, high, -1))
        tokens = np.arange(max(self._next, int(low[touching].min())), int(reach[-1]) + 1)
        at = np.searchsorted(reach, tokens, side="left")
        covered = low[at] <= tokens
        tokens, at = tokens[covered], at[covered]
        if len(tokens):
            self._next = int(tokens[-1]) + 1
        shared = np.zeros(len(tokens), dtype=bool)
        shared[1:] = (np.diff(at) == 0) & (np.diff(tokens) == 1)
        return tokens, at + window.first, shared


def complete(rows: Rows, breaks: NDArray[np.bool_], known: NDArray[np.bool_], shared: NDArray[np.bool_]) -> None:
    """Make every row a distribution that the tags allow; in place.

    - A line break that the tokenizer dropped is outside: no mention holds one. So what a model continues across a
      line begins there, or the tag would not be allowed and the mention lost.
    - Another dropped token (a control character) is inside a mention as much as both its neighbours are in one.
    - A token that shares its sub-word with the token before continues what that one began.

    Args:
        rows: (tokens, tags), those of tokens not `known` yet to be written.
        breaks: whether each token is a line break, shape (tokens,).
        known, shared: shape (tokens,).
    """
    if not len(rows):
        return
    rows[~known & breaks] = _OUTSIDE_ROW
    _bridge(rows, known | breaks)
    continued = shared & known
    rows[continued, _INSIDE] += rows[continued, _BEGIN]
    rows[continued, _BEGIN] = 0
    opening = np.concatenate(([True], breaks[:-1]))
    rows[opening, _BEGIN] += rows[opening, _INSIDE]
    rows[opening, _INSIDE] = 0
    rows /= rows.sum(axis=1, keepdims=True)


def _bridge(rows: Rows, known: NDArray[np.bool_]) -> None:
    missing = np.flatnonzero(~known)
    if not len(missing):
        return
    at = np.flatnonzero(known)
    after = np.searchsorted(at, missing)
    inner = (after > 0) & (after < len(at))
    rows[missing] = _OUTSIDE_ROW
    missing, before, after = missing[inner], at[after[inner] - 1], at[after[inner]]
    continued = np.minimum(rows[before, _BEGIN] + rows[before, _INSIDE], rows[after, _INSIDE])
    rows[missing, _INSIDE] = continued
    rows[missing, OUTSIDE] = 1 - continued.sum(axis=1)


def place(rows: Rows, labels: NDArray[np.int64]) -> None:
    """Part what was said without a place (all in I-) between B- and I-: a mention begins where none was before.

    In place. `labels` are positions of labels in the scheme. Sang and De Meulder 2003 call such tags IO.
    """
    for label in labels:
        begin, inside = 1 + 2 * label, 2 + 2 * label
        mass = rows[:, begin] + rows[:, inside]
        before = np.concatenate(([0.0], mass[:-1])).astype(rows.dtype)
        rows[:, inside] = mass * before
        rows[:, begin] = mass - rows[:, inside]


_OUTSIDE_ROW = np.eye(1, len(INDEX), OUTSIDE, dtype=np.float32)[0]
