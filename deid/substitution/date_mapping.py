"""Mapping of a patient's dates for tables beside the texts, the same as in the patient's published documents.

It draws nothing that the documents have not drawn, so it adds nothing to the account of ε (docs/privacy.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from deid.config.policy import SubstitutionPolicy
from deid.domain.document import Document
from deid.domain.errors import PolicyError
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import episodes
from deid.substitution.temporal.strategies import UNIFORM_SHIFT, uniform_shift


def check_mapping(policy: SubstitutionPolicy) -> None:
    """Check that a date of a patient moves alike in a table and in the documents around it.

    Raises:
        PolicyError: dates are drawn per document, date or interval, or are generalised.
    """
    moved = policy.dates.strategy == UNIFORM_SHIFT or (
        policy.dates.strategy == "episodes" and policy.dates.moves == "stay"
    )
    if policy.scope == "document" or not moved:
        raise PolicyError(
            "this policy gives dates no mapping that a table could share with the documents.",
            "Link under scope patient or corpus, and dates by episodes (moves: stay) or uniform_shift.",
        )


class DateMapping:
    """Dates of one patient, from the patient's published documents; their text is not needed.

    Raises:
        PolicyError: see `check_mapping`.
    """

    def __init__(self, documents: Iterable[Document], policy: SubstitutionPolicy, secret: bytes) -> None:
        check_mapping(policy)
        self._shifts = policy.dates.strategy == UNIFORM_SHIFT
        found = {(one.stay, one.reference_date): one for one in documents if one.reference_date is not None}
        self._contexts = [DocumentContext(one, (), policy, secret) for one in found.values()]

    def move(self, day: date) -> date | None:
        """Return the surrogate of a day; None out of reach of every document.

        The document is the one whose stay holds the day, else the nearest: a note of another stay may mention the same
        day, and move it with its own stay.
        """
        placed = [(_distance(context.document, day), context) for context in self._contexts if _anchor(context)]
        if not placed:
            return None
        _, context = min(placed, key=lambda one: one[0])
        if self._shifts:
            return day + uniform_shift(context)
        return episodes.move_day(context, day)


def _anchor(context: DocumentContext) -> date | None:
    """Return the document's date; None if it is unknown or implausible."""
    return context.document.reference_date


def _distance(document: Document, day: date) -> tuple[timedelta, date]:
    """Return the distance of a day from a document's stay, else from its date, and that date to break ties."""
    anchor, stay = document.reference_date or day, document.stay
    first, last = (stay.first, stay.last or anchor) if stay and stay.first <= anchor else (anchor, anchor)
    return max(first - day, day - last, timedelta()), anchor
