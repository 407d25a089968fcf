"""Form fields laid out otherwise: short lines put on one line, one line cut into several."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.pieces import Edit, Piece, edited, joined

_SEPARATORS = ("  ", "   ", " - ", " – ", " | ", " / ", " ; ", ", ", "\t", " ")
_BETWEEN = re.compile(r" +[-–|/;] +|\t+| {3,}")
_WIDEST = 50  # columns of a line that holds one field
_HALF = 0.5


def join(pieces: Sequence[Piece], chance: Chance) -> list[Piece]:
    """Half of the breaks between short lines replaced by one separator; not those that part a mention in two."""
    text = joined(pieces)
    separator = chance.choice(_SEPARATORS)
    edits: list[Edit] = []
    position = 0
    for index, piece in enumerate(pieces):
        if piece.label is None and not _parts_a_mention(pieces, index):
            edits += (
                Edit(at, at + 1, separator)
                for at in (position + found.start() for found in re.finditer("\n", piece.text))
                if _between_fields(text, at) and chance.once(_HALF)
            )
        position += len(piece.text)
    return edited(pieces, edits)


def split(pieces: Sequence[Piece], chance: Chance) -> list[Piece]:
    """Half of the separators outside mentions replaced by line breaks."""
    edits: list[Edit] = []
    position = 0
    for piece in pieces:
        if piece.label is None:
            edits += (
                Edit(position + found.start(), position + found.end(), "\n")
                for found in _BETWEEN.finditer(piece.text)
                if chance.once(_HALF)
            )
        position += len(piece.text)
    return edited(pieces, edits)


def _parts_a_mention(pieces: Sequence[Piece], index: int) -> bool:
    """Whether a blank piece stands between two mentions of one label: they may be halves of one."""
    around = pieces[max(0, index - 1) : index + 2]
    return len(around) == 3 and around[0].label is around[2].label and not around[1].text.strip()


def _between_fields(text: str, at: int) -> bool:
    """Whether the lines on both sides of a break are short, and neither is blank."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    end = text.find("\n", at + 1)
    after = text[at + 1 : end if end >= 0 else len(text)]
    return all(line.strip() and len(line) <= _WIDEST for line in (before, after))
