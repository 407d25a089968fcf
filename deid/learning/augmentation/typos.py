"""Words mistyped: letters dropped, doubled, exchanged, or taken from the key beside."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.domain.labels import NAMES, Label
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.pieces import Edit, Piece, edited
from deid.learning.augmentation.rates import Rates

_WORD = re.compile(r"[^\W\d_]{4,}")
# Labels whose words carry no number that a slip would change the meaning of.
_TYPED = NAMES | {Label.CITY, Label.ORG, Label.LOC, Label.STREET, None}
_ROWS = ("azertyuiop", "qsdfghjklm", "wxcvbn")
_BESIDE = {
    letter: row[max(0, index - 1) : index] + row[index + 1 : index + 2]
    for row in _ROWS
    for index, letter in enumerate(row)
}


def mistype(pieces: Sequence[Piece], chance: Chance, rates: Rates) -> list[Piece]:
    """Pieces with some words mistyped; digits and short words are spared."""
    edits: list[Edit] = []
    position = 0
    for piece in pieces:
        if piece.label in _TYPED:
            edits += (
                Edit(position + word.start(), position + word.end(), _slip(word.group(), chance))
                for word in _WORD.finditer(piece.text)
                if chance.random() < rates.typo
            )
        position += len(piece.text)
    return edited(pieces, edits)


def _slip(word: str, chance: Chance) -> str:
    at = chance.randrange(1, len(word) - 1)
    match chance.randrange(4):
        case 0:
            return word[:at] + word[at + 1 :]
        case 1:
            return word[:at] + word[at] + word[at:]
        case 2:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case _:
            beside = _BESIDE.get(word[at].lower())
            other = chance.choice(beside) if beside else word[at]
            return word[:at] + (other.upper() if word[at].isupper() else other) + word[at + 1 :]
