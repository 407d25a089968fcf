"""Dates complete in figures, which nothing that is announced less clearly cuts, joins or renames."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deid.detection.annotators.patterns.numeric_dates import (
    find_event_months,
    find_full_dates,
    is_sure_date,
    reads_as_measure,
)
from deid.detection.refining.overlaps import lay_over
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import IDENTIFIERS, Label

# Labels of numbers that a tagger may have taken a date for.
_TAKEN = IDENTIFIERS | {Label.PHONE, Label.ZIP, Label.AGE}
_TOLD = frozenset({Label.DATE, Label.RELDATE})
_CERTAIN = 1.0
# A month and year of two figures apart from other signs: "7-19", whole where a mention has a part.
_MONTH = re.compile(r"(?<![\w/.,+-])(?:0?[1-9]|1[0-2])[/-]\d\d(?![\w/-]|[.,]\d)")
_PHONE_FIGURES = 9  # or more, with a leading zero or the code of a country


def settle_dates(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return disjoint `mentions`, sorted, with each complete date that one of them touches whole and a date.

    Where patterns are among the annotators, dates that are sure by their form and months behind a clinical event ("AVC
    10/15") are added.
    """
    found = [Mention(*span, Label.DATE, _CERTAIN) for span in sorted(set(_due(reading, mentions)))]
    return lay_over(reading, found, mentions, ()) if found else list(mentions)


def _due(reading: Reading, mentions: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the dates that mentions miss, cut or take for a number."""
    added = "patterns" in reading.found
    months = [(span, added) for span in find_event_months(reading)]
    pairs = _MONTH.finditer(reading.digits)
    months += [(match.span(), False) for match in pairs if not reads_as_measure(reading, match)]
    for span in find_full_dates(reading):
        sure = is_sure_date(reading, *span)
        met = _met(mentions, *span)
        if _is_due(span, met, added and sure) and (sure or not any(_is_phone(reading, one) for one in met)):
            yield span
    for span, announced in months:
        met = _met(mentions, *span)
        if _is_due(span, met, announced) and (announced or all(_is_within(span, one) for one in met)):
            yield span


def _met(mentions: Sequence[Mention], start: int, end: int) -> list[Mention]:
    return [one for one in mentions if one.start < end and start < one.end]


def _is_within(span: tuple[int, int], mention: Mention) -> bool:
    return mention.label in _TOLD and span[0] <= mention.start and mention.end <= span[1]


def _is_due(span: tuple[int, int], met: Sequence[Mention], added: bool) -> bool:
    """Return whether a date is in no mention whole, and shares figures with times and numbers alone."""
    if any(one.label in _TOLD and one.start <= span[0] and span[1] <= one.end for one in met):
        return False
    return all(one.label in _TAKEN | _TOLD for one in met) if met else added


def _is_phone(reading: Reading, mention: Mention) -> bool:
    """Return whether a mention has the figures of a French phone: "06.12.34", then "56.78" on the next line."""
    figures = sum(map(str.isdigit, reading.digits[mention.start : mention.end]))
    return mention.label is Label.PHONE and figures >= _PHONE_FIGURES
