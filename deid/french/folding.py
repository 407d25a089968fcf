"""One-to-one normalisation of text: every character maps to exactly one, so offsets stay true."""

from __future__ import annotations

import unicodedata
from functools import cache

_HYPHENS = "‐‑‒–—−"
_APOSTROPHES = "’‘ʼ´`"
_SPACES = "\u00a0\u2007\u2009\u202f\t"


def _fold_character(character: str) -> str:
    bare = unicodedata.normalize("NFD", character.lower())[0]
    return bare if len(bare) == 1 else character


class _Table(dict[int, str]):
    """A translation table that computes what it has not seen yet."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = _fold_character(character) if character.isalpha() else character
        self[code] = folded
        return folded


class _SpacedTable(dict[int, str]):
    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = spaced = character if character.isalnum() else " "
        return spaced


@cache
def _folding() -> _Table:
    table = _Table()
    table.update(dict.fromkeys(map(ord, _HYPHENS), "-"))
    table.update(dict.fromkeys(map(ord, _APOSTROPHES), "'"))
    table.update(dict.fromkeys(map(ord, _SPACES), " "))
    for code in range(0x250):
        table[code]
    return table


_SPACED = _SpacedTable()


def fold(text: str) -> str:
    """Lower case, no accents, plain hyphens, apostrophes and spaces; same length as `text`."""
    return text.translate(_folding())


def spaced(folded: str) -> str:
    """What `fold` gave with all but letters and digits turned into spaces; same length."""
    return folded.translate(_SPACED)


def key(text: str) -> str:
    """A name as a table key: folded, one space between its words."""
    return " ".join(spaced(fold(text)).split())
