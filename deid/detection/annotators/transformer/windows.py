"""Texts of any length in windows that a model can take: cut where lines and sentences end, overlapping."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*\Z")
_BLANK_LINE_INSIDE = re.compile(r"\n[^\S\n]*\n")
_SENTENCE = re.compile(r"[.!?;:…](?:\s?[\"»”)\]])*\s+\Z")
_SENTENCE_END = 2  # the rank of a place behind a sentence: those at lines have more
_LOOK_BEHIND = 16  # characters read before a place to see what ends there


@dataclass(frozen=True, slots=True)
class Subwords:
    """Sub-words in the text's order: `ids`, and the `[starts, ends)` that each covers, in code points of the text."""

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


NOTHING = Subwords(*(np.empty(0, dtype=np.int64) for _ in range(3)))


@dataclass(frozen=True, slots=True)
class Window:
    """Sub-words that the model sees together; what it says of `[first, last)` among them counts.

    The rest is context: another window sees more around it, and answers for it.
    """

    subwords: Subwords
    first: int
    last: int


def rank(text: str, position: int) -> int:
    """How good a place `position` is to cut: 4 after a blank line, 3 a line, 2 a sentence, 1 a word, 0 inside one."""
    before = text[max(0, position - _LOOK_BEHIND) : position]
    if position < len(text) and text[position].isspace():
        # Some tokenizers count a blank as the beginning of the next word: the words are what is cut.
        after = text[position : position + _LOOK_BEHIND]
        before += after[: len(after) - len(after.lstrip())]
    blanks = before[len(before.rstrip()) :]
    if "\n" in blanks:
        return 4 if _BLANK_LINE.search(before) else 3
    if not blanks:
        return 0
    return 2 if _SENTENCE.search(before) else 1


def blocks(text: str, most: int) -> Iterator[tuple[int, int]]:
    """`[start, end)` of consecutive parts of `text`, of at most `most` characters each, cut at the best place.

    They bound what the tokenizer holds at a time; windows run across them.
    """
    start = 0
    while start < len(text):
        end = min(len(text), start + most)
        if end < len(text):
            end = _best(text, range(max(start + most // 2, end - 400), end + 1))
        yield start, end
        start = end


def _best(text: str, positions: Iterable[int]) -> int:
    """The last of the best places among `positions`, which ascend."""
    best, highest = 0, -1
    for position in positions:
        if (value := rank(text, position)) >= highest:
            best, highest = position, value
    return best


def plan(text: str, parts: Iterable[Subwords], size: int, overlap: int) -> Iterator[Window]:
    """Windows of at most `size` sub-words over the sub-words that `parts` give one after the other.

    Neighbours share at least `overlap` sub-words; half of what they share counts in each, so that each sub-word
    counts in the window that sees more around it. Each counts exactly once.

    Args:
        text: what the offsets of the sub-words point into.
        parts: consecutive parts of the document; at most one window more than a part is held at a time.
        size: sub-words, without the tokenizer's special ones.
        overlap: sub-words, at most a quarter of `size`.

    Raises:
        ValueError: `overlap` is negative or more than a quarter of `size`.
    """
    if not 0 <= overlap <= size // 4:
        raise ValueError("the overlap must be at most a quarter of the window")
    held, first = NOTHING, 0
    for part in parts:
        held = held + part if len(held) else part
        while len(held) > size:
            end = _cut(text, held, size - size // 4, size)
            start = _cut(text, held, max(1, end - overlap - overlap // 2), end - overlap)
            seam = (start + end) // 2
            yield Window(held[:end], first, seam)
            held, first = held[start:], seam - start
    if len(held):
        yield Window(held, first, len(held))


def _cut(text: str, subwords: Subwords, low: int, high: int) -> int:
    """Index in `[low, high]` before which to cut: the last of the best places."""
    places = subwords.starts[low : high + 1].tolist()
    enough = _hoped(text[max(0, places[0] - _LOOK_BEHIND) : places[-1] + _LOOK_BEHIND])
    best, highest = _last_best(text, places, _at_lines(text, places), enough) if enough > _SENTENCE_END else (-1, -1)
    if highest <= _SENTENCE_END:  # better is only at lines
        best, _ = _last_best(text, places, range(len(places) - 1, -1, -1), enough)
    return low + best


def _last_best(text: str, places: Sequence[int], indexes: Iterable[int], enough: int) -> tuple[int, int]:
    """The first of the descending `indexes` with the highest rank, and that rank; no rank passes `enough`."""
    best, highest = -1, -1
    for index in indexes:
        value = rank(text, places[index])
        if value > highest:
            best, highest = index, value
            if value >= enough:
                break
    return best, highest


def _at_lines(text: str, places: Sequence[int]) -> Iterator[int]:
    """Indexes of the `places`, which ascend, that stand at a line end or in the blanks around it; the last first."""
    line_end = text.rfind("\n", max(0, places[0] - _LOOK_BEHIND), places[-1] + _LOOK_BEHIND)
    while line_end >= 0:
        start, end = line_end, line_end + 1
        while start and text[start - 1].isspace():
            start -= 1
        while end < len(text) and text[end].isspace():
            end += 1
        yield from range(bisect_right(places, end) - 1, bisect_left(places, start) - 1, -1)
        line_end = text.rfind("\n", max(0, places[0] - _LOOK_BEHIND), start)


def _hoped(text: str) -> int:
    """A rank that no place in `text` passes: most searches can end at the first line end that they meet."""
    if "\n" in text:
        return 4 if _BLANK_LINE_INSIDE.search(text) else 3
    return 2
