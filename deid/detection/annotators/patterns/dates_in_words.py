"""Dates with a word: months ("du 11 au 16 mars 2020"), weekdays, seasons, feasts, lone days ("le 20"), bare years."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import word_list
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.calendar import (
    DETECTED_MONTHS,
    DETECTED_SHORT_MONTHS,
    DETECTED_WEEKDAYS,
    FEASTS,
    FOLDED_SEASONS,
    PARTS_OF_PERIOD,
    WEEKDAYS,
)
from deid.french.numerals import DETECTED_NUMBER_WORDS, read_loosely, read_number

_LIST_SIGNS = frozenset({"au", "et", "-", "/", ",", "ou", "a", "puis", "le"})
# Months as a scanner reads them: "rnars", "decernbre", "avriI".
_MISREAD = {month.replace("m", "rn") for month in DETECTED_MONTHS - DETECTED_SHORT_MONTHS} | {"avrii", "juiilet"}
_RANGE_LEADS = frozenset({"du", "le", "les", "entre", "des", "nuit", "au", ",", "et"})
_LONG_PARTS = PARTS_OF_PERIOD - {"courant"}
# Abbreviations that are also words: a year is no proof.
_DOUBTFUL = frozenset({"sept", "sep", "dec", "oct"})
_WHOLE_YEAR = 1850  # the first that is told whole
_SAID_UNITS = frozenset("heure heures h minutes ans mois semaines jours fois mg ml".split())
_YEAR_DIGITS = re.compile(r"(?:1[89]|20)\d\d(?!\w)|\d\d(?![\w°%]|[.,:/]\d| ?h\b| ?(?:mg|ml|ans|g|h)\b)")


def find_months(reading: Reading) -> Iterator[Mention]:
    """Yield dates with a month in letters, complete or partial, and the elliptic bounds before them."""
    for index, word in enumerate(reading.words):
        if word in DETECTED_MONTHS or word in _MISREAD:
            yield from _around(reading, index)


def _around(reading: Reading, index: int) -> Iterator[Mention]:
    words = reading.words
    dotted = (
        words[index] in DETECTED_SHORT_MONTHS
        and reading.word(index + 1) == "."
        and reading.starts[index + 1] == reading.ends[index]
    )
    last = index + 1 if dotted else index
    day, year = _day_before(reading, index), year_after(reading, last)
    if words[index] in DETECTED_SHORT_MONTHS and day is None and (year is None or words[index] in _DOUBTFUL):
        return
    if day is None and year is None and reading.word(index + 1) in ("dernier", "prochain"):
        yield Mention(reading.starts[index], reading.ends[index + 1], Label.RELDATE, 0.95)
        return
    if dotted and year is None and reading.text[reading.ends[last] : reading.ends[last] + 1] in ("\n", ""):
        last = index  # the dot ends the sentence
    first = part_before(reading, index) if day is None else _with_weekday(reading, day)
    end = last if year is None else year
    score = 0.97 if day is not None or year is not None else 0.75
    yield Mention(reading.starts[first], reading.ends[end], Label.DATE, score)
    if day is not None:
        yield from _first_bounds(reading, first)


def _with_weekday(reading: Reading, day: int) -> int:
    """Token of the weekday before a day number, else the day."""
    if reading.word(day - 1) in DETECTED_WEEKDAYS:
        return day - 1
    return day - 2 if reading.word(day - 1) in (".", ",") and reading.word(day - 2) in DETECTED_WEEKDAYS else day


def _day_before(reading: Reading, index: int) -> int | None:
    """First token of a day number that ends right before token `index`."""
    words = reading.words
    at = index - 1
    if at >= 0 and words[at] in (".", "-") and index - 2 >= 0 and words[index - 2].isdigit():
        at = index - 2
    if at < 0:
        return None
    if words[at] in ("er", "ier") and at >= 1 and words[at - 1] in ("1", "i", "l"):
        return at - 1
    if words[at] in ("ll", "il", "l", "i", "lo", "io"):
        return at
    start = reading.digits.rfind(" ", max(0, reading.ends[at] - 12), reading.ends[at]) + 1
    token = reading.digits[max(start, reading.ends[at] - 2) : reading.ends[at]].strip()
    if token.isdigit() and 1 <= int(token) <= 31:
        return reading.token_at(reading.ends[at] - len(token))
    return _spoken_day(reading, at)


def _spoken_day(reading: Reading, at: int) -> int | None:
    """First token of a day of the month in letters that ends with token `at`."""
    words = reading.words
    if words[at] not in DETECTED_NUMBER_WORDS or words[at] == "et":
        return None
    first = at
    while first >= 1 and (words[first - 1] in DETECTED_NUMBER_WORDS or words[first - 1] == "-") and at - first < 3:
        first -= 1
    while first < at and words[first] in ("et", "-"):
        first += 1
    value = read_loosely(words[first : at + 1])
    return first if value and 1 <= value <= 31 else None


def year_after(reading: Reading, index: int) -> int | None:
    """Return the last token of a year right after token `index`."""
    words = reading.words
    at = index + 1
    if reading.word(at) in (".", "/", "-", ",") and reading.word(at + 1).isdigit():
        at += 1
    if reading.word(at) == "de" and reading.word(at + 1) in ("l", "cette"):
        return None
    if at < len(words):
        run = _YEAR_DIGITS.match(reading.digits[reading.starts[at] : reading.starts[at] + 12])
        if run and (len(run.group()) == 4 or reading.starts[at] - reading.ends[index] <= 2):
            return reading.token_at(reading.starts[at] + len(run.group()) - 1)
    return _spoken_year(reading, at)


def _spoken_year(reading: Reading, at: int) -> int | None:
    """Last token of a year in letters that starts at token `at`: the longest run that is one number, and no hour.

    A line may end within it. Ahead of a unit it is what is left of the number counted: "deux mille six huit heures".
    """
    words = reading.words
    last = None
    stop = at
    while (reading.word(stop) in DETECTED_NUMBER_WORDS and reading.word(stop) != "et") or (
        reading.word(stop) in ("et", "-", "\n") and last is not None
    ):
        if words[stop] not in ("et", "-", "\n"):
            last = stop
        stop += 1
    if last is None:
        return None
    counted = reading.word(last + 1) in _SAID_UNITS  # "le trente et un décembre vingt-trois heures"
    for end in range(last - counted, at - 1, -1):
        value = _spoken_number(words[at : end + 1])
        if _is_year(value) and not (counted and (value < _WHOLE_YEAR or not _spoken_number(words[end + 1 : last + 1]))):
            return end  # "mars deux mille vingt et un, treize injections"
    return (
        last if not counted and _is_year(read_loosely([one for one in words[at : last + 1] if one != "\n"])) else None
    )


def _spoken_number(words: Sequence[str]) -> int:
    """Return the number that words spell, 0 if they spell none."""
    return read_number([word for word in words if word not in ("-", "\n")]) or 0


def _is_year(value: int | None) -> bool:
    return value is not None and (_WHOLE_YEAR <= value <= 2099 or 20 <= value <= 99)


def part_before(reading: Reading, index: int) -> int:
    """Token of "début", "mi-", "fin" before a period, which belongs to the mention; else `index`."""
    at = index - 1
    if reading.word(at) in ("-", "de", "du"):
        at -= 1
    if at >= 0 and reading.word(at) in _LONG_PARTS:
        return at
    return index


def _first_bounds(reading: Reading, index: int) -> Iterator[Mention]:
    """The elliptic first bounds of "du 11 au 16 mars", "les 3, 4 et 7 mai"."""
    words = reading.words
    at = index
    for _ in range(4):
        sign = at - 1
        if reading.word(sign) in ("le", "du", "au") and reading.word(sign - 1) in _LIST_SIGNS:
            sign -= 1
        if sign < 2 or words[sign] not in _LIST_SIGNS:
            return
        day = sign - 2 if words[sign - 1] == "er" else sign - 1
        if day < 1 or not (words[day].isdigit() and 1 <= int(words[day]) <= 31):
            return
        first = day - 1 if words[day - 1] in DETECTED_WEEKDAYS else day
        if reading.word(first - 1) not in _RANGE_LEADS:
            return
        yield Mention(reading.starts[first], reading.ends[sign - 1], Label.DATE, 0.9)
        at = first


# Weekdays, seasons, feasts and lone days: "depuis lundi", "printemps 2011", "Toussaint 2019", "le 20"

_FEASTS = re.compile(
    r"(?:(?:debut|fin|mi|veille de|lendemain de)[ -])?\b(?:" + "|".join(FEASTS) + r")\b(?: (?:19|20)\d\d\b)?"
)
_FEAST_FIRST_WORDS = frozenset(re.split(r"[ '-]", feast)[0] for feast in FEASTS) | {"aid"}
_ALWAYS_DAYS = (" de l'an", "nouvel an", " cafre", " kaf")  # without a capital too
_SAINT_DAY = re.compile(r"sainte?[- ][a-z]{3,}(?:-[a-z]+)?(?: (?:19|20)\d\d\b)?")
_NUMERIC = re.compile(r"\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?(?!\d)")
_RECURRING = frozenset("le les chaque tous l un du au et".split())
_CALL_NUMBERS = frozenset({"15", "17", "18", "112", "115"})
_AFTER_ANY_DAY = frozenset({",", ".", ";", ")", "\n", "", ":", "au"})
_AFTER_LE_DAY = _AFTER_ANY_DAY | {"a", "vers", "pour", "avec", "et", "par", "dernier", "prochain"}


def find_calendar_days(reading: Reading) -> Iterator[Mention]:
    """Yield days named without a month in letters."""
    for index, word in enumerate(reading.words):
        if word in WEEKDAYS:
            yield from _weekday(reading, index)
        elif word in FOLDED_SEASONS:
            yield from _season(reading, index)
        elif word in _FEAST_FIRST_WORDS:
            yield from _feast(reading, index)
        elif word in ("le", "du", "au"):
            yield from _lone_day(reading, index + 1)
        elif word == "la" and reading.word(index + 1) in ("saint", "sainte", "st"):
            yield from _saint(reading, index + 1)


def _date(reading: Reading, first: int, last: int, score: float) -> Mention:
    return Mention(reading.starts[first], reading.ends[last], Label.DATE, score)


def _weekday(reading: Reading, index: int) -> Iterator[Mention]:
    """ "lundi 3", "lundi 3/5", or a weekday that means one day rather than every week."""
    after = reading.word(index + 1)
    if after in DETECTED_MONTHS or after in ("prochain", "dernier", "gras"):
        return
    numeric = _NUMERIC.match(reading.digits[reading.ends[index] + 1 : reading.ends[index] + 13])
    digits = reading.digits[reading.starts[index + 1] : reading.ends[index + 1]] if after else ""
    if numeric:
        yield Mention(reading.starts[index], reading.ends[index] + 1 + numeric.end(), Label.DATE, 0.985)
    elif digits.isdigit() and 1 <= int(digits) <= 31:
        follow = reading.word(index + 2)
        if follow not in DETECTED_MONTHS and not (follow in (":", "h") and reading.word(index + 3).isdigit()):
            yield _date(reading, index, index + 2 if follow == "er" else index + 1, 0.95)
    elif not _recurs(reading, index):
        yield _date(reading, index, index, 0.6)


def _recurs(reading: Reading, index: int) -> bool:
    """Return whether a weekday means a habit: "le lundi", "mardi, jeudi", "du lundi au vendredi"."""
    before, after = reading.word(index - 1), reading.word(index + 1)
    if before in _RECURRING or (after in ("et", "au", ",") and reading.word(index + 2) in WEEKDAYS):
        return True
    return before in (",", "et") and reading.word(index - 2) in WEEKDAYS


def _season(reading: Reading, index: int) -> Iterator[Mention]:
    year = year_after(reading, index)
    before = reading.word(index - 1)
    if year is not None:
        if reading.words[index] == "ete" and before in ("a", "ont", "ai", "avait", "avoir", "ayant"):
            return
        yield _date(reading, part_before(reading, index), year, 0.95)
    elif reading.word(index + 1) in ("dernier", "prochain"):
        yield Mention(reading.starts[index], reading.ends[index + 1], Label.RELDATE, 0.95)
    elif reading.words[index] != "ete" and before in ("l", "au", "'", "d", "debut", "fin", "en"):
        yield _date(reading, part_before(reading, index), index, 0.6)
    elif (before == "'" and reading.word(index - 2) == "l") or before == "en":
        yield _date(reading, index, index, 0.55)


def _feast(reading: Reading, index: int) -> Iterator[Mention]:
    match = _FEASTS.match(reading.folded, reading.starts[index])
    if match and not _in_a_name(reading, index):
        capital = reading.capitals[index] or reading.lower_case or match.group().endswith(_ALWAYS_DAYS)
        if capital or match.group()[-4:].isdigit() or reading.word(index - 1) in ("a", "de", "pour", "depuis"):
            yield Mention(match.start(), match.end(), Label.DATE, 0.85)


def _saint(reading: Reading, index: int) -> Iterator[Mention]:
    """ "la Saint-Jean": a day, unless a street, town or church bears it."""
    match = _SAINT_DAY.match(reading.folded, reading.starts[index])
    if match and reading.text[match.start()].isupper():
        yield Mention(match.start(), match.end(), Label.DATE, 0.9)


def _in_a_name(reading: Reading, index: int) -> bool:
    """Return whether a feast is part of someone's name: "Toussaint Santoni", "Marie-Noël"."""
    before, after = reading.text[reading.starts[index] - 1 : reading.starts[index]], reading.word(index + 1)
    if before == "-" or (after == "-" and reading.ends[index] == reading.starts[index + 1]):
        return True
    capital = index + 1 < len(reading.capitals) and reading.capitals[index + 1]
    return capital and after.isalpha() and reading.lexicon.is_surname(after)


def _lone_day(reading: Reading, index: int) -> Iterator[Mention]:
    """ "le 20" with neither month nor unit."""
    word = reading.word(index)
    if not word.isdigit() or len(word) > 2 or not 1 <= int(word) <= 31 or word in _CALL_NUMBERS:
        return
    last = index + 1 if reading.word(index + 1) == "er" else index
    after = reading.word(last + 1)
    if after not in (_AFTER_LE_DAY if reading.words[index - 1] == "le" else _AFTER_ANY_DAY):
        return
    if after in (".", ",") and reading.text[reading.ends[last] + 1 : reading.ends[last] + 2].isdigit():
        return
    yield _date(reading, index, last, 0.7)
    if after == "au" and reading.word(last + 2).isdigit() and len(reading.word(last + 2)) <= 2:
        yield _date(reading, last + 2, last + 2, 0.6)


# Bare years: "en 2015", "(1998)", "1981-2007"

_YEAR = re.compile(r"(?:19|20)\d\d")
_YEAR_LEADS = word_list("year_leads")
_NOT_YEARS = word_list("year_units")
_ENDS = frozenset({")", ",", ".", ";", "\n", "", ":", "-", "(", "par", "et", "a", "pour"})
_COMPARISONS = frozenset({">", "<", "=", "~"})


def find_years(reading: Reading) -> Iterator[Mention]:
    """Yield years of four digits: sure after "en", "depuis"…, likely elsewhere unless a unit follows."""
    for index, word in enumerate(reading.words):
        if len(word) == 4 and _YEAR.fullmatch(word) and 1900 <= int(word) <= 2040:
            yield from _year(reading, index)


def _year(reading: Reading, index: int) -> Iterator[Mention]:
    start, end = reading.starts[index], reading.ends[index]
    before = reading.word(index - 1)
    if _in_range(reading.digits, start, end):
        yield Mention(start, end, Label.DATE, 0.9)
    elif (
        _part_of_number(reading.digits, start, end)
        or before.isdigit()
        or before in _COMPARISONS
        or reading.word(index + 1) in _NOT_YEARS
    ):
        return
    elif before in _YEAR_LEADS:
        parted = before in ("fin", "debut", "mi") or reading.word(index - 2) == "mi"
        first = part_before(reading, index) if parted else index
        yield Mention(reading.starts[first], end, Label.DATE, 0.95)
    else:
        yield Mention(start, end, Label.DATE, 0.75 if reading.word(index + 1) in _ENDS else 0.55)


def _part_of_number(text: str, start: int, end: int) -> bool:
    """Return whether signs or letters around four digits make them part of something longer."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before and (before.isalnum() or before in "-.,/°#_"):
        return True
    if after and (after.isalnum() or after in "°%_"):
        return True
    return after in ("/", ".", ",", "-") and text[end + 1 : end + 2].isdigit()


def _in_range(text: str, start: int, end: int) -> bool:
    """Return whether a year is one bound of "1981-2007"."""
    return bool(
        re.match(r" ?[-/] ?(?:19|20)\d\d(?![\d/.-])", text[end : end + 8])
        or re.search(r"(?<![\d/.-])(?:19|20)\d\d ?[-/] ?$", text[max(0, start - 9) : start])
    )
