"""`randomise`: other characters of the same classes, digits for digits and letters for letters of the same case."""

from __future__ import annotations

import re

from deid.domain.document import Mention
from deid.domain.labels import NAMES
from deid.french.comparison import comparable
from deid.substitution.characters import redraw
from deid.substitution.context import Dossier
from deid.substitution.drafts import Draft

# Shorter words are few: the same letters for the same initial would be a cipher that counting breaks.
_WORD = re.compile(r"[^\W\d_]{3,}")


class Randomness:
    """Keeps length, layout, case and signs, and which values are equal, within the scope; of names, which words are."""

    def __init__(self, dossier: Dossier) -> None:
        self._dossier = dossier

    def write(self, mention: Mention, attempt: int) -> Draft:
        """The mention's layout with other characters."""
        original = self._dossier.text(mention)
        drawn = self._redrawn(mention, original, attempt)
        if mention.label in NAMES and len(drawn) == len(original):
            for word in _WORD.finditer(original):
                drawn = drawn[: word.start()] + self._redrawn(mention, word.group(), attempt) + drawn[word.end() :]
        return Draft(drawn, "randomise")

    def _redrawn(self, mention: Mention, text: str, attempt: int) -> str:
        return redraw(text, self._dossier.stream("randomise", mention.label, comparable(text), str(attempt)))
