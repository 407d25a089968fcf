"""A document as all annotators read it: folded text, tokens, lines and hits of the gazetteers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid.detection.lookup.lexicon import Hit, Kind, Lexicon, gazetteers, lexicon
from deid.detection.text.vocabulary import CIVILITIES, DOCTOR_TITLES
from deid.domain.document import Document, Mention
from deid.french.folding import fold, spaced

_TOKEN = re.compile(r"[^\W\d_]+|\d+|\n|[^\w\s]|_")
# Scanners read 0 as O and 1 as l or I: only inside a run that holds a digit, or two of them beside a stroke and a digit
# ("3/ll"), that touches no other letter.
_LOOKALIKE = re.compile(r"(?<![a-z])(?:[0-9oil]*\d[0-9oil]*|(?<=\d/)[ol]{2}|[ol]{2}(?=/\d))(?![a-z])")
_LOOKALIKE_HINT = re.compile(r"\d/?[oil]|[oil]/?\d")
_DIGITS = re.compile(r"\d+")
# "40 µG", "75 mg", "14h30"; "45 ans" is a word of prose.
_UNIT = re.compile(r"(?i)(?<=\d) ?(?:[cdkmnpµμ]?[glm]|[mnpµμ]?mol|m?ui|mm ?hg|bpm|h|j|mn|min)(?![^\W\d_])")
_TO_DIGITS = str.maketrans("oil", "011")
_start = attrgetter("start")


class Reading:
    """One document and its derived forms, each computed on first use.

    Tokens are runs of letters, runs of digits, single signs and line breaks, held as parallel lists: `starts` and
    `ends` (offsets into `text`), `words` (folded text) and `capitals` (True if the first letter is a capital).
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.found: dict[str, list[Mention]] = {}  # mentions so far, by annotator
        # The same list, its mentions by position, and their greatest length; by annotator.
        self._ordered: dict[str, tuple[list[Mention], list[Mention], int]] = {}
        self.text = document.text
        self.table: Any = None  # features of the learned taggers (deid.detection.taggers.features)
        self.folded = fold(document.text)
        self.starts: list[int] = []
        self.ends: list[int] = []
        for match in _TOKEN.finditer(self.text):
            self.starts.append(match.start())
            self.ends.append(match.end())
        self.capitals = [self.text[start].isupper() for start in self.starts]
        self.words = [self.folded[start:end] for start, end in zip(self.starts, self.ends, strict=True)]

    @cached_property
    def breaks(self) -> NDArray[np.bool_]:
        """True for each token that is a line break, shape (tokens,)."""
        return np.fromiter(map("\n".__eq__, self.words), dtype=bool, count=len(self.words))

    @cached_property
    def lexicon(self) -> Lexicon:
        """The word tables, shared by all readings."""
        return lexicon()

    @cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """Indexes of the tokens of each word, in order."""
        found: dict[str, list[int]] = {}
        for index, word in enumerate(self.words):
            found.setdefault(word, []).append(index)
        return found

    @cached_property
    def digits(self) -> str:
        """`folded` with the letters that a scanner read instead of digits corrected; same length."""
        if not _LOOKALIKE_HINT.search(self.folded):
            return self.folded
        return _LOOKALIKE.sub(lambda match: match.group().translate(_TO_DIGITS), self.folded)

    @cached_property
    def numbers(self) -> list[int]:
        """Start offsets of the runs of digits in `digits`."""
        return [match.start() for match in _DIGITS.finditer(self.digits)]

    @cached_property
    def _known(self) -> list[Hit]:
        return gazetteers().scan(spaced(self.folded))

    @cached_property
    def hits(self) -> list[Hit]:
        """Whole-word entries of the gazetteers except people and lieux-dits, longest first at each start."""
        return [hit for hit in self._known if hit.entry.kind not in (Kind.PROFESSIONAL, Kind.LOCALITY)]

    @cached_property
    def listed(self) -> list[Hit]:
        """Full names of the Health Directory, if a version is in use; ordered as `hits`."""
        return [hit for hit in self._known if hit.entry.kind is Kind.PROFESSIONAL]

    @cached_property
    def localities(self) -> list[Hit]:
        """Lieux-dits and quarters, where a version of them is in use; ordered as `hits`."""
        return [hit for hit in self._known if hit.entry.kind is Kind.LOCALITY]

    @cached_property
    def hits_at(self) -> dict[int, list[Hit]]:
        """`hits` by their start offset."""
        table: dict[int, list[Hit]] = {}
        for hit in self.hits:
            table.setdefault(hit.start, []).append(hit)
        return table

    @cached_property
    def line_starts(self) -> list[int]:
        """Offsets at which lines start."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def line(self, offset: int) -> tuple[int, int]:
        """Return `[start, end)` of the line that holds `offset`, without its line break."""
        index = bisect_right(self.line_starts, offset)
        start = self.line_starts[index - 1]
        end = self.line_starts[index] - 1 if index < len(self.line_starts) else len(self.text)
        return start, end

    def token_at(self, offset: int) -> int:
        """Return the index of the first token that ends after `offset`, else the number of tokens."""
        return bisect_right(self.ends, offset)

    def tokens(self, mention: Mention) -> range:
        """Return the indexes of the tokens from the start to the end of a mention."""
        return range(self.token_at(mention.start), self.token_at(mention.end - 1) + 1)

    def overlapping(self, annotator: str, mention: Mention) -> list[Mention]:
        """Return what an annotator found on a character of `mention`, by position."""
        given = self.found.get(annotator, [])
        if annotator not in self._ordered or self._ordered[annotator][0] is not given:
            longest = max((one.end - one.start for one in given), default=0)
            self._ordered[annotator] = given, sorted(given, key=_start), longest
        _, found, longest = self._ordered[annotator]
        first, last = (bisect_left(found, at, key=_start) for at in (mention.start - longest, mention.end))
        return [one for one in found[first:last] if one.overlaps(mention)]

    def word(self, index: int) -> str:
        """Return the folded token at `index`; empty outside the document."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def announced(self, index: int, by: Container[str], across: Container[str], reach: int) -> bool:
        """Return whether one of the `reach` words before token `index` is among `by`, those `across` apart."""
        for word in reversed(self.words[max(index - reach, 0) : index]):
            if word in by:
                return True
            if word not in across:
                return False
        return False

    def surface(self, index: int) -> str:
        """Return the token at `index` as it is written."""
        return self.text[self.starts[index] : self.ends[index]]

    def coverage(self, mentions: Iterable[Mention]) -> bytearray:
        """Return one byte per character of the text: 1 inside a mention, 0 outside."""
        covered = bytearray(len(self.text))
        for mention in mentions:
            covered[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
        return covered

    @cached_property
    def titled(self) -> frozenset[str]:
        """The words behind a civility or a doctor's title somewhere, over its dot: "Dr. Lebrun"."""
        return frozenset(
            word
            for at, word in enumerate(self.words)
            if self.word(at - 1 - (self.word(at - 1) == ".")) in CIVILITIES | DOCTOR_TITLES and not self.measured(at)
        )

    def measured(self, index: int) -> bool:
        """Return whether the token at `index` follows millimetres, which are nobody's civility: "14 MM   HES"."""
        apart = self.surface(index - 1) == "mm" or self.starts[index] - self.ends[index - 1] > 1
        return self.word(index - 1) == "mm" and self.word(index - 2).isdigit() and apart

    @cached_property
    def joined(self) -> frozenset[str]:
        """The last parts of compound names: "Mme Isnard-Tahor"."""
        hyphens = (at for at in self.places.get("-", ()) if self.starts[at] in self.ends[at - 1 : at])
        return frozenset(self.word(at + 1) for at in hyphens if self.capitals[at - 1] and len(self.words[at - 1]) > 1)

    @cached_property
    def _upper_lines(self) -> list[bool]:
        return [_UNIT.sub("", line).isupper() for line in self.text.split("\n")]

    def shouted(self, index: int) -> bool:
        """True if the line of token `index` is written in capitals only, units behind figures aside."""
        return self._upper_lines[bisect_right(self.line_starts, self.starts[index]) - 1]

    @cached_property
    def _lowered_lines(self) -> list[bool]:
        # Lines of three words or more without a capital.
        return [line.islower() and line.count(" ") >= 2 for line in self.text.split("\n")]

    def lowered(self, index: int) -> bool:
        """True if the document or the line of token `index` is written without capitals."""
        return self.lower_case or self._lowered_lines[bisect_right(self.line_starts, self.starts[index]) - 1]

    @cached_property
    def lower_case(self) -> bool:
        """True if the document is written without capitals."""
        letters = sum(1 for start in self.starts if self.text[start].isalpha())
        capitals = sum(self.capitals)
        return letters >= 20 and capitals < 0.05 * letters
