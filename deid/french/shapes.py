"""Case and accents of a word, taken from the one it replaces."""

from __future__ import annotations

import re
from collections.abc import Callable

from deid.french.folding import without_accents

_PIECE = re.compile(r"[^\W\d_]+")
_LOWERED = frozenset({"de", "du", "des", "d", "l", "la", "le", "les", "et", "en", "sur", "sous", "aux", "au", "lès"})


def in_case_of(model: str, text: str) -> str:
    """`text` in the case of `model`: all capitals, no capitals, or as it is.

    A single letter says nothing about a longer text and leaves it as it is.
    """
    return case_of(model)(text)


def case_of(model: str) -> Callable[[str], str]:
    """Return the function that puts a text in the case of `model`, as `in_case_of` does."""
    if model.islower():
        return str.lower
    if model.isupper() and (model[:2].isalpha() or sum(map(str.isalpha, model)) > 1) and len(model) > 1:
        return str.upper
    return str


def sentence_case_of(model: str, text: str) -> str:
    """`text` (a phrase in lower case) in the case of `model`: capitals, first letter capital, or lower."""
    if model.islower():
        return text
    letters = [char for char in model if char.isalpha()]
    if len(letters) > 1 and all(char.isupper() for char in letters):
        return text.upper()
    if letters and letters[0].isupper():
        return text[:1].upper() + text[1:]
    return text


def titled(text: str) -> str:
    """A name in capitals as a proper noun is written: "SAINT-LOUP D'AMOUR" is "Saint-Loup d'Amour"."""
    start = True

    def piece(match: re.Match[str]) -> str:
        nonlocal start
        word = match.group().lower()
        kept = word in _LOWERED and not start
        start = False
        return word if kept else word[:1].upper() + word[1:]

    return _PIECE.sub(piece, text)


def accented_like(model: str, text: str, accented: bool) -> str:
    """`text` without accents where `model`, or the document it is in (`accented` False), writes none."""
    if not accented or (len(model) > 1 and model.isupper() and model.isascii()):
        return without_accents(text)
    return text
