"""Place mentions on the calendar: years, months and centuries left out come from the context."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from deid.substitution.temporal.feasts import UNDATED, month_of_feast
from deid.substitution.temporal.forms import Expression
from deid.substitution.temporal.relative import Relative
from deid.substitution.temporal.values import Instant, Unit, index_of, on_real_day

# A two-digit year this far ahead of the document is still an appointment; further, it is of the last century.
_YEARS_AHEAD = 3
_RECENT = 30  # years back that a month with a year of two digits is looked for, where it may be a day
# Notes look back more than ahead: a day ahead is taken for this many days back when a year or month is missing; what
# words ahead of it plan looks ahead as much.
_LOOK_BACK, _DONE_BACK = 3, 6  # the second for what words say is done
_MIDDLE, _NEAR_FEAST = 5, 3  # months: of a feast without a date, in its written year and from the document's
CLOSE = timedelta(days=62)  # between days told one behind the other, which are then of one time
_ANY_YEAR = 2000
_WHOLE_YEAR = 100  # a year below was written with two digits


def place_date(
    expression: Expression,
    anchor: date,
    birth: date | None = None,
    partner: date | None = None,
    since: date | None = None,
) -> Instant:
    """Return the instant of a DATE in a document dated `anchor`.

    `birth` settles the century of a birth date written with two digits; `partner` is the other bound of a range
    ("du 12 au 15/03/2021"), from which this bound takes the month and year left out; `since` is the day told before in
    the sentence, or the first of a list: a day without a month follows it ("ponction du 23/01/2018, transfert le 26",
    "le 17 et le 21"), a day without a year is near it. A feast without a date of its own is told of the document's
    month: nothing of it is published but that.
    """
    year = _whole_year(expression, anchor, birth)
    unit = expression.unit
    if unit is Unit.DAY:
        if since is not None and partner is None and _leaves_year_out(expression):
            if expression.month is not None:
                return _day(_nearest_day(expression, since))
            if (following := _following(expression, since)) is not None:
                return _day(following)
        return _place_day(expression, year, anchor, partner)
    if unit is Unit.YEAR:
        return Instant(unit, _required(year, anchor))
    if unit is Unit.DECADE:
        return Instant(unit, _required(year, anchor) // 10)
    if expression.feast == UNDATED:
        return Instant(unit, index_of(unit, anchor) if year is None else year * 12 + _MIDDLE)
    years = _years(year, anchor, partner)
    return _nearest((Instant(unit, _index(expression, one)) for one in years), partner or anchor, expression)


def place_together(told: Sequence[Expression], anchor: date) -> list[date]:
    """Return days with their month, each in the year nearest to the one ahead, all where their cost is least.

    The first may have a year, the others have none.
    """
    first = told[0].year
    years = range(anchor.year - 2, anchor.year + 2) if first is None else (first,)
    runs = [[on_real_day(year, told[0].month or 1, told[0].day or 1)] for year in years]
    for days in runs:
        for one in told[1:]:
            days.append(_nearest_day(one, days[-1]))
    return min(
        runs,
        key=lambda days: sum(
            _cost((anchor - day).days, (day - anchor).days, one) for one, day in zip(told, days, strict=True)
        ),
    )


def are_close(told: Expression, following: Expression) -> bool:
    """Return whether the second of two days has no year, and lies near the first in any."""
    if not (told.month and told.day and following.month and following.day and _leaves_year_out(following)):
        return False
    day = on_real_day(_ANY_YEAR, told.month, told.day)
    return abs(_nearest_day(following, day) - day) <= CLOSE


def _nearest_day(expression: Expression, since: date) -> date:
    days = [on_real_day(since.year + more, expression.month or 1, expression.day or 1) for more in (-1, 0, 1)]
    return min(days, key=lambda day: (abs(day - since), day < since))


def is_bare_day(expression: Expression) -> bool:
    """Return whether only a day of the month is written: "le 17"."""
    return _leaves_year_out(expression) and expression.month is None


def is_march(expression: Expression, anchor: date) -> bool:
    """Return whether "mar 13" is March 2013 rather than Tuesday 13, in a document dated `anchor`.

    It is Tuesday 13 if the 13th of the document's month, or of the one before or after, is a Tuesday: notes name the
    weekdays of their own weeks. Else it is March if its year is one of the last thirty; else Tuesday all the same.
    """
    if expression.march is None or expression.day is None:
        return False
    here = index_of(Unit.MONTH, anchor)
    for index in (here, here - 1, here + 1):
        month = Instant(Unit.MONTH, index)
        if expression.day <= month.last.day and month.first.replace(day=expression.day).weekday() == expression.weekday:
            return False
    year = place_date(expression.march, anchor).first.year
    return anchor.year - _RECENT < year <= anchor.year


def _index(expression: Expression, year: int) -> int:
    """Return the index of a week, month, feast, quarter, season or half of a year."""
    match expression.unit:
        case Unit.SEASON:
            return year * 4 + (expression.season or 0)
        case Unit.WEEK:
            return index_of(Unit.WEEK, date(year, 1, 4)) + (expression.rank or 1) - 1
        case Unit.QUARTER:
            return year * 4 + (expression.rank or 1) - 1
        case Unit.SEMESTER:
            return year * 2 + (expression.rank or 1) - 1
        case _ if expression.feast is not None:
            return month_of_feast(expression.feast, year)
        case _:
            return year * 12 + (expression.month or 1) - 1


def _place_day(expression: Expression, year: int | None, anchor: date, partner: date | None) -> Instant:
    if year is not None and expression.month is not None and expression.day is not None and not expression.this_month:
        return _day(on_real_day(year, expression.month, expression.day))
    days = _days(expression, year, anchor, partner)
    fitting = days if expression.weekday is None else [day for day in days if expression.weekday == day.weekday()]
    here = (partner or anchor).toordinal()
    near = [day.toordinal() for day in fitting or days]
    return Instant(Unit.DAY, min(near, key=lambda day: _cost(here - day, day - here, expression)))


def _leaves_year_out(expression: Expression) -> bool:
    """Return whether a day is told without its year and its weekday."""
    told = expression.year is not None or expression.weekday is not None or expression.this_month
    return expression.day is not None and not told


def _following(expression: Expression, since: date) -> date | None:
    """Return the first day from `since` on with the written day of the month; None if none has it within a year."""
    first = since.year * 12 + since.month - 1
    months = (divmod(index, 12) for index in range(first, first + 13))
    days = (on_real_day(year, month + 1, expression.day or 1) for year, month in months)
    return next((day for day in days if day >= since and day.day == expression.day), None)


def _days(expression: Expression, year: int | None, anchor: date, partner: date | None) -> list[date]:
    """Return the days that the written fields allow, near the anchor or within the partner's month or year."""
    if expression.this_month and expression.day is not None:
        return [on_real_day(anchor.year, anchor.month, expression.day)]
    if expression.day is None:
        return [anchor + timedelta(days=offset) for offset in range(-7, 0)]
    if expression.month is not None:
        return [on_real_day(one, expression.month, expression.day) for one in _years(year, anchor, partner)]
    near = partner or anchor
    first = near.year * 12 + near.month - 1
    reach = (0, -1) if partner and expression.weekday is None else range(-6, 3)
    months = [first + offset for offset in reach]
    return [
        date(index // 12, index % 12 + 1, expression.day)
        for index in months
        if expression.day <= Instant(Unit.MONTH, index).last.day
    ]


def _years(year: int | None, anchor: date, partner: date | None) -> tuple[int, ...]:
    if year is not None:
        return (year,)
    near = (partner or anchor).year
    return (near, near - 1) if partner else (near, near - 1, near + 1)


def _nearest(instants: Iterable[Instant], anchor: date, expression: Expression) -> Instant:
    """Return the instant nearest to the anchor, the past preferred, or the future if it is planned."""
    return min(instants, key=lambda one: _cost((anchor - one.last).days, (one.first - anchor).days, expression))


def _cost(back: int, ahead: int, expression: Expression) -> int:
    """Return how far an instant lies, in days before or after: the less likely side counts several times."""
    if ahead > 0:
        return ahead * (1 if expression.planned else _DONE_BACK if expression.done else _LOOK_BACK)
    return max(0, back) * (_LOOK_BACK if expression.planned else 1)


def _whole_year(expression: Expression, anchor: date, birth: date | None) -> int | None:
    """Return the year with its century; None if none is written."""
    if expression.year is None or expression.year >= _WHOLE_YEAR:
        return expression.year
    written = (expression.month, expression.day, expression.year)
    if birth is not None and written == (birth.month, birth.day, birth.year % 100):
        return birth.year
    recent = anchor.year // 100 * 100 + expression.year
    return recent if recent <= anchor.year + _YEARS_AHEAD else recent - 100


def _required(year: int | None, anchor: date) -> int:
    return anchor.year if year is None else year


def _day(day: date) -> Instant:
    return Instant(Unit.DAY, day.toordinal())


def place_relative(relative: Relative, anchor: date) -> Instant:
    """Return the instant of a RELDATE in a document dated `anchor`."""
    unit, here = relative.unit, index_of(relative.unit, anchor)
    if relative.named is None and relative.feast is None:
        return Instant(unit, here + relative.offset)
    side = (relative.offset > 0) - (relative.offset < 0)
    if relative.feast == UNDATED:
        return Instant(unit, here + side * _NEAR_FEAST)
    if relative.feast is not None:
        around = [month_of_feast(relative.feast, anchor.year + year) for year in (-2, -1, 0, 1, 2)]
        return Instant(unit, _beside(around, here, side))
    if relative.named is None:
        return Instant(unit, here + relative.offset)
    if unit is Unit.DAY:
        weekday = relative.named - anchor.weekday()
        days = range(here + weekday - 14, here + weekday + 15, 7)
        return Instant(unit, _beside(days, here, side) + 7 * max(relative.offset - 1, 0))
    cycle, wanted = (4, relative.named) if unit is Unit.SEASON else (12, relative.named - 1)
    places = (index for index in range(here - cycle, here + cycle + 1) if index % cycle == wanted % cycle)
    return Instant(unit, _beside(places, here, side))


def _beside(places: Iterable[int], here: int, side: int) -> int:
    """Return the nearest place after `here` if `side` is 1, before it if −1, around it if 0."""
    fitting = [place for place in places if side == 0 or (place > here if side > 0 else place < here)]
    return min(fitting, key=lambda place: (abs(place - here), place))
