"""Points and spans of time on integer scales, one per unit: what a temporal mention means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from enum import StrEnum
from typing import NamedTuple

from deid.french.calendar import FIRST_YEAR, LAST_YEAR


class Unit(StrEnum):
    """Units of precision of a mention; its noise is counted in the same unit."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    SEASON = "season"
    SEMESTER = "semester"
    YEAR = "year"
    DECADE = "decade"


DAYS_OF = {
    Unit.DAY: 1, Unit.WEEK: 7, Unit.MONTH: 30, Unit.QUARTER: 91, Unit.SEASON: 91, Unit.SEMESTER: 182, Unit.YEAR: 365,
    Unit.DECADE: 3652,
}  # fmt: skip


class Instant(NamedTuple):
    """The `index`-th unit of its scale: a day is its proleptic Gregorian ordinal, a year its number.

    Months, quarters and semesters count from January of year 0, seasons from the winter of year 0 (December to
    February, named after its January), weeks from Monday 1 January of year 1.
    """

    unit: Unit
    index: int  # type: ignore[assignment]  # a tuple's method of that name is of no use here

    @property
    def first(self) -> date:
        """Return its first day."""
        return _first(self.unit, self.index)

    @property
    def last(self) -> date:
        """Return its last day."""
        return _last(self.unit, self.index)

    @property
    def middle(self) -> date:
        """Return its middle day; of a day, itself."""
        return self.first + (self.last - self.first) // 2


def _first(unit: Unit, index: int) -> date:
    match unit:
        case Unit.DAY:
            return date.fromordinal(index)
        case Unit.WEEK:
            return date.fromordinal(index * 7 + 1)
        case Unit.MONTH:
            return date(index // 12, index % 12 + 1, 1)
        case Unit.QUARTER:
            return _first(Unit.MONTH, index * 3)
        case Unit.SEASON:
            return _first(Unit.MONTH, index * 3 - 1)
        case Unit.SEMESTER:
            return _first(Unit.MONTH, index * 6)
        case Unit.YEAR:
            return date(index, 1, 1)
        case Unit.DECADE:
            return date(index * 10, 1, 1)


def _last(unit: Unit, index: int) -> date:
    return _first(unit, index + 1) - timedelta(days=1)


def index_of(unit: Unit, day: date) -> int:
    """Return the index of the unit that holds `day`."""
    return _INDEX_OF[unit](day)


_INDEX_OF: Mapping[Unit, Callable[[date], int]] = {
    Unit.DAY: date.toordinal,
    Unit.WEEK: lambda day: (day.toordinal() - 1) // 7,
    Unit.MONTH: lambda day: day.year * 12 + day.month - 1,
    Unit.QUARTER: lambda day: (day.year * 12 + day.month - 1) // 3,
    Unit.SEASON: lambda day: (day.year * 12 + day.month) // 3,
    Unit.SEMESTER: lambda day: (day.year * 12 + day.month - 1) // 6,
    Unit.YEAR: lambda day: day.year,
    Unit.DECADE: lambda day: day.year // 10,
}


def clamped(unit: Unit, index: int) -> int:
    """Return `index` clamped to the years that a hospital's calendar can hold."""
    low, high = _LIMITS[unit]
    return low if index < low else min(index, high)


_LIMITS = {unit: (index_of(unit, date(FIRST_YEAR, 1, 1)), index_of(unit, date(LAST_YEAR, 12, 31))) for unit in Unit}


def on_real_day(year: int, month: int, day: int) -> date:
    """Return that day, or the last of the month if the month has no such day.

    Raises:
        ValueError: no month, day or year like that.
    """
    if not (1 <= day <= 31 and 1 <= month <= 12 and 1 <= year <= 9998):
        raise ValueError("no such day in any calendar")
    try:
        return date(year, month, day)
    except ValueError:
        return _last(Unit.MONTH, year * 12 + month - 1)


def on(ordinal: int) -> date:
    """Return the day of an ordinal, or the end of the calendar that it is past."""
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal()))


def years_between(earlier: date, later: date) -> int:
    """Return the completed years from one day to another; negative when they are the other way round."""
    return later.year - earlier.year - ((later.month, later.day) < (earlier.month, earlier.day))


def months_between(earlier: date, later: date) -> int:
    """Return the completed months from one day to another."""
    return (later.year - earlier.year) * 12 + later.month - earlier.month - (later.day < earlier.day)


def add_years(day: date, years: int) -> date:
    """Return the same day `years` later; 29 February becomes 28 in a common year."""
    return on_real_day(min(max(day.year + years, 1), 9998), day.month, day.day)


def add_months(day: date, months: int) -> date:
    """Return the same day of the month `months` later, or the last of a shorter month."""
    index = day.year * 12 + day.month - 1 + months
    return on_real_day(min(max(index // 12, 1), 9998), index % 12 + 1, day.day)


def age_at(birth: date, day: date, unit: Unit) -> int:
    """Return the completed units of life on a day: years, months, weeks, days or decades; negative before birth."""
    return _AGE_AT.get(unit, years_between)(birth, day)


_AGE_AT: Mapping[Unit, Callable[[date, date], int]] = {
    Unit.MONTH: months_between,
    Unit.WEEK: lambda birth, day: (day - birth).days // 7,
    Unit.DAY: lambda birth, day: (day - birth).days,
    Unit.DECADE: lambda birth, day: years_between(birth, day) // 10,
}
