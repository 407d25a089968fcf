"""Surrogates of the policy's own types: the same layout, the value kept, one constant text, or a line of a list."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import NamedTuple

from deid.config.own_types import KEEP, LISTED, VALIDATORS, OwnType
from deid.domain.document import Mention
from deid.french.folding import comparable, key
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, mask

STRATEGY = "same_layout"
_MOST_SIGNS = 100  # letters and digits of a value
_TRIES = 5_000  # numbers tried for one that the validator takes: one in 97 does, of MOD 97-10
_NUMERALS, _LETTERS = string.digits, string.ascii_lowercase


class _Sign(NamedTuple):
    """A letter or digit of a value: its place, the signs allowed there, and the index of its own."""

    place: int
    signs: str
    drawn: int


class Layouts:
    """Values of an own type: other letters and digits in the same places, right by the type's validator.

    The values of a layout are permuted within the scope, so that no two get one surrogate and none gets its own: each
    moves to the next valid one in a keyed order. Signs and case stay; a number begins with 0 if and only if it did.
    """

    def __init__(self, context: DocumentContext, own: OwnType) -> None:
        self._context = context
        self._holds: Callable[[str], bool] = VALIDATORS[own.validator] if own.validator else lambda _: True

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return another value in the layout; the type in brackets if there is none."""
        original = self._context.text(mention)
        kind = self._context.kind(mention)
        signs = list(_signs(original))
        if 0 < len(signs) <= _MOST_SIGNS:
            holds = self._holds if self._holds(original) else lambda _: True  # joined mentions prove nothing
            for drawn in self._next(kind, signs, attempt):
                written = _written(original, signs, drawn)
                if holds(written):
                    return Draft(written, STRATEGY)
        return mask(kind, original)

    def _next(self, kind: str, signs: Sequence[_Sign], attempt: int) -> Iterator[int]:
        """Yield the values after the one of `signs` in the keyed order of its layout, itself left out."""
        bases = [len(sign.signs) for sign in signs]
        value = 0
        for sign, base in zip(signs, bases, strict=True):
            value = value * base + sign.drawn
        bound = prod(bases)
        order = self._context.permutation(bound, "own type", kind, *(sign.signs for sign in signs))
        place = order(value)
        for step in range(1, min(bound, _TRIES)):
            yield order.inverse((place + step + attempt) % bound)


def _signs(original: str) -> Iterator[_Sign]:
    leads = True
    for place, char in enumerate(original):
        if not char.isalnum():
            continue
        plain = comparable(char)
        if len(plain) == 1 and plain in _NUMERALS:
            signs = _NUMERALS if not leads else _NUMERALS[1:] if plain != "0" else "0"
            leads = False
        else:
            signs, leads = _LETTERS, True
        yield _Sign(place, signs, signs.index(plain) if plain in signs else ord(char) % len(signs))


def _written(original: str, signs: Sequence[_Sign], value: int) -> str:
    chars = list(original)
    for sign in reversed(signs):
        value, drawn = divmod(value, len(sign.signs))
        chars[sign.place] = sign.signs[drawn].upper() if original[sign.place].isupper() else sign.signs[drawn]
    return "".join(chars)


class Kept:
    """The value itself, where the policy says that it identifies nobody."""

    def __init__(self, context: DocumentContext) -> None:
        self._context = context

    def write(self, mention: Mention, attempt: int) -> Draft:  # noqa: ARG002 - the protocol of generators
        """Return the text of the mention."""
        return Draft(self._context.text(mention), KEEP, may_return=True)


class Listed:
    """A line of a file of the hospital's, the same for a value within the scope.

    If the file is at least as long as the dictionary, no two terms of the dictionary share one.
    """

    def __init__(self, context: DocumentContext, lines: Sequence[str], terms: dict[str, int]) -> None:
        self._context = context
        self._lines = lines
        self._terms = terms if len(terms) <= len(lines) else {}

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return the line drawn for the mention's value."""
        value, kind = key(self._context.text(mention)), self._context.kind(mention)
        place = self._terms.get(value)
        if place is None:
            drawn = self._context.stream("own type", kind, value, str(attempt)).below(len(self._lines))
        else:
            drawn = self._context.permutation(len(self._lines), "own type", kind, str(attempt))(place)
        return Draft(self._lines[drawn], LISTED)


def listing(own: OwnType) -> Callable[[DocumentContext], Listed]:
    """Return the constructor of the generator of a type with `provider: list`, its files read once.

    Raises:
        PolicyError: a file has changed since the policy was read.
    """
    lines = own.terms("surrogates")
    terms = {term: place for place, term in enumerate(dict.fromkeys(map(key, own.terms("dictionary"))))}
    return lambda context: Listed(context, lines, terms)
