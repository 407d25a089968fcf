"""`shift`: numbers moved by one keyed offset, so that their differences stay."""

from __future__ import annotations

import unicodedata

from deid.domain.document import Mention
from deid.french.comparison import comparable
from deid.substitution.characters import redraw
from deid.substitution.context import Dossier
from deid.substitution.drafts import Draft


class Shift:
    """The digits of a mention, read as one number of n digits, plus an offset of [1, 10ⁿ), modulo 10ⁿ.

    The offset is drawn from scope, label and n. Keeps layout, and the differences of the numbers of one label and
    length within the scope. One number alone is hidden perfectly, since every other value is as likely; whoever learns
    one knows all of its length. Letters are redrawn.
    """

    def __init__(self, dossier: Dossier) -> None:
        self._dossier = dossier

    def write(self, mention: Mention, attempt: int) -> Draft:
        """The mention's layout with the moved number."""
        original = self._dossier.text(mention)
        letters = redraw(original, self._dossier.stream("shift letters", mention.label, comparable(original)))
        number = "".join(str(unicodedata.digit(char)) for char in original if char.isdigit())
        if not number:
            return Draft(letters, "shift")
        bound = 10 ** len(number)
        offset = 1 + self._dossier.stream("shift", mention.label, str(len(number)), str(attempt)).below(bound - 1)
        moved = iter(f"{(int(number) + offset) % bound:0{len(number)}d}")
        drawn = zip(original, letters, strict=True)
        return Draft("".join(next(moved) if char.isdigit() else letter for char, letter in drawn), "shift")
