"""Written forms of dates: sequences of parts, each writing one field of a day in its own manner."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple, Protocol

from deid.french import numerals
from deid.french.calendar import (
    ENGLISH_MONTHS,
    ENGLISH_WEEKDAYS,
    MONTHS,
    ROMAN_MONTHS,
    SEASONS,
    SHORT_MONTHS,
    THREE_LETTER_MONTHS,
    WEEKDAYS,
)
from deid.french.folding import fold_line, in_case_of, sentence_case_of, without_accents
from deid.french.numerals import write_like
from deid.substitution.temporal import feasts
from deid.substitution.temporal.values import Unit, index_of

# "fin de janvier" becomes "fin d'avril", "début de l'hiver" "début du printemps", "fin du Ramadan" "fin de Pâques"
# or, of its middle, "fin de juin".
_ELISION = re.compile(
    r"\b(?:(?P<article>de la |de l'|du )|de |d')(?:"
    r"(?=(?P<season>[ée]t[ée]|hiver|automne|printemps)\b)"
    r"|(?=(?P<month>janv|f[ée]v|mars|avr|mai|jui|ao|sept|oct|nov|d[ée]c))"
    r"|(?P<feast>(?=sainte?-|ascension|rentr[ée]e|toussaint|no[ëe]l|p[âa]ques))|(?P<middle>mi-)"
    r")",
    re.IGNORECASE,
)
_VOWELS = "aeéhoAEÉHO"


def _elided(match: re.Match[str]) -> str:
    of, following = match.group(), match.string[match.end()]
    elided = following in _VOWELS
    if match["feast"] is not None:
        bare = following in "nNpP"
        said = "de " if bare else "de l'" if elided else "de la "
    elif match["article"] and match["season"] is not None:
        said = "de l'" if elided else "du "
    elif match["article"] and match["middle"] is None:
        return of
    else:
        said = "d'" if elided else "de "
    return said.upper() if of.isupper() else said


def _case(model: str, text: str) -> str:
    return text.upper() if model.isupper() else text


_LAST_DAY = 31


class Part(Protocol):
    """A piece of a written form."""

    def write(self, day: date, /) -> str:
        """Write this piece for another day."""
        ...


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that no date changes: separators, articles, "début"."""

    text: str

    def write(self, _day: date, /) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Day:
    """The day of the month in `width` digits; "1er" beside a month in letters (`ordinal` is its ending)."""

    width: int
    ordinal: str = ""

    def write(self, day: date) -> str:
        if self.ordinal and day.day == 1:
            return f"1{self.ordinal}"
        return str(day.day).zfill(self.width)


@dataclass(frozen=True, slots=True)
class Month:
    """The number of the month in `width` digits."""

    width: int

    def write(self, day: date) -> str:
        return str(day.month).zfill(self.width)


@dataclass(frozen=True, slots=True)
class Year:
    """The year in `width` digits (2 or 4), plus `ahead` years: the end of "2018-2019"."""

    width: int
    ahead: int = 0

    def write(self, day: date) -> str:
        year = day.year + self.ahead
        return str(year % 100).zfill(2) if self.width == 2 else str(year).zfill(4)


@dataclass(frozen=True, slots=True)
class Decade:
    """The first year of the decade in `width` digits: "années 80", "années 1950"."""

    width: int

    def write(self, day: date) -> str:
        year = day.year // 10 * 10
        return f"{year % 100:02d}" if self.width == 2 else str(year)


_STYLES: dict[str, Sequence[str]] = {
    "long": MONTHS, "short": SHORT_MONTHS, "three": THREE_LETTER_MONTHS, "roman": ROMAN_MONTHS,
    "english": ENGLISH_MONTHS, "english three": tuple(name[:3] for name in ENGLISH_MONTHS),
    "four": tuple(name[:4] for name in MONTHS),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MonthName:
    """The name of the month in the style of `model`: long, short, three letters, roman or English; case; accents.

    `dot` closes an abbreviation; `bare` leaves accents out, as the model did where its month has one.
    """

    model: str
    style: str
    dot: bool = False
    bare: bool = False

    def write(self, day: date) -> str:
        name = _STYLES[self.style][day.month - 1]
        if self.style == "roman":
            return name.lower() if self.model.islower() else name
        if self.style.startswith("english"):
            return in_case_of(self.model, name)
        shortened = name != MONTHS[day.month - 1]
        text = _like(self.model, name) + ("." if self.dot and shortened else "")
        return without_accents(text) if self.bare else text


# Letters of a weekday where another one has four or five: "merc.", "vend." beside "lun.", "jeu.".
_SHORT_WEEKDAYS = (3, 3, 4, 3, 4, 3, 3)


@dataclass(frozen=True, slots=True)
class Weekday:
    """The day of the week, whole or by its first `letters`, with a dot or none."""

    model: str
    letters: int = 0
    dot: bool = False
    english: bool = False

    def write(self, day: date) -> str:
        if self.english:
            return in_case_of(self.model, ENGLISH_WEEKDAYS[day.weekday()][: self.letters or None])
        name = WEEKDAYS[day.weekday()][
            : _SHORT_WEEKDAYS[day.weekday()] if self.letters in (4, 5) else self.letters or None
        ]
        # An initial alone is a capital, not a word in capitals.
        said = name.upper() if self.letters == 1 else _like(self.model, name)
        return said + ("." if self.dot else "")


@dataclass(frozen=True, slots=True)
class Season:
    """The name of the season."""

    model: str

    def write(self, day: date) -> str:
        name = _like(self.model, SEASONS[index_of(Unit.SEASON, day) % 4])
        return without_accents(name) if "ete" in self.model.lower() else name


@dataclass(frozen=True, slots=True)
class SeasonYear:
    """The year of a season, of January for a winter, in `width` digits, plus `ahead` years."""

    width: int
    ahead: int = 0

    def write(self, day: date) -> str:
        year = index_of(Unit.SEASON, day) // 4 + self.ahead
        return f"{year % 100:02d}" if self.width == 2 else str(year)


@dataclass(frozen=True, slots=True)
class WeekNumber:
    """The number of the week (ISO 8601) after `lead`, in `width` digits at least."""

    lead: str
    width: int

    def write(self, day: date) -> str:
        return f"{self.lead}{day.isocalendar().week:0{self.width}d}"


# Feasts that have a capital, unless the whole text has none: "avant noel".
_PROPER_FEAST = re.compile(
    r"\b(?:noel|paques|toussaint|pentecote|ascension|assomption|saint|epiphanie|rameaux|chandeleur)"
)


@dataclass(frozen=True, slots=True)
class Feast:
    """A feast of the month."""

    model: str

    def write(self, day: date) -> str:
        name = feasts.feast_of_month(day.year, day.month, fold_line(self.model))
        if name.startswith("bonne "):
            name = sentence_case_of(self.model, name)
        if self.model.isupper() or (self.model.islower() and _PROPER_FEAST.search(fold_line(self.model))):
            name = in_case_of(self.model, name)
        return _plain(self.model, name)


_RANK = re.compile(r"(?P<number>\d)(?P<suffix> ?[^\W\d_]*)|(?P<word>[^\W\d_]{5,})")
_RANK_WORDS = ("premier", "deuxième", "troisième", "quatrième")


@dataclass(frozen=True, slots=True)
class Ranked:
    """The quarter (`months` 3) or half (6) of the year, in the manner of `model`: "1er trimestre", "T3"."""

    model: str
    months: int

    def write(self, day: date) -> str:
        return _RANK.sub(lambda match: self._rank(match, (day.month - 1) // self.months + 1), self.model, count=1)

    @staticmethod
    def _rank(match: re.Match[str], rank: int) -> str:
        if match["word"]:
            return sentence_case_of(match["word"], _RANK_WORDS[rank - 1])
        gap = " " * match["suffix"].startswith(" ")
        ending = match["suffix"].strip()
        if not ending or (rank == 1) == ending.lower().startswith(("er", "re")):
            return f"{rank}{match['suffix']}"
        return f"{rank}{gap}{_case(ending, 'er' if rank == 1 else 'e')}"


@dataclass(frozen=True, slots=True)
class SpokenDay:
    """The day of the month in words: "premier", "vingt-trois"."""

    model: str

    def write(self, day: date) -> str:
        words = "premier" if day.day == 1 else write_like(day.day, self.model)
        return _like(self.model, words)


@dataclass(frozen=True, slots=True)
class SpokenMonth:
    """The number of the month in words."""

    model: str

    def write(self, day: date) -> str:
        return _like(self.model, numerals.write_number(day.month))


@dataclass(frozen=True, slots=True)
class SpokenYear:
    """The year in words: whole ("mille neuf cent quarante-huit") or its last two digits ("quarante huit").

    Two digits that could be a day of the month are said whole if the year is `alone`. The model gives the form of
    centuries ("mille neuf cent", "mil neuf cent", "dix-neuf cent"), and hyphens between all words (spelling of 1990).
    """

    model: str
    short: bool
    alone: bool = True

    def write(self, day: date) -> str:
        if self.short and (day.year % 100 > _LAST_DAY or not self.alone):
            return _like(self.model, write_like(day.year % 100, self.model))
        words = self._whole(day.year)
        joined = not self.short and " " not in self.model and "-" in self.model
        return _like(self.model, words.replace(" ", "-") if joined else words)

    def _whole(self, year: int) -> str:
        century, rest = divmod(year, 100)
        if not 11 <= century <= 19:
            return write_like(year, self.model)
        model = without_accents(self.model).lower()
        ending = f" {write_like(rest, self.model)}" if rest else ("s" if century > 11 else "")
        if not model.startswith(("mil", "deux")) and not self.short:
            return f"{write_like(century, self.model)} cent{ending}"
        thousand = "mil" if re.match(r"mil\b", model) else "mille"
        return (
            f"{thousand} {numerals.write_number(century - 10)} cent{ending}"
            if century > 11
            else f"{thousand} cent{ending}"
        )


@dataclass(frozen=True, slots=True)
class Digits:
    """All digits of a date in a row, in the order of `order` ("ddmmyyyy"), at the zeros of `template`."""

    order: str
    template: str

    def write(self, day: date) -> str:
        fields = {"d": f"{day.day:02d}", "m": f"{day.month:02d}"}
        fields["y"] = f"{day.year:04d}" if self.order.count("y") == 4 else f"{day.year % 100:02d}"
        digits = iter("".join(fields[kind] for kind in dict.fromkeys(self.order)))
        return "".join(next(digits) if char == "0" else char for char in self.template)


@dataclass(frozen=True, slots=True)
class Spread:
    """A form with its characters set apart by a machine: `template` has a 0 for each, and the gaps between."""

    form: Form
    template: str

    def write(self, day: date) -> str:
        text = self.form.write(day)
        if len(text) != self.template.count("0"):
            return text
        chars = iter(text)
        return "".join(next(chars) if char == "0" else char for char in self.template)


@dataclass(frozen=True, slots=True)
class Form:
    """The written form of a date, apart from its value."""

    parts: tuple[Part, ...]

    def write(self, day: date) -> str:
        """Write another day in the same form."""
        text = ""
        for part in self.parts:
            text += part.write(day)
        return _ELISION.sub(_elided, text) if "d" in text or "D" in text else text

    @property
    def month(self) -> tuple[Part, ...]:
        """Return the part of the month and the part ahead; empty if the form has no month."""
        for place, part in enumerate(self.parts):
            if isinstance(part, Month | MonthName | SpokenMonth):
                return self.parts[max(0, place - 1) : place + 1]
        return ()


def _like(model: str, text: str) -> str:
    shaped = sentence_case_of(model, text)
    return _plain(model, shaped)


def _plain(model: str, text: str) -> str:
    """Return `text` without accents if `model` is in capitals and has none."""
    return without_accents(text) if model.isupper() and model.isascii() else text


# What a DATE mention says before it is placed on the calendar: the fields it writes, and how it writes them.


class Expression(NamedTuple):
    """Fields written in a date; the others are None and come from the context.

    `year` below 100 was written with two digits. `weekday` is 0 on Monday, `season` 0 in winter; `rank` is the number
    of a quarter or semester; `feast` a name of `feasts`. `this_month`: the month is the document's ("le 8 courant").
    `march`: the other reading of a Tuesday, as March of a year ("mar 13"). `planned`: words ahead say that it is to
    come; `done`: that it is past.
    """

    unit: Unit
    form: Form
    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    season: int | None = None
    rank: int | None = None
    feast: str | None = None
    this_month: bool = False
    march: Expression | None = None
    planned: bool = False
    done: bool = False
