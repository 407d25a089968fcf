"""Text without case or accents, in two ways: for comparing, and position by position for parsing."""

from __future__ import annotations

import re
import string
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

from deid.french.remembering import remembering

_LIGATURES = {"œ": "oe", "æ": "ae", "Œ": "OE", "Æ": "AE"}
_LIGATURE = re.compile("[œæŒÆ]")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_NOT_WORD = re.compile(r"[^a-z0-9]+")
_WORD = re.compile(r"[a-z0-9]+")
_LOWERED = {char: char.lower() for char in string.ascii_letters + string.digits}
_LOWER = bytes(range(128)).lower().ljust(256, b"\0")
_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
# Each mention is folded a dozen times on its way through a document, and a patient's names come back all night.
_REMEMBERED = 1 << 15


def _single(char: str) -> str:
    base = unicodedata.normalize("NFKD", char)[0].lower()
    return base if len(base) == 1 else char


def _plain(char: str) -> str:
    if char in "’ʼ‘`´":
        return "'"
    if char in "‐‑–—−":
        return "-"
    if char.isspace():
        return " "
    return _single(char) if char.isalpha() else char


class _Positions(dict[int, str]):
    """Code point → one folded character, learnt on first sight."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _plain(chr(code))
        return folded


_POSITIONS = _Positions()


_ASCII = "".join(" " if chr(code).isspace() else "'" if chr(code) == "`" else chr(code).lower() for code in range(128))
_SCRIPTS = 0x3000  # nearly all text is made of code points below: alphabets, punctuation, signs


@cache
def _of_scripts() -> NDArray[np.uint16]:
    return np.array([ord(_plain(chr(code))) for code in range(_SCRIPTS)], "<u2")


@remembering(_REMEMBERED)
def flat(text: str) -> str:
    """Lower case without accents, dashes, quotes and spaces made plain; the same length as `text`."""
    return text.translate(_ASCII if text.isascii() else _POSITIONS)


def folded(text: str) -> str:
    """`flat` for a whole document: quicker on long texts, and nothing is remembered."""
    codes = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2")
    try:
        plain: bytes = _of_scripts().take(codes).tobytes()
    except IndexError:
        return text.translate(_POSITIONS)
    return plain.decode("utf-16-le")


def without_accents(text: str) -> str:
    """`text` without accents, case kept; ligatures are written with two letters."""
    if text.isascii():
        return text
    if _LIGATURE.search(text):
        text = _LIGATURE.sub(lambda match: _LIGATURES[match.group()], text)
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return plain if plain.isascii() else "".join(char for char in plain if not unicodedata.combining(char))


def cut_into_words(text: str) -> tuple[str, ...]:
    """`words` of a text that is asked for once: nothing is remembered."""
    if text.isascii() and text.isalnum():
        return (text.lower(),)
    return tuple(_WORD.findall(without_accents(text).casefold()))


# The folded words and numbers of a text, in order.
words = remembering(_REMEMBERED)(cut_into_words)


@remembering(_REMEMBERED)
def comparable(text: str) -> str:
    """What two texts share when they are the same but for case, accents and punctuation.

    A text with no letter or digit is compared as it is.
    """
    if text.isascii():
        return text.encode().translate(_LOWER, _SIGNS).decode() or text
    return _NOT_WORD.sub("", without_accents(text).casefold()) or text


def alike(one: str, other: str) -> bool:
    """Whether two texts are the same to `comparable`; nearly always their first letters or digits tell them apart."""
    try:
        for place, char in enumerate(one):
            facing = other[place]
            if char != facing:
                if _LOWERED[char] != _LOWERED[facing]:
                    return False  # what is compared begins with these, behind what is alike
            elif char not in _LOWERED:
                break
    except (KeyError, IndexError):
        pass  # a sign, an accent, or an end: they are compared as a whole
    return comparable(one) == comparable(other)
