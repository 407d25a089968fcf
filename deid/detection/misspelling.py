"""Names that differ from a known one by a slip of the pen, looked up without going through the known ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from rapidfuzz.distance import OSA


def allowed_edits(length: int) -> int:
    """Edits that still read as the same name: none below five letters, one to seven, two beyond."""
    return 0 if length < 5 else 1 if length < 8 else 2


class Misspellings:
    """Known words by what is left of them without one or two letters (symmetric deletion).

    Two words at an optimal-string-alignment distance of n share such a remainder of at most n deletions, so one
    word is looked up in as many steps as it has remainders, whatever the number of known words.
    """

    def __init__(self, words: Iterable[str]) -> None:
        table: dict[str, list[str]] = {}
        for word in words:
            for left in _remainders(word, allowed_edits(len(word))):
                table.setdefault(left, []).append(word)
        self._table = table

    def near(self, word: str) -> list[str]:
        """Known words that `word` may be a misspelling of, the nearest first; itself is not one."""
        found: dict[str, int] = {}
        for left in _remainders(word, 2 if len(word) > 7 else 1):
            for known in self._table.get(left, ()):
                if known not in found:
                    found[known] = OSA.distance(known, word)
        fit = ((edits, known) for known, edits in found.items() if 0 < edits <= allowed_edits(len(known)))
        return [known for _, known in sorted(fit)]


def _remainders(word: str, deletions: int) -> Iterator[str]:
    if deletions:
        yield word
    for count in range(1, deletions + 1):
        for places in combinations(range(len(word)), count):
            yield "".join(letter for at, letter in enumerate(word) if at not in places)
