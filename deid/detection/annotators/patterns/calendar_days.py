"""Weekdays, seasons, feasts and lone days: "depuis lundi", "printemps 2011", "Toussaint 2019", "le 20"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.annotators.patterns.months import part_before, year_after
from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.calendar import DETECTED_MONTHS, FEASTS, FOLDED_SEASONS, WEEKDAYS

_FEASTS = re.compile(
    r"(?:(?:debut|fin|mi|veille de|lendemain de)[ -])?\b(?:" + "|".join(FEASTS) + r")\b(?: (?:19|20)\d\d\b)?"
)
_FEAST_FIRST_WORDS = frozenset(re.split(r"[ '-]", feast)[0] for feast in FEASTS) | {"aid"}
_SAINT_DAY = re.compile(r"sainte?[- ][a-z]{3,}(?:-[a-z]+)?(?: (?:19|20)\d\d\b)?")
_NUMERIC = re.compile(r"\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?(?!\d)")
_RECURRING = frozenset("le les chaque tous l un du au et".split())
_CALL_NUMBERS = frozenset({"15", "17", "18", "112", "115"})
_AFTER_ANY_DAY = frozenset({",", ".", ";", ")", "\n", "", ":", "au"})
_AFTER_LE_DAY = _AFTER_ANY_DAY | {"a", "vers", "pour", "avec", "et", "par", "dernier", "prochain"}


def find(reading: Reading) -> Iterator[Mention]:
    """Days that no month in letters names."""
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


def _mention(reading: Reading, first: int, last: int, score: float) -> Mention:
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
            yield _mention(reading, index, index + 2 if follow == "er" else index + 1, 0.95)
    elif not _recurs(reading, index):
        yield _mention(reading, index, index, 0.6)


def _recurs(reading: Reading, index: int) -> bool:
    """Whether a weekday stands for a habit: "le lundi", "mardi, jeudi", "du lundi au vendredi"."""
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
        yield _mention(reading, part_before(reading, index), year, 0.95)
    elif reading.word(index + 1) in ("dernier", "prochain"):
        yield Mention(reading.starts[index], reading.ends[index + 1], Label.RELDATE, 0.95)
    elif reading.words[index] != "ete" and before in ("l", "au", "'", "d", "debut", "fin", "en"):
        yield _mention(reading, part_before(reading, index), index, 0.6)
    elif (before == "'" and reading.word(index - 2) == "l") or before == "en":
        yield _mention(reading, index, index, 0.55)


def _feast(reading: Reading, index: int) -> Iterator[Mention]:
    match = _FEASTS.match(reading.folded, reading.starts[index])
    if match and not _in_a_name(reading, index):
        capital = reading.capitals[index] or reading.lower_case
        if capital or match.group()[-4:].isdigit() or reading.word(index - 1) in ("a", "de", "pour", "depuis"):
            yield Mention(match.start(), match.end(), Label.DATE, 0.85)


def _saint(reading: Reading, index: int) -> Iterator[Mention]:
    """ "la Saint-Jean": a day, unless a street, town or church bears it."""
    match = _SAINT_DAY.match(reading.folded, reading.starts[index])
    if match and reading.text[match.start()].isupper():
        yield Mention(match.start(), match.end(), Label.DATE, 0.9)


def _in_a_name(reading: Reading, index: int) -> bool:
    """Whether a feast is part of someone's name: "Toussaint Santoni", "Marie-Noël"."""
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
    yield _mention(reading, index, last, 0.7)
    if after == "au" and reading.word(last + 2).isdigit() and len(reading.word(last + 2)) <= 2:
        yield _mention(reading, last + 2, last + 2, 0.6)
