"""Bare years: "en 2015", "(1998)", "1981-2007"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.annotators.patterns.months import part_before
from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label

_YEAR = re.compile(r"(?:19|20)\d\d")
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
_ENDS = frozenset({")", ",", ".", ";", "\n", "", ":", "-", "(", "par", "et", "a", "pour"})
_COMPARISONS = frozenset({">", "<", "=", "~"})


def find(reading: Reading) -> Iterator[Mention]:
    """Years of four digits; sure after "en", "depuis"…, likely elsewhere unless a unit follows."""
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
    """Whether signs or letters around four digits make them part of something longer."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before and (before.isalnum() or before in "-.,/°#_"):
        return True
    if after and (after.isalnum() or after in "°%_"):
        return True
    return after in ("/", ".", ",", "-") and text[end + 1 : end + 2].isdigit()


def _in_range(text: str, start: int, end: int) -> bool:
    """Whether a year is one bound of "1981-2007"."""
    return bool(
        re.match(r" ?[-/] ?(?:19|20)\d\d(?![\d/.-])", text[end : end + 8])
        or re.search(r"(?<![\d/.-])(?:19|20)\d\d ?[-/] ?$", text[max(0, start - 9) : start])
    )
