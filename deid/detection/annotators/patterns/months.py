"""Dates around a month in letters: "lundi 3 mars 2020", "du 11 au 16 mars", "trois février quarante huit"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.calendar import DETECTED_MONTHS, DETECTED_SHORT_MONTHS, DETECTED_WEEKDAYS, PARTS_OF_PERIOD
from deid.french.numerals import DETECTED_NUMBER_WORDS, read_loosely

_LIST_SIGNS = frozenset({"au", "et", "-", "/", ",", "ou", "a", "puis", "le"})
_RANGE_LEADS = frozenset({"du", "le", "les", "entre", "des", "nuit", "au", ",", "et"})
_LONG_PARTS = PARTS_OF_PERIOD - {"courant"}
# Abbreviations that are also words: a year is no proof.
_DOUBTFUL = frozenset({"sept", "sep", "dec", "oct"})
_YEAR_DIGITS = re.compile(r"(?:1[89]|20)\d\d(?!\w)|\d\d(?![\w°%]|[.,:/]\d| ?h\b| ?(?:mg|ml|ans|g|h)\b)")


def find(reading: Reading) -> Iterator[Mention]:
    """Dates with a month in letters, complete or partial, and the elliptic bounds before them."""
    for index, word in enumerate(reading.words):
        if word in DETECTED_MONTHS:
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
    """Last token of a year that stands right after token `index`."""
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
    """Last token of a year in letters that starts at token `at`."""
    words = reading.words
    last = None
    stop = at
    while (reading.word(stop) in DETECTED_NUMBER_WORDS and reading.word(stop) != "et") or (
        reading.word(stop) in ("et", "-") and last is not None
    ):
        if words[stop] not in ("et", "-"):
            last = stop
        stop += 1
    if last is None:
        return None
    value = read_loosely(words[at : last + 1])
    return last if value and (1850 <= value <= 2099 or 20 <= value <= 99) else None


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
