"""Annotator *identity*: what the warehouse already knows of the patient and of the hospital's staff."""

from __future__ import annotations

from collections.abc import Iterator

from deid.detection.annotators.identity import patient, professionals
from deid.detection.reading import Reading
from deid.detection.registry import register
from deid.detection.staff import NO_STAFF, Staff
from deid.domain.document import Mention


@register
class Identity:
    """The patient's names, birth date, address, contact and identifiers, and the staff's names, wherever they stand."""

    name = "identity"

    def __init__(self) -> None:
        self._staff = NO_STAFF

    def use_staff(self, staff: Staff) -> None:
        """Know the staff from now on; what was known before is forgotten."""
        self._staff = staff

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        """Mentions of what is known; nothing where nothing is known."""
        yield from patient.find(reading)
        if self._staff:
            yield from professionals.find(reading, self._staff)
