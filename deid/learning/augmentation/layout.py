"""Lines wrapped and unwrapped, blanks doubled, blank lines left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.pieces import Edit, Piece, edited, joined
from deid.learning.augmentation.rates import Rates

_NARROWEST, _WIDEST = 60, 90
_LONG_WORD = re.compile(r"[^\W\d_]{7,}")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_SPACE = re.compile(r"(?<=\S) (?=\S)")
_SOFT_BREAK = re.compile(r"(?<=[^\s:;.!?|])\n(?=[a-zà-ÿ0-9])")
_AFTER_SIGN = re.compile(r"(?<=[^\s\d][.:,;]) ")
_SHORT_LINE = 40  # a line shorter than this was ended on purpose


def wrap(pieces: Sequence[Piece], chance: Chance, rates: Rates) -> list[Piece]:
    """Lines broken at a width between 60 and 90 columns; words are seldom hyphenated. A mention may be cut."""
    text = joined(pieces)
    return edited(pieces, list(_breaks(text, chance.randint(_NARROWEST, _WIDEST), chance, rates)))


def _breaks(text: str, width: int, chance: Chance, rates: Rates) -> Iterator[Edit]:
    start = 0
    for line in text.split("\n"):
        position, end = start, start + len(line)
        while end - position > width:
            at = text.rfind(" ", position + 1, position + width + 1)
            if at < 0:
                break
            word = _LONG_WORD.match(text, at + 1)
            room = position + width - at - 2
            if word is not None and 3 <= room < len(word.group()) - 2 and chance.once(rates.hyphenated):
                at += 1 + room
                yield Edit(at, at, "-\n")
                position = at
            else:
                yield Edit(at, at + 1, "\n")
                position = at + 1
        start = end + 1


def unwrap(pieces: Sequence[Piece]) -> list[Piece]:
    """Long lines joined with the next, where the next goes on in lower case; not between two halves of a mention."""
    text = joined(pieces)
    starts = set()
    position = 0
    for piece in pieces:
        if piece.label is not None:
            starts.add(position)
        position += len(piece.text)
    return edited(
        pieces,
        [
            Edit(found.start(), found.end(), " ")
            for found in _SOFT_BREAK.finditer(text)
            if found.end() not in starts and found.start() - text.rfind("\n", 0, found.start()) > _SHORT_LINE
        ],
    )


def space(pieces: Sequence[Piece], chance: Chance, rates: Rates) -> list[Piece]:
    """Some spaces doubled, or tabs outside mentions."""
    edits = []
    position = 0
    for piece in pieces:
        for found in _SPACE.finditer(piece.text):
            if chance.random() < rates.doubled_space:
                blank = "\t" if piece.label is None and chance.once(0.2) else " " * chance.choice((2, 2, 2, 3))
                edits.append(Edit(position + found.start(), position + found.end(), blank))
        position += len(piece.text)
    return edited(pieces, edits)


def squeeze(pieces: Sequence[Piece], chance: Chance, rates: Rates) -> list[Piece]:
    """Some blanks after dots, commas and colons left out, before mentions too."""
    edits = []
    position = 0
    for piece in pieces:
        if piece.label is None:
            edits += [
                Edit(position + found.start(), position + found.end(), "")
                for found in _AFTER_SIGN.finditer(piece.text)
                if chance.once(rates.squeezed_space)
            ]
        position += len(piece.text)
    return edited(pieces, edits)


def tighten(pieces: Sequence[Piece]) -> list[Piece]:
    """Without blank lines."""
    text = joined(pieces)
    return edited(pieces, [Edit(found.start(), found.end(), "\n") for found in _BLANK_LINES.finditer(text)])
