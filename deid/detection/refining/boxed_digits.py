"""Digits one by one, as in the boxes of a form: "1 2 0 3 1 9 4 1", read as the dates and numbers that they are."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import cache

from deid.detection.refining.overlaps import lay_over
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label

_CERTAIN = 1.0
# Eight digits or more with one blank between.
_RUN = re.compile(r"(?<![\d/_+])(?<!\d[.,: -])\d(?: \d(?!\d)){7,}(?![\d/]|[.,]\d)")
_YEARS = range(1900, 2100)
# Sex, year, month (20 to 42 and 50 to 99 where it is not known), department …, with the key, a part of it, or without.
_NIR = re.compile(r"[1-478]\d\d(?:0[1-9]|1[0-2]|[2-9]\d)\d{8,10}")
_PHONE = re.compile(r"0[1-9]\d{8}")
_LENGTHS = {8: Label.DATE, 10: Label.PHONE, 13: Label.NIR, 14: Label.NIR, 15: Label.NIR}
_NUMBER_AHEAD = re.compile(r" (?P<number>\d{1,4}) \Z")
_Field = tuple[int, int, Label]


def settle_boxes(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return disjoint `mentions`, sorted, over which runs of boxed digits are laid, each field by its kind.

    A run of which no part is a calendar day or a social security number is left as it is: a scale, a series of scores.
    """
    found = [
        one
        for one in _boxed(reading)
        if not any(one.label is own.label and own.start <= one.start and one.end <= own.end for own in mentions)
    ]
    if not found:
        return list(mentions)
    ends = {one.end for one in found}
    return [_with_number(reading, one, ends) for one in lay_over(reading, found, mentions, ())]


def _with_number(reading: Reading, mention: Mention, ends: Collection[int]) -> Mention:
    """Return an address with its number between it and the boxes ahead: "1 2 0 3 1 9 4 1 | 24 avenue …"."""
    number = mention.label is Label.STREET and _NUMBER_AHEAD.search(
        reading.digits, max(0, mention.start - 8), mention.start
    )
    return replace(mention, start=number.start("number")) if number and number.start() in ends else mention


def _boxed(reading: Reading) -> Iterator[Mention]:
    for run in _RUN.finditer(reading.digits):
        places = [run.start() + at for at, sign in enumerate(run.group()) if sign.isdigit()]
        fields = _fields("".join(reading.digits[at] for at in places))
        if {Label.DATE, Label.NIR}.isdisjoint(label for _, _, label in fields):
            continue
        for start, end, label in fields:
            yield Mention(places[start], places[end - 1] + 1, label, _CERTAIN)


def _fields(digits: str) -> Sequence[_Field]:
    """Return the fields of a run: those that leave the fewest digits without a kind, then the fewest fields."""

    @cache
    def best(start: int) -> tuple[int, int, tuple[_Field, ...]]:
        if start == len(digits):
            return 0, 0, ()
        choices = []
        for length, label in _LENGTHS.items():
            if _is_of(label, digits[start : start + length], length):
                left, number, behind = best(start + length)
                choices.append((left, number + 1, ((start, start + length, label), *behind)))
        left, number, behind = best(start + 1)
        if behind and behind[0][2] is Label.ID and behind[0][0] == start + 1:
            behind = ((start, behind[0][1], Label.ID), *behind[1:])
        else:
            number, behind = number + 1, ((start, start + 1, Label.ID), *behind)
        return min((*choices, (left + 1, number, behind)), key=lambda one: one[:2])

    return best(0)[2]


def _is_of(label: Label, digits: str, length: int) -> bool:
    if len(digits) < length:
        return False
    if label is Label.NIR:
        return _NIR.fullmatch(digits) is not None
    if label is Label.PHONE:
        return _PHONE.fullmatch(digits) is not None
    day, month, year = int(digits[:2]), int(digits[2:4]), int(digits[4:])
    try:
        return year in _YEARS and bool(date(year, month, day))
    except ValueError:
        return False
