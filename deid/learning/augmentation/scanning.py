"""Characters misread by a scanner: look-alikes, lost and added blanks."""

from __future__ import annotations

from collections.abc import Sequence

from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.pieces import Edit, Piece, edited, joined
from deid.learning.augmentation.rates import Rates

_READ_AS = {
    "l": "1I", "1": "lI", "I": "l1", "O": "0", "0": "Oo", "o": "0", "é": "ec", "è": "ee", "ê": "e", "à": "a",
    "e": "c", "c": "e", "5": "S", "S": "5", "8": "B", "B": "8", "m": ("rn",), "n": ("ri",), "u": ("ii",), "h": "b",
    "b": "h", "ç": "c", "î": "i", "i": "l", "t": "f", "f": "t", "g": "q", "D": "O", "6": "b", "2": "Z", "Z": "2",
    ".": ",", ",": ".", "'": "’", "-": ("", "—"), ":": (";", "."), "/": ("l", "|"),
}  # fmt: skip
_PAIRS = {"rn": "m", "ri": "n", "cl": "d", "vv": "w", "nn": "m"}
_GAP = 0.08  # of the places where a word could be broken


def misread(pieces: Sequence[Piece], chance: Chance, rates: Rates) -> list[Piece]:
    """Pieces as a scanner gives them back; line breaks stay."""
    text = joined(pieces)
    count = round(len(text) * rates.misread * 2 * chance.random())
    edits: list[Edit] = []
    end = -1
    for at in sorted(chance.sample(range(len(text)), min(count, len(text)))):
        edit = _misread(text, at, chance) if at >= end else None
        if edit is not None:
            edits.append(edit)
            end = edit.end
    return edited(pieces, _inside(pieces, edits))


def _misread(text: str, at: int, chance: Chance) -> Edit | None:
    pair = text[at : at + 2]
    if pair in _PAIRS:
        return Edit(at, at + 2, _PAIRS[pair])
    char = text[at]
    if char == " " and text[at - 1 : at].isalpha() and text[at + 1 : at + 2].isalpha():
        return Edit(at, at + 1, "")
    if char.isalnum() and text[at - 1 : at].isalnum() and chance.once(_GAP):
        return Edit(at, at, " ")
    choices = _READ_AS.get(char)
    return Edit(at, at + 1, chance.choice(choices)) if choices else None


def _inside(pieces: Sequence[Piece], edits: Sequence[Edit]) -> list[Edit]:
    """Edits that glue or part no mention and its neighbours: there the marks could not say where it ends."""
    borders = set()
    position = 0
    for piece in pieces:
        position += len(piece.text)
        borders.add(position)
    return [edit for edit in edits if edit.text.strip() or not {edit.start, edit.end} & borders]
