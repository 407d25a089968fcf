"""Result of a generator for one mention, the protocol of generators, and masks."""

from __future__ import annotations

import re
from typing import NamedTuple, Protocol

from deid.domain.document import Mention
from deid.french.articles import Noun
from deid.french.folding import comparable
from deid.privacy.stream import KeyedStream


class Draft(NamedTuple):
    """A surrogate's text, the strategy that wrote it, and whether the mention could be read (`parsed`).

    `may_return`: the law of the draw lets the text be its original. `noun`: grammar of the text, if the words ahead of
    the mention are to be rewritten to fit it.
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
    """Return the label or own type in brackets, for a mention that could not be read; never equal to the original."""
    return Draft(_label_in_brackets(label, original), "mask", parsed=False)


def tag(label: str, original: str) -> Draft:
    """Return the label in brackets, because the policy asks for it; never equal to the original."""
    return Draft(_label_in_brackets(label, original), "tag")


def _label_in_brackets(label: str, original: str) -> str:
    # A mention that says its own label ("DATE :" left blank, a document that was tagged before) gets no letter at all.
    text = f"[{label}]"
    return "[…]" if comparable(text) == comparable(original) or text.casefold() in original.casefold() else text


# Redraw characters one by one: digits for digits, letters for letters, the rest as it is.
_DIGITS = "0123456789"
_NUMBER = 5  # digits from which letters that look like digits are some: "lO1O3344O78", "477 820 116 OOO27"
_MISREAD, _SCANNED = re.compile(r"(?<!\w)[OolI]*\d[\dOolI]*(?!\w)"), str.maketrans("OolI", "0011")
_LETTER = re.compile(r"[^\W\dOolI_]")  # of no scanned digit
_NO_DIGIT = re.compile(r"\D")
_UPPER = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_LOWER = _UPPER.lower()


def digits_of(text: str) -> str:
    """Return the digits of a text without its other characters."""
    return _NO_DIGIT.sub("", text)


def redraw_digits(text: str, stream: KeyedStream) -> str:
    """Redraw the digits of a text, never to the same text; a leading digit other than 0 is not redrawn to 0."""
    if not any(map(str.isdigit, text)):
        return text
    while True:
        drawn = _drawn(text, stream)
        if drawn != text:
            return drawn


def redraw(text: str, stream: KeyedStream) -> str:
    """Redraw digits, and letters of any alphabet as plain ones of the same case; keep signs.

    Never returns the same text, unless it has neither digit nor letter.
    """
    if not any(map(str.isalpha, text)) and not any(map(str.isdigit, text)):
        return text
    if len(digits_of(text)) >= _NUMBER or not _LETTER.search(text):  # what a scanner read for some of its digits
        text = _MISREAD.sub(lambda one: one.group().translate(_SCANNED), text)
    while True:
        drawn = _drawn(text, stream, letters=True)
        if drawn.casefold() != text.casefold():
            return drawn


def _drawn(text: str, stream: KeyedStream, *, letters: bool = False) -> str:
    """Redraw each digit in its turn, and each letter if `letters`."""
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
