"""Result of a generator for one mention, the protocol of generators, and masks."""

from __future__ import annotations

import re
from typing import NamedTuple, Protocol

from deid.domain.document import Mention
from deid.french.articles import Noun
from deid.french.folding import comparable
from deid.privacy.stream import KeyedStream


class Draft(NamedTuple):
    """A surrogate's text, the strategy that wrote it, and whether the mention could be read.

    `may_return`: the law of the draw lets the text be its original. `noun`: grammar of the text, where the words ahead
    of the mention are to be written again to fit it.
    """

    text: str
    strategy: str
    parsed: bool = True
    may_return: bool = False
    noun: Noun | None = None


class Generator(Protocol):
    """Writes the surrogates of one document's mentions of some labels."""

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return the surrogate of a mention; `attempt` above 0 asks for another one than before."""
        ...


def mask(label: str, original: str) -> Draft:
    """Return the label or own type in brackets, for a mention that could not be read; different from the original."""
    return Draft(_label_in_brackets(label, original), "mask", parsed=False)


def tag(label: str, original: str) -> Draft:
    """Return the label in brackets, because the policy asks for it; different from the original."""
    return Draft(_label_in_brackets(label, original), "tag")


def _label_in_brackets(label: str, original: str) -> str:
    # A mention that says its own label ("DATE :" left blank, a document that was tagged before) gets no letter at all.
    text = f"[{label}]"
    return "[…]" if comparable(text) == comparable(original) or text.casefold() in original.casefold() else text


# Redraw characters one by one: digits for digits, letters for letters, the rest as it is.
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
