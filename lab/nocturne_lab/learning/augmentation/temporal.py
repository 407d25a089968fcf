"""Alter AGE, DATE and RELDATE mentions."""

from __future__ import annotations

import re
from datetime import date, timedelta

from deid.french import numerals
from deid.french.calendar import (
    FIRST_YEAR,
    LAST_YEAR,
    MONTHS,
    ROMAN_MONTHS,
    SHORT_MONTHS,
    THREE_LETTER_MONTHS,
    WEEKDAYS,
)
from deid.french.folding import fold_line, sentence_case_of, without_accents
from deid.substitution.temporal import ages, parsing, resolving
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.forms import Expression
from deid.substitution.temporal.values import Unit
from nocturne_lab.learning.augmentation.rates import Rates, SeededRandom

# Least and greatest usual number in each unit.
_RANGES = {Unit.YEAR: (1, 99), Unit.MONTH: (1, 35), Unit.WEEK: (1, 20), Unit.DAY: (1, 45), Unit.DECADE: (3, 8)}
_NO_TOP = 1000
_RARE = 0.02  # share of ages beyond the usual range
_YEARS = re.compile(r"\d{1,3} ?ans?", re.IGNORECASE)
_FORMS = ("{} ans", "{}ans", "{}a", "{} a", "{} a.", "{} ANS", "{}A")


def other_age(original: str, rng: SeededRandom, rates: Rates) -> str:
    """Return another age in the same unit, sometimes in another form; an age that cannot be parsed stays."""
    age = ages.parse_age(original)
    if age is None:
        return original
    low, high = _RANGES[age.unit]
    value = rng.randint(low, high) if not rng.once(_RARE) else high + rng.randint(1, 5)
    if _YEARS.fullmatch(original) and value > 1 and rng.once(rates.reformed_age):
        if rng.once(0.4):
            return sentence_case_of(original, f"{numerals.write_number(value, hyphens=rng.once(0.5))} ans")
        return rng.choice(_FORMS).format(value)
    return ages.write_age(age, _stepped(age, value, rng), _NO_TOP)


def _stepped(age: Age, value: int, rng: SeededRandom) -> int:
    """Return the value in the steps of the age's unit; halves stay halves."""
    if age.kind == "months":
        return rng.randint(1, 9) * 12 + rng.randint(1, 11)
    if age.step == 1:
        return value
    return min(value, 20) * age.step + (1 if age.step == 2 else rng.randrange(age.step))


# DATE: another day, in the same form or in one of equal or slightly lower precision.
# Fields: d, dd day; m, mm month; month, short, three, roman its names; y, yy year; weekday, wd its first letters.
_WHOLE = (
    ("{dd}/{mm}/{y}", 6), ("{d}/{m}/{y}", 1), ("{dd}/{mm}/{yy}", 3), ("{d}/{m}/{yy}", 2), ("{dd}.{mm}.{y}", 2),
    ("{dd}.{mm}.{yy}", 1), ("{dd}-{mm}-{y}", 2), ("{dd}-{mm}-{yy}", 1), ("{y}-{mm}-{dd}", 2), ("{y}/{mm}/{dd}", 1),
    ("{dd}{mm}{y}", 1), ("{dd} {mm} {y}", 1), ("{dd} {mm} {yy}", 1), ("{d} {month} {y}", 5), ("{d} {short} {y}", 2),
    ("{d} {short} {yy}", 1), ("{weekday} {d} {month} {y}", 2), ("{d}-{three}-{yy}", 1), ("{dd} {three} {y}", 1),
    ("{weekday} {dd}/{mm}/{y}", 1), ("{wd} {dd}/{mm}/{yy}", 1), ("{d} {month} {yy}", 1), ("{d}/{roman}/{y}", 1),
    ("{dd}/{mm}/ {y}", 1), ("{dd} / {mm} / {y}", 1), ("{dd}{three}{y}", 1),
)  # fmt: skip
_DAY_MONTH = (
    ("{dd}/{mm}", 5), ("{d}/{m}", 3), ("{d} {month}", 6), ("{d} {short}", 2), ("{dd}.{mm}", 1), ("{dd}-{mm}", 1),
    ("{weekday} {d} {month}", 2), ("{weekday} {dd}/{mm}", 1), ("{wd} {d}/{m}", 1),
)  # fmt: skip
_MONTH_YEAR = (
    ("{month} {y}", 5), ("{mm}/{y}", 3), ("{short} {y}", 2), ("{mm}/{yy}", 2), ("{month} {yy}", 1), ("{short} {yy}", 1),
    ("{mm}-{y}", 1), ("{mm}.{y}", 1), ("{m}/{y}", 1), ("début {month} {y}", 1), ("fin {month} {y}", 1),
    ("mi-{month} {y}", 1),
)  # fmt: skip
_BY_MACHINE = re.compile(r"\d{6,}|\d{4}-\d\d-\d\d")
_LETTER = re.compile(r"[^\W\d_]")
_Forms = tuple[tuple[str, int], ...]
_TODAY = date(2020, 6, 15)  # reference day of a date without a year
_BACK, _FORTH = 5000, 700  # days: documents seldom cite dates years ahead


class CopiedDates:
    """Dates of one copy, all shifted by the same number of days, so that intervals keep their length."""

    def __init__(self, accented: bool, rng: SeededRandom, rates: Rates) -> None:
        self._accented = accented
        self._rng = rng
        self._rates = rates
        self._shift = timedelta(days=rng.randint(-_BACK, _FORTH))

    def write(self, original: str) -> str:
        """Return the new text of a mention; a date that cannot be parsed stays."""
        meant = parsing.parse(original)
        if meant is None:
            return original
        day = self._moved(meant)
        forms = self._forms(original, meant)
        if forms is None or not self._rng.once(self._rates.reformed_date):
            return self._bare(original, meant.form.write(day))
        text = self._written(forms, day)
        return self._bare(original, sentence_case_of(original, text) if _LETTER.search(original) else text)

    def _moved(self, meant: Expression) -> date:
        if meant.month is None and meant.year is None:
            return date(2020, 1, 1) + timedelta(days=self._rng.randrange(366))
        moved = resolving.place_date(meant, _TODAY).first + self._shift
        return moved if FIRST_YEAR <= moved.year <= LAST_YEAR else _TODAY

    def _forms(self, original: str, meant: Expression) -> _Forms | None:
        """Return the forms of the original's precision; None if it has no other form or was written by a machine."""
        if meant.month is None or meant.season is not None or _BY_MACHINE.fullmatch(original):
            return None
        if meant.unit is Unit.MONTH:
            return _MONTH_YEAR if meant.year is not None else None
        if meant.unit is not Unit.DAY or meant.day is None:
            return None
        if meant.year is None:
            return _DAY_MONTH
        if self._rng.once(self._rates.shortened_date):
            return self._rng.choice((_DAY_MONTH, _MONTH_YEAR))
        return _WHOLE

    def _written(self, forms: _Forms, day: date) -> str:
        form = self._rng.choices([one for one, _ in forms], [weight for _, weight in forms])[0]
        month = day.month - 1
        spelt = "{month}" in form or "{short}" in form
        return form.format(
            d="1er" if day.day == 1 and spelt else day.day,
            dd=f"{day.day:02d}",
            m=day.month,
            mm=f"{day.month:02d}",
            month=MONTHS[month],
            short=SHORT_MONTHS[month] + ("." if self._rng.once(0.4) and len(MONTHS[month]) > 4 else ""),
            three=THREE_LETTER_MONTHS[month],
            roman=ROMAN_MONTHS[month],
            y=f"{day.year:04d}",
            yy=f"{day.year % 100:02d}",
            weekday=WEEKDAYS[day.weekday()],
            wd=WEEKDAYS[day.weekday()][: self._rng.choice((2, 3))],
        )

    def _bare(self, original: str, text: str) -> str:
        """Drop accents if the document or a capitalised original has none."""
        bare = not self._accented or (original.isupper() and original.isascii())
        return without_accents(text) if bare else text


# RELDATE: another expression that fits the same place of a sentence.
# Expressions of one row can replace each other.
_ROWS = (
    "hier|avant-hier|hier soir|hier matin|hier après-midi|avant-hier soir|hier dans la nuit|ce matin|ce midi",
    "aujourd'hui|ce jour|ce soir|ce midi|cet après-midi|cette nuit|ce matin",
    "demain|après-demain|demain matin|demain soir|demain après-midi",
    "la semaine dernière|le mois dernier|l'an dernier|l'année dernière|l'été dernier|l'hiver dernier|"
    "la semaine passée|le mois passé|l'an passé|l'automne dernier|le trimestre dernier|le week-end dernier",
    "la semaine prochaine|le mois prochain|l'an prochain|l'année prochaine|l'été prochain|le trimestre prochain|"
    "le week-end prochain|l'hiver prochain",
    "cette semaine|ce mois-ci|cette année|cet été|cet hiver|ce week-end|ce trimestre|ce mois|cet automne",
)
_KIN = {fold_line(one): row.split("|") for row in _ROWS for one in row.split("|")}
_UNITS = {
    "jour": ("jour", "mois", "an"),
    "an": ("an", "mois", "jour"),
    "mois": ("mois", "an", "jour"),
    "semaine": ("semaine", "heure"),
}
_COUNTED = re.compile(
    r"(?P<lead>(?:il y a|dans|d'ici|voila|ca fait|sous) (?:environ |plus de |pres de |moins de |a peine )?)"
    r"(?P<count>\d{1,2}|[a-z-]+)(?P<gap> ?)(?P<unit>jour|an|mois|semaine)s?"
)
_MONTHS = frozenset(map(fold_line, MONTHS))


def other_relative_date(original: str, accented: bool, rng: SeededRandom) -> str:
    """Return another relative date that fits in place of `original`; an expression that cannot be parsed stays."""
    plain = fold_line(original)
    text: str | None = None
    if plain in _KIN:
        text = sentence_case_of(original, rng.choice(_KIN[plain]))
    elif (counted := _COUNTED.fullmatch(plain)) is not None:
        text = _counted(original, counted, rng)
    else:
        first, _, rest = original.partition(" ")
        names = WEEKDAYS if fold_line(first) in WEEKDAYS else MONTHS if fold_line(first) in _MONTHS else None
        if names is not None and rest:
            text = f"{sentence_case_of(first, rng.choice(names))} {rest}"
    if text is None:
        return original
    return text if accented else without_accents(text)


def _counted(original: str, counted: re.Match[str], rng: SeededRandom) -> str | None:
    written = counted["count"]
    if not written.isdigit() and numerals.read_number(written.split("-")) is None:
        return None
    unit = rng.choice(_UNITS[counted["unit"]])
    count = rng.randint(2, 30 if unit in ("jour", "an") else 18)
    number = str(count) if written.isdigit() else numerals.write_number(count, feminine=unit in ("semaine", "heure"))
    plural = unit if unit == "mois" else unit + "s"
    tail = f"{number}{counted['gap']}{plural}"
    return original[: counted.end("lead")] + (tail.upper() if original.isupper() else tail)
