"""Dates with words: "lundi 3 mars", "trois février quarante huit", "Toussaint 2019", "en 2015", "depuis lundi"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.annotators.patterns.calendar_words import (
    FEASTS,
    FULL_WEEKDAYS,
    MONTHS,
    NUMBER_WORDS,
    PARTS_OF_PERIOD,
    SEASONS,
    SHORT_MONTHS,
    WEEKDAYS,
    number,
)
from deid.detection.reading import Reading
from deid.document import Mention
from deid.labels import Label

_FEASTS = re.compile(
    r"(?:(?:debut|fin|mi|veille de|lendemain de)[ -])?\b(?:" + "|".join(FEASTS) + r")\b(?: (?:19|20)\d\d\b)?"
)
_FEAST_FIRST_WORDS = frozenset(re.split(r"[ '-]", feast)[0] for feast in FEASTS) | {"aid"}
_SAINT_DAY = re.compile(r"sainte?[- ][a-z]{3,}(?:-[a-z]+)?(?: (?:19|20)\d\d\b)?")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_YEAR_LEADS = frozenset(
    """
    a annee annees apres automne avant courant de debut depuis des en et ete exercice fin hiver jusqu mi
    millesime noel ou paques printemps promotion rentree saison toussaint vers
    """.split()
)
_NOT_YEARS = frozenset(
    """
    % ans cal cc cm copies cp eur euros fois g gy h habitants hz j/ kcal kg kilometres km l lits m mcg metres mg
    mgy ml mm pas sievert ug ui unites volts €
    """.split()
)
_RECURRING = frozenset("le les chaque tous l un du au et".split())
_LIST_SIGNS = frozenset({"au", "et", "-", "/", ",", "ou", "a", "puis"})
_CALL_NUMBERS = frozenset({"15", "17", "18", "112", "115"})


def find(reading: Reading) -> Iterator[Mention]:
    """Dates with a word of the calendar, and bare years."""
    words = reading.words
    for index, word in enumerate(words):
        if word in MONTHS:
            yield from _around_month(reading, index)
        elif word in FULL_WEEKDAYS:
            yield from _weekday(reading, index)
        elif word in SEASONS:
            yield from _season(reading, index)
        elif word in _FEAST_FIRST_WORDS:
            yield from _feast(reading, index)
        elif len(word) == 4 and _YEAR.fullmatch(word):
            yield from _year(reading, index)
        elif word in ("le", "du", "au") and words[index + 1 : index + 2]:
            yield from _lone_day(reading, index + 1)
        elif word == "la" and reading.word(index + 1) in ("saint", "sainte", "st"):
            yield from _saint(reading, index + 1)


def _mention(reading: Reading, first: int, last: int, score: float) -> Mention:
    return Mention(reading.starts[first], reading.ends[last], Label.DATE, score)


def _digits(reading: Reading, index: int) -> str:
    """Token `index` with a scanner's mistakes put right ("l8" before a month is 18)."""
    return reading.digits[reading.starts[index] : reading.ends[index]] if 0 <= index < len(reading.words) else ""


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
    if words[at] in NUMBER_WORDS and words[at] != "et":
        first = at
        while first >= 1 and (words[first - 1] in NUMBER_WORDS or words[first - 1] == "-") and at - first < 3:
            first -= 1
        while first < at and words[first] in ("et", "-"):
            first += 1
        value = number(words[first : at + 1])
        if value and 1 <= value <= 31:
            return first
    return None


def _year_after(reading: Reading, index: int) -> int | None:
    """Last token of a year that stands right after token `index`."""
    words = reading.words
    at = index + 1
    if reading.word(at) in (".", "/", "-", ",") and reading.word(at + 1).isdigit():
        at += 1
    if reading.word(at) == "de" and reading.word(at + 1) in ("l", "cette"):
        return None
    digits = _digits(reading, at)
    if digits:
        run = re.match(
            r"(?:1[89]|20)\d\d(?!\w)|\d\d(?![\w°%]|[.,:/]\d| ?h\b| ?(?:mg|ml|ans|g|h)\b)",
            reading.digits[reading.starts[at] : reading.starts[at] + 12],
        )
        if run and (len(run.group()) == 4 or reading.starts[at] - reading.ends[index] <= 2):
            return reading.token_at(reading.starts[at] + len(run.group()) - 1)
    last = None
    stop = at
    while (reading.word(stop) in NUMBER_WORDS and reading.word(stop) != "et") or (
        reading.word(stop) in ("et", "-") and last is not None
    ):
        if words[stop] not in ("et", "-"):
            last = stop
        stop += 1
    if last is None:
        return None
    value = number(words[at : last + 1])
    return last if value and (1850 <= value <= 2099 or 20 <= value <= 99) else None


def _around_month(reading: Reading, index: int) -> Iterator[Mention]:
    words = reading.words
    last = index
    if (
        words[index] in SHORT_MONTHS
        and reading.word(index + 1) == "."
        and reading.starts[index + 1] == reading.ends[index]
    ):
        last = index + 1
    day = _day_before(reading, index)
    year = _year_after(reading, last)
    if words[index] in SHORT_MONTHS and day is None and (year is None or words[index] in ("sept", "sep", "dec", "oct")):
        return
    if year is None and last == index + 1 and reading.text[reading.ends[last] : reading.ends[last] + 1] in ("\n", ""):
        last = index
    if day is None and year is None and reading.word(index + 1) in ("dernier", "prochain"):
        yield Mention(reading.starts[index], reading.ends[index + 1], Label.RELDATE, 0.95)
        return
    first = index if day is None else day
    end = last if year is None else year
    if day is not None and words[first - 1 : first] and words[first - 1] in WEEKDAYS and first >= 1:
        first -= 1
    elif day is not None and reading.word(first - 1) in (".", ",") and reading.word(first - 2) in WEEKDAYS:
        first -= 2
    elif day is None:
        first = _part_before(reading, first)
    yield _mention(reading, first, end, 0.97 if day is not None or year is not None else 0.75)
    if day is not None:
        yield from _range_start(reading, first)


def _part_before(reading: Reading, index: int) -> int:
    """Token of "début", "mi-", "fin" before a period, which belongs to the mention; else `index`."""
    at = index - 1
    if reading.word(at) in ("-", "de", "du"):
        at -= 1
    if at >= 0 and reading.word(at) in PARTS_OF_PERIOD - {"courant"}:
        return at
    return index


def _range_start(reading: Reading, index: int) -> Iterator[Mention]:
    """The elliptic first bounds of "du 11 au 16 mars", "les 3, 4 et 7 mai"."""
    words = reading.words
    at = index
    for _ in range(4):
        sign = at - 1
        if reading.word(sign) in ("le", "du", "au"):
            sign -= 1
        if sign < 1 or (words[sign] not in _LIST_SIGNS and not (words[sign] == "le" or words[sign] == "au")):
            if not (reading.word(at - 1) in ("au",) and at >= 2):
                return
            sign = at - 1
        day = sign - 1
        if words[day] == "er":
            day -= 1
        if not (words[day].isdigit() and 1 <= int(words[day]) <= 31) or day < 1:
            return
        first = day - 1 if words[day - 1] in WEEKDAYS else day
        if words[first - 1] not in ("du", "le", "les", "entre", "des", "nuit", "au", ",", "et"):
            return
        yield Mention(reading.starts[first], reading.ends[sign - 1], Label.DATE, 0.9)
        at = first


def _weekday(reading: Reading, index: int) -> Iterator[Mention]:
    after = reading.word(index + 1)
    digits = _digits(reading, index + 1)
    if after in MONTHS or after in ("prochain", "dernier", "gras"):
        return
    if digits.isdigit() and 1 <= int(digits) <= 31:
        follow = reading.word(index + 2)
        if follow in MONTHS or (follow in ("/", "h", ":", "-") and reading.word(index + 3).isdigit()):
            slash = re.match(
                r"\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?(?!\d)",
                reading.digits[reading.starts[index + 1] : reading.starts[index + 1] + 12],
            )
            if slash:
                yield Mention(reading.starts[index], reading.starts[index + 1] + slash.end(), Label.DATE, 0.985)
            return
        last = index + 2 if follow == "er" else index + 1
        yield _mention(reading, index, last, 0.95)
        return
    compact = re.match(
        r"\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?(?!\d)",
        reading.digits[reading.ends[index] + 1 : reading.ends[index] + 13],
    )
    if compact:
        yield Mention(reading.starts[index], reading.ends[index] + 1 + compact.end(), Label.DATE, 0.985)
        return
    before = reading.word(index - 1)
    if (after == "," and reading.word(index + 2) in FULL_WEEKDAYS) or (
        before == "," and reading.word(index - 2) in FULL_WEEKDAYS
    ):
        return
    if before == "et" and reading.word(index - 2) in FULL_WEEKDAYS:
        return
    if before in _RECURRING or (after in ("et", "au") and reading.word(index + 2) in FULL_WEEKDAYS):
        return
    yield _mention(reading, index, index, 0.6)


def _season(reading: Reading, index: int) -> Iterator[Mention]:
    year = _year_after(reading, index)
    before = reading.word(index - 1)
    if year is not None:
        if reading.words[index] == "ete" and before in ("a", "ont", "ai", "avait", "avoir", "ayant"):
            return
        yield _mention(reading, _part_before(reading, index), year, 0.95)
    elif reading.word(index + 1) in ("dernier", "prochain"):
        yield Mention(reading.starts[index], reading.ends[index + 1], Label.RELDATE, 0.95)
    elif reading.words[index] != "ete" and before in ("l", "au", "'", "d", "debut", "fin", "en"):
        yield _mention(reading, _part_before(reading, index), index, 0.6)
    elif (before == "'" and reading.word(index - 2) == "l") or before == "en":
        yield _mention(reading, index, index, 0.55)


def _feast(reading: Reading, index: int) -> Iterator[Mention]:
    match = _FEASTS.match(reading.folded, reading.starts[index])
    if match is None and reading.words[index] == "aid":
        return
    if match:
        capital = reading.text[match.start()].isupper() or reading.lower_case
        if capital or match.group()[-4:].isdigit() or reading.word(index - 1) in ("a", "de", "pour", "depuis"):
            yield Mention(match.start(), match.end(), Label.DATE, 0.85)


def _saint(reading: Reading, index: int) -> Iterator[Mention]:
    """ "la Saint-Jean": a day, unless a street, town or church bears it."""
    match = _SAINT_DAY.match(reading.folded, reading.starts[index])
    if match and reading.text[match.start()].isupper():
        yield Mention(match.start(), match.end(), Label.DATE, 0.9)


def _year(reading: Reading, index: int) -> Iterator[Mention]:
    """A bare year; sure after "en", "depuis"…, likely elsewhere unless a unit follows."""
    start, end = reading.starts[index], reading.ends[index]
    text = reading.digits
    value = int(reading.words[index])
    if (
        not 1900 <= value <= 2040
        or text[start - 1 : start] in tuple("0123456789-.,/°#_")
        or text[start - 1 : start].isalpha()
    ):
        return
    after = text[end : end + 1]
    if after and (after.isalnum() or after in "°%_"):
        return
    if after in ("/", ".", ",", "-") and text[end + 1 : end + 2].isdigit():
        return
    if reading.word(index + 1) in _NOT_YEARS or reading.word(index - 1).isdigit():
        return
    before = reading.word(index - 1)
    if before in _YEAR_LEADS:
        first = index
        if reading.word(index - 1) in ("fin", "debut", "mi") or reading.word(index - 2) == "mi":
            first = _part_before(reading, index)
        yield _mention(reading, first, index, 0.95)
    elif reading.word(index + 1) in (")", ",", ".", ";", "\n", "", ":", "-", "(", "par", "et", "a", "pour"):
        yield _mention(reading, index, index, 0.75)
    else:
        yield _mention(reading, index, index, 0.55)


def _in_year_range(text: str, start: int, end: int) -> bool:
    """Whether a year is one bound of "1981-2007"."""
    return bool(
        re.match(r" ?[-/] ?(?:19|20)\d\d(?![\d/.-])", text[end : end + 8])
        or re.search(r"(?<![\d/.-])(?:19|20)\d\d ?[-/] ?$", text[max(0, start - 9) : start])
    )


def _lone_day(reading: Reading, index: int) -> Iterator[Mention]:
    """ "le 20" with neither month nor unit."""
    word = reading.words[index]
    if not word.isdigit() or not 1 <= int(word) <= 31 or len(word) > 2 or word in _CALL_NUMBERS:
        return
    last = index
    if reading.word(index + 1) == "er":
        last = index + 1
    after = reading.word(last + 1)
    if reading.words[index - 1] != "le" and after not in ("au", ",", ".", ";", ")", "\n", "", ":"):
        return
    if after in (
        ",",
        ".",
        ";",
        ")",
        "\n",
        "",
        "a",
        "vers",
        "pour",
        "avec",
        "au",
        "et",
        "par",
        ":",
        "dernier",
        "prochain",
    ):
        if after in (".", ",") and reading.text[reading.ends[last] + 1 : reading.ends[last] + 2].isdigit():
            return
        yield _mention(reading, index, last, 0.7)
        if after == "au" and reading.word(last + 2).isdigit():
            yield _mention(reading, last + 2, last + 2, 0.6)
