"""A text as it shows, with the way back to its source: letters with their marks composed, unseen characters left out.

Detection and substitution read the same letters, however a source writes them: "é" as one character or as "e" and an
accent, a name with a soft hyphen or without.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

# [start, end) of a text, and the characters read there
Edit = tuple[int, int, str]

# Soft hyphen, zero-width characters, marks of direction, tags: never part of a word.
_HIDDEN = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
# Seen in emoji and other scripts; between letters or digits they hide a word.
_JOINERS = "\u034f\u115f\u1160\u180b-\u180d\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
_UNSEEN = re.compile(rf"[{_HIDDEN}]+|(?<=[^\W_])[{_JOINERS}]+(?=[^\W_])|(?<=[^\W_])[{_JOINERS}](?=[^\W_])")
_MARKED = re.compile(r"([^\W_])([\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+)")

# A word that the end of a line cuts, and that goes on in small letters: "Mar-⏎tin".
_LINE_CUT = re.compile(r"(?<=[^\W\d_])[-\u00ac\u2010][ ]*\n[ ]*(?=[a-zß-öø-ÿ]{2})")


class Aligned:
    """A text under edits: `text` is what is read, and its offsets lead back to the source."""

    def __init__(self, source: str) -> None:
        self.text = source
        self._starts: Sequence[int] = range(len(source))
        self._ends: Sequence[int] = range(1, len(source) + 1)

    def edit(self, edits: Iterable[Edit]) -> None:
        """Replace parts of the text; one that overlaps an earlier part is left out.

        A part read as as many characters keeps an offset for each.
        """
        ordered = sorted(edits)
        if not ordered:
            return
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        position = 0
        for start, end, read in (*ordered, (len(self.text), len(self.text), "")):
            if start < position:
                continue
            pieces += self.text[position:start], read
            starts += self._starts[position:start]
            ends += self._ends[position:start]
            if len(read) == end - start:
                starts += self._starts[start:end]
                ends += self._ends[start:end]
            else:
                starts += [self._starts[start]] * len(read)
                ends += [self._ends[end - 1]] * len(read)
            position = end
        self.text, self._starts, self._ends = "".join(pieces), starts, ends

    def in_source(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source that a span of `text` reads; whole characters with their marks."""
        return self._starts[start], self._ends[end - 1]

    def from_source(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of `text` that shares characters with a span of the source; empty if nobody sees these."""
        return bisect_right(self._ends, start), bisect_left(self._starts, end)


def composed(source: str) -> Aligned:
    """Return a text without the characters that nobody sees, letters and marks composed."""
    aligned = Aligned(source)
    if not source.isascii():
        aligned.edit(unseen_characters(source))
        aligned.edit(marked_letters(aligned.text))
    return aligned


def unseen_characters(text: str) -> Iterator[Edit]:
    """Yield characters that nobody sees, to be left out."""
    for match in _UNSEEN.finditer(text):
        yield match.start(), match.end(), ""


def marked_letters(text: str) -> Iterator[Edit]:
    """Yield letters and digits with the marks above or under them, read as one composed character."""
    for match in _MARKED.finditer(text):
        yield match.start(), match.end(), unicodedata.normalize("NFC", match.group())[0]


def line_cuts(text: str, start: int, end: int) -> Iterator[Edit]:
    """Yield what cuts the words of a span at the ends of lines, to be left out."""
    for match in _LINE_CUT.finditer(text, start, end):
        yield match.start(), match.end(), ""


def is_decomposed(source: str) -> bool:
    """Return whether a text writes its accents as characters of their own, all of them."""
    return not unicodedata.is_normalized("NFC", source) and unicodedata.is_normalized("NFD", source)
