"""Read a DATE mention in any French form: French order always, 12/02/2020 is 12 February."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from functools import lru_cache

from deid.substitution.folding import flat
from deid.substitution.temporal import forms
from deid.substitution.temporal.expressions import Expression
from deid.substitution.temporal.forms import Form, Literal, Part
from deid.substitution.temporal.tokens import Token, core, tokens
from deid.substitution.temporal.values import FIRST_YEAR, LAST_YEAR, Unit
from deid.substitution.temporal.vocabulary import MONTHS, SHORT_MONTHS, THREE_LETTER_MONTHS, WEEKDAYS

_SPREAD = re.compile(r"\d(?: ?[ /.-] ?\d){5,7}|\d(?: \d){3}")
_BETWEEN_DIGITS = re.compile(r"(?<=\d) (?=[\d/.-])|(?<=[/.-]) (?=\d)")
_GLUED_THREE = re.compile(r"\d[A-Za-zéûÉÛ]{3}\d|\d-[A-Za-z]{3}-\d|^[A-Za-z]{3}\d")
_BOUNDARY = re.compile(r"(?<=\d)(?=[A-Za-zûé]{3})|(?<=[a-zûé]{2})(?=\d)")
# A time of day after a date stays as it is: no date is told by it.
_TIME = re.compile(r"(?:[T,]|,? (?:[àa] )?)\d{1,2} ?[hH:]\d{0,2}(?:[:.]\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?$")
# "en sept" and "sept." are September, "le sept" the seventh.
_SEPTEMBER = re.compile(r"sept\.?", re.IGNORECASE)
_LATE_YEAR = 32  # a number past the days of a month is a year
_AS_YEAR = frozenset({"an", "annee", "fin", "debut", "deb", "mi", "courant"})


@lru_cache(maxsize=65536)
def parse(text: str, *, as_year: bool = False) -> Expression | None:
    """What a DATE mention says, or None if it cannot be read.

    A day that its month does not have (31/02) is kept for the reader of the calendar to bring back to the last
    one; a month above 12, a day above 31 or a year out of 1850-2150 is no date. `as_year` reads a lone number
    of two digits as a year ("en 98") instead of a day ("le 12").
    """
    if not text.strip():
        return None
    if _SEPTEMBER.fullmatch(text) and (as_year or "." in text):
        return Expression(Unit.MONTH, Form((forms.MonthName(text.strip("."), "short", "." in text),)), month=9)
    if _SPREAD.fullmatch(text):
        return _spread(text)
    timed = _TIME.search(text)
    if timed is not None and (dated := parse(text[: timed.start()])) is not None and dated.unit is Unit.DAY:
        return replace(dated, form=Form((*dated.form.parts, Literal(timed.group()))))
    for said in (text, _without_gaps(text)):
        found = tokens(said) if said else None
        if found and (read := _read(found, as_year)) is not None:
            return read
    return None


def _spread(text: str) -> Expression | None:
    """A date whose figures stand apart: "1 2 / 0 3 / 2 0 2 0"."""
    gaps = {match.start() for match in _BETWEEN_DIGITS.finditer(text)}
    joined = "".join(char for place, char in enumerate(text) if place not in gaps)
    found = parse(joined) if gaps else None
    if found is None:
        return None
    template = "".join(" " if place in gaps else "0" for place in range(len(text)))
    return replace(found, form=Form((forms.Spread(found.form, template),)))


def _without_gaps(text: str) -> str:
    """`text` with spaces only between numbers and words: what a scan broke ("ju illet") is whole again."""
    return _BOUNDARY.sub(" ", re.sub(r"\s+", "", text))


def _read(found: list[Token], as_year: bool) -> Expression | None:
    signature = "".join(token.kind for _, token in core(found))
    places = [place for place, _ in core(found)]
    for pattern, reader in _GRAMMAR:
        if pattern.fullmatch(signature) and (read := reader(found, list(places), as_year)) is not None:
            return read
    return None


def _form(found: list[Token], written: dict[int, Part]) -> Form:
    return Form(tuple(written.get(index) or Literal(token.text) for index, token in enumerate(found)))


def _day_month(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] day month [year], the month in letters or roman figures; a feast ahead becomes a weekday."""
    written: dict[int, Part] = {}
    if found[places[0]].kind == "F":
        feast = places.pop(0)
        written[feast] = forms.Weekday(found[feast].text)
    weekday = _weekday(found, places, written)
    day, month, *rest = places
    number = found[day]
    if not 1 <= number.value <= 31 or (len(number.text) > 2 and number.kind == "N"):
        return None
    if found[month].english:
        written[day] = forms.Day(2 if number.text.startswith("0") else 1)
    else:
        spaced = month == day + 2 and found[day + 1].text.isspace()
        written[day] = _day_part(number, beside_letters=found[month].kind == "M" and spaced)
    _month_name(found, month, written)
    year = _year(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(Unit.DAY, _form(found, written), year, found[month].value, number.value, weekday)


def _month_first(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] month day year, as in English."""
    written: dict[int, Part] = {}
    weekday = _weekday(found, places, written)
    month, day, year_place = places
    number = found[day]
    if len(found[year_place].text) != 4 or not 1 <= number.value <= 31 or len(number.text) > 2:
        return None
    _month_name(found, month, written)
    written[day] = forms.Day(2 if number.text.startswith("0") else 1)
    year = _year(found, year_place, written)
    if year is None:
        return None
    return Expression(Unit.DAY, _form(found, written), year, found[month].value, number.value, weekday)


def _month_year(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[début, mi-, fin, premier samedi de…] month [year], or a year of four digits and a month."""
    month = next(place for place in places if found[place].kind == "M")
    rest = places[places.index(month) + 1 :]
    if found[places[0]].kind == "N":
        rest = places[:1]
        if len(found[rest[0]].text) != 4:
            return None
    written: dict[int, Part] = {}
    _month_name(found, month, written)
    year = _year(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(Unit.MONTH, _form(found, written), year, found[month].value)


def _season(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[vacances d'] season [year], or the two years that a winter is in."""
    season, *rest = [place for place in places if found[place].kind != "F"]
    written: dict[int, Part] = {season: forms.Season(found[season].text)}
    year = None
    if rest:
        if (year := _year(found, rest[-1], written)) is None:
            return None
        last = forms.SeasonYear(2 if year < 100 else 4)
        if len(rest) == 2:
            first = _year(found, rest[0], written)
            if first is None or (first + 1) % 100 != year % 100:
                return None
            written[rest[0]] = forms.SeasonYear(2 if first < 100 else 4, -1)
            year = first + 1 if first >= 100 else year
        written[rest[-1]] = last
    return Expression(Unit.SEASON, _form(found, written), year, season=found[season].value)


def _feast(found: list[Token], places: list[int], _: bool) -> Expression | None:
    feast, *rest = [place for place in places if found[place].kind != "W"]
    written: dict[int, Part] = {feast: forms.Feast(found[feast].text)}
    year = _year(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(Unit.MONTH, _form(found, written), year, feast=found[feast].name)


def _part_of_year(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """A quarter or half of a year, the year on either side or none."""
    part = next(place for place in places if found[place].kind in "QH")
    rest = [place for place in places if place != part]
    unit, months = (Unit.QUARTER, 3) if found[part].kind == "Q" else (Unit.SEMESTER, 6)
    if found[part].value > 12 // months:
        return None
    written: dict[int, Part] = {part: forms.Ranked(found[part].text, months)}
    year = _year(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(unit, _form(found, written), year, rank=found[part].value)


def _week(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """A week by its number (ISO 8601) [year]."""
    week, *rest = places
    if not 1 <= found[week].value <= 53:
        return None
    digits = found[week].text[len(found[week].text.rstrip("0123456789")) :]
    written: dict[int, Part] = {week: forms.WeekNumber(found[week].text.removesuffix(digits), len(digits))}
    year = _year(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(Unit.WEEK, _form(found, written), year, rank=found[week].value)


def _numeric(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] three numbers."""
    written: dict[int, Part] = {}
    weekday = _weekday(found, places, written)
    first, second, third = places
    widths = [len(found[place].text) if found[place].kind == "N" else 1 for place in places]
    if widths[0] == 4:
        year_place, month_place, day_place = first, second, third
    elif widths[0] <= 2 and widths[2] in (2, 4):
        day_place, month_place, year_place = first, second, third
    else:
        return None
    day, month = found[day_place].value, found[month_place].value
    if not (1 <= day <= 31 and 1 <= month <= 12) or max(widths[1], min(widths[0], widths[2])) > 2:
        return None
    written |= _day_and_month(found, day_place, month_place)
    year = _year(found, year_place, written)
    return None if year is None else Expression(Unit.DAY, _form(found, written), year, month, day, weekday)


def _spoken(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Day, month and year said one after the other: "quatre quatre trente-quatre"."""
    day, month, year_place = places
    if not (1 <= found[day].value <= 31 and 1 <= found[month].value <= 12):
        return None
    written: dict[int, Part] = {day: forms.SpokenDay(found[day].text), month: forms.SpokenMonth(found[month].text)}
    year = _year(found, year_place, written)
    if year is None:
        return None
    return Expression(Unit.DAY, _form(found, written), year, found[month].value, found[day].value)


def _pair(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] two numbers: day and month, month and year, year and month, or a year and the next."""
    written: dict[int, Part] = {}
    weekday = _weekday(found, places, written)
    first, second = (found[place] for place in places)
    one, two = places
    if len(first.text) == 4 and len(second.text) in (2, 4) and first.kind == "N":
        following = (first.value + 1) % 10 ** len(second.text) == second.value
        if following and not (len(second.text) == 2 and second.value <= 12):
            year = _year(found, one, written)
            written[two] = forms.Year(len(second.text), 1)
            return None if year is None else Expression(Unit.YEAR, _form(found, written), year)
    for month, year_token, month_place, year_place in ((first, second, one, two), (second, first, two, one)):
        if month.kind == "N" and len(year_token.text) == 4 and len(month.text) <= 2 and 1 <= month.value <= 12:
            written[month_place] = forms.Month(len(month.text))
            value = _year(found, year_place, written)
            return None if value is None else Expression(Unit.MONTH, _form(found, written), value, month.value)
    if (first.kind == "N" and len(first.text) > 2) or len(second.text) > 2:
        return None
    if 1 <= first.value <= 31 and 1 <= second.value <= 12:
        written |= _day_and_month(found, one, two)
        return Expression(Unit.DAY, _form(found, written), None, second.value, first.value, weekday)
    if 1 <= first.value <= 12 < second.value and first.kind == "N":
        written |= {one: forms.Month(len(first.text)), two: forms.Year(2)}
        return Expression(Unit.MONTH, _form(found, written), second.value, first.value)
    return None


def _single(found: list[Token], places: list[int], as_year: bool) -> Expression | None:
    """[weekday] one number: a whole date without separators, a year, or a day of the month."""
    written: dict[int, Part] = {}
    weekday = _weekday(found, places, written)
    place = places[0]
    number = found[place]
    plural = any(flat(token.text) == "annees" for token in found)
    if number.kind == "N" and len(number.text) > 4:
        compact = _compact(number.text, "0" * len(number.text))
        if compact is None:
            return None
        written[place] = compact.form
        return Expression(compact.unit, _form(found, written), compact.year, compact.month, compact.day, weekday)
    wide = number.kind == "X" or len(number.text) in (2, 4)
    announced = wide and (as_year or _is_announced(found, place))
    if (number.value >= _LATE_YEAR or number.text == "00" or announced or plural) and len(places) == 1 and not written:
        year = _year(found, place, written)
        if year is None:
            return None
        if plural:
            written[place] = forms.Decade(2 if year < 100 else 4)
        return Expression(Unit.DECADE if plural else Unit.YEAR, _form(found, written), year)
    if not 1 <= number.value <= 31 or (len(number.text) > 2 and number.kind == "N"):
        return None
    beside = place > 0 and bool(written) and found[place - 1].text.endswith(" ")
    written[place] = _day_part(number, beside_letters=beside)
    return Expression(Unit.DAY, _form(found, written), day=number.value, weekday=weekday)


def _is_announced(found: list[Token], place: int) -> bool:
    """Whether what stands before a number says that it is a year: "'98", "début 12", "l'an 98"."""
    before = [token.text for token in found[:place]]
    if before and before[-1].endswith(("'", "’")):
        return len(before) == 1 or not before[-2][-1:].isalpha()
    return any(flat(word) in _AS_YEAR for word in before)


def _this_month(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] day "courant": another date names its month."""
    written: dict[int, Part] = {}
    weekday = _weekday(found, places, written)
    day, month = places
    number = found[day]
    if not 1 <= number.value <= 31:
        return None
    written[day] = _day_part(number, beside_letters=True)
    written[month] = forms.MonthName(found[month].text, "long")
    return Expression(Unit.DAY, _form(found, written), day=number.value, weekday=weekday, this_month=True)


def _only_weekday(found: list[Token], places: list[int], _: bool) -> Expression | None:
    written: dict[int, Part] = {}
    if len(flat(found[places[0]].text)) == 1:
        return None
    weekday = _weekday(found, places, written)
    return Expression(Unit.DAY, _form(found, written), weekday=weekday)


_ORDERS = {8: ("ddmmyyyy", "yyyymmdd"), 6: ("ddmmyy", "mmyyyy", "yyyymm", "yymmdd"), 4: ("yyyy",)}
_GRAMMAR = [
    (re.compile(pattern), reader)
    for pattern, reader in (
        (r"F?W?[NXO][MR][NX]?", _day_month),
        (r"W?MNN", _month_first),
        (r"[XOF]?W?M[NX]?|NM", _month_year),
        (r"F?S[NX]?N?", _season),
        (r"W?F[NX]?", _feast),
        (r"[QH][NX]?|N[QH]", _part_of_year),
        (r"K[NX]?", _week),
        (r"W?[NO]N{2}", _numeric),
        (r"XXX", _spoken),
        (r"W?[NO]N", _pair),
        (r"W?[NXO]C", _this_month),
        (r"W?[NXO]", _single),
        (r"W", _only_weekday),
    )
]


def _weekday(found: list[Token], places: list[int], written: dict[int, Part]) -> int | None:
    """Take a leading weekday off `places`; None also for an initial that could be of two."""
    if not places or found[places[0]].kind != "W":
        return None
    place = places.pop(0)
    token = found[place]
    whole = bool(token.mended) or flat(token.text) in WEEKDAYS or (token.english and len(token.text) > 4)
    written[place] = forms.Weekday(_model(token), 0 if whole else len(token.text), english=token.english)
    return token.value if token.value >= 0 else None


def _day_part(token: Token, *, beside_letters: bool) -> Part:
    if token.kind == "X":
        return forms.SpokenDay(token.text)
    if token.kind == "O":
        return forms.Day(1, token.text[1:])
    if beside_letters and not token.text.startswith("0"):
        return forms.Day(1, "er" if token.text != "1" else "")
    return forms.Day(len(token.text))


def _day_and_month(found: list[Token], day: int, month: int) -> dict[int, Part]:
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


def _month_name(found: list[Token], place: int, written: dict[int, Part]) -> None:
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
        whole = flat(token.text) in ("june", "july") or (flat(token.text) == "may" and not _GLUED_THREE.search(around))
        return "english" if whole or len(token.text) > 4 else "english three"
    plain = flat(token.text)
    if plain in _THREE and _GLUED_THREE.search(around):
        return "three"
    if plain in _LONG:
        return "long"
    if plain in _SHORT:
        return "short"
    return "three" if plain in _THREE else "four" if len(plain) == 4 else "short"


_FIRST_OF = {month: date(2000, month, 1) for month in range(1, 13)}
_LONG, _SHORT, _THREE = (frozenset(map(flat, names)) for names in (MONTHS, SHORT_MONTHS, THREE_LETTER_MONTHS))


def _year(found: list[Token], place: int, written: dict[int, Part]) -> int | None:
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


def _compact(digits: str, template: str) -> Expression | None:
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
