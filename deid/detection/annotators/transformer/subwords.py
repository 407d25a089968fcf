"""Texts as sub-words of a tokenizer: windows that a model can take, the sub-word of each token, batches of windows.

Sub-words are the tokenizer's, tokens are the reading's. A token takes the distribution of the first sub-word that
touches it, as models are trained (Devlin et al. 2019, section 5.3): later sub-words were never taught a tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from deid.detection.taggers.tags import INDEX, OUTSIDE

Distributions = NDArray[np.float32]

# Characters given to the tokenizer in one part: nearly every document is one. Encodings of 10 MB take a gigabyte.
BLOCK = 1 << 15
_STEP = 16  # lengths are padded to a multiple: few shapes for the GPU's kernels, and aligned rows
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*\Z")
_SENTENCE = re.compile(r"[.!?;:…](?:\s?[\"»”)\]])*\s+\Z")
_LOOK_BEHIND = 16  # characters read before a position to see what ends there
_BEGIN = slice(1, None, 2)
_INSIDE = slice(2, None, 2)
_OUTSIDE_ROW = np.eye(1, len(INDEX), OUTSIDE, dtype=np.float32)[0]


@dataclass(frozen=True, slots=True)
class Subwords:
    """Sub-words in the text's order: `ids`, and the `[starts, ends)` of each, in code points of the text."""

    ids: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, part: slice) -> Subwords:
        return Subwords(self.ids[part], self.starts[part], self.ends[part])

    def __add__(self, other: Subwords) -> Subwords:
        return Subwords(
            np.concatenate((self.ids, other.ids)),
            np.concatenate((self.starts, other.starts)),
            np.concatenate((self.ends, other.ends)),
        )


# Tokenizing


def tokenize(tokenizer: Tokenizer, text: str) -> Iterator[Subwords]:
    """Yield the sub-words of `text`, part by part, without special ones; offsets into `text`."""
    for start, end in cut_blocks(text, BLOCK):
        yield _from_encoding(tokenizer.encode(_encodable(text[start:end]), add_special_tokens=False), start)


def tokenize_all(tokenizer: Tokenizer, texts: Sequence[str]) -> Iterator[Iterator[Subwords]]:
    """Yield `tokenize` of each text; short texts are tokenized in one call, on the threads of the library."""
    short = [text for text in texts if len(text) <= BLOCK]
    encoded = iter(tokenizer.encode_batch([_encodable(text) for text in short], add_special_tokens=False))
    for text in texts:
        yield iter((_from_encoding(next(encoded), 0),)) if len(text) <= BLOCK else tokenize(tokenizer, text)


def special_subwords(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """Return the ids of the special sub-words that the model expects before and after a text."""
    bare = tokenizer.encode("a", add_special_tokens=False).ids
    framed = tokenizer.encode("a", add_special_tokens=True).ids
    if len(framed) == len(bare):
        return [], []
    at = next(at for at in range(len(framed)) if framed[at : at + len(bare)] == bare)
    return framed[:at], framed[at + len(bare) :]


def _encodable(text: str) -> str:
    """Replace halves of surrogate pairs, which the library refuses, one for one: offsets stay true."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def _from_encoding(encoding: Encoding, shift: int) -> Subwords:
    # Twice as fast as an array of pairs.
    flat = np.fromiter(chain.from_iterable(encoding.offsets), dtype=np.int64, count=2 * len(encoding))
    offsets = flat.reshape(-1, 2)
    # A sub-word of no character (the mark that some tokenizers put before a text) touches nothing.
    starts = np.maximum.accumulate(offsets[:, 0])
    ends = np.where(offsets[:, 1] > offsets[:, 0], offsets[:, 1], starts)
    return Subwords(np.asarray(encoding.ids, dtype=np.int64), starts + shift, ends + shift)


# Windows


@dataclass(frozen=True, slots=True)
class Window:
    """Sub-words that the model sees together; only its output for `[first, last)` among them is used.

    The other sub-words are context: the neighbouring window, with more context around them, gives their output.
    """

    subwords: Subwords
    first: int
    last: int


def cut_rank(text: str, position: int) -> int:
    """Rank `position` as a place to cut: 4 after a blank line, 3 a line, 2 a sentence, 1 a word, 0 inside a word."""
    before = text[max(0, position - _LOOK_BEHIND) : position]
    if position < len(text) and text[position].isspace():
        # Some tokenizers count a blank as the beginning of the next word.
        after = text[position : position + _LOOK_BEHIND]
        before += after[: len(after) - len(after.lstrip())]
    blanks = before[len(before.rstrip()) :]
    if "\n" in blanks:
        return 4 if _BLANK_LINE.search(before) else 3
    if not blanks:
        return 0
    return 2 if _SENTENCE.search(before) else 1


def cut_blocks(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield `[start, end)` of consecutive parts of `text`, of at most `most` characters each, cut at the best place.

    They bound the memory of the tokenizer; windows run across them.
    """
    start = 0
    while start < len(text):
        end = min(len(text), start + most)
        if end < len(text):
            positions = range(max(start + most // 2, end - 400), end + 1)
            end = positions[_best_cut(text, positions)]
        yield start, end
        start = end


def _best_cut(text: str, positions: Sequence[int]) -> int:
    """Return the index of the last of the best places among `positions`."""
    return max(range(len(positions)), key=lambda index: (cut_rank(text, positions[index]), index))


def plan_windows(text: str, parts: Iterable[Subwords], size: int, overlap: int) -> Iterator[Window]:
    """Yield windows of at most `size` sub-words over consecutive `parts` of a document.

    Neighbours share at least `overlap` sub-words, cut in the middle: each sub-word is used exactly once, in the window
    with more context around it.

    Args:
        text: the document, into which the offsets of the sub-words point.
        parts: consecutive parts of the document; at most one window more than a part is held at a time.
        size: sub-words, without the tokenizer's special ones.
        overlap: sub-words, at most a quarter of `size`.

    Raises:
        ValueError: `overlap` is negative or more than a quarter of `size`.
    """
    if not 0 <= overlap <= size // 4:
        raise ValueError("the overlap must be at most a quarter of the window")

    def cut(low: int, high: int) -> int:
        return low + _best_cut(text, held.starts[low : high + 1].tolist())

    held, first = Subwords(*(np.empty(0, dtype=np.int64) for _ in range(3))), 0
    for part in parts:
        held = held + part
        while len(held) > size:
            end = cut(size - size // 4, size)
            start = cut(max(1, end - overlap - overlap // 2), end - overlap)
            seam = (start + end) // 2
            yield Window(held[:end], first, seam)
            held, first = held[start:], seam - start
    if len(held):
        yield Window(held, first, len(held))


def padded_length(length: int, longest: int) -> int:
    """Return `length` rounded up to a multiple of 16, at most `longest`."""
    return min(-(-length // _STEP) * _STEP, longest)


def plan_batches(lengths: Sequence[int], most: int, longest: int) -> Iterator[list[int]]:
    """Yield indexes of windows of like length, long ones first (lack of memory shows at once), with little padding.

    Args:
        lengths: sub-words of each window, special ones included.
        most: sub-words of a batch, padding included; a longer window is a batch by itself.
        longest: sub-words that the model takes.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batch: list[int] = []
    for index in order:
        if batch and (len(batch) + 1) * padded_length(lengths[batch[0]], longest) > most:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


# From sub-words to tokens


class Alignment:
    """Gives each token of one document its sub-word, window after window."""

    def __init__(self, starts: Sequence[int], ends: Sequence[int]) -> None:
        self._starts = np.asarray(starts, dtype=np.int64)
        self._ends = np.asarray(ends, dtype=np.int64)
        self._next = 0  # tokens before it have a sub-word

    def take(self, window: Window) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Return `(tokens, positions, shared)` of the tokens whose output `window` gives, each of shape (tokens,).

        `positions` index the window's sub-words. `shared` is true if the token before has the same sub-word ("M."
        is one for some tokenizers). Windows must come in the document's order; a token without any sub-word, because
        the tokenizer drops it, is in no result.
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


def complete_rows(
    rows: Distributions, breaks: NDArray[np.bool_], known: NDArray[np.bool_], shared: NDArray[np.bool_]
) -> None:
    """Make every row a distribution that the tags allow; in place.

    - A line break that the tokenizer dropped is outside: no mention holds one. A mention that the model continues
      across a line begins there, or the tag would not be allowed and the mention lost.
    - Another dropped token (a control character) is inside a mention as much as both its neighbours are in one.
    - A token that shares its sub-word with the token before continues the mention of that token.

    Args:
        rows: (tokens, tags); rows of tokens not `known` are still to be written.
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


def _bridge(rows: Distributions, known: NDArray[np.bool_]) -> None:
    missing = np.flatnonzero(~known)
    at = np.flatnonzero(known)
    after = np.searchsorted(at, missing)
    inner = (after > 0) & (after < len(at))
    rows[missing] = _OUTSIDE_ROW
    missing, before, after = missing[inner], at[after[inner] - 1], at[after[inner]]
    continued = np.minimum(rows[before, _BEGIN] + rows[before, _INSIDE], rows[after, _INSIDE])
    rows[missing, _INSIDE] = continued
    rows[missing, OUTSIDE] = 1 - continued.sum(axis=1)


def split_bare_labels(rows: Distributions, labels: NDArray[np.int64]) -> None:
    """Split the mass of labels without B- (all in I-) between B- and I-: a mention begins after no mention; in place.

    `labels` are positions of labels in the scheme. Sang and De Meulder 2003 call such tags IO.
    """
    for label in labels:
        begin, inside = 1 + 2 * label, 2 + 2 * label
        mass = rows[:, begin] + rows[:, inside]
        before = np.concatenate(([0.0], mass[:-1])).astype(rows.dtype)
        rows[:, inside] = mass * before
        rows[:, begin] = mass - rows[:, inside]
