"""Annotator *patterns*: regular expressions by family, then validation of keys, numbering plans and calendars."""

from __future__ import annotations

from collections.abc import Iterator

from deid.detection.annotators.patterns.addresses import find_postal_codes, find_streets
from deid.detection.annotators.patterns.contact import find_contacts
from deid.detection.annotators.patterns.dates_in_words import find_calendar_days, find_months, find_years
from deid.detection.annotators.patterns.identifiers import find_identifiers
from deid.detection.annotators.patterns.numeric_dates import find_numeric_dates
from deid.detection.annotators.patterns.spans_of_time import find_ages_and_relative_dates
from deid.detection.text.reading import Reading
from deid.domain.document import Mention

FAMILIES = (
    find_numeric_dates,
    find_months,
    find_calendar_days,
    find_years,
    find_ages_and_relative_dates,
    find_contacts,
    find_identifiers,
    find_streets,
    find_postal_codes,
)


class Patterns:
    """Finds dates, ages, contact details, identifiers and addresses by their form."""

    name = "patterns"

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        """Yield mentions of every family; they overlap where families compete."""
        for find in FAMILIES:
            yield from find(reading)
