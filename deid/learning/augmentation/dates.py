"""DATE: another day, in the same form or in another one that says as much, or a little less."""

from __future__ import annotations

import re
from datetime import date, timedelta

from deid.french.calendar import (
    FIRST_YEAR,
    LAST_YEAR,
    MONTHS,
    ROMAN_MONTHS,
    SHORT_MONTHS,
    THREE_LETTER_MONTHS,
    WEEKDAYS,
)
from deid.french.folding import without_accents
from deid.french.shapes import sentence_case_of
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.rates import Rates
from deid.substitution.temporal import parsing, resolving
from deid.substitution.temporal.forms import Expression
from deid.substitution.temporal.values import Unit

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
_TODAY = date(2020, 6, 15)  # what a date without a year is near to
_BACK, _FORTH = 5000, 700  # days: documents are seldom from years to come


class Dates:
    """The dates of one copy. All move by the same number of days, so that a stay stays one."""

    def __init__(self, accented: bool, chance: Chance, rates: Rates) -> None:
        self._accented = accented
        self._chance = chance
        self._rates = rates
        self._shift = timedelta(days=chance.randint(-_BACK, _FORTH))

    def write(self, original: str) -> str:
        """The new text of a mention; what no reader understands stays."""
        meant = parsing.parse(original)
        if meant is None:
            return original
        day = self._moved(meant)
        forms = self._forms(original, meant)
        if forms is None or not self._chance.once(self._rates.reformed_date):
            return self._bare(original, meant.form.write(day))
        text = self._written(forms, day)
        return self._bare(original, sentence_case_of(original, text) if _LETTER.search(original) else text)

    def _moved(self, meant: Expression) -> date:
        if meant.month is None and meant.year is None:
            return date(2020, 1, 1) + timedelta(days=self._chance.randrange(366))
        moved = resolving.place(meant, _TODAY).first + self._shift
        return moved if FIRST_YEAR <= moved.year <= LAST_YEAR else _TODAY

    def _forms(self, original: str, meant: Expression) -> _Forms | None:
        """The forms that say what the original says; None where it only has its own, or a machine wrote it."""
        if meant.month is None or meant.season is not None or _BY_MACHINE.fullmatch(original):
            return None
        if meant.unit is Unit.MONTH:
            return _MONTH_YEAR if meant.year is not None else None
        if meant.unit is not Unit.DAY or meant.day is None:
            return None
        if meant.year is None:
            return _DAY_MONTH
        if self._chance.once(self._rates.shortened_date):
            return self._chance.choice((_DAY_MONTH, _MONTH_YEAR))
        return _WHOLE

    def _written(self, forms: _Forms, day: date) -> str:
        form = self._chance.choices([one for one, _ in forms], [weight for _, weight in forms])[0]
        month = day.month - 1
        spelt = "{month}" in form or "{short}" in form
        return form.format(
            d="1er" if day.day == 1 and spelt else day.day,
            dd=f"{day.day:02d}",
            m=day.month,
            mm=f"{day.month:02d}",
            month=MONTHS[month],
            short=SHORT_MONTHS[month] + ("." if self._chance.once(0.4) and len(MONTHS[month]) > 4 else ""),
            three=THREE_LETTER_MONTHS[month],
            roman=ROMAN_MONTHS[month],
            y=f"{day.year:04d}",
            yy=f"{day.year % 100:02d}",
            weekday=WEEKDAYS[day.weekday()],
            wd=WEEKDAYS[day.weekday()][: self._chance.choice((2, 3))],
        )

    def _bare(self, original: str, text: str) -> str:
        """Without accents where the document or the capitals of the original have none."""
        bare = not self._accented or (original.isupper() and original.isascii())
        return without_accents(text) if bare else text
