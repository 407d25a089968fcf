"""Redraw characters one by one: digits for digits, letters for letters, the rest as it is."""

from __future__ import annotations

from deid.privacy import KeyedStream

_UPPER = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_LOWER = _UPPER.lower()


def redraw_digits(text: str, stream: KeyedStream) -> str:
    """Other digits in the places of digits; a leading digit that is not 0 stays so. Never the same number."""
    if not any(char.isdigit() for char in text):
        return text
    while True:
        drawn = "".join(_digit(text, index, stream) if char.isdigit() else char for index, char in enumerate(text))
        if drawn != text:
            return drawn


def _digit(text: str, index: int, stream: KeyedStream) -> str:
    leads = text[index] != "0" and (index == 0 or not text[index - 1].isdigit())
    return str(1 + stream.below(9)) if leads else str(stream.below(10))


def redraw(text: str, stream: KeyedStream) -> str:
    """Other digits for digits, plain letters of the same case for letters, of any alphabet; signs stay.

    Never the same text, unless it has neither digit nor letter.
    """
    if not any(char.isalpha() or char.isdigit() for char in text):
        return text
    while True:
        drawn = "".join(_other(text, index, stream) for index in range(len(text)))
        if drawn.casefold() != text.casefold():
            return drawn


def _other(text: str, index: int, stream: KeyedStream) -> str:
    char = text[index]
    if char.isdigit():
        return _digit(text, index, stream)
    if not char.isalpha():
        return char
    return stream.choice(_UPPER if char.isupper() else _LOWER)
