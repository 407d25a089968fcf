"""Dates in digits: 12/02/2020, 2020-02-12, 02/2020, 12/02, 05012025."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import word_list
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.calendar import DETECTED_MONTHS, DETECTED_WEEKDAYS, ENGLISH_MONTH_OF

_FULL = re.compile(
    r"(?<![\d/])(?<!\d[.,-])(?P<day>0?[1-9]|[12]\d|3[01])(?P<sep> ?[/.-] ?| )(?P<month>0?[1-9]|1[0-2])(?P=sep)"
    r"(?P<year>(?:18|19|20)\d\d|(?<! )\d\d|(?<=[/.-] )\d\d)(?!\d|[/.,-]\d)"
)
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)([-/. ])(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")
# "30-Avr-2023", "14/Jul/2023": a month by name between two signs.
_NAMED = re.compile(
    rf"(?<![\w/.-])(?:0?[1-9]|[12]\d|3[01])(?P<sep>[-/.])(?:{'|'.join(sorted({*DETECTED_MONTHS, *ENGLISH_MONTH_OF}))})"
    r"(?P=sep)(?:19|20)\d\d(?!\w|[/.-]\w)"
)
_MONTH_YEAR = re.compile(r"(?<![\d/])(?<!\d[.,-])(?:0?[1-9]|1[0-2])[/.-](?:19|20)\d\d(?!\d|[/.,-]\d)")
_PARTIAL = re.compile(r"(?<![\w/])(?<!\d[.,-])(\d{1,2}) ?([/.-]) ?(\d{1,2})(?!\d|[/.,-]\d| ?(?:%|°|/))")
_COMPACT = re.compile(r"(?<!\w)(?:\d{8}|\d{6})(?!\w|[.,/-]\d)")
_BOUNDS = re.compile(
    r"\b(?:du|les|des|le|entre le|nuit du) (?:\d{1,2}(?:er)?(?:, ?| et (?:le |du )?| au | ?- ?| ou )){1,4}$"
)

# Words after which a pair of numbers is a date.
_LEADS = word_list("date_leads") | DETECTED_WEEKDAYS
# Words after which a pair of numbers is a measure, a score or a ratio.
_MEASURES = word_list("measure_words")
_SURE_MEASURES = _MEASURES - _LEADS
_UNITS = word_list("measure_units")
_DAY = r"((?:0?[1-9]|[12]\d|3[01])(?:/(?:0?[1-9]|1[0-2])/|\.(?:0?[1-9]|1[0-2])\.)(?:19|20)\d\d)"
_DAYS = re.compile(rf"(?<![\w/])(?<!\d[.,-]){_DAY} ?[-–] ?{_DAY}(?!\w|[/.,-]\w)")
_LINE_AHEAD = 10  # tokens before a date in which a measure is named
_MISTYPED = 0.7  # score of a date that is not in the calendar
_LAST_CENTURY = 49  # two figures of a year above this are of the last century
_COMPACT_LEADS = frozenset("le du au ne nee ddn dn date naissance depuis".split())


# A year of four figures behind two signs, which is a date wherever it stands.
_SLASHED = re.compile(r"\d{1,2}/\d{1,2}/(?:1[3-9]|[2-9]\d)")  # scores go up to ten, settings in threes hardly above
YEARED_DATE = (
    r"(?:\d{1,2}(?: ?/ ?\d{1,2} ?/ ?| ?\. ?\d{1,2} ?\. ?| ?- ?\d{1,2} ?- ?| \d{1,2} )(?:19|20)\d\d|"
    r"(?:19|20)\d\d-\d\d-\d\d)"
)
_YEARED = re.compile(YEARED_DATE)
# A complete date stands alone: no letter, sign or digit joins it to more, but for a word that leads to a date.
_JOINED_AHEAD = re.compile(r"(?:\w[-_/.]?|[-_/+])\Z")
_JOINED_BEHIND = re.compile(r"\w|[-_/+]\w| \d")
_GLUED_LEAD = re.compile(r"(?<![a-z])(?:le|du|au|nee?|ddn|date)\Z")
# A month and year behind what happened then, in telegraphic style: "AVC 10/15", "ODM 11-20".
_EVENT_MONTH = re.compile(
    rf"\b(?:{'|'.join(sorted(word_list('dated_events')))}|"
    r"[a-z]{2,24}(?:ectomie|plastie|scopie|stomie|tomie|graphie|metrie|centese|dese|pexie))s?"
    r"(?: (?:en|de|d|g|dte?|gche|droite?|gauche|st[+-]?|inf|ant|post|"
    r"tap|abdo|thorax|crane|rachis|genou|epaule|hanche|poignet|cheville|sein|[a-z]{4,12}(?:ale?|ique|aire|ive|ienne)))?"
    r" ?[:(]? ?(?P<month>0?[1-9]|1[0-2])(?P<sign>[/-])(?P<year>\d\d)(?![\w/]|[.,-]\w|"
    rf" ?(?:%|°|pos|n\+|enva|meta|sur|coupes|(?:{'|'.join(sorted(_UNITS))})\b))"
)


def find_full_dates(reading: Reading) -> Iterator[tuple[int, int]]:
    """Yield the spans of dates of the calendar with day, month and year that only another date joins."""
    text = reading.digits
    for at in reading.numbers:
        if match := _FULL.match(text, at):
            parts = match.group("day", "month", "year")
        elif match := _ISO.match(text, at):
            parts = match[4], match[3], match[1]
        else:
            if match := _DAYS.match(text, at):
                yield from (match.span(1), match.span(2))
            elif match := _NAMED.match(text, at):
                yield match.span()
            continue
        joined = _JOINED_AHEAD.search(text, max(0, at - 2), at) and not _GLUED_LEAD.search(text, max(0, at - 6), at)
        if not joined and not _JOINED_BEHIND.match(text, match.end()) and _certainty(*parts) > _MISTYPED:
            yield match.span()


def is_sure_date(reading: Reading, start: int, end: int) -> bool:
    """Return whether a complete date is sure by its form: four figures of a year, or slashes apart from a score."""
    if _YEARED.fullmatch(reading.digits, start, end) or _NAMED.fullmatch(reading.digits, start, end):
        return True
    index = reading.token_at(start)
    near = {reading.word(back) for back in range(index - _LINE_AHEAD, index)}
    return bool(_SLASHED.fullmatch(reading.digits, start, end)) and near.isdisjoint(_MEASURES)


def find_event_months(reading: Reading) -> Iterator[tuple[int, int]]:
    """Yield the spans of months with a year of two figures right behind a clinical event, up to the document's day."""
    told = reading.document.reference_date
    latest = told.year % 100 if told else _LAST_CENTURY
    for match in _EVENT_MONTH.finditer(reading.digits):
        if int(match["year"]) <= latest or int(match["year"]) > _LAST_CENTURY:
            yield match.start("month"), match.end("year")


def find_numeric_dates(reading: Reading) -> Iterator[Mention]:
    """Yield dates in digits; a date that is not in the calendar, perhaps mistyped, scores lower."""
    text = reading.digits
    for at in reading.numbers:
        if match := _FULL.match(text, at):
            yield Mention(at, match.end(), Label.DATE, _certainty(*match.group("day", "month", "year")))
            yield from _first_bounds(reading, at)
        elif match := _ISO.match(text, at):
            yield Mention(at, match.end(), Label.DATE, _certainty(match[4], match[3], match[1]))
        elif match := _MONTH_YEAR.match(text, at):
            yield Mention(at, match.end(), Label.DATE, 0.9)
        elif match := _PARTIAL.match(text, at):
            yield from _pair(reading, match)
        elif (match := _COMPACT.match(text, at)) and (score := _compact(reading, match)):
            yield Mention(at, match.end(), Label.DATE, score)


def _pair(reading: Reading, match: re.Match[str]) -> Iterator[Mention]:
    if score := _partial(reading, match):
        yield Mention(match.start(), match.end(), Label.DATE, score)
        if score > 0.6:
            yield from _first_bounds(reading, match.start())


def _certainty(day: str, month: str, year: str) -> float:
    return 0.98 if _exists(day, month, year if len(year) == 4 else f"20{year}") else _MISTYPED


def _first_bounds(reading: Reading, start: int) -> Iterator[Mention]:
    """The elliptic bounds before a date in digits: "du 12 au 15/03/2021", "les 15 et 17/07"."""
    found = _BOUNDS.search(reading.digits[max(0, start - 34) : start])
    if found:
        offset = max(0, start - 34)
        for day in re.finditer(r"\d{1,2}", found.group()):
            if 1 <= int(day.group()) <= 31:
                at = offset + found.start() + day.start()
                yield Mention(at, at + len(day.group()), Label.DATE, 0.9)


def _word_before(reading: Reading, index: int) -> str:
    """The nearest word before token `index`, past an opening sign or a colon on the same line."""
    for back in range(index - 1, max(index - 4, -1), -1):
        word = reading.words[back]
        if word.isalpha():
            return word
        if word not in (":", "=", "(", "'", ".", "-", "à"):
            return ""
    return ""


def _partial(reading: Reading, match: re.Match[str]) -> float:
    """Score of a pair such as 12/02 or 03/93, 0 when it reads as a measure."""
    first, sep, second = match.groups()
    day_month = 1 <= int(first) <= 31 and 1 <= int(second) <= 12
    month_year = 1 <= int(first) <= 12 and len(second) == 2 and (int(second) > 31 or first[0] == "0")
    if not (day_month or month_year):
        return 0.0
    index = reading.token_at(match.start())
    before = _word_before(reading, index)
    after = reading.word(reading.token_at(match.end()))
    near = {reading.word(back) for back in range(index - 4, index)}
    if sep == "-" and not (len(first) == len(second) == 2 and before in _LEADS):
        return 0.0
    if before in _SURE_MEASURES or after in _UNITS:
        return 0.0
    if before in _LEADS and not (near & _SURE_MEASURES):
        return 0.95 if sep == "/" or len(second) == 2 else 0.6
    if sep == "." or near & _MEASURES:
        return 0.0
    padded = len(first) == len(second) == 2
    if not day_month:
        return 0.75 if padded else 0.0
    if padded:
        return 0.8 if second[0] == "0" or int(first) > int(second) else 0.45
    return 0.65 if int(first) > 12 and int(first) > int(second) else 0.3


def reads_as_measure(reading: Reading, match: re.Match[str]) -> bool:
    """Return whether a measure before a pair of numbers, or a unit behind, says that it is no date."""
    index = reading.token_at(match.start())
    near = {reading.word(back) for back in range(index - 4, index)}
    return not near.isdisjoint(_MEASURES - _LEADS) or reading.word(reading.token_at(match.end())) in _UNITS


def _compact(reading: Reading, match: re.Match[str]) -> float:
    """Score of 05012025, 250966 or 20250105: eight digits are enough, six need the word of a date before them."""
    digits = match.group()
    if len(digits) == 8 and digits[:2] in ("19", "20") and _exists(digits[6:], digits[4:6], digits[:4]):
        return 0.8
    if len(digits) == 8 and (digits[4:6] not in ("19", "20") or not _exists(digits[:2], digits[2:4], digits[4:])):
        return 0.0
    if not (1 <= int(digits[:2]) <= 31 and 1 <= int(digits[2:4]) <= 12):
        return 0.0
    if _word_before(reading, reading.token_at(match.start())) in _COMPACT_LEADS:
        return 0.985
    return 0.8 if len(digits) == 8 else 0.0


def _exists(day: str, month: str, year: str) -> bool:
    try:
        date(int(year), int(month), int(day))
    except ValueError:
        return False
    return True
