"""Ends of what is published: a day of the past lies before the period in which its text may first be read.

An end is public: it follows from `release.visible` and the period in which an episode was first substituted, so that
adjacent inputs share it. It acts on days that are drawn already, and draws nothing (docs/privacy.md).
"""

from __future__ import annotations

from datetime import date, timedelta

from deid.domain.document import DateBounds, Document
from deid.substitution.temporal import stages
from deid.substitution.temporal.values import Unit, add_months, index_of, months_between

_LENGTH = 31  # days: the documents of a stay have an end for each of these from its first day on
_AROUND = 3  # days that a day around a stay of one day is brought to its kind by
_WEEK, _WEEKS = 7, 52


def reach(first: date, last: date) -> timedelta:
    """Return the longest time that a stay's days may last beyond its first, by the class of its length so far."""
    return timedelta(days=_LENGTH * ((last - first).days // _LENGTH + 1) + _AROUND)


def brought_before(days: int, latest: int, least: int) -> int:
    """Return a move that is at most `latest` days: itself, or that less whole periods of 52 weeks.

    Where `least` leaves fewer weeks than 52 to move to, the period is these; where it leaves none, it is the earliest.
    """
    if days <= latest:
        return days
    over = -((latest - days) // _WEEK)
    free = (days - least) // _WEEK
    if over > free:
        return days - free * _WEEK
    period = min(_WEEKS, free - over + 1)
    return days - -(-over // period) * period * _WEEK


def bounds_before(until: date) -> DateBounds:
    """Return the bounds of documents that have no ledger: the same for all, whatever the patient's age."""
    return DateBounds(until, until - reach(until, until))


def birth_bound(document: Document, until: date) -> date:
    """Return the last day of birth that leaves the document's episode room in its stage of life, which is public."""
    birth, anchor = document.patient.birth_date, document.reference_date
    if birth is None or anchor is None or anchor < birth:
        return bounds_before(until).born
    first, last = _ends(document, anchor)
    last = max(last, birth)
    room = reach(first, last) + timedelta(days=_WEEK + 1)
    return add_months(until - room, -stages.months_of_stage(months_between(birth, last)))


def bound_names(document: Document) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what an end and a bound of births are kept under: an episode with its class of length, and a patient.

    A document without a stay belongs to its quarter of a year; one without a date stands alone.
    """
    whose = document.patient.key or document.id
    anchor, stay = document.reference_date, document.stay
    if anchor is None:
        return (whose, "document", document.id), (whose, "birth")
    first, last = _ends(document, anchor)
    if stay is not None and first == stay.first:
        return (whose, "stay", first.isoformat(), str(reach(first, last).days)), (whose, "birth")
    return (whose, "quarter", str(index_of(Unit.QUARTER, anchor))), (whose, "birth")


def _ends(document: Document, anchor: date) -> tuple[date, date]:
    """Return the first and last day of a document's stay so far; twice its date without one."""
    stay = document.stay
    if stay is None or stay.first > anchor:
        return anchor, anchor
    return stay.first, max(anchor, stay.last or anchor)
