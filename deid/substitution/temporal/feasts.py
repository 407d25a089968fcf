"""Feasts and customs used as dates: their names, and the day of each in a year.

A feast is read to its month: a moved one could fall on no other feast's day. The names are in `feasts.toml`. Days of
Muslim, Jewish and Chinese calendars are computed by their arithmetic, not by sight of the moon.
"Aïd" alone is the one that ends Ramadan. A saint that has no day here, and a local feast ("la ducasse"), are `UNDATED`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

from dateutil.easter import EASTER_ORTHODOX, easter

from deid.domain import read_lists
from deid.french.folding import fold_line

_HIJRA = 227_015  # 16 July 622 of the Julian calendar, the day 1 Muharram 1, as an ordinal


def muslim(year: int, month: int, day: int) -> date:
    """Return the first such day of the tabular Muslim calendar in a civil year; the year before if it has none.

    The calendar in use follows the sight of the moon, a day before or after this one.
    """
    hijri = (year - 622) * 33 // 32
    found = [_muslim_day(hijri + offset, month, day) for offset in range(-2, 3)]
    return min((one for one in found if one.year <= year), key=lambda one: (year - one.year, one))


def _muslim_day(year: int, month: int, day: int) -> date:
    months = 29 * (month - 1) + month // 2
    return date.fromordinal(_HIJRA + (year - 1) * 354 + (3 + 11 * year) // 30 + months + day - 1)


_CREATION = -1_373_427  # 1 Tishri of the Jewish year 1, before its postponements, as an ordinal


def jewish_new_year(year: int) -> date:
    """Return 1 Tishri of a civil year: the mean conjunction, postponed by four rules (Dershowitz, Reingold 2008)."""
    jewish = year + 3761
    before, here, after = (_elapsed(jewish + offset) for offset in (-1, 0, 1))
    delay = 2 if after - here == 356 else 1 if here - before == 382 else 0
    return date.fromordinal(_CREATION + here + delay)


def _elapsed(jewish: int) -> int:
    """Return the days from the creation to the conjunction of Tishri, kept off Sunday, Wednesday and Friday."""
    months = (235 * jewish - 234) // 19
    parts = 12_084 + 13_753 * months
    day = 29 * months + parts // 25_920
    return day + 1 if 3 * (day + 1) % 7 < 3 else day


# A new moon (7 January 2000, 2:14 in Peking) and the mean month between two, in hundred thousandths of a day.
_NEW_MOON = date(2000, 1, 7).toordinal() * 100_000 + 9_300
_MONTH = 2_953_059


def new_moon(first: date) -> date:
    """Return the first mean new moon on or after a day, in Peking, within a day of the true one."""
    start = first.toordinal() * 100_000
    number = -((_NEW_MOON - start) // _MONTH)
    return date.fromordinal((_NEW_MOON + number * _MONTH) // 100_000)


def _after(new_year: Callable[[int], date]) -> Callable[[int, int], date]:
    return lambda year, days: new_year(year) + timedelta(days=days)


# How a day is found from a year and the numbers of `feasts.toml`.
_RULES: dict[str, Callable[..., date]] = {
    "fixed": date,
    "saints": date,
    "easter": _after(easter),
    "orthodox": _after(partial(easter, method=EASTER_ORTHODOX)),
    "muslim": muslim,
    "jewish": _after(jewish_new_year),
    "moon": lambda year, month, day: new_moon(date(year, month, day)),
}
_LISTS = read_lists(__file__)
_FEASTS = {
    f"saint {name}" if kind == "saints" else name: (
        _RULES[kind],
        [int(number) for number in re.findall(r"(?:^-)?\d+", numbers)],
    )
    for kind, days in _LISTS.items()
    for numbers, names in days.items()
    for name in names.split(", ")
}
UNDATED = ""  # key of a feast without a date of its own
# Words that may stand ahead of a feast's name and are of the mention.
_AHEAD = (
    r"(?:(?:fetes?|journees?|jours?|nuit|soir|veille|lendemain|dimanche|lundi|mardi|mercredi|jeudi|vendredi|samedi|"
    r"week[- ]end|semaine|vacances|pont|reveillon|foire|banquet) (?:de la |de l'|de l |des |du |de |d')?)?"
)


def _pattern(name: str) -> str:
    return "[-' ]+".join(map(re.escape, re.split("[-' ]", name)))


_NAMES = sorted((name for name in _FEASTS if not name.startswith("saint ")), key=len, reverse=True)
# One group per feast: its number tells which one was met.
_ANY = re.compile(_AHEAD + "(?:" + "|".join(f"({_pattern(name)})" for name in _NAMES) + r")(?![a-z])")
_SAINT = re.compile(rf"{_AHEAD}(?:saint|sainte|ste?\.?|s\.)[-' ]+(?P<name>[a-z]+(?:(?:-| (?=d[e'])|')[a-z]+)*)")
# A feast that the lists have not, to the end of the mention or a year.
_LOCAL = re.compile(
    r"(?:fetes?|ducasses?|kermesses?|foires?|braderies?|festival|processions?|pelerinage|pardon|frairie|vogue|ferias?|"
    r"bravades?|cavalcade|assemblee|comices?|romeria|fest[- ]noz)(?:[-' ]+[a-z]+){0,6}(?=(?: (?:19|20)\d\d)?\Z)"
)
# Nothing is a feast that begins with another word.
_WORD = re.compile("[a-z]+")
_BEGINNINGS = frozenset(
    form
    for word in _WORD.findall(f"{_AHEAD} {' '.join(_NAMES)} {_LOCAL.pattern} saint sainte st ste s")
    for form in (word, word.removesuffix("s"))
)
# What a feast is told by, month by month: Pâques and Ascension where they fall in that month, else one that everybody
# counts by and that the month always has, else its middle. A saint is told by a saint.
_FIXED = (
    "mi-janvier", "mi-février", "mi-mars", "mi-avril", "mi-mai", "mi-juin", "mi-juillet", "mi-août", "rentrée",
    "mi-octobre", "Toussaint", "Noël",
)  # fmt: skip
_SAINTS = (
    "Saint-Vincent", "Saint-Valentin", "Saint-Joseph", "Saint-Georges", "Saint-Yves", "Saint-Jean", "Sainte-Anne",
    "Saint-Louis", "Saint-Michel", "Saint-Luc", "Saint-Martin", "Saint-Nicolas",
)  # fmt: skip
_SAYS_SAINT = re.compile(r"\b(?:saint|sainte|ste?\.?|s\.)[-' ]")
# Behind "vacances de", and in "une bonne année": none is said more than a month from its time.
_HOLIDAYS = (
    "Noël", "hiver", "hiver", "Pâques", "Pâques", "été", "été", "été", "été", "Toussaint", "Toussaint", "Noël",
)  # fmt: skip
_WISHES = (
    "année", *("continuation",) * 5, "période estivale", "période estivale", "rentrée", "continuation", "continuation",
    "fin d'année",
)  # fmt: skip
_WISH = re.compile(r"bonne (?:et heureuse |nouvelle )?(?:fin d')?(?:annee|rentree)")
# What is said by the article ahead: "vacances de février", "vacances de la mi-février".
_HOLIDAY_BEHIND = {
    "e ": {"hiver": "février"},
    "e la ": {"Noël": "fin décembre", "hiver": "mi-février", "Pâques": "mi-avril", "été": "mi-juillet"},
}
_ON_HOLIDAY = re.compile(r"\bvacances (?:scolaires )?d(?P<article>e la |e l'|e |')\Z")
_MOVABLE = {4: ("Pâques", "paques"), 5: ("Ascension", "ascension")}


def match_feast(plain: str, at: int = 0) -> tuple[int, str] | None:
    """Match a feast that begins at `at` in a folded text: return its end and its key in `_FEASTS`, or None.

    The key is `UNDATED` for a saint or local feast that has no date there.
    """
    first = _WORD.match(plain, at)
    if first is None or first.group() not in _BEGINNINGS:
        return None
    found = _ANY.match(plain, at)
    if found is not None and found.lastindex is not None:
        return found.end(), _NAMES[found.lastindex - 1]
    if (saint := _SAINT.match(plain, at)) is not None:
        key = f"saint {saint['name'].replace(' ', '-')}"
        return saint.end(), key if key in _FEASTS else UNDATED
    return (local.end(), UNDATED) if (local := _LOCAL.match(plain, at)) is not None else None


def day_of_feast(name: str, year: int) -> date:
    """Return the day of a feast in a year."""
    rule, numbers = _FEASTS[name]
    return rule(year, *numbers)


def month_of_feast(name: str, year: int) -> int:
    """Return the month of a feast in a year, as an index from January of year 0."""
    day = day_of_feast(name, year)
    return day.year * 12 + day.month - 1


def feast_of_month(year: int, month: int, said: str = "") -> str:
    """Return what a feast is told by in that month: a wish for the wish `said`, folded, and a saint for a saint."""
    if _WISH.match(said):
        return f"bonne {_WISHES[month - 1]}"
    if _SAYS_SAINT.search(said):
        return _SAINTS[month - 1]
    if month in _MOVABLE:
        name, rule = _MOVABLE[month]
        if month_of_feast(rule, year) % 12 == month - 1:
            return name
    return _FIXED[month - 1]


def holiday_of_month(month: int, ahead: str) -> str | None:
    """Return what holidays of that month are named by; None where the folded words `ahead` announce no holidays."""
    if (behind := _ON_HOLIDAY.search(ahead)) is None:
        return None
    name = _HOLIDAYS[month - 1]
    return _HOLIDAY_BEHIND.get(behind["article"], {}).get(name, name)


def feast_named(text: str) -> str | None:
    """Return the key in `_FEASTS` of a text that is a feast's name, else None."""
    found = match_feast(fold_line(text))
    return found[1] if found is not None and found[0] == len(text) else None
