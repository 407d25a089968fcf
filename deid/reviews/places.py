"""Where a mark is: offsets in the de-identified text, and the same place in the source, told exactly or not at all.

Outside surrogates a text is its source, moved; a surrogate as a whole stands for its mention as a whole. Inside one,
no character corresponds to another: a mark that cuts a surrogate grows to all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from deid.domain.labels import Label
from deid.reviews import Why, refused


class Kind(StrEnum):
    """What a reader says of a passage."""

    MISSED = "missed"  # it identifies, and was left
    WRONG_LABEL = "wrong_label"  # it was replaced, by something of another kind
    NOT_IDENTIFYING = "not_identifying"  # it was replaced, and identified nobody


class Span(NamedTuple):
    """A surrogate: `[start, end)` in the de-identified text, its label, and its mention's place in the source."""

    start: int
    end: int
    label: str
    source_start: int
    source_end: int


class Place(NamedTuple):
    """A passage in both texts."""

    start: int
    end: int
    source_start: int
    source_end: int


def spans(stored: Iterable[Sequence[int | str]] | None) -> tuple[Span, ...]:
    """The surrogates of a text as the ledger keeps them, in order."""
    return tuple(sorted(Span(*item) for item in stored or ()))  # type: ignore[arg-type]


def place(
    text: str, surrogates: Sequence[Span], kind: Kind, label: Label | None, start: int, end: int, about: str
) -> Place:
    """What `[start, end)` becomes as a mark of that kind: without white space around, grown to whole surrogates.

    Raises:
        ReviewRefused: nothing is left of the selection, or the kind does not fit what lies there.
    """
    if not 0 <= start < end <= len(text):
        raise refused(Why.BAD_PLACE, about)
    chosen = text[start:end]
    start, end = start + len(chosen) - len(chosen.lstrip()), end - len(chosen) + len(chosen.rstrip())
    if start >= end:
        raise refused(Why.BAD_PLACE, about)
    if (label is None) != (kind is Kind.NOT_IDENTIFYING):
        raise refused(Why.NO_LABEL, about)
    touched = [span for span in surrogates if span.start < end and start < span.end]
    if kind is Kind.MISSED:
        if touched and touched[0].start <= start and end <= touched[-1].end and len(touched) == 1:
            raise refused(Why.REPLACED, about)
        return _in_both(surrogates, min([start, *(s.start for s in touched)]), max([end, *(s.end for s in touched)]))
    if not touched:
        raise refused(Why.NOT_REPLACED, about)
    if len(touched) == 1 and touched[0].label == label:
        raise refused(Why.SAME_LABEL, about)
    return _in_both(surrogates, touched[0].start, touched[-1].end)


def _in_both(surrogates: Sequence[Span], start: int, end: int) -> Place:
    return Place(start, end, _source(surrogates, start), _source(surrogates, end))


def _source(surrogates: Sequence[Span], offset: int) -> int:
    """The offset in the source of one that is in no surrogate's inside."""
    before = [span for span in surrogates if span.end <= offset]
    return before[-1].source_end + offset - before[-1].end if before else offset
