"""Change the layout: line breaks, spaces, blank lines, form fields on one line or on several."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nocturne_lab.learning.augmentation.pieces import Edit, Piece, edited, joined_text
from nocturne_lab.learning.augmentation.rates import Rates, SeededRandom

_NARROWEST, _WIDEST = 60, 90
_LONG_WORD = re.compile(r"[^\W\d_]{7,}")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_SPACE = re.compile(r"(?<=\S) (?=\S)")
_SOFT_BREAK = re.compile(r"(?<=[^\s:;.!?|])\n(?=[a-zà-ÿ0-9])")
_AFTER_SIGN = re.compile(r"(?<=[^\s\d][.:,;]) ")
_SHORT_LINE = 40  # a shorter line was ended by its author


def wrap_lines(pieces: Sequence[Piece], rng: SeededRandom, rates: Rates) -> list[Piece]:
    """Break lines at a width of 60 to 90 columns, seldom with a hyphen; a break may split a mention in two."""
    text = joined_text(pieces)
    return edited(pieces, list(_breaks(text, rng.randint(_NARROWEST, _WIDEST), rng, rates)))


def _breaks(text: str, width: int, rng: SeededRandom, rates: Rates) -> Iterator[Edit]:
    start = 0
    for line in text.split("\n"):
        position, end = start, start + len(line)
        while end - position > width:
            at = text.rfind(" ", position + 1, position + width + 1)
            if at < 0:
                break
            word = _LONG_WORD.match(text, at + 1)
            room = position + width - at - 2
            if word is not None and 3 <= room < len(word.group()) - 2 and rng.once(rates.hyphenated):
                at += 1 + room
                yield Edit(at, at, "-\n")
                position = at
            else:
                yield Edit(at, at + 1, "\n")
                position = at + 1
        start = end + 1


def unwrap_lines(pieces: Sequence[Piece]) -> list[Piece]:
    """Join long lines to a next line in lower case, except between the two halves of a mention."""
    text = joined_text(pieces)
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


def double_spaces(pieces: Sequence[Piece], rng: SeededRandom, rates: Rates) -> list[Piece]:
    """Double some spaces, or replace them by tabs outside mentions."""
    edits = []
    position = 0
    for piece in pieces:
        for found in _SPACE.finditer(piece.text):
            if rng.random() < rates.doubled_space:
                blank = "\t" if piece.label is None and rng.once(0.2) else " " * rng.choice((2, 2, 2, 3))
                edits.append(Edit(position + found.start(), position + found.end(), blank))
        position += len(piece.text)
    return edited(pieces, edits)


def drop_spaces(pieces: Sequence[Piece], rng: SeededRandom, rates: Rates) -> list[Piece]:
    """Drop some spaces after dots, commas and colons, before mentions included."""
    edits = []
    position = 0
    for piece in pieces:
        if piece.label is None:
            edits += [
                Edit(position + found.start(), position + found.end(), "")
                for found in _AFTER_SIGN.finditer(piece.text)
                if rng.once(rates.squeezed_space)
            ]
        position += len(piece.text)
    return edited(pieces, edits)


def drop_blank_lines(pieces: Sequence[Piece]) -> list[Piece]:
    """Drop blank lines."""
    text = joined_text(pieces)
    return edited(pieces, [Edit(found.start(), found.end(), "\n") for found in _BLANK_LINES.finditer(text)])


# Form fields
_SEPARATORS = ("  ", "   ", " - ", " – ", " | ", " / ", " ; ", ", ", "\t", " ")
_BETWEEN = re.compile(r" +[-–|/;] +|\t+| {3,}")
_FIELD_WIDTH = 50  # width, in columns, of a line with a single field
_HALF = 0.5


def join_fields(pieces: Sequence[Piece], rng: SeededRandom) -> list[Piece]:
    """Replace half of the breaks between short lines by one separator, except within a mention split in two."""
    text = joined_text(pieces)
    separator = rng.choice(_SEPARATORS)
    edits: list[Edit] = []
    position = 0
    for index, piece in enumerate(pieces):
        if piece.label is None and not _parts_a_mention(pieces, index):
            edits += (
                Edit(at, at + 1, separator)
                for at in (position + found.start() for found in re.finditer("\n", piece.text))
                if _between_fields(text, at) and rng.once(_HALF)
            )
        position += len(piece.text)
    return edited(pieces, edits)


def split_fields(pieces: Sequence[Piece], rng: SeededRandom) -> list[Piece]:
    """Replace half of the separators outside mentions by line breaks."""
    edits: list[Edit] = []
    position = 0
    for piece in pieces:
        if piece.label is None:
            edits += (
                Edit(position + found.start(), position + found.end(), "\n")
                for found in _BETWEEN.finditer(piece.text)
                if rng.once(_HALF)
            )
        position += len(piece.text)
    return edited(pieces, edits)


def _parts_a_mention(pieces: Sequence[Piece], index: int) -> bool:
    """Return whether a blank piece separates two mentions of one label, which may be halves of one mention."""
    around = pieces[max(0, index - 1) : index + 2]
    return len(around) == 3 and around[0].label is around[2].label and not around[1].text.strip()


def _between_fields(text: str, at: int) -> bool:
    """Return whether the lines on both sides of a break are short and not blank."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    end = text.find("\n", at + 1)
    after = text[at + 1 : end if end >= 0 else len(text)]
    return all(line.strip() and len(line) <= _FIELD_WIDTH for line in (before, after))
