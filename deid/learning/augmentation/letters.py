"""Case and accents of a whole copy, or of some of its lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from deid.french.folding import without_accents
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.pieces import Piece
from deid.learning.augmentation.rates import Rates

_ACCENTED = re.compile("[À-ÖØ-öø-ɏ]")


def lower(pieces: Sequence[Piece]) -> list[Piece]:
    """Without capitals."""
    return _each(pieces, str.lower)


def upper(pieces: Sequence[Piece]) -> list[Piece]:
    """In capitals."""
    return _each(pieces, str.upper)


def unaccented(pieces: Sequence[Piece]) -> list[Piece]:
    """Without accents; ligatures are written with two letters."""
    return _each(pieces, _bare)


def upper_lines(pieces: Sequence[Piece], chance: Chance, rates: Rates) -> list[Piece]:
    """Some lines in capitals, half of these copies without accents there."""
    shout = (lambda text: _bare(text).upper()) if chance.once(0.5) else str.upper
    result: list[Piece] = []
    shouted = chance.once(rates.shouted_line)
    for piece in pieces:
        lines = piece.text.split("\n")
        written = [shout(lines[0]) if shouted else lines[0]]
        for line in lines[1:]:
            shouted = chance.once(rates.shouted_line)
            written.append(shout(line) if shouted else line)
        result.append(Piece("\n".join(written), piece.label))
    return result


def _each(pieces: Sequence[Piece], change: Callable[[str], str]) -> list[Piece]:
    return [Piece(change(text), label) for text, label in pieces]


def _bare(text: str) -> str:
    """Without accents on letters: signs such as ² stay what they are, and so does a lone accent."""
    return _ACCENTED.sub(lambda match: without_accents(match.group()) or match.group(), text)
