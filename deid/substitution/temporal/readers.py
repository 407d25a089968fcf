"""What a sequence of tokens says: one reader for each pattern of the grammar; None where it is no date after all.

Each takes the tokens of a mention, the places of those that the pattern matched, and whether a lone number of two
digits is a year.
"""

from __future__ import annotations

from deid.french.folding import fold_line
from deid.substitution.temporal import components as parts
from deid.substitution.temporal import forms
from deid.substitution.temporal.expressions import Expression
from deid.substitution.temporal.forms import Form, Literal, Part
from deid.substitution.temporal.tokens import Token
from deid.substitution.temporal.values import Unit

_LATE_YEAR = 32  # a number past the days of a month is a year
_AS_YEAR = frozenset({"an", "annee", "fin", "debut", "deb", "mi", "courant"})


def _form(found: list[Token], written: dict[int, Part]) -> Form:
    return Form(tuple([written.get(index) or Literal(token.text) for index, token in enumerate(found)]))


def day_month(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] day month [year], the month in letters or roman figures; a feast ahead becomes a weekday."""
    written: dict[int, Part] = {}
    if found[places[0]].kind == "F":
        feast = places.pop(0)
        written[feast] = forms.Weekday(found[feast].text)
    weekday = parts.weekday_of(found, places, written)
    day, month, *rest = places
    number = found[day]
    if not 1 <= number.value <= 31 or (len(number.text) > 2 and number.kind == "N"):
        return None
    if found[month].english:
        written[day] = forms.Day(2 if number.text.startswith("0") else 1)
    else:
        spaced = month == day + 2 and found[day + 1].text.isspace()
        letters, capitals = found[month].kind == "M" and spaced, found[month].text.isupper()
        written[day] = parts.day_part(number, beside_letters=letters, capitals=capitals)
    parts.month_name(found, month, written)
    year = parts.year_of(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(Unit.DAY, _form(found, written), year, found[month].value, number.value, weekday)


def month_first(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] month day year, as in English."""
    written: dict[int, Part] = {}
    weekday = parts.weekday_of(found, places, written)
    month, day, year_place = places
    number = found[day]
    if len(found[year_place].text) != 4 or not 1 <= number.value <= 31 or len(number.text) > 2:
        return None
    parts.month_name(found, month, written)
    written[day] = forms.Day(2 if number.text.startswith("0") else 1)
    year = parts.year_of(found, year_place, written)
    if year is None:
        return None
    return Expression(Unit.DAY, _form(found, written), year, found[month].value, number.value, weekday)


def month_year(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[début, mi-, fin, premier samedi de…] month [year], or a year of four digits and a month."""
    month = next(place for place in places if found[place].kind == "M")
    rest = places[places.index(month) + 1 :]
    if found[places[0]].kind == "N":
        rest = places[:1]
        if len(found[rest[0]].text) != 4:
            return None
    written: dict[int, Part] = {}
    parts.month_name(found, month, written)
    year = parts.year_of(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(Unit.MONTH, _form(found, written), year, found[month].value)


def season(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[vacances d'] season [year], or the two years that a winter is in."""
    season, *rest = [place for place in places if found[place].kind != "F"]
    written: dict[int, Part] = {season: forms.Season(found[season].text)}
    year = None
    if rest:
        if (year := parts.year_of(found, rest[-1], written)) is None:
            return None
        last = forms.SeasonYear(2 if year < 100 else 4)
        if len(rest) == 2:
            first = parts.year_of(found, rest[0], written)
            if first is None or (first + 1) % 100 != year % 100:
                return None
            written[rest[0]] = forms.SeasonYear(2 if first < 100 else 4, -1)
            year = first + 1 if first >= 100 else year
        written[rest[-1]] = last
    return Expression(Unit.SEASON, _form(found, written), year, season=found[season].value)


def feast(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] a feast [year]."""
    feast, *rest = [place for place in places if found[place].kind != "W"]
    written: dict[int, Part] = {feast: forms.Feast(found[feast].text)}
    year = parts.year_of(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(Unit.MONTH, _form(found, written), year, feast=found[feast].name)


def part_of_year(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """A quarter or half of a year, the year on either side or none."""
    part = next(place for place in places if found[place].kind in "QH")
    rest = [place for place in places if place != part]
    unit, months = (Unit.QUARTER, 3) if found[part].kind == "Q" else (Unit.SEMESTER, 6)
    if found[part].value > 12 // months:
        return None
    written: dict[int, Part] = {part: forms.Ranked(found[part].text, months)}
    year = parts.year_of(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(unit, _form(found, written), year, rank=found[part].value)


def week(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """A week by its number (ISO 8601) [year]."""
    week, *rest = places
    if not 1 <= found[week].value <= 53:
        return None
    digits = found[week].text[len(found[week].text.rstrip("0123456789")) :]
    written: dict[int, Part] = {week: forms.WeekNumber(found[week].text.removesuffix(digits), len(digits))}
    year = parts.year_of(found, rest[0], written) if rest else None
    if rest and year is None:
        return None
    return Expression(Unit.WEEK, _form(found, written), year, rank=found[week].value)


def numeric(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] three numbers."""
    written: dict[int, Part] = {}
    weekday = parts.weekday_of(found, places, written)
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
    written |= parts.day_and_month(found, day_place, month_place)
    year = parts.year_of(found, year_place, written)
    return None if year is None else Expression(Unit.DAY, _form(found, written), year, month, day, weekday)


def spoken(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """Day, month and year said one after the other: "quatre quatre trente-quatre"."""
    day, month, year_place = places
    if not (1 <= found[day].value <= 31 and 1 <= found[month].value <= 12):
        return None
    written: dict[int, Part] = {day: forms.SpokenDay(found[day].text), month: forms.SpokenMonth(found[month].text)}
    year = parts.year_of(found, year_place, written)
    if year is None:
        return None
    return Expression(Unit.DAY, _form(found, written), year, found[month].value, found[day].value)


def pair(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] two numbers: day and month, month and year, year and month, or a year and the next."""
    written: dict[int, Part] = {}
    weekday = parts.weekday_of(found, places, written)
    first, second = (found[place] for place in places)
    one, two = places
    if len(first.text) == 4 and len(second.text) in (2, 4) and first.kind == "N":
        following = (first.value + 1) % 10 ** len(second.text) == second.value
        if following and not (len(second.text) == 2 and second.value <= 12):
            year = parts.year_of(found, one, written)
            written[two] = forms.Year(len(second.text), 1)
            return None if year is None else Expression(Unit.YEAR, _form(found, written), year)
    for month, year_token, month_place, year_place in ((first, second, one, two), (second, first, two, one)):
        if month.kind == "N" and len(year_token.text) == 4 and len(month.text) <= 2 and 1 <= month.value <= 12:
            written[month_place] = forms.Month(len(month.text))
            value = parts.year_of(found, year_place, written)
            return None if value is None else Expression(Unit.MONTH, _form(found, written), value, month.value)
    if (first.kind == "N" and len(first.text) > 2) or len(second.text) > 2:
        return None
    if 1 <= first.value <= 31 and 1 <= second.value <= 12:
        written |= parts.day_and_month(found, one, two)
        return Expression(Unit.DAY, _form(found, written), None, second.value, first.value, weekday)
    if 1 <= first.value <= 12 < second.value and first.kind == "N":
        written |= {one: forms.Month(len(first.text)), two: forms.Year(2)}
        return Expression(Unit.MONTH, _form(found, written), second.value, first.value)
    return None


def single(found: list[Token], places: list[int], as_year: bool) -> Expression | None:
    """[weekday] one number: a whole date without separators, a year, or a day of the month."""
    written: dict[int, Part] = {}
    weekday = parts.weekday_of(found, places, written)
    place = places[0]
    number = found[place]
    plural = any(fold_line(token.text) in ("annees", "decennie") for token in found)
    if number.kind == "N" and len(number.text) > 4:
        compact = parts.run_together(number.text, "0" * len(number.text))
        if compact is None:
            return None
        written[place] = compact.form
        return Expression(compact.unit, _form(found, written), compact.year, compact.month, compact.day, weekday)
    wide = number.kind == "X" or len(number.text) in (2, 4)
    announced = wide and (as_year or _is_announced(found, place))
    if (number.value >= _LATE_YEAR or number.text == "00" or announced or plural) and len(places) == 1 and not written:
        year = parts.year_of(found, place, written)
        if year is None:
            return None
        if plural:
            written[place] = forms.Decade(2 if year < 100 else 4)
        return Expression(Unit.DECADE if plural else Unit.YEAR, _form(found, written), year)
    if not 1 <= number.value <= 31 or (len(number.text) > 2 and number.kind == "N"):
        return None
    beside = place > 0 and bool(written) and found[place - 1].text.endswith(" ")
    written[place] = parts.day_part(number, beside_letters=beside)
    return Expression(Unit.DAY, _form(found, written), day=number.value, weekday=weekday)


def _is_announced(found: list[Token], place: int) -> bool:
    """Whether what stands before a number says that it is a year: "'98", "début 12", "l'an 98"."""
    before = [token.text for token in found[:place]]
    if before and before[-1].endswith(("'", "’")):
        return len(before) == 1 or not before[-2][-1:].isalpha()
    return any(fold_line(word) in _AS_YEAR for word in before)


def this_month(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """[weekday] day "courant": another date names its month."""
    written: dict[int, Part] = {}
    weekday = parts.weekday_of(found, places, written)
    day, month = places
    number = found[day]
    if not 1 <= number.value <= 31:
        return None
    written[day] = parts.day_part(number, beside_letters=True)
    written[month] = forms.MonthName(found[month].text, "long")
    return Expression(Unit.DAY, _form(found, written), day=number.value, weekday=weekday, this_month=True)


def only_weekday(found: list[Token], places: list[int], _: bool) -> Expression | None:
    """A weekday alone, in letters."""
    written: dict[int, Part] = {}
    if len(fold_line(found[places[0]].text)) == 1:
        return None
    weekday = parts.weekday_of(found, places, written)
    return Expression(Unit.DAY, _form(found, written), weekday=weekday)
