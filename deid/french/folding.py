"""Text without case or accents: character by character, so that offsets stay true, or as words for comparison."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache

_HYPHENS = "‐‑‒–—−"
_APOSTROPHES = "’‘ʼ´`"
_SPACES = "\u00a0\u2007\u2009\u202f\t"
_FIGURE_DASH = "‒"  # a hyphen for `fold` only
_LIGATURES = {"œ": "oe", "æ": "ae", "Œ": "OE", "Æ": "AE"}
_LIGATURE = re.compile("[œæŒÆ]")
_ACCENTS = re.compile("[\u0300-\u036f]+")  # the joiner U+034F among them, which is no combining character
_NOT_WORD = re.compile(r"[^a-z0-9]+")
_WORD = re.compile(r"[a-z0-9]+")
_TABULATED = 0x250  # code points of Latin letters, folded when the module is read


# Letters of names that Unicode does not decompose: "Yılmaz", "Łukasz", "Sørensen", "Đorđe".
_STROKES = str.maketrans("ıłøđŁØĐ", "ilodLOD")


def _fold_character(character: str) -> str:
    bare = unicodedata.normalize("NFD", character.lower())[0].translate(_STROKES)
    return bare if len(bare) == 1 else character


class _FoldTable(dict[int, str]):
    """Translation table of `fold`, completed on first sight of a character."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = folded = _fold_character(character) if character.isalpha() else character
        return folded


class _LineTable(dict[int, str]):
    """Translation table of `fold_line`, completed on first sight of a character."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_line_character(chr(code))
        return folded


class _SpacedTable(dict[int, str]):
    """Translation table of `spaced`, completed on first sight of a character."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = spaced = character if character.isalnum() else " "
        return spaced


def _fold_line_character(character: str) -> str:
    if character in _APOSTROPHES:
        return "'"
    if character in _HYPHENS and character != _FIGURE_DASH:
        return "-"
    if character.isspace():
        return " "
    if not character.isalpha():
        return character
    base = unicodedata.normalize("NFKD", character)[0].lower().translate(_STROKES)
    return base if len(base) == 1 else character


def _fold_table() -> Mapping[int, str]:
    table = _FoldTable()
    for characters, plain in ((_HYPHENS, "-"), (_APOSTROPHES, "'"), (_SPACES, " ")):
        table.update(dict.fromkeys(map(ord, characters), plain))
    for code in range(_TABULATED):
        table[code]
    return table


_FOLDED = _fold_table()
_FOLDED_LINE = _LineTable()
_SPACED = _SpacedTable()


def fold(text: str) -> str:
    """Return `text` in lower case, without accents, hyphens, apostrophes and spaces made plain; the same length.

    Line breaks stay. The taggers and the tables of detection are built on this folding.
    """
    return text.translate(_FOLDED)


def spaced(folded: str) -> str:
    """Return the result of `fold` with a space for each character but letters and digits; the same length."""
    return folded.translate(_SPACED)


def key(text: str) -> str:
    """Return a name as the key of a table: folded, one space between words."""
    return " ".join(spaced(fold(text)).split())


def fold_line(text: str) -> str:
    """Return `text` folded as one line, the same length: the folding that substitution reads mentions by.

    Differs from `fold` in three ways: every white space is a space, line breaks included; compatibility characters
    lose their form ("²" stays, "ª" is "a"); the figure dash stays.
    """
    return text.translate(_FOLDED_LINE)


def without_accents(text: str) -> str:
    """Return `text` without accents, case kept; ligatures are written with two letters."""
    if text.isascii():
        return text
    if _LIGATURE.search(text):
        text = _LIGATURE.sub(lambda match: _LIGATURES[match.group()], text)
    decomposed = _ACCENTS.sub("", unicodedata.normalize("NFKD", text).translate(_STROKES))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def words(text: str) -> tuple[str, ...]:
    """Return the folded words and numbers of a text, in order."""
    return tuple(_WORD.findall(without_accents(text).casefold()))


@lru_cache(1 << 14)
def comparable(text: str) -> str:
    """Return the letters and digits of a text, folded: equal for texts that differ in case, accents and signs only.

    A text without any letter or digit is returned as it is.
    """
    return _NOT_WORD.sub("", without_accents(text).casefold()) or text


def alike(one: str, other: str) -> bool:
    """Return whether two texts are equal under `comparable`."""
    return comparable(one) == comparable(other)


_PIECE = re.compile(r"[^\W\d_]+")
_LOWERED = frozenset({"de", "du", "des", "d", "l", "la", "le", "les", "et", "en", "sur", "sous", "aux", "au", "lès"})


def in_case_of(model: str, text: str) -> str:
    """`text` in the case of `model`: all capitals, no capitals, or as it is.

    A single letter says nothing about a longer text and leaves it as it is.
    """
    return case_of(model)(text)


def case_of(model: str) -> Callable[[str], str]:
    """Return the function that puts a text in the case of `model`, as `in_case_of` does; "0tt" is "Ott" scanned."""
    if model.islower() and not (model[0] == "0" and model[1].isalpha()):
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
