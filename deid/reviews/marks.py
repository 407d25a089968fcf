"""Marks of readers on a de-identified text, and the same passages in the source text.

Outside surrogates the text is the source, shifted; a surrogate as a whole stands for its mention as a whole. Inside a
surrogate no character corresponds to another: a mark that cuts a surrogate is extended to all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from deid.database.queries import Cursor, execute
from deid.domain.labels import Label
from deid.reviews import ReviewProblem, refused


class ErrorKind(StrEnum):
    """Error that a reader reports in a passage."""

    MISSED = "missed"  # identifying, and not replaced
    WRONG_LABEL = "wrong_label"  # replaced by a surrogate of another label
    NOT_IDENTIFYING = "not_identifying"  # replaced, although it identified nobody


class Span(NamedTuple):
    """A surrogate: `[start, end)` in the de-identified text, its label, and its mention's offsets in the source."""

    start: int
    end: int
    label: str
    source_start: int
    source_end: int


class Passage(NamedTuple):
    """Offsets of a passage in the de-identified text and in the source."""

    start: int
    end: int
    source_start: int
    source_end: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark in force: offsets in the de-identified text (`start`, `end`) and in the source.

    `verdict` is a senior steward's: "upheld", "dismissed", or None.
    """

    mark_id: int
    ordinal: int
    reader: str
    kind: ErrorKind
    label: str | None
    start: int
    end: int
    source_start: int
    source_end: int
    verdict: str | None
    verdict_by: str | None

    @property
    def stands(self) -> bool:
        """True unless the mark was dismissed."""
        return self.verdict != "dismissed"

    @property
    def leak(self) -> bool:
        """True if the mark reports an identifying passage that was not replaced."""
        return self.kind is ErrorKind.MISSED and self.stands

    def overlaps(self, other: Mark) -> bool:
        """Return whether both marks share characters of the same document."""
        return self.ordinal == other.ordinal and self.start < other.end and other.start < self.end

    def agrees(self, other: Mark) -> bool:
        """Return whether both marks overlap and have the same kind and label."""
        return self.overlaps(other) and (self.kind, self.label) == (other.kind, other.label)


def read_spans(stored: Iterable[Sequence[int | str]] | None) -> tuple[Span, ...]:
    """Return the surrogates of a text from the ledger's rows, in order of the text."""
    return tuple(sorted(Span(*item) for item in stored or ()))  # type: ignore[arg-type]


def locate_passage(
    text: str, surrogates: Sequence[Span], kind: ErrorKind, label: Label | None, start: int, end: int, about: str
) -> Passage:
    """Return the passage of a mark on `[start, end)`: without white space around, extended to whole surrogates.

    Raises:
        ReviewRefused: the selection is empty, or `kind` and `label` do not fit the selected text.
    """
    if not 0 <= start < end <= len(text):
        raise refused(ReviewProblem.BAD_PLACE, about)
    chosen = text[start:end]
    start, end = start + len(chosen) - len(chosen.lstrip()), end - len(chosen) + len(chosen.rstrip())
    if start >= end:
        raise refused(ReviewProblem.BAD_PLACE, about)
    if (label is None) != (kind is ErrorKind.NOT_IDENTIFYING):
        raise refused(ReviewProblem.NO_LABEL, about)
    touched = [span for span in surrogates if span.start < end and start < span.end]
    if kind is ErrorKind.MISSED:
        if touched and touched[0].start <= start and end <= touched[-1].end and len(touched) == 1:
            raise refused(ReviewProblem.REPLACED, about)
        start, end = min([start, *(s.start for s in touched)]), max([end, *(s.end for s in touched)])
    elif not touched:
        raise refused(ReviewProblem.NOT_REPLACED, about)
    elif len(touched) == 1 and touched[0].label == label:
        raise refused(ReviewProblem.SAME_LABEL, about)
    else:
        start, end = touched[0].start, touched[-1].end
    return Passage(start, end, _source_offset(surrogates, start), _source_offset(surrogates, end))


def find_passages(text: str, surrogates: Sequence[Span], wanted: str) -> list[tuple[int, int]]:
    """Return the whole-word occurrences of `wanted` outside surrogates; its blanks match any blanks."""
    written = r"\s+".join(map(re.escape, wanted.split()))
    places = [found.span() for found in re.finditer(rf"(?<!\w){written}(?!\w)", text)] if written else []
    return [place for place in places if not any(one.start < place[1] and place[0] < one.end for one in surrogates)]


def _source_offset(surrogates: Sequence[Span], offset: int) -> int:
    """Map an offset outside surrogates to the source text."""
    before = [span for span in surrogates if span.end <= offset]
    return before[-1].source_end + offset - before[-1].end if before else offset


def list_marks(cursor: Cursor, review_id: int, *, ordinal: int | None = None, reader: str | None = None) -> list[Mark]:
    """Return the marks in force of a review, by document and offset; of one document or reader if given."""
    row = {"review_id": review_id, "ordinal": ordinal, "reader": reader}
    return [
        Mark(mark_id, document, who, ErrorKind(kind), *rest)
        for mark_id, document, who, kind, *rest in execute(cursor, "deid", "review_mark", "list", row).fetchall()
    ]


def merge_marks(marks: Iterable[Mark]) -> list[Mark]:
    """Keep one mark for each passage: of overlapping marks of a kind in a document, the first."""
    kept: list[Mark] = []
    for mark in sorted(marks, key=lambda one: (one.ordinal, one.start, -one.end, one.mark_id)):
        if not any(mark.overlaps(other) and mark.kind is other.kind for other in kept):
            kept.append(mark)
    return kept
