"""Words of the calendar as a scanner broke them: "rnars" is mars, "0CT0BRE" octobre, "Iundi" lundi."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapidfuzz.distance import OSA

from deid.french.calendar import MONTHS, WEEKDAYS
from deid.french.folding import fold_line

# Characters that scanners take for one another count as one, in the word that is read and in those that are known.
_LOOKS = str.maketrans({"0": "o", "1": "i", "l": "i", "|": "i", "!": "i", "5": "s", "6": "e", "8": "b", "c": "e"})
_LEAST = 5  # letters of a word that may have a wrong one


def _skeleton(word: str) -> str:
    return word.replace("rn", "m").replace("vv", "w").translate(_LOOKS)


class Lexicon:
    """Folded words, found again when they are broken; two words that break alike are found as neither."""

    def __init__(self, words: Iterable[str], misspelt: Iterable[str] = ()) -> None:
        self._known = frozenset(words)
        self._misspelt = tuple(dict.fromkeys(misspelt))
        self._of: dict[str, str | None] = {}
        for word in sorted(self._known):
            broken = _skeleton(word)
            self._of[broken] = None if broken in self._of else word

    def mended(self, word: str) -> str | None:
        """The known word that a folded one is, broken or misspelt by one letter; None if there is none, or several."""
        if word in self._known:
            return word
        found = self._of.get(_skeleton(word)) if len(word) > 2 else None
        if found is not None or len(word) < _LEAST:
            return found
        near = [one for one in self._misspelt if OSA.distance(word, one, score_cutoff=1) <= 1]
        return near[0] if len(near) == 1 else None


_WHOLE = tuple(map(fold_line, (*MONTHS, *WEEKDAYS)))
_CALENDAR = Lexicon((*_WHOLE, "janv", "fevr", "juil", "sept"), (word for word in _WHOLE if len(word) >= _LEAST))
_RUN = re.compile(r"[a-z0-9|!]+")


def mended(word: str) -> str | None:
    """The month or weekday that a broken word is."""
    return _CALENDAR.mended(word) if any(char.isalpha() for char in word) else None


def run(plain: str, at: int) -> str:
    """The letters, figures and bars that stand together at a place of a folded text."""
    match = _RUN.match(plain, at)
    return match.group() if match else ""
