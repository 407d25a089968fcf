"""Written forms of dates: a sequence of parts, each of which writes one field of a day in its own manner."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from deid.substitution import numerals
from deid.substitution.folding import without_accents
from deid.substitution.shapes import sentence_case_of
from deid.substitution.temporal.values import Unit, index_of
from deid.substitution.temporal.vocabulary import (
    FEAST_OF_MONTH,
    MONTHS,
    ROMAN_MONTHS,
    SEASONS,
    SHORT_MONTHS,
    THREE_LETTER_MONTHS,
    WEEKDAYS,
)

# "fin de janvier" becomes "fin d'avril", "début de l'hiver" becomes "début du printemps".
_ELISION = re.compile(
    r"\b(?:(de la|de l'|du|de|d') ?(?=(?:été|ete|hiver|automne|printemps)\b)"
    r"|(de |d')(?=(?:janv|f[ée]v|mars|avr|mai|jui|ao|sept|oct|nov|d[ée]c)))",
    re.IGNORECASE,
)


def _elided(match: re.Match[str]) -> str:
    of, rest = match.group(), match.string[match.end() :].lower()
    if match.group(2):
        return _case(of, "d'" if rest[0] in "ao" else "de ")
    return _case(of, "du " if rest.startswith("printemps") else "de l'")


def _case(model: str, text: str) -> str:
    return text.upper() if model.isupper() else text


_LAST_DAY = 31


class Part(Protocol):
    """A piece of a written form."""

    def write(self, day: date, /) -> str:
        """This piece for another day."""
        ...


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that no date changes: separators, articles, "début"."""

    text: str

    def write(self, _day: date, /) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Day:
    """The day of the month in `width` digits; "1er" beside a month in letters."""

    width: int
    ordinal: bool = False

    def write(self, day: date) -> str:
        if self.ordinal and day.day == 1:
            return "1er"
        return f"{day.day:0{self.width}d}"


@dataclass(frozen=True, slots=True)
class Month:
    """The number of the month in `width` digits."""

    width: int

    def write(self, day: date) -> str:
        return f"{day.month:0{self.width}d}"


@dataclass(frozen=True, slots=True)
class Year:
    """The year in `width` digits: 2 or 4."""

    width: int

    def write(self, day: date) -> str:
        return f"{day.year % 100:02d}" if self.width == 2 else f"{day.year:04d}"


@dataclass(frozen=True, slots=True)
class Decade:
    """The first year of the decade in `width` digits: "années 80", "années 1950"."""

    width: int

    def write(self, day: date) -> str:
        year = day.year // 10 * 10
        return f"{year % 100:02d}" if self.width == 2 else str(year)


@dataclass(frozen=True, slots=True)
class MonthName:
    """The name of the month as `model` writes its own: long, short, three letters or roman; case; accents."""

    model: str
    style: str
    dot: bool = False

    def write(self, day: date) -> str:
        names: Sequence[str] = {
            "long": MONTHS,
            "short": SHORT_MONTHS,
            "three": THREE_LETTER_MONTHS,
            "roman": ROMAN_MONTHS,
        }[self.style]
        name = names[day.month - 1]
        if self.style == "roman":
            return name.lower() if self.model.islower() else name
        shortened = name != MONTHS[day.month - 1]
        return _like(self.model, name) + ("." if self.dot and shortened else "")


@dataclass(frozen=True, slots=True)
class Weekday:
    """The day of the week, whole or by its first `letters`, with a dot or none."""

    model: str
    letters: int = 0
    dot: bool = False

    def write(self, day: date) -> str:
        name = WEEKDAYS[day.weekday()]
        return _like(self.model, name[: self.letters or None]) + ("." if self.dot else "")


@dataclass(frozen=True, slots=True)
class Season:
    """The season."""

    model: str

    def write(self, day: date) -> str:
        return _like(self.model, SEASONS[index_of(Unit.SEASON, day) % 4])


@dataclass(frozen=True, slots=True)
class SeasonYear:
    """The year that a season is named after: that of its January for a winter."""

    width: int

    def write(self, day: date) -> str:
        year = index_of(Unit.SEASON, day) // 4
        return f"{year % 100:02d}" if self.width == 2 else str(year)


@dataclass(frozen=True, slots=True)
class Feast:
    """A feast of the month."""

    model: str

    def write(self, day: date) -> str:
        name = FEAST_OF_MONTH[day.month - 1]
        return _like(self.model, name) if self.model.isupper() or self.model.islower() else _plain(self.model, name)


@dataclass(frozen=True, slots=True)
class Quarter:
    """The quarter of the year: "T3"."""

    def write(self, day: date) -> str:
        return str((day.month + 2) // 3)


@dataclass(frozen=True, slots=True)
class SpokenDay:
    """The day of the month in words: "premier", "vingt-trois"."""

    model: str

    def write(self, day: date) -> str:
        words = "premier" if day.day == 1 else numerals.write(day.day, hyphens="-" in self.model)
        return _like(self.model, words)


@dataclass(frozen=True, slots=True)
class SpokenYear:
    """The year in words: whole ("mille neuf cent quarante-huit") or its last two digits ("quarante huit").

    Two digits that could be a day of the month are said whole.
    """

    model: str
    short: bool
    hyphens: bool

    def write(self, day: date) -> str:
        if self.short and day.year % 100 > _LAST_DAY:
            return _like(self.model, numerals.write(day.year % 100, hyphens=self.hyphens))
        century, rest = divmod(day.year, 100)
        if 11 <= century <= 19:
            words = f"mille {numerals.write(century - 10)} cent" if century > 11 else "mille cent"
            words += f" {numerals.write(rest, hyphens=self.hyphens)}" if rest else ("s" if century > 11 else "")
        else:
            words = numerals.write(day.year, hyphens=self.hyphens)
        return _like(self.model, words)


@dataclass(frozen=True, slots=True)
class Digits:
    """All digits of a date in a row, `order` such as "ddmmyyyy", laid into the places of the digits of `template`."""

    order: str
    template: str

    def write(self, day: date) -> str:
        fields = {"d": f"{day.day:02d}", "m": f"{day.month:02d}"}
        fields["y"] = f"{day.year:04d}" if self.order.count("y") == 4 else f"{day.year % 100:02d}"
        digits = iter("".join(fields[kind] for kind in dict.fromkeys(self.order)))
        return "".join(next(digits) if char == "0" else char for char in self.template)


@dataclass(frozen=True, slots=True)
class Form:
    """How a date is written, apart from which date it is."""

    parts: tuple[Part, ...]

    def write(self, day: date) -> str:
        """Another day in the same form."""
        text = "".join(part.write(day) for part in self.parts)
        return _ELISION.sub(_elided, text)


def _like(model: str, text: str) -> str:
    shaped = sentence_case_of(model, text)
    return _plain(model, shaped)


def _plain(model: str, text: str) -> str:
    """Without accents where the model is in capitals and has none."""
    return without_accents(text) if model.isupper() and model.isascii() else text
