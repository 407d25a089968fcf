"""Bring text to a bare form that compares: no case, no accents, no look-alike signs; and cut it into words.

Validation owns this on purpose: it shares no code with detection, so that a slip there is not repeated here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_APOSTROPHES = "’ʼ‘`´′"
_DASHES = "‐‑‒–—―−"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"

# Letters, with the combining marks and invisible signs that may hide inside a name.
WORD = re.compile(rf"[^\W\d_]+(?:[\u0300-\u036f{_INVISIBLE}][^\W\d_]*)*")
_CASE_PIECE = re.compile(r"[A-ZÀ-ÖØ-Þ]+(?![a-zß-öø-ÿ])|[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]+")
_SPELT_OUT = re.compile(r"(?<!\w)(?:[^\W\d_][ .\-]){3,}[^\W\d_](?!\w)")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])-[ \t]*\n[ \t]*(?=[^\W\d_])")
_NOT_LETTER = re.compile(r"[^a-z]+")
_NOT_ALNUM = re.compile(r"[^a-z0-9]+")


class _FoldTable(dict[int, str]):
    """Code point → bare form, filled as characters are met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in _APOSTROPHES:
            bare = "'"
        elif char in _DASHES:
            bare = "-"
        elif char in _INVISIBLE:
            bare = ""
        elif char in "œŒ":
            bare = "oe"
        elif char in "æÆ":
            bare = "ae"
        else:
            parts = unicodedata.normalize("NFKD", char)
            bare = "".join(part for part in parts if not unicodedata.combining(part)).casefold()
        self[code] = bare
        return bare


_FOLD = _FoldTable()


def fold(text: str) -> str:
    """`text` without case, accents, invisible signs or typographic variants of quotes, dashes and digits."""
    return text.translate(_FOLD)


def letters(text: str) -> str:
    """The bare letters of `text`, everything else dropped."""
    return _NOT_LETTER.sub("", fold(text))


def alnum(text: str) -> str:
    """The bare letters and digits of `text`, everything else dropped."""
    return _NOT_ALNUM.sub("", fold(text))


def phrase(text: str) -> str:
    """The bare words and numbers of `text`, one space between and around: a substring of it is whole words."""
    return f" {_NOT_ALNUM.sub(' ', fold(text)).strip()} "


class Word(NamedTuple):
    """A word of a text: where it stands, as written and bare."""

    start: int
    end: int
    raw: str
    bare: str


def words(text: str) -> Iterator[Word]:
    """Words of `text` in order; a word glued by case (`DUPONTJean`) is followed by its pieces."""
    for match in WORD.finditer(text):
        raw = match.group()
        yield Word(match.start(), match.end(), raw, fold(raw))
        if len(raw) > 2 and not (raw.islower() or raw.isupper() or raw.istitle()):
            for piece in _CASE_PIECE.finditer(raw):
                start = match.start() + piece.start()
                yield Word(start, start + len(piece.group()), piece.group(), fold(piece.group()))


def hidden_words(text: str) -> Iterator[str]:
    """Bare words that line breaks (`DU-⏎PONT`) or spacing (`D U P O N T`) took apart."""
    for match in _SPELT_OUT.finditer(text):
        yield letters(match.group())
    for match in _HYPHENATED.finditer(text):
        before = re.search(r"[^\W\d_]+$", text[max(0, match.start() - 40) : match.start()])
        after = re.match(r"[^\W\d_]+", text[match.end() : match.end() + 40])
        if before and after:
            yield fold(before.group() + after.group())
