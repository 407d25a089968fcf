"""Readers of token sequences, one for each pattern of the grammar; None for what is no date after all.

Each takes the tokens of a mention, the places matched by the pattern, and whether a lone number of two digits is a
year.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from deid.french.calendar import FIRST_YEAR, LAST_YEAR, MONTHS, SHORT_MONTHS, THREE_LETTER_MONTHS, WEEKDAYS
from deid.french.folding import fold_line
from deid.substitution.temporal import forms
from deid.substitution.temporal.forms import Expression, Form, Literal, Part
from deid.substitution.temporal.tokens import Token
from deid.substitution.temporal.values import Unit

_GLUED_THREE = re.compile(r"\d[A-Za-zéûÉÛ]{3}\d|\d-[A-Za-z]{3}-\d|^[A-Za-z]{3}\d")
_ORDERS = {8: ("ddmmyyyy", "yyyymmdd"), 6: ("ddmmyy", "mmyyyy", "yyyymm", "yymmdd"), 4: ("yyyy",)}


def weekday_of(found: list[Token], places: list[int], written: dict[int, Part]) -> int | None:
    """Take a leading weekday off `places`, 0 on Monday; None without one, or for an initial of two weekdays."""
    if not places or found[places[0]].kind != "W":
        return None
    place = places.pop(0)
    token = found[place]
    whole = bool(token.mended) or fold_line(token.text) in WEEKDAYS or (token.english and len(token.text) > 4)
    written[place] = forms.Weekday(_model(token), 0 if whole else len(token.text), english=token.english)
    return token.value if token.value >= 0 else None


def day_part(token: Token, *, beside_letters: bool, capitals: bool = False) -> Part:
    """Return the part of a day of the month: in words, as an ordinal, beside letters ("1er mars"), or in figures."""
    if token.kind == "X":
        return forms.SpokenDay(token.text)
    if token.kind == "O":
        return forms.Day(1, token.text[1:])
    if beside_letters and not token.text.startswith("0"):
        return forms.Day(1, ("ER" if capitals else "er") if token.text != "1" else "")
    return forms.Day(len(token.text))


def day_and_month(found: list[Token], day: int, month: int) -> dict[int, Part]:
    """Return the parts of day and month in figures; from 10 on, a number has the other's width, or two digits."""
    widths = [_shown_width(found[place]) for place in (day, month)]
    day_width, month_width = widths[0] or widths[1] or 2, widths[1] or widths[0] or 2
    return {
        day: forms.Day(1, found[day].text[1:]) if found[day].kind == "O" else forms.Day(day_width),
        month: forms.Month(month_width),
    }


def _shown_width(token: Token) -> int | None:
    if token.kind == "O":
        return None
    return 1 if len(token.text) == 1 else 2 if token.text.startswith("0") else None


def month_name(found: list[Token], place: int, written: dict[int, Part]) -> None:
    """Note the part of a month in letters or roman figures, and its closing dot, in `written`."""
    token = found[place]
    if token.kind == "R":
        written[place] = forms.MonthName(token.text, "roman")
        return
    style = "long" if token.mended else _month_style(found, place)
    bare = False
    if not token.mended and not token.english and token.text.isascii():
        bare = not forms.MonthName("x", style).write(_FIRST_OF[token.value]).isascii()
    dot = False
    if style not in ("long", "english") and place + 1 < len(found) and found[place + 1].text.startswith("."):
        dot = True
        written[place + 1] = Literal(found[place + 1].text[1:])
    written[place] = forms.MonthName(_model(token), style, dot, bare)


def _model(token: Token) -> str:
    """Return the model of case: a broken word mended, in capitals if most letters are, without those of a scanner."""
    if not token.mended:
        return token.text
    if 2 * sum(char.isupper() for char in token.text) > len(token.text):
        return token.mended.upper()
    capital = token.text[0].isupper() and not (token.mended[0] == "l" and token.text[0] == "I")
    return token.mended.capitalize() if capital else token.mended


def _month_style(found: list[Token], place: int) -> str:
    token = found[place]
    around = "".join(one.text for one in found[max(0, place - 2) : place + 3])
    if token.english:
        whole = fold_line(token.text) in ("june", "july") or (
            fold_line(token.text) == "may" and not _GLUED_THREE.search(around)
        )
        return "english" if whole or len(token.text) > 4 else "english three"
    plain = fold_line(token.text)
    if plain in _THREE and _GLUED_THREE.search(around):
        return "three"
    if plain in _LONG:
        return "long"
    if plain in _SHORT:
        return "short"
    return "three" if plain in _THREE else "four" if len(plain) == 4 else "short"


_FIRST_OF = {month: date(2000, month, 1) for month in range(1, 13)}
_LONG, _SHORT, _THREE = (frozenset(map(fold_line, names)) for names in (MONTHS, SHORT_MONTHS, THREE_LETTER_MONTHS))


def year_of(found: list[Token], place: int, written: dict[int, Part]) -> int | None:
    """Return the year at `place`, its part noted in `written`; None unless of two digits or in 1850-2150."""
    token = found[place]
    if token.kind == "X":
        short = token.value < 100
        if not short and not FIRST_YEAR <= token.value <= LAST_YEAR:
            return None
        alone = not any(one.kind in "MXW" for at, one in enumerate(found) if at != place)
        written[place] = forms.SpokenYear(token.text, short, alone)
        return token.value
    width = len(token.text)
    if (width == 4 and FIRST_YEAR <= token.value <= LAST_YEAR) or width == 2:
        written[place] = forms.Year(width)
        return token.value
    return None


def run_together(digits: str, template: str) -> Expression | None:
    """Read digits in a row, in the French order first, then the reverse."""
    for order in _ORDERS.get(len(digits), ()):
        fields = dict.fromkeys(order, "")
        for digit, kind in zip(digits, order, strict=True):
            fields[kind] += digit
        year, month, day = (int(fields[kind]) if kind in fields else None for kind in "ymd")
        if year is None or (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
            continue
        if order.count("y") == 4 and not FIRST_YEAR <= year <= LAST_YEAR:
            continue
        unit = Unit.DAY if day is not None else Unit.MONTH if month is not None else Unit.YEAR
        return Expression(unit, Form((forms.Digits(order, template),)), year, month, day)
    return None


_LATE_YEAR = 32  # a number past the days of a month is a year
_AS_YEAR = frozenset({"an", "annee", "fin", "debut", "deb", "mi", "courant"})


def _form(found: list[Token], written: dict[int, Part]) -> Form:
    return Form(tuple([written.get(index) or Literal(token.text) for index, token in enumerate(found)]))


def _dated(
    unit: Unit, found: list[Token], rest: list[int], written: dict[int, Part], *said: Any, **more: Any
) -> Expression | None:
    """Return an expression with the year at the place `rest`, if any; None where that is no year."""
    year = year_of(found, rest[0], written) if rest else None
    return None if rest and year is None else Expression(unit, _form(found, written), year, *said, **more)


def day_month(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Read [weekday] day month [year], the month in letters or roman figures; a feast ahead becomes a weekday."""
    written: dict[int, Part] = {}
    if found[places[0]].kind == "F":
        feast = places.pop(0)
        written[feast] = forms.Weekday(found[feast].text)
    weekday = weekday_of(found, places, written)
    day, month, *rest = places
    number = found[day]
    if not 1 <= number.value <= 31 or (len(number.text) > 2 and number.kind == "N"):
        return None
    if found[month].english:
        written[day] = forms.Day(2 if number.text.startswith("0") else 1)
    else:
        spaced = month == day + 2 and found[day + 1].text.isspace()
        letters, capitals = found[month].kind == "M" and spaced, found[month].text.isupper()
        written[day] = day_part(number, beside_letters=letters, capitals=capitals)
    month_name(found, month, written)
    return _dated(Unit.DAY, found, rest, written, found[month].value, number.value, weekday)


def month_first(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Read [weekday] month day year, as in English."""
    written: dict[int, Part] = {}
    weekday = weekday_of(found, places, written)
    month, day, year_place = places
    number = found[day]
    if len(found[year_place].text) != 4 or not 1 <= number.value <= 31 or len(number.text) > 2:
        return None
    month_name(found, month, written)
    written[day] = forms.Day(2 if number.text.startswith("0") else 1)
    return _dated(Unit.DAY, found, [year_place], written, found[month].value, number.value, weekday)


def month_year(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Read [début, mi-, fin, premier samedi de…] month [year], or a year of four digits and a month."""
    month = next(place for place in places if found[place].kind in "MR")
    rest = places[places.index(month) + 1 :]
    if found[places[0]].kind == "N":
        rest = places[:1]
        if len(found[rest[0]].text) != 4:
            return None
    if found[month].kind == "R" and len(found[rest[0]].text) != 4:
        return None
    written: dict[int, Part] = {}
    month_name(found, month, written)
    return _dated(Unit.MONTH, found, rest, written, found[month].value)


def season(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Read [vacances d'] season [year], or a winter with its two years."""
    season, *rest = [place for place in places if found[place].kind != "F"]
    written: dict[int, Part] = {season: forms.Season(_model(found[season]))}
    year = None
    if rest:
        if (year := year_of(found, rest[-1], written)) is None:
            return None
        last = forms.SeasonYear(2 if year < 100 else 4)
        if len(rest) == 2:
            first = year_of(found, rest[0], written)
            if first is None or (first + 1) % 100 != year % 100:
                return None
            written[rest[0]] = forms.SeasonYear(2 if first < 100 else 4, -1)
            year = first + 1 if first >= 100 else year
        written[rest[-1]] = last
    return Expression(Unit.SEASON, _form(found, written), year, season=found[season].value)


def feast(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Read [weekday] a feast [year]."""
    feast, *rest = [place for place in places if found[place].kind != "W"]
    written: dict[int, Part] = {feast: forms.Feast(found[feast].text)}
    return _dated(Unit.MONTH, found, rest, written, feast=found[feast].name)


def part_of_year(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Read a quarter or half of a year, the year on either side or none."""
    part = next(place for place in places if found[place].kind in "QH")
    rest = [place for place in places if place != part]
    unit, months = (Unit.QUARTER, 3) if found[part].kind == "Q" else (Unit.SEMESTER, 6)
    if found[part].value > 12 // months:
        return None
    written: dict[int, Part] = {part: forms.Ranked(found[part].text, months)}
    return _dated(unit, found, rest, written, rank=found[part].value)


def week(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Read a week by its number (ISO 8601), the year on either side or none."""
    week = next(place for place in places if found[place].kind == "K")
    rest = [place for place in places if place != week]
    if not 1 <= found[week].value <= 53:
        return None
    digits = found[week].text[len(found[week].text.rstrip("0123456789")) :]
    written: dict[int, Part] = {week: forms.WeekNumber(found[week].text.removesuffix(digits), len(digits))}
    return _dated(Unit.WEEK, found, rest, written, rank=found[week].value)


def numeric(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Read [weekday] three numbers; a day, or day and month, of zeros is unknown, and stays: "00/00/1988"."""
    written: dict[int, Part] = {}
    weekday = weekday_of(found, places, written)
    first, second, third = places
    widths = [len(found[place].text) if found[place].kind == "N" else 1 for place in places]
    if widths[0] == 4:
        year_place, month_place, day_place = first, second, third
    elif widths[0] <= 2 and widths[2] in (2, 4):
        day_place, month_place, year_place = first, second, third
    else:
        return None
    day, month = found[day_place].value, found[month_place].value
    zeros = day == 0 and (month or found[month_place].text == found[day_place].text) and found[year_place].value
    if zeros and month <= 12 and weekday is None:
        written |= {month_place: forms.Month(widths[1])} if month else {}
        return _dated(Unit.MONTH if month else Unit.YEAR, found, [year_place], written, month or None)
    if not (1 <= day <= 31 and 1 <= month <= 12) or max(widths[1], min(widths[0], widths[2])) > 2:
        return None
    written |= day_and_month(found, day_place, month_place)
    return _dated(Unit.DAY, found, [year_place], written, month, day, weekday)


def spoken(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Read day, month and year said one after the other: "quatre quatre trente-quatre"."""
    day, month, year_place = places
    if not (1 <= found[day].value <= 31 and 1 <= found[month].value <= 12):
        return None
    written: dict[int, Part] = {day: forms.SpokenDay(found[day].text), month: forms.SpokenMonth(found[month].text)}
    return _dated(Unit.DAY, found, [year_place], written, found[month].value, found[day].value)


def pair(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Read [weekday] two numbers: day and month, month and year, year and month, or a year and the next."""
    written: dict[int, Part] = {}
    weekday = weekday_of(found, places, written)
    first, second = (found[place] for place in places)
    one, two = places
    if len(first.text) == 4 and len(second.text) in (2, 4) and first.kind == "N":
        following = (first.value + 1) % 10 ** len(second.text) == second.value
        if following and not (len(second.text) == 2 and second.value <= 12):
            year = year_of(found, one, written)
            written[two] = forms.Year(len(second.text), 1)
            return None if year is None else Expression(Unit.YEAR, _form(found, written), year)
    for month, year_token, month_place, year_place in ((first, second, one, two), (second, first, two, one)):
        if month.kind == "N" and len(year_token.text) == 4 and len(month.text) <= 2 and 1 <= month.value <= 12:
            written[month_place] = forms.Month(len(month.text))
            value = year_of(found, year_place, written)
            return None if value is None else Expression(Unit.MONTH, _form(found, written), value, month.value)
    if (first.kind == "N" and len(first.text) > 2) or len(second.text) > 2:
        return None
    if 1 <= first.value <= 31 and 1 <= second.value <= 12:
        written |= day_and_month(found, one, two)
        return Expression(Unit.DAY, _form(found, written), None, second.value, first.value, weekday)
    if 1 <= first.value <= 12 < second.value and first.kind == "N":
        written |= {one: forms.Month(len(first.text)), two: forms.Year(2)}
        return Expression(Unit.MONTH, _form(found, written), second.value, first.value)
    return None


def single(found: list[Token], places: list[int], as_year: bool) -> Expression | None:
    """Read [weekday] one number: a whole date without separators, a year, or a day of the month."""
    written: dict[int, Part] = {}
    weekday = weekday_of(found, places, written)
    place = places[0]
    number = found[place]
    plural = any(fold_line(token.text) in ("annees", "decennie") for token in found)
    if number.kind == "N" and len(number.text) > 4:
        compact = run_together(number.text, "0" * len(number.text))
        if compact is None:
            return None
        written[place] = compact.form
        return Expression(compact.unit, _form(found, written), compact.year, compact.month, compact.day, weekday)
    wide = number.kind == "X" or len(number.text) in (2, 4)
    announced = wide and (as_year or _is_announced(found, place))
    if (number.value >= _LATE_YEAR or number.text == "00" or announced or plural) and len(places) == 1 and not written:
        year = year_of(found, place, written)
        if year is None:
            return None
        if plural:
            written[place] = forms.Decade(2 if year < 100 else 4)
        return Expression(Unit.DECADE if plural else Unit.YEAR, _form(found, written), year)
    if not 1 <= number.value <= 31 or (len(number.text) > 2 and number.kind == "N"):
        return None
    beside = place > 0 and bool(written) and found[place - 1].text.endswith(" ")
    whole = number.kind != "N" or written or number.text.startswith("0")
    written[place] = day_part(number, beside_letters=beside) if whole else forms.Day(1)
    return Expression(Unit.DAY, _form(found, written), day=number.value, weekday=weekday)


def _is_announced(found: list[Token], place: int) -> bool:
    """Return whether the text before a number announces a year: "'98", "début 12", "l'an 98"."""
    before = [token.text for token in found[:place]]
    if before and before[-1].endswith(("'", "’")):
        return len(before) == 1 or not before[-2][-1:].isalpha()
    return any(fold_line(word) in _AS_YEAR for word in before)


def this_month(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Read [weekday] day "courant"; a moved date has the name of its month there."""
    written: dict[int, Part] = {}
    weekday = weekday_of(found, places, written)
    day, month = places
    number = found[day]
    if not 1 <= number.value <= 31:
        return None
    written[day] = day_part(number, beside_letters=True)
    written[month] = forms.MonthName(found[month].text, "long")
    return Expression(Unit.DAY, _form(found, written), day=number.value, weekday=weekday, this_month=True)


def only_weekday(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Read a weekday alone, in letters."""
    written: dict[int, Part] = {}
    if len(fold_line(found[places[0]].text)) == 1:
        return None
    weekday = weekday_of(found, places, written)
    return Expression(Unit.DAY, _form(found, written), weekday=weekday)
