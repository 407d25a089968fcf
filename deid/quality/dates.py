"""Read French dates for validation: the days that a written date can mean, and whether they exist.

This reader shares no code with detection or substitution, on purpose.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from deid.french.calendar import is_pump_setting
from deid.quality.words import fold

_MONTHS = (
    "janvier janv jan", "fevrier fevr fev", "mars mar", "avril avr", "mai", "juin",
    "juillet juil", "aout aou", "septembre sept sep", "octobre oct", "novembre nov", "decembre dec",
)  # fmt: skip
_MONTH_OF = {form: number for number, forms in enumerate(_MONTHS, 1) for form in forms.split()}
_MONTH = "(?:" + "|".join(sorted(_MONTH_OF, key=len, reverse=True)) + r")(?![a-z])\.?"
_DAY = r"(?:1er|premier|[0-3]?\d)"
# A year misread by a scanner ("20l1", "2OO8") is a year of four digits, not the two digits before the letter.
_SCANNED_YEAR = r"(?:19|2[0o])[\dlo]{2}(?![a-z])"
_SCANNED = str.maketrans("lo", "10")
_YEAR = rf"(?:[12]\d{{3}}|{_SCANNED_YEAR}|'?\d{{2}})"
_GAP = r"[ \t\u00a0\u202f]{0,2}"

_ISO = r"(?P<iso>(?P<iy>[12]\d{3})(?P<is>[-/.])(?P<im>\d{1,2})(?P=is)(?P<id>\d{1,2}))"
_DAY_MONTH_YEAR = (
    rf"(?P<dmy>(?P<dd>\d{{1,2}}){_GAP}(?P<ds>[/.\-]){_GAP}(?P<dm>\d{{1,2}}){_GAP}(?P=ds){_GAP}"
    r"(?P<dy>[12]\d{3}|\d{2}))"
)
_LITERAL = rf"(?P<lit>(?P<ld>{_DAY})(?:\s+|-|(?<=\d)(?=[a-z]))(?P<lm>{_MONTH})(?:(?:\s+|-)?(?P<ly>{_YEAR})(?!\d|,\d))?)"
# "mar 10/3" and "mar 30 jan" are Tuesdays.
_MONTH_YEAR = (
    rf"(?P<my>\b(?P<mm>{_MONTH})\s*-?\s*(?P<myy>[12]\d{{3}}|{_SCANNED_YEAR}|'\d{{2}}|\d{{2}}(?!\s+{_MONTH}))"
    r"(?!\d|,\d|[/.-]\d))"
)
_NUMERIC_MONTH_YEAR = rf"(?P<nmy>(?P<nm>0?[1-9]|1[0-2]){_GAP}[/.\-]{_GAP}(?P<ny>[12]\d{{3}}))"
_FORMS = re.compile(
    r"(?=\d|(?<!\w)[adfjmnops])"  # fast refusal: a digit, or the first letter of a month or of "premier"
    rf"(?:(?<![\d/]){_ISO}(?!\d)"
    rf"|(?<![\d/.,]){_DAY_MONTH_YEAR}(?![\d/])"
    rf"|(?<!\d){_LITERAL}"
    rf"|(?<!-)\b(?:annees|decennie) (?P<decade>[12]\d\d0)\b"
    rf"|{_MONTH_YEAR}"
    rf"|(?<![\d/.,]){_NUMERIC_MONTH_YEAR}(?![\d/])"
    r"|(?<![\d/.,])(?P<y>(?:19|20)\d{2})(?![\d/]|[.,]\d))"
)
# A winter covers two years and is named after either.
_WINTER = re.compile(r"\bhiver (?:de )?\Z")
_COMPACT = re.compile(r"\d{8}")
_PARTIAL = re.compile(
    rf"\b(?:{_DAY}{_GAP}[/.\-]{_GAP}\d{{1,2}}|{_MONTH}|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|"
    rf"(?:lun|mar|mer|jeu|ven|sam|dim)\.?|noel|toussaint|paques|pentecote|ascension|epiphanie|assomption|"
    rf"printemps|ete|automne|hiver|nouvel an|jour de l'an|annees?|siecle|saint[\w\-]*|chandeleur|carnaval|careme|"
    rf"fete|rentree|ramadan|aid|tabaski|'\d{{2}}|1er|\d{{1,2}}|\d{{6}})\b"
)
_CENTURIES = ("18", "19", "20", "21")
_AMBIGUOUS_YEARS = 5  # two-digit years at most so far after the document are of either century


class WrittenDate(NamedTuple):
    """A written date: the first and last day it can mean, both None if the year is unknown.

    `exists` is False for a day outside the calendar; `signature` is (year in its century, month, day) if the date
    has all three. `otherwise` says that what stands beside it makes it something else: a law or its article, a
    version of a program, a score.
    """

    first: date | None
    last: date | None
    exists: bool = True
    signature: tuple[int, int, int] | None = None
    otherwise: bool = False

    def may_be(self, day: date) -> bool:
        """Return whether this is a full date that can mean `day`."""
        return self.signature == (day.year % 100, day.month, day.day) and self.first in (None, day)


def read_dates(text: str, reference: date | None = None) -> Iterator[WrittenDate]:
    """Yield the dates of `text`; `reference` (the document's date) gives the century of two-digit years."""
    folded = fold(text)
    for match in _FORMS.finditer(folded):
        reading = _reading(match, reference)
        if reading.signature:
            reading = reading._replace(otherwise=_is_no_date(folded, match))
        yield _winter(reading) if match["y"] and _WINTER.search(folded, 0, match.start()) else reading


# What three numbers are where they are no date. Read on the folded text, in `_BESIDE` characters before them.
_BESIDE = 50
# "art. R.1112-1-2 du CSP": no padding with zeros, and a letter, the word, or a year that nobody alive has seen.
_LAW = re.compile(r"[12]\d{3}-[1-9]\d?-[1-9]\d?")
# "la loi du 4 mars 2002", "décret n° 2013-1066 du 3 juin 2013"; an order of a prefect is about a patient.
_LAW_OF = re.compile(r"\b(?:loi|decret)s? (?:n ?[°o] ?\d{2,4}[- ]\d{2,5} )?du \Z")
_LAW_BEFORE = re.compile(r"(?:\b(?:l|r|lo)\.? ?\*? ?|\b(?:arts?\.?|articles?) ?(?:[lrd]\.? ?\*? ?)?)\Z")
_LAW_AFTER = re.compile(r" ?(?:,? ?(?:du|de la|des) )?(?:csp|css|code|loi)\b")
_LIVING = range(1850, 2101)
_VERSION = re.compile(r"\d{1,2}\.\d{1,2}\.\d{1,4}")
_VERSION_BEFORE = re.compile(
    r"(?:\b(?:v|vers?\.?|versions?|release|build|firmware) ?:? ?|\b(?:logiciel|software|progiciel)\b(?: \w+)? ?:? ?"
    r"|\b(?:genere|edite|imprime|produit) (?:par|avec|sous) [\w+ -]{1,24} )\Z"
)
_APGAR_BEFORE = re.compile(r"\bapgar\b[^.;\d]{0,24}\Z")
_APGAR = re.compile(r"(?:\d|10)(?P<sign> ?[/.\-] ?)(?:\d|10)(?P=sign)(?:\d|10)")
_TOOTH = re.compile(r"[1-8][1-8]-[1-8][1-8]-[1-8][1-8]")
_TOOTH_BEFORE = re.compile(
    r"\b(?:dents?|molaires?|premolaires?|incisives?|canines?|avulsions?|extractions?)\b[^.;\d]{0,24}"
    r"(?:\d\d[ ,\-]{1,2}){0,8}(?<! le )(?<! du )(?<! au )\Z"
)
_UNIT_AFTER = re.compile(r" ?(?:mm ?hg|cm ?h2o|mmol|mg|ml|mm|cm|%|°|mois|semaines|ans)(?![a-z])")


def _is_no_date(folded: str, match: re.Match[str]) -> bool:
    """Return whether this is the date of a law, or three numbers an article, a version, scores, teeth, pressures."""
    written = match.group()
    before, after = folded[max(0, match.start() - _BESIDE) : match.start()], folded[match.end() : match.end() + _BESIDE]
    if _LAW_OF.search(before):
        return True
    if not (match["iso"] or match["dmy"]):
        return False
    if _LAW.fullmatch(written):
        return int(written[:4]) not in _LIVING or bool(_LAW_BEFORE.search(before) or _LAW_AFTER.match(after))
    return bool(
        (_VERSION.fullmatch(written) and _VERSION_BEFORE.search(before))
        or (_APGAR.fullmatch(written) and _APGAR_BEFORE.search(before))
        or is_pump_setting(before, written)
        or (_TOOTH.fullmatch(written) and _TOOTH_BEFORE.search(before))
        or (written[-3:-2] == match["ds"] and _UNIT_AFTER.match(after))
    )


def read_date(text: str, reference: date | None = None) -> WrittenDate | None:
    """Return the date of the text of a mention, or None if it is not understood."""
    for reading in read_dates(text, reference):
        return reading
    if _COMPACT.fullmatch(text.strip()):
        return _compact(text.strip())
    return WrittenDate(None, None) if _PARTIAL.search(fold(text)) else None


def _compact(digits: str) -> WrittenDate:
    """Read eight digits: day first if that day exists between 1800 and 2199, else year first."""
    day_first = _day(int(digits[4:]), int(digits[2:4]), int(digits[:2]))
    return (
        day_first
        if day_first.exists and digits[4:6] in _CENTURIES
        else _day(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    )


def _reading(match: re.Match[str], reference: date | None) -> WrittenDate:
    group = match.groupdict()
    if group["iso"]:
        return _day(int(group["iy"]), int(group["im"]), int(group["id"]))
    if group["dmy"]:
        return _dated(group["dy"], int(group["dm"]), int(group["dd"]), reference)
    if group["lit"]:
        day = 1 if group["ld"] in ("1er", "premier") else int(group["ld"])
        month = _MONTH_OF[group["lm"].rstrip(".")]
        if group["ly"] is None:
            return WrittenDate(None, None, exists=1 <= day <= calendar.monthrange(2024, month)[1])
        return _dated(group["ly"], month, day, reference)
    if group["my"]:
        if group["mm"].rstrip(".") == "mar" and len(group["myy"]) == 2:
            return WrittenDate(None, None)  # "mar 13" may be Tuesday the 13th
        return _month(_year(group["myy"], reference), _MONTH_OF[group["mm"].rstrip(".")])
    if group["nmy"]:
        return _month(int(group["ny"]), int(group["nm"]))
    if group["decade"]:
        first = int(group["decade"])
        return WrittenDate(date(first, 1, 1), date(first + 9, 12, 31))
    year = int(group["y"])
    return WrittenDate(date(year, 1, 1), date(year, 12, 31))


def _winter(year: WrittenDate) -> WrittenDate:
    """Return the months of a winter named after a year: "hiver 2026" began in December 2025 or ends in March 2027."""
    if year.first is None or year.last is None:
        return year
    return WrittenDate(date(year.first.year - 1, 12, 1), date(year.last.year + 1, 3, 31))


def _dated(written_year: str, month: int, day: int, reference: date | None) -> WrittenDate:
    year = _year(written_year, reference)
    if year is None:
        return _day(2000 + int(written_year[-2:]), month, day)._replace(first=None, last=None)
    return _day(year, month, day)


def _year(written: str, reference: date | None) -> int | None:
    """Return the year, or None if a two-digit year can be of two centuries."""
    digits = written.lstrip("'").translate(_SCANNED)
    if len(digits) == 4:
        return int(digits)
    if reference is None:
        return None
    ahead = 2000 + int(digits) - reference.year
    if 0 < ahead <= _AMBIGUOUS_YEARS:
        return None
    return (2000 if ahead <= 0 else 1900) + int(digits)


def _day(year: int, month: int, day: int) -> WrittenDate:
    if day == 0 and month <= 12 and year in _LIVING:  # "00/00/1988", of which the year alone is known
        return _month(year, month) if month else WrittenDate(date(year, 1, 1), date(year, 12, 31))
    signature = (year % 100, month, day)
    try:
        exact = date(year, month, day)
    except ValueError:
        return WrittenDate(None, None, exists=False, signature=signature)
    return WrittenDate(exact, exact, signature=signature)


def _month(year: int | None, month: int) -> WrittenDate:
    if year is None:
        return WrittenDate(None, None)
    return WrittenDate(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


# ---- Dates in words, as in certificates

_UNITS = (
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize "
    "dix-sept dix-huit dix-neuf"
).split()
_TENS = {2: "vingt", 3: "trente", 4: "quarante", 5: "cinquante", 6: "soixante", 8: "quatre-vingt"}


def below_hundred(number: int) -> str:
    """Return `number`, in [0, 99], in bare French words."""
    if number < 20:
        return _UNITS[number]
    tens, unit = divmod(number, 10)
    if tens in (7, 9):
        tens, unit = tens - 1, unit + 10
    if unit == 0:
        return _TENS[tens]
    link = " et " if unit in (1, 11) and tens != 8 else " "
    return f"{_TENS[tens]}{link}{_UNITS[unit]}"


def spelt_dates(day: date) -> tuple[str, ...]:
    """Return `day` in bare French words, single spaces and no hyphens, in each usual way."""
    century, rest = divmod(day.year, 100)
    tail = below_hundred(rest) if rest else ""
    if century >= 20:
        years = ["deux mille"]
    else:
        years = ["mille neuf cent", "dix-neuf cent"] if century == 19 else [f"mille {_UNITS[century % 10]} cent"]
    days = ["premier", "un"] if day.day == 1 else [below_hundred(day.day)]
    spelt = (f"{number} {_MONTHS[day.month - 1].split()[0]} {year} {tail}" for number in days for year in years)
    return tuple(" ".join(text.replace("-", " ").split()) for text in spelt)
