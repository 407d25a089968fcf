"""Redraw characters one by one: digits for digits, letters for letters, the rest as it is."""

from __future__ import annotations

import re

from deid.privacy import KeyedStream

_DIGITS = "0123456789"
_NO_DIGIT = re.compile(r"\D")
_UPPER = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_LOWER = _UPPER.lower()


def digits_of(text: str) -> str:
    """The digits of a text, without what stands between them."""
    return _NO_DIGIT.sub("", text)


def redraw_digits(text: str, stream: KeyedStream) -> str:
    """Other digits in the places of digits; a leading digit that is not 0 stays so. Never the same number."""
    if not any(map(str.isdigit, text)):
        return text
    while True:
        drawn = _drawn(text, stream)
        if drawn != text:
            return drawn


def redraw(text: str, stream: KeyedStream) -> str:
    """Other digits for digits, plain letters of the same case for letters, of any alphabet; signs stay.

    Never the same text, unless it has neither digit nor letter.
    """
    if not any(map(str.isalpha, text)) and not any(map(str.isdigit, text)):
        return text
    while True:
        drawn = _drawn(text, stream, letters=True)
        if drawn.casefold() != text.casefold():
            return drawn


def _drawn(text: str, stream: KeyedStream, *, letters: bool = False) -> str:
    """Each digit, and letter if asked for, drawn in its turn."""
    drawn: list[str] = []
    leads = True
    for char in text:
        if char.isdigit():
            drawn.append(_DIGITS[1 + stream.below(9)] if leads and char != "0" else _DIGITS[stream.below(10)])
            leads = False
            continue
        leads = True
        drawn.append(stream.choice(_UPPER if char.isupper() else _LOWER) if letters and char.isalpha() else char)
    return "".join(drawn)
