"""Noise of typing and scanning: case, accents, typing errors, characters misread by OCR."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from deid.domain.labels import NAMES, Label
from deid.french.folding import without_accents
from nocturne_lab.learning.augmentation.pieces import Edit, Piece, edited, joined_text
from nocturne_lab.learning.augmentation.rates import Rates, SeededRandom

_ACCENTED = re.compile("[À-ÖØ-öø-ɏ]")


def lower_case(pieces: Sequence[Piece]) -> list[Piece]:
    """Lower-case the whole text."""
    return _each(pieces, str.lower)


def upper_case(pieces: Sequence[Piece]) -> list[Piece]:
    """Upper-case the whole text."""
    return _each(pieces, str.upper)


def drop_accents(pieces: Sequence[Piece]) -> list[Piece]:
    """Drop accents; write ligatures with two letters."""
    return _each(pieces, _bare)


def upper_case_lines(pieces: Sequence[Piece], rng: SeededRandom, rates: Rates) -> list[Piece]:
    """Upper-case some lines; one copy in two drops the accents there."""
    shout = (lambda text: _bare(text).upper()) if rng.once(0.5) else str.upper
    result: list[Piece] = []
    shouted = rng.once(rates.shouted_line)
    for piece in pieces:
        lines = piece.text.split("\n")
        written = [shout(lines[0]) if shouted else lines[0]]
        for line in lines[1:]:
            shouted = rng.once(rates.shouted_line)
            written.append(shout(line) if shouted else line)
        result.append(Piece("\n".join(written), piece.label))
    return result


def _each(pieces: Sequence[Piece], change: Callable[[str], str]) -> list[Piece]:
    return [Piece(change(text), label) for text, label in pieces]


def _bare(text: str) -> str:
    """Drop the accents of letters; signs such as ² and isolated accents stay."""
    return _ACCENTED.sub(lambda match: without_accents(match.group()) or match.group(), text)


# Typing errors: letters dropped, doubled, transposed, or replaced by those of the neighbouring key.
_WORD = re.compile(r"[^\W\d_]{4,}")
# Labels of words; an error in a number would change its value.
_TYPED = NAMES | {Label.CITY, Label.ORG, Label.LOC, Label.STREET, None}
_ROWS = ("azertyuiop", "qsdfghjklm", "wxcvbn")
_BESIDE = {
    letter: row[max(0, index - 1) : index] + row[index + 1 : index + 2]
    for row in _ROWS
    for index, letter in enumerate(row)
}


def mistype(pieces: Sequence[Piece], rng: SeededRandom, rates: Rates) -> list[Piece]:
    """Mistype some words; digits and words of fewer than four letters stay."""
    edits: list[Edit] = []
    position = 0
    for piece in pieces:
        if piece.label in _TYPED:
            edits += (
                Edit(position + word.start(), position + word.end(), _slip(word.group(), rng))
                for word in _WORD.finditer(piece.text)
                if rng.random() < rates.typo
            )
        position += len(piece.text)
    return edited(pieces, edits)


def _slip(word: str, rng: SeededRandom) -> str:
    at = rng.randrange(1, len(word) - 1)
    match rng.randrange(4):
        case 0:
            return word[:at] + word[at + 1 :]
        case 1:
            return word[:at] + word[at] + word[at:]
        case 2:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case _:
            beside = _BESIDE.get(word[at].lower())
            other = rng.choice(beside) if beside else word[at]
            return word[:at] + (other.upper() if word[at].isupper() else other) + word[at + 1 :]


# OCR errors: look-alikes, lost and added spaces.
_READ_AS = {
    "l": "1I", "1": "lI", "I": "l1", "O": "0", "0": "Oo", "o": "0", "é": "ec", "è": "ee", "ê": "e", "à": "a",
    "e": "c", "c": "e", "5": "S", "S": "5", "8": "B", "B": "8", "m": ("rn",), "n": ("ri",), "u": ("ii",), "h": "b",
    "b": "h", "ç": "c", "î": "i", "i": "l", "t": "f", "f": "t", "g": "q", "D": "O", "6": "b", "2": "Z", "Z": "2",
    ".": ",", ",": ".", "'": "’", "-": ("", "—"), ":": (";", "."), "/": ("l", "|"),
}  # fmt: skip
_PAIRS = {"rn": "m", "ri": "n", "cl": "d", "vv": "w", "nn": "m"}
_GAP = 0.08  # share of the places between two letters


def misread(pieces: Sequence[Piece], rng: SeededRandom, rates: Rates) -> list[Piece]:
    """Replace some characters as OCR misreads them; line breaks stay."""
    text = joined_text(pieces)
    count = round(len(text) * rates.misread * 2 * rng.random())
    edits: list[Edit] = []
    end = -1
    for at in sorted(rng.sample(range(len(text)), min(count, len(text)))):
        edit = _misread(text, at, rng) if at >= end else None
        if edit is not None:
            edits.append(edit)
            end = edit.end
    return edited(pieces, _inside(pieces, edits))


def _misread(text: str, at: int, rng: SeededRandom) -> Edit | None:
    pair = text[at : at + 2]
    if pair in _PAIRS:
        return Edit(at, at + 2, _PAIRS[pair])
    char = text[at]
    if char == " " and text[at - 1 : at].isalpha() and text[at + 1 : at + 2].isalpha():
        return Edit(at, at + 1, "")
    if char.isalnum() and text[at - 1 : at].isalnum() and rng.once(_GAP):
        return Edit(at, at, " ")
    choices = _READ_AS.get(char)
    return Edit(at, at + 1, rng.choice(choices)) if choices else None


def _inside(pieces: Sequence[Piece], edits: Sequence[Edit]) -> list[Edit]:
    """Keep the edits that neither join a mention to its neighbours nor split it off."""
    borders = set()
    position = 0
    for piece in pieces:
        position += len(piece.text)
        borders.add(position)
    return [edit for edit in edits if edit.text.strip() or not {edit.start, edit.end} & borders]
