"""A text as it shows, with the way back to its source: letters with their marks composed, unseen characters left out.

Detection and substitution read the same letters, however a source writes them: "é" as one character or as "e" and an
accent, a name with a soft hyphen or without, or as a scanner broke it: "Nico1e", "Mu rielle".
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

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

# A page on which a scanner took an l or I for a one and an O for a zero, in a word: "Nico1e", "RE1MS"; not "hba1c".
_SCANNED = re.compile(r"(?!ba1c\b)[^\W\d_][a-zß-öø-ÿ][01][a-zß-öø-ÿ]|[A-Z]{2}[01l][A-Z]{2}")
_MISREAD = re.compile(r"(?<!\w)(?=[^\W\d_]*(?:[01]|(?<=[A-ZÀ-Þ])l(?=[A-ZÀ-Þ])))(?:[^\W\d_]|[01]){4,24}(?!\w)")
_WITHIN = re.compile(r"[^\W\d_]{2}[a-zß-öø-ÿ]1[a-zß-öø-ÿ]{2}")  # "Mourme1on", whatever it is
_READ_FOR = {"0": "o", "1": "li"}
_HALVES = re.compile(r"(?<!\w)(?=([^\W\d_]{2,14}) ([^\W\d_]{2,14})(?!\w))")
_SPACED = re.compile(r"(?<!\w)[A-ZÀ-Þ](?: [A-ZÀ-Þ]){3,}(?!\w)")
_LEAST_LETTERS, _LEAST_NUMBERED = 3, 5  # of a word with signs that a scanner misread; of one that opens with a figure
_MOST_MISREAD = 4  # such signs of one word
_USE, _RARER = 50, 20  # least use of a word that was broken, and how often it is used for once of its rarer half


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


def is_scanned(text: str) -> bool:
    """Return whether a text shows that a scanner read it."""
    return _SCANNED.search(text) is not None


def misread_letters(text: str, use: Callable[[str], float], start: int = 0, end: int | None = None) -> Iterator[Edit]:
    """Yield words of a span in which a scanner took a letter for a digit or a small l.

    `use` returns how usual a word is, about the number of its bearers.
    """
    for match in _MISREAD.finditer(text, start, len(text) if end is None else end):
        word = match.group()
        capitals = word.replace("l", "").isupper()
        choices = [_read_for(word, at, capitals) for at in range(len(word))]
        doubtful = sum(len(one) > 1 or one != word[at] for at, one in enumerate(choices))
        letters = sum(map(str.isalpha, word))
        numbered = (capitals and not word[-1].isalpha()) or (not word[0].isalpha() and letters < _LEAST_NUMBERED)
        if doubtful > _MOST_MISREAD or numbered or letters < _LEAST_LETTERS:  # "CD10", "10ans"
            continue
        read = max(("".join(one) for one in product(*choices)), key=use)
        if use(read) >= _USE or _WITHIN.search(word):
            yield match.start(), match.end(), read


def _read_for(word: str, at: int, capitals: bool) -> str:
    """Return the letters that the sign at `at` may stand for."""
    if word[at] == "l" and capitals:
        return "IL"
    letters = _READ_FOR.get(word[at], word[at])
    return letters.upper() if capitals and letters != word[at] else letters


def broken_words(text: str, use: Callable[[str], float], start: int = 0, end: int | None = None) -> Iterator[Edit]:
    """Yield the blanks of a span at which a scanner broke a word: it is usual, and one of its halves is not."""
    for match in _HALVES.finditer(text, start, len(text) if end is None else end):
        left, right = match.groups()
        fits = right.islower() or (left + right).isupper()
        if fits and use(left + right) >= max(_USE, _RARER * min(use(left), use(right))):
            yield match.end(1), match.start(2), ""


def spaced_letters(text: str, start: int, end: int) -> Iterator[Edit]:
    """Yield the blanks between the capitals of a word of a span that is written letter by letter: "A N G E R S"."""
    for match in _SPACED.finditer(text, start, end):
        yield from ((at, at + 1, "") for at in range(match.start() + 1, match.end(), 2))


def is_decomposed(source: str) -> bool:
    """Return whether a text writes its accents as characters of their own, all of them."""
    return not unicodedata.is_normalized("NFC", source) and unicodedata.is_normalized("NFD", source)
