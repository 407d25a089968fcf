"""Read a DATE mention in any French form: French order always, 12/02/2020 is 12 February."""

from __future__ import annotations

import re
from functools import lru_cache

from deid.substitution.folding import flat
from deid.substitution.temporal import forms
from deid.substitution.temporal.expressions import Expression
from deid.substitution.temporal.forms import Form, Literal, Part
from deid.substitution.temporal.tokens import Token, core, tokens
from deid.substitution.temporal.values import FIRST_YEAR, LAST_YEAR, Unit
from deid.substitution.temporal.vocabulary import MONTHS, SHORT_MONTHS, THREE_LETTER_MONTHS, WEEKDAYS

_SPREAD = re.compile(r"(?:\d ){3,7}\d")
_GLUED_THREE = re.compile(r"\d[A-Za-zéûÉÛ]{3}\d|\d-[A-Za-z]{3}-\d|^[A-Za-z]{3}\d")
_BOUNDARY = re.compile(r"(?<=\d)(?=[A-Za-zûé]{3})|(?<=[a-zûé]{2})(?=\d)")
_LATE_YEAR = 32  # a number past the days of a month is a year


@lru_cache(maxsize=65536)
def parse(text: str, *, as_year: bool = False) -> Expression | None:
    """What a DATE mention says, or None if it cannot be read.

    A day that its month does not have (31/02) is kept for the reader of the calendar to bring back to the last
    one; a month above 12, a day above 31 or a year out of 1850-2150 is no date. `as_year` reads a lone number
    of two digits as a year ("en 98") instead of a day ("le 12").
    """
    if _SPREAD.fullmatch(text.strip()):
        return _compact(re.sub(r"\D", "", text), re.sub(r"\d", "0", text))
    found = tokens(text) or tokens(_without_gaps(text))
    return _read(found, as_year) if found else None


def _without_gaps(text: str) -> str:
    """`text` with spaces only between numbers and words: what a scan broke ("ju illet") is whole again."""
    return _BOUNDARY.sub(" ", re.sub(r"\s+", "", text))


def _read(found: list[Token], as_year: bool) -> Expression | None:
    signature = "".join(token.kind for _, token in core(found))
    values = dict(core(found))
    for pattern, reader in _GRAMMAR:
        if pattern.fullmatch(signature):
            return reader(found, list(values), as_year)
    return None


def _form(found: list[Token], written: dict[int, Part]) -> Form:
    return Form(tuple(written.get(index) or Literal(token.text) for index, token in enumerate(found)))


def _day_month(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] day month [year], the month in letters or roman figures."""
    written: dict[int, Part] = {}
    weekday = _weekday(found, places, written)
    day, month, *rest = places
    number = found[day]
    if not 1 <= number.value <= 31 or (len(number.text) > 2 and number.kind == "N"):
        return None
    spaced = month == day + 2 and found[day + 1].text.isspace()
    written[day] = _day_part(number, beside_letters=found[month].kind == "M" and spaced)
    written[month] = _month_name(found, month)
    year = _year(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(Unit.DAY, _form(found, written), year, found[month].value, number.value, weekday)


def _month_year(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[début, mi-, fin…] month [year]."""
    month, *rest = [place for place in places if found[place].kind not in "WO"]
    written: dict[int, Part] = {month: _month_name(found, month)}
    year = _year(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(Unit.MONTH, _form(found, written), year, found[month].value)


def _season(found: list[Token], places: list[int], _: bool) -> Expression | None:
    season, *rest = places
    written: dict[int, Part] = {season: forms.Season(found[season].text)}
    year = None
    if rest:
        if (year := _year(found, rest[0], written)) is None:
            return None
        written[rest[0]] = forms.SeasonYear(2 if year < 100 else 4)
    return Expression(Unit.SEASON, _form(found, written), year, season=found[season].value)


def _feast(found: list[Token], places: list[int], _: bool) -> Expression | None:
    feast, *rest = places
    written: dict[int, Part] = {feast: forms.Feast(found[feast].text)}
    year = _year(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(Unit.MONTH, _form(found, written), year, found[feast].value)


def _numeric(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] three numbers."""
    written: dict[int, Part] = {}
    weekday = _weekday(found, places, written)
    first, second, third = places
    widths = [len(found[place].text) for place in places]
    if widths[0] == 4:
        year_place, month_place, day_place = first, second, third
    elif widths[0] <= 2 and widths[2] in (2, 4):
        day_place, month_place, year_place = first, second, third
    else:
        return None
    day, month = found[day_place].value, found[month_place].value
    if not (1 <= day <= 31 and 1 <= month <= 12) or max(widths[1], min(widths[0], widths[2])) > 2:
        return None
    width = _width(found[day_place], found[month_place])
    written |= {day_place: forms.Day(width), month_place: forms.Month(width)}
    year = _year(found, year_place, written)
    return None if year is None else Expression(Unit.DAY, _form(found, written), year, month, day, weekday)


def _pair(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] two numbers: day and month, month and year, or year and month."""
    written: dict[int, Part] = {}
    weekday = _weekday(found, places, written)
    first, second = (found[place] for place in places)
    one, two = places
    for month, year, month_place, year_place in ((first, second, one, two), (second, first, two, one)):
        if len(year.text) == 4 and len(month.text) <= 2 and 1 <= month.value <= 12:
            written[month_place] = forms.Month(len(month.text))
            value = _year(found, year_place, written)
            return None if value is None else Expression(Unit.MONTH, _form(found, written), value, month.value)
    if len(first.text) > 2 or len(second.text) > 2:
        return None
    if 1 <= first.value <= 31 and 1 <= second.value <= 12:
        width = _width(first, second)
        written |= {one: forms.Day(width), two: forms.Month(width)}
        return Expression(Unit.DAY, _form(found, written), None, second.value, first.value, weekday)
    if 1 <= first.value <= 12 < second.value:
        written |= {one: forms.Month(len(first.text)), two: forms.Year(2)}
        return Expression(Unit.MONTH, _form(found, written), second.value, first.value)
    return None


def _single(found: list[Token], places: list[int], as_year: bool) -> Expression | None:
    """[weekday] one number: a whole date without separators, a year, or a day of the month."""
    written: dict[int, Part] = {}
    weekday = _weekday(found, places, written)
    number = found[places[0]]
    plural = any(flat(token.text) == "annees" for token in found)
    if number.kind == "N" and len(number.text) > 4:
        compact = _compact(number.text, "0" * len(number.text))
        if compact is None:
            return None
        written[places[0]] = compact.form
        return Expression(compact.unit, _form(found, written), compact.year, compact.month, compact.day, weekday)
    year_like = number.value >= _LATE_YEAR or number.value == 0 or as_year or plural
    if year_like and weekday is None:
        year = _year(found, places[0], written)
        if year is None:
            return None
        if plural:
            written[places[0]] = forms.Decade(2 if year < 100 else 4)
        return Expression(Unit.DECADE if plural else Unit.YEAR, _form(found, written), year)
    if not 1 <= number.value <= 31 or (len(number.text) > 2 and number.kind == "N"):
        return None
    written[places[0]] = _day_part(number, beside_letters=weekday is not None)
    return Expression(Unit.DAY, _form(found, written), day=number.value, weekday=weekday)


def _only_weekday(found: list[Token], places: list[int], _: bool) -> Expression | None:
    written: dict[int, Part] = {}
    weekday = _weekday(found, places, written)
    return Expression(Unit.DAY, _form(found, written), weekday=weekday)


_ORDERS = {8: ("ddmmyyyy", "yyyymmdd"), 6: ("ddmmyy", "mmyyyy", "yyyymm", "yymmdd"), 4: ("yyyy",)}
_GRAMMAR = [
    (re.compile(pattern), reader)
    for pattern, reader in (
        (r"W?[NXO][MR][NX]?", _day_month),
        (r"O?W?M[NX]?", _month_year),
        (r"S[NX]?", _season),
        (r"W?F[NX]?", _feast),
        (r"W?N[MR]?N{2}", _numeric),
        (r"W?NN", _pair),
        (r"W?[NXO]", _single),
        (r"W", _only_weekday),
    )
]


def _weekday(found: list[Token], places: list[int], written: dict[int, Part]) -> int | None:
    """Take a leading weekday off `places`."""
    if not places or found[places[0]].kind != "W":
        return None
    place = places.pop(0)
    token = found[place]
    whole = flat(token.text) in WEEKDAYS
    written[place] = forms.Weekday(token.text, 0 if whole else len(token.text))
    return token.value


def _day_part(token: Token, *, beside_letters: bool) -> Part:
    if token.kind == "X":
        return forms.SpokenDay(token.text)
    if token.kind == "O":
        return forms.Day(1, ordinal=True)
    if beside_letters and not token.text.startswith("0"):
        return forms.Day(1, ordinal=True)
    return forms.Day(len(token.text))


def _width(day: Token, month: Token) -> int:
    """Digits of a day and month in figures: one where the document leaves out a zero that could stand there."""
    return 1 if 1 in (len(day.text), len(month.text)) else 2


def _month_name(found: list[Token], place: int) -> Part:
    token = found[place]
    if token.kind == "R":
        return forms.MonthName(token.text, "roman")
    plain = flat(token.text)
    dot = place + 1 < len(found) and found[place + 1].text.startswith(".")
    around = "".join(one.text for one in found[max(0, place - 2) : place + 3])
    if len(plain) == 3 and _GLUED_THREE.search(around) and plain in map(flat, THREE_LETTER_MONTHS):
        return forms.MonthName(token.text, "three")
    if plain in map(flat, MONTHS) and not dot:
        return forms.MonthName(token.text, "long")
    if plain not in map(flat, SHORT_MONTHS) and plain in map(flat, THREE_LETTER_MONTHS):
        return forms.MonthName(token.text, "three")
    return forms.MonthName(token.text, "short")


def _year(found: list[Token], place: int, written: dict[int, Part]) -> int | None:
    """The year written at `place`, its part noted in `written`; None if no hospital could have meant it."""
    token = found[place]
    if token.kind == "X":
        short = token.value < 100
        if not short and not FIRST_YEAR <= token.value <= LAST_YEAR:
            return None
        written[place] = forms.SpokenYear(token.text, short, "-" in token.text)
        return token.value
    width = len(token.text)
    if (width == 4 and FIRST_YEAR <= token.value <= LAST_YEAR) or width == 2:
        written[place] = forms.Year(width)
        return token.value
    return None


def _compact(digits: str, template: str) -> Expression | None:
    """Digits in a row; the French order is tried first, then the reverse."""
    for order in _ORDERS.get(len(digits), ()):
        fields = dict.fromkeys(order, "")
        for digit, kind in zip(digits, order, strict=True):
            fields[kind] += digit
        year, month, day = (int(fields[kind]) if kind in fields else None for kind in "ymd")
        if year is None or not 1 <= (month or 1) <= 12 or not 1 <= (day or 1) <= 31:
            continue
        if order.count("y") == 4 and not FIRST_YEAR <= year <= LAST_YEAR:
            continue
        unit = Unit.DAY if day else Unit.MONTH if month else Unit.YEAR
        return Expression(unit, Form((forms.Digits(order, template),)), year, month, day)
    return None
