"""Annotator *patterns*: regular expressions by family, then validation of keys, plans and calendars."""

from __future__ import annotations

from collections.abc import Iterator

from deid.detection.annotators.patterns import (
    calendar_days,
    contact,
    identifiers,
    months,
    numeric_dates,
    postal_codes,
    spans_of_time,
    streets,
    years,
)
from deid.detection.reading import Reading
from deid.detection.registry import register
from deid.domain.document import Mention

FAMILIES = (numeric_dates, months, calendar_days, years, spans_of_time, contact, identifiers, streets, postal_codes)


@register
class Patterns:
    """What has a form of its own: dates, ages, contact, identifiers, addresses."""

    name = "patterns"

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        """Mentions of every family, overlapping where families compete."""
        for family in FAMILIES:
            yield from family.find(reading)
