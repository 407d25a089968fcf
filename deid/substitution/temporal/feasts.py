"""Feasts and customs used as dates: their names, and the day of each in a year.

A feast is read to its month: a moved one could fall on no other feast's day. Movable ones are computed; Muslim, Jewish
and Chinese ones by the arithmetic of their calendars, not by sight of the moon.
"Aïd" alone is the one that ends Ramadan. Local feasts without a date of their own are not here, and are masked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from deid.french.folding import fold_line


def easter(year: int) -> date:
    """Return Easter Sunday of the Gregorian calendar (anonymous algorithm, Meeus 1991)."""
    golden = year % 19
    century, rest = divmod(year, 100)
    leaps, skipped = divmod(century, 4)
    moon = (19 * golden + century - leaps - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * skipped + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def orthodox_easter(year: int) -> date:
    """Return Easter Sunday of the Julian calendar, as a Gregorian date."""
    moon = (19 * (year % 19) + 15) % 30
    sunday = (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7
    month, day = divmod(moon + sunday + 114, 31)
    gap = year // 100 - year // 400 - 2
    return date(year, month, day + 1) + timedelta(days=gap)


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


Rule = Callable[[int], date]


def _on(month: int, day: int) -> Rule:
    return lambda year: date(year, month, day)


def _easter(days: int) -> Rule:
    return lambda year: easter(year) + timedelta(days=days)


def _muslim(month: int, day: int) -> Rule:
    return lambda year: muslim(year, month, day)


def _tishri(days: int) -> Rule:
    """Return the rule of a feast that many days after the Jewish new year of the same civil year."""
    return lambda year: jewish_new_year(year) + timedelta(days=days)


def _moon(month: int, day: int) -> Rule:
    return lambda year: new_moon(date(year, month, day))


# From Nisan to Tishri the Jewish months have fixed lengths: spring feasts are so many days before the new year.
_FEASTS: dict[str, Rule] = {
    "nouvel an": _on(1, 1), "jour de l'an": _on(1, 1), "premier de l'an": _on(1, 1), "epiphanie": _on(1, 6),
    "fete des rois": _on(1, 6), "galette des rois": _on(1, 6), "saint antoine": _on(1, 17),
    "saint vincent": _on(1, 22), "sainte devote": _on(1, 27), "chandeleur": _on(2, 2), "saint blaise": _on(2, 3),
    "saint valentin": _on(2, 14), "saint modeste": _on(2, 24), "saint patrick": _on(3, 17),
    "saint joseph": _on(3, 19), "norouz": _on(3, 20), "nowrouz": _on(3, 20), "fete de l'igname": _on(3, 15),
    "saint georges": _on(4, 23), "sant jordi": _on(4, 23), "saint marc": _on(4, 25), "fete du travail": _on(5, 1),
    "muguet": _on(5, 1), "liberation": _on(5, 8), "fete de la victoire": _on(5, 8), "saint honore": _on(5, 16),
    "saint yves": _on(5, 19), "fete des voisins": _on(5, 31), "fete des meres": _on(5, 28),
    "fete de la musique": _on(6, 21), "fete des peres": _on(6, 18), "saint jean": _on(6, 24), "sant joan": _on(6, 24),
    "saint eloi": _on(6, 25), "saint pierre": _on(6, 29), "heiva": _on(7, 10), "fete nationale": _on(7, 14),
    "estive": _on(7, 1), "grandes vacances": _on(7, 10), "saint fiacre": _on(8, 30), "assomption": _on(8, 15),
    "saint laurent": _on(8, 10), "saint louis": _on(8, 25), "saint roch": _on(8, 16), "moissons": _on(7, 25),
    "moisson": _on(7, 25), "rentree": _on(9, 1), "rentree scolaire": _on(9, 1), "rentree des classes": _on(9, 1),
    "vendanges": _on(9, 15), "saint michel": _on(9, 29), "michel": _on(9, 29), "journees du patrimoine": _on(9, 20),
    "saint denis": _on(10, 9), "saint luc": _on(10, 18), "saint crepin": _on(10, 25), "halloween": _on(10, 31),
    "toussaint": _on(11, 1), "jour des morts": _on(11, 2), "fete des morts": _on(11, 2), "saint hubert": _on(11, 3),
    "saint martin": _on(11, 11), "armistice": _on(11, 11), "beaujolais nouveau": _on(11, 18),
    "sainte catherine": _on(11, 25), "avent": _on(12, 1), "sainte barbe": _on(12, 4), "saint nicolas": _on(12, 6),
    "sainte lucie": _on(12, 13), "fete cafre": _on(12, 20), "fete kaf": _on(12, 20), "fet kaf": _on(12, 20),
    "noel": _on(12, 25), "reveillon": _on(12, 31), "saint sylvestre": _on(12, 31),
    "fetes": _on(12, 25), "fetes de fin d'annee": _on(12, 25), "carnaval": _easter(-47), "mardi gras": _easter(-47),
    "jeudi gras": _easter(-52), "mercredi des cendres": _easter(-46), "cendres": _easter(-46), "careme": _easter(-46),
    "mi-careme": _easter(-24), "rameaux": _easter(-7), "semaine sainte": _easter(-6), "jeudi saint": _easter(-3),
    "vendredi saint": _easter(-2), "samedi saint": _easter(-1), "paques": _easter(0), "quasimodo": _easter(7),
    "ascension": _easter(39), "pentecote": _easter(49), "fete-dieu": _easter(60), "trinite": _easter(56),
    "paques orthodoxe": orthodox_easter, "paques orthodoxes": orthodox_easter, "ramadan": _muslim(9, 1),
    "ramadhan": _muslim(9, 1), "nuit du destin": _muslim(9, 27), "aid": _muslim(10, 1), "aid el-fitr": _muslim(10, 1),
    "aid es-seghir": _muslim(10, 1), "korite": _muslim(10, 1), "aid el-kebir": _muslim(12, 10),
    "aid al-adha": _muslim(12, 10), "aid el-adha": _muslim(12, 10), "tabaski": _muslim(12, 10),
    "mouloud": _muslim(3, 12), "maoulid": _muslim(3, 12), "mawlid": _muslim(3, 12), "gamou": _muslim(3, 12),
    "achoura": _muslim(1, 10), "roch hachana": _tishri(0), "rosh hashana": _tishri(0), "kippour": _tishri(9),
    "yom kippour": _tishri(9), "souccot": _tishri(14), "hanoucca": _tishri(83), "hanoukka": _tishri(83),
    "pourim": _tishri(-193), "pessah": _tishri(-163), "paque juive": _tishri(-163), "chavouot": _tishri(-113),
    "nouvel an chinois": _moon(1, 21), "nouvel an lunaire": _moon(1, 21), "tet": _moon(1, 21),
    "diwali": _moon(10, 21), "divali": _moon(10, 21),
}  # fmt: skip
# Words that may stand ahead of a feast's name and are of the mention.
_AHEAD = (
    r"(?:(?:fetes?|journees?|jours?|nuit|soir|veille|lendemain|dimanche|lundi|mardi|mercredi|jeudi|vendredi|samedi|"
    r"week[- ]end|semaine|vacances|pont|reveillon|foire|banquet) (?:de la |de l'|de l |des |du |de |d')?)?"
)
_SAINT = {"saint": r"(?:saint|st\.?|s\.)", "sainte": r"(?:sainte|ste\.?)"}


def _pattern(name: str) -> str:
    return "[-' ]+".join(_SAINT.get(piece) or re.escape(piece) for piece in re.split("[-' ]", name))


_NAMES = sorted(_FEASTS, key=len, reverse=True)
# One group per feast: its number tells which one was met.
_ANY = re.compile(_AHEAD + "(?:" + "|".join(f"({_pattern(name)})" for name in _NAMES) + r")(?![a-z])")
# Nothing is a feast that begins with another word.
_WORD = re.compile("[a-z]+")
_BEGINNINGS = frozenset(
    form for word in _WORD.findall(f"{_AHEAD} {' '.join(_FEASTS)} st ste s") for form in (word, word.removesuffix("s"))
)
# A surrogate's feast, month by month: Pâques and Ascension where they fall in that month, else one that always does.
_FIXED = (
    "Épiphanie", "Chandeleur", "Saint-Joseph", "Saint-Georges", "fête du Travail", "Saint-Jean",
    "fête nationale", "Assomption", "rentrée", "Saint-Luc", "Toussaint", "Noël",
)  # fmt: skip
_MOVABLE = {4: ("Pâques", "paques"), 5: ("Ascension", "ascension")}


def match_feast(plain: str, at: int = 0) -> tuple[int, str] | None:
    """Match a feast that begins at `at` in a folded text: return its end and its key in `_FEASTS`, or None."""
    first = _WORD.match(plain, at)
    found = _ANY.match(plain, at) if first is not None and first.group() in _BEGINNINGS else None
    if found is None or found.lastindex is None:
        return None
    return found.end(), _NAMES[found.lastindex - 1]


def month_of_feast(name: str, year: int) -> int:
    """Return the month of a feast in a year, as an index from January of year 0."""
    day = _FEASTS[name](year)
    return day.year * 12 + day.month - 1


def feast_of_month(year: int, month: int) -> str:
    """Return the name to write for a feast in that month."""
    if month in _MOVABLE:
        name, rule = _MOVABLE[month]
        if _FEASTS[rule](year).month == month:
            return name
    return _FIXED[month - 1]


def feast_named(text: str) -> str | None:
    """Return the key in `_FEASTS` of a text that is a feast's name, else None."""
    found = match_feast(fold_line(text))
    return found[1] if found is not None and found[0] == len(text) else None
