"""Days of the Christian, Muslim, Jewish and Chinese calendars on the civil one; integers only."""

from __future__ import annotations

from datetime import date, timedelta


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (anonymous algorithm, Meeus 1991)."""
    golden = year % 19
    century, rest = divmod(year, 100)
    leaps, skipped = divmod(century, 4)
    moon = (19 * golden + century - leaps - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * skipped + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def orthodox_easter(year: int) -> date:
    """Easter Sunday of the Julian calendar, on the Gregorian one."""
    moon = (19 * (year % 19) + 15) % 30
    sunday = (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7
    month, day = divmod(moon + sunday + 114, 31)
    gap = year // 100 - year // 400 - 2
    return date(year, month, day + 1) + timedelta(days=gap)


_HIJRA = 227_015  # 16 July 622 of the Julian calendar, the day 1 Muharram 1, as an ordinal


def muslim(year: int, month: int, day: int) -> date:
    """The first such day of the tabular Muslim calendar in a civil year, or in the one before where it has none.

    The calendar that is lived follows the sight of the moon, a day before or after this one.
    """
    hijri = (year - 622) * 33 // 32
    found = [_muslim_day(hijri + offset, month, day) for offset in range(-2, 3)]
    return min((one for one in found if one.year <= year), key=lambda one: (year - one.year, one))


def _muslim_day(year: int, month: int, day: int) -> date:
    months = 29 * (month - 1) + month // 2
    return date.fromordinal(_HIJRA + (year - 1) * 354 + (3 + 11 * year) // 30 + months + day - 1)


_CREATION = -1_373_427  # 1 Tishri of the Jewish year 1, before its postponements, as an ordinal


def jewish_new_year(year: int) -> date:
    """1 Tishri in a civil year: the mean conjunction, postponed by the four rules (Dershowitz and Reingold 2008)."""
    jewish = year + 3761
    before, here, after = (_elapsed(jewish + offset) for offset in (-1, 0, 1))
    delay = 2 if after - here == 356 else 1 if here - before == 382 else 0
    return date.fromordinal(_CREATION + here + delay)


def _elapsed(jewish: int) -> int:
    """Days from the creation to the conjunction of Tishri, kept off Sunday, Wednesday and Friday."""
    months = (235 * jewish - 234) // 19
    parts = 12_084 + 13_753 * months
    day = 29 * months + parts // 25_920
    return day + 1 if 3 * (day + 1) % 7 < 3 else day


# A new moon (7 January 2000, 2:14 in Peking) and the mean month between two, in hundred thousandths of a day.
_NEW_MOON = date(2000, 1, 7).toordinal() * 100_000 + 9_300
_MONTH = 2_953_059


def new_moon(first: date) -> date:
    """The first mean new moon on or after a day, in Peking, within a day of the true one."""
    start = first.toordinal() * 100_000
    number = -((_NEW_MOON - start) // _MONTH)
    return date.fromordinal((_NEW_MOON + number * _MONTH) // 100_000)
