"""Weekday, day, month and year as a date writes them: their values, and the parts of its form."""

from __future__ import annotations

import re
from datetime import date

from deid.french.calendar import FIRST_YEAR, LAST_YEAR, MONTHS, SHORT_MONTHS, THREE_LETTER_MONTHS, WEEKDAYS
from deid.french.folding import fold_line
from deid.substitution.temporal import forms
from deid.substitution.temporal.expressions import Expression
from deid.substitution.temporal.forms import Form, Literal, Part
from deid.substitution.temporal.tokens import Token
from deid.substitution.temporal.values import Unit

_GLUED_THREE = re.compile(r"\d[A-Za-zéûÉÛ]{3}\d|\d-[A-Za-z]{3}-\d|^[A-Za-z]{3}\d")
_ORDERS = {8: ("ddmmyyyy", "yyyymmdd"), 6: ("ddmmyy", "mmyyyy", "yyyymm", "yymmdd"), 4: ("yyyy",)}


def weekday_of(found: list[Token], places: list[int], written: dict[int, Part]) -> int | None:
    """Take a leading weekday off `places`; None also for an initial that could be of two."""
    if not places or found[places[0]].kind != "W":
        return None
    place = places.pop(0)
    token = found[place]
    whole = bool(token.mended) or fold_line(token.text) in WEEKDAYS or (token.english and len(token.text) > 4)
    written[place] = forms.Weekday(_model(token), 0 if whole else len(token.text), english=token.english)
    return token.value if token.value >= 0 else None


def day_part(token: Token, *, beside_letters: bool, capitals: bool = False) -> Part:
    """The part of a day of the month: in words, as an ordinal, beside letters ("1er mars"), or in figures."""
    if token.kind == "X":
        return forms.SpokenDay(token.text)
    if token.kind == "O":
        return forms.Day(1, token.text[1:])
    if beside_letters and not token.text.startswith("0"):
        return forms.Day(1, ("ER" if capitals else "er") if token.text != "1" else "")
    return forms.Day(len(token.text))


def day_and_month(found: list[Token], day: int, month: int) -> dict[int, Part]:
    """Day and month in figures: a number without a zero to show takes the width of the other, or two digits."""
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
    """Note the part of a month in letters or roman figures, and the dot that closes it."""
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
    """The word whose case a surrogate takes: of a broken one, capitals if most are, and none that a scanner made."""
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
    """The year written at `place`, its part noted in `written`; None if no hospital could have meant it."""
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
    """Digits in a row; the French order is tried first, then the reverse."""
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
