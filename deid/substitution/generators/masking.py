"""Masking generators that a policy may choose per label (Braghin et al. 2019) instead of the library's own.

`deid.config.generators` says which generator may write which label. Names in the policy: `redact`, `null` (`Constant`),
`tag` (`Numbering`), `hash` (`Digest`), `truncate` (`Truncation`), `shift` (`Shift`), `randomise` (`Random`), `mask`
(`Masks`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property

from deid.config.generators import NULL
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import comparable
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, mask, redraw, tag
from deid.substitution.temporal.normalisation import NormalisedTimes, normalise
from deid.substitution.temporal.values import Unit, years_between

BLOCK = "█"
# Consonants and digits that are not mistaken for each other: a digest is never a word, a name or a number.
ALPHABET = "bcdfghjkmnpqrstvwxz23456789"
# Shorter words are few: the same letters for the same initial would be a cipher that counting breaks.
_WORD = re.compile(r"[^\W\d_]{3,}")
_FIGURE = re.compile(r"\d")
_ZIP_DIGITS, _DEPARTMENT = 5, 2
# "+33 3", "0033 (0)3" or "03" before the rest of a whole national number.
_ZONE = re.compile(r"\s*(?:(?:\+|00)\s*33[\s.()]*(?:0\)?)?\s*|0)[1-9](?=(?:\D*\d){8}\D*$)")
_FINE = frozenset({Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.SEASON})


class Constant:
    """`redact`, `null` and an own type's `constant`: one draft for every mention, so that not even length is revealed.

    Keeps the place of a mention and its line breaks.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def write(self, mention: Mention, attempt: int) -> Draft:  # noqa: ARG002 - the protocol of generators
        """Return the draft."""
        return self._draft


def redacting(*, width: int) -> Constant:
    """Return the generator that writes `width` blocks for every mention."""
    return Constant(Draft(BLOCK * width, "redact"))


def erasing() -> Constant:
    """Return the generator that writes nothing: the text on both sides of a mention touches."""
    return Constant(Draft("", NULL))


class Masks:
    """The label in brackets for every mention: keeps only the kind of the value."""

    def __init__(self, context: DocumentContext) -> None:
        self._context = context

    def write(self, mention: Mention, attempt: int) -> Draft:  # noqa: ARG002 - there is one mask
        """Return the mask of the mention's label."""
        return tag(mention.label, self._context.text(mention))


class Numbering:
    """`tag`: the label and a number per value, equal but for case, accents and punctuation: EMAIL-0.

    Within a document the numbers are 0, 1, 2… in the order of first appearance, which the text shows anyway. In a wider
    scope that order would depend on which documents came first, and a number would reveal when. There the number is
    drawn from the secret, below 10^`digits`: two of a patient's hundred values share one with probability below 1 %.
    """

    def __init__(self, context: DocumentContext, *, digits: int) -> None:
        self._context = context
        self._bound = 10**digits

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return the label or own type, and the number of the mention's value."""
        value = comparable(self._context.text(mention))
        if self._context.scope[0] == "document":
            number = self._order[self._context.kind(mention)].index(value)
        else:
            number = self._context.stream("tag", self._context.kind(mention), value, str(attempt)).below(self._bound)
        return Draft(f"{self._context.kind(mention)}-{number}", "tag")

    @cached_property
    def _order(self) -> dict[str, list[str]]:
        """Return the values of each label or own type in the order of first appearance."""
        values: dict[str, dict[str, None]] = {}
        for mention in self._context.mentions:
            values.setdefault(self._context.kind(mention), {})[comparable(self._context.text(mention))] = None
        return {label: list(found) for label, found in values.items()}


class Digest:
    """`hash`: `length` characters of `ALPHABET` drawn by HMAC-SHA-256 from scope, label and value.

    Keeps, within the scope, which mentions of a label are equal but for case, accents and punctuation; nothing else. A
    character holds 4.75 bits: at the default 12, two of a million values meet with probability 10⁻⁵. Without the secret
    a list of all possible values does not help, as it would against a plain hash.
    """

    def __init__(self, context: DocumentContext, *, length: int) -> None:
        self._context = context
        self._length = length

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return the digest of the mention's value."""
        value = comparable(self._context.text(mention))
        stream = self._context.stream("hash", self._context.kind(mention), value, str(attempt))
        return Draft("".join(stream.choice(ALPHABET) for _ in range(self._length)), "hash")


class Truncation:
    """`truncate`: the department of a post code, the zone of a telephone number, the year of a date.

    Keeps the beginning and writes x for every other digit; of a date, its true year and nothing else. The true
    beginning is published: no ε bounds what it reveals.

    A mention with nothing to cut gets its label: a year alone, digits in words, a short number. So does a day further
    back than the policy's top-coded age, since its year would reveal such an age (45 CFR 164.514(b)).
    """

    def __init__(self, context: DocumentContext) -> None:
        self._context = context

    def write(self, mention: Mention, attempt: int) -> Draft:  # noqa: ARG002 - there is one beginning
        """Return the beginning of the mention, or its label."""
        original = self._context.text(mention)
        if mention.label is Label.DATE:
            return self._year(mention, original)
        length = self._kept_length(mention.label, original)
        if length is None:
            return tag(mention.label, original)
        return Draft(original[:length] + _FIGURE.sub("x", original[length:]), "truncate")

    @staticmethod
    def _kept_length(label: Label, original: str) -> int | None:
        """Return the number of characters to keep; None for letters, or a code or number that is not whole."""
        if re.search(r"[^\W\d_]", original):
            return None
        if label is Label.ZIP:
            figures = [match.end() for match in _FIGURE.finditer(original)]
            return figures[_DEPARTMENT - 1] if len(figures) == _ZIP_DIGITS else None
        zone = _ZONE.match(original)
        return zone.end() if zone else None

    @cached_property
    def _normalised(self) -> NormalisedTimes:
        return normalise(self._context)

    def _year(self, mention: Mention, original: str) -> Draft:
        instant = self._normalised.instants.get(mention)
        if instant is None:
            return mask(Label.DATE, original)
        eldest = self._context.policy.ages.top_code
        if instant.unit not in _FINE or years_between(instant.first, self._normalised.anchor) >= eldest:
            return tag(Label.DATE, original)
        return Draft(str(instant.middle.year), "truncate")


class Shift:
    """`shift`: the digits of a mention, read as one number of n digits, plus an offset of [1, 10ⁿ), modulo 10ⁿ.

    The offset is drawn from scope, label and n. Keeps layout, and the differences of the numbers of one label and
    length within the scope. One number alone is hidden perfectly, since every other value is as likely; whoever learns
    one knows all numbers of that length. Letters are redrawn.
    """

    def __init__(self, context: DocumentContext) -> None:
        self._context = context

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return the mention's layout with the moved number."""
        original = self._context.text(mention)
        letters = redraw(
            original, self._context.stream("shift letters", self._context.kind(mention), comparable(original))
        )
        number = "".join(str(unicodedata.digit(char)) for char in original if char.isdigit())
        if not number:
            return Draft(letters, "shift")
        bound = 10 ** len(number)
        stream = self._context.stream("shift", self._context.kind(mention), str(len(number)), str(attempt))
        offset = 1 + stream.below(bound - 1)
        moved = iter(f"{(int(number) + offset) % bound:0{len(number)}d}")
        drawn = zip(original, letters, strict=True)
        return Draft("".join(next(moved) if char.isdigit() else letter for char, letter in drawn), "shift")


class Random:
    """`randomise`: other characters of the same classes, digits for digits and letters for letters of the same case.

    Keeps length, layout, case and signs, and, within the scope, which values are equal; in names, which words are.
    """

    def __init__(self, context: DocumentContext) -> None:
        self._context = context

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return the mention's layout with other characters."""
        original = self._context.text(mention)
        drawn = self._redrawn(mention, original, attempt)
        if mention.label in NAMES and len(drawn) == len(original):
            for word in _WORD.finditer(original):
                drawn = drawn[: word.start()] + self._redrawn(mention, word.group(), attempt) + drawn[word.end() :]
        return Draft(drawn, "randomise")

    def _redrawn(self, mention: Mention, text: str, attempt: int) -> str:
        return redraw(
            text, self._context.stream("randomise", self._context.kind(mention), comparable(text), str(attempt))
        )
