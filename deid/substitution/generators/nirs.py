"""NIR: sex kept, year and month of the surrogate birth date, the published birthplace or one near home, valid key."""

from __future__ import annotations

import re

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french import numerals
from deid.french.check_digits import nir_holds, nir_key
from deid.french.folding import comparable, fold_line
from deid.privacy.stream import KeyedStream
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, mask, redraw_digits
from deid.substitution.places.gazette import Gazette
from deid.substitution.temporal.calendar import Calendar

STRATEGY = "valid_key"
_SCANNED = str.maketrans("OoIl", "0011")
_PLAIN = re.compile(r"([12378])(\d\d)(\d\d)(\d\d|2[AB])(\d{3})(\d{3})(\d\d)?")
_WORDS = re.compile(r"[^\W\d_]{3,}")
_NEITHER = re.compile("[^0-9AB]")
_WORD_OR_PLACE = re.compile(r"([^\W\d_]{3,})|[0-9OoIlABab]")
_WITHOUT_KEY = 13
_KEY_WIDTH = 2
_ABROAD = "99"
_CITIES = {"751": "75056", "132": "13055", "693": "69123"}  # beginnings of the codes of arrondissements → their city
_GROUPS = (1, 2, 2, 2, 3, 3, 2)


class Nirs:
    """Generator of NIR for one document; two digits alone are the key of the number before them."""

    def __init__(self, context: DocumentContext, calendar: Calendar, gazette: Gazette) -> None:
        self._context = context
        self._calendar = calendar
        self._gazette = gazette

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return another number in the same layout."""
        original = self._context.text(mention)
        number = self._number(_characters(original), attempt)
        if number is None:
            return self._other(mention, original, attempt)
        return Draft(_filled(original, number), STRATEGY)

    def _number(self, characters: str, attempt: int) -> str | None:
        """Return the fifteen characters of another NIR; None unless `characters` are a NIR, with or without its key."""
        match = _PLAIN.fullmatch(characters)
        if match is None:
            return None
        return self._drawn(match, self._context.stream("nir", characters[:_WITHOUT_KEY], str(attempt)))

    def _drawn(self, match: re.Match[str], stream: KeyedStream) -> str:
        sex, year, _, department, commune, _, _ = match.groups()
        year, month = self._birth(year, stream.below(12) + 1, 10 + stream.below(89))
        while True:
            place = (
                _ABROAD + f"{100 + stream.below(400):03d}"
                if department == _ABROAD
                else self._place(department + commune, stream.below(64))
            )
            number = f"{sex}{year}{month}{place}{1 + stream.below(998):03d}"
            if number != match.string[:_WITHOUT_KEY]:
                return number + nir_key(number)

    def _birth(self, year: str, other_month: int, other_year: int) -> tuple[str, str]:
        """Return year and month, two digits each: the surrogate birth's if `year` is the true one, else the others."""
        moved = self._calendar.moved_birth
        if moved is not None and f"{moved[0].year % 100:02d}" == year:
            return f"{moved[1].year % 100:02d}", f"{moved[1].month:02d}"
        return f"{other_year:02d}", f"{other_month:02d}"

    def _place(self, code: str, number: int) -> str:
        """Return the code of the commune drawn for the one that a code is of here, else of one around the home."""
        if (drawn := self._gazette.drawn_for(_CITIES.get(code[: -len("01")], code))) is not None:
            return drawn.insee
        members = self._gazette.surroundings
        return members[number % len(members)].insee

    def _other(self, mention: Mention, original: str, attempt: int) -> Draft:
        """Write a mention that is no whole number: the key of the number before, a part, or digits in words."""
        stream = self._context.stream("nir part", comparable(original), str(attempt))
        part = original.strip().translate(_SCANNED)  # "ll", as a scanner breaks "11"
        if part.isdigit():
            key = self._key_before(mention) if len(part) == _KEY_WIDTH else None
            return Draft((key if key not in (None, part) else redraw_digits(part, stream)), STRATEGY)
        if not any(char.isdigit() for char in original):
            if numerals.read_number(re.findall("[a-z]+", fold_line(original))[:1]) is None:
                return mask(Label.NIR, original)
            words = [
                numerals.write_number(int("".join(str(stream.below(10)) for _ in range(w))) % 100, hyphens=False)
                for w in _GROUPS
            ]
            return Draft(" ".join(words), STRATEGY)
        return Draft(redraw_digits(original.translate(_SCANNED), stream), STRATEGY)

    def _key_before(self, mention: Mention) -> str | None:
        for other in reversed(self._context.of([Label.NIR])):
            if other.end <= mention.start:
                number = self._number(_characters(self._context.text(other)), 0)
                return number[_WITHOUT_KEY:] if number else None
        return None


def is_nir(text: str) -> bool:
    """Return whether a text is a whole NIR that ends in its key."""
    return nir_holds(_characters(text))


def _characters(text: str) -> str:
    """Return the digits and the A or B of a NIR, without words such as "clé" and scanning errors."""
    return _NEITHER.sub("", _WORDS.sub("", text).translate(_SCANNED).upper())


def _filled(layout: str, characters: str) -> str:
    """Put `characters` in the places of the digits of `layout`; words such as "clé" stay."""
    source = iter(characters)
    return _WORD_OR_PLACE.sub(lambda match: match[1] or next(source, ""), layout)
