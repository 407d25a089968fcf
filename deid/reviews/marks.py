"""What a reader says of a passage: something was missed, replaced by another kind, or replaced for nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deid.domain.labels import Label
from deid.reviews import Why, reading, refused
from deid.reviews.places import Kind, place
from deid.warehouse import audit
from deid.warehouse.queries import Cursor, one, query


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark that was not taken back. `start` and `end` count in the de-identified text, the others in the source.

    `verdict` is a senior steward's: "upheld", "dismissed", or None.
    """

    mark_id: int
    ordinal: int
    reader: str
    kind: Kind
    label: str | None
    start: int
    end: int
    source_start: int
    source_end: int
    verdict: str | None
    verdict_by: str | None

    @property
    def stands(self) -> bool:
        """Whether nobody has dismissed it."""
        return self.verdict != "dismissed"

    @property
    def leak(self) -> bool:
        """Whether it says that something identifying was left."""
        return self.kind is Kind.MISSED and self.stands

    def overlaps(self, other: Mark) -> bool:
        """Whether both are about some of the same characters of the same document."""
        return self.ordinal == other.ordinal and self.start < other.end and other.start < self.end

    def agrees(self, other: Mark) -> bool:
        """Whether both say the same of overlapping passages."""
        return self.overlaps(other) and (self.kind, self.label) == (other.kind, other.label)


def add(
    cursor: Cursor, review_id: int, ordinal: int, reader: str, kind: Kind, label: Label | None, start: int, end: int
) -> Mark:
    """Mark `[start, end)` of the text that a person reads. The same mark sent again is the same mark.

    Raises:
        ReviewRefused: the person does not read that document, or has finished; the kind does not fit the passage.
    """
    read = reading.held(cursor, review_id, ordinal, reader)
    where = place(read.text, read.surrogates, kind, label, start, end, read.about)
    for known in of_reader(cursor, review_id, ordinal, reader):
        if (known.kind, known.label, known.start, known.end) == (kind, label, where.start, where.end):
            return known
    row = {"review_id": review_id, "ordinal": ordinal, "reader": reader, "kind": kind.value, **where._asdict()}
    row["label"] = None if label is None else str(label)
    cursor.execute(query("deid", "review_mark", "insert"), row)
    (mark_id,) = one(cursor)
    details = {"review": review_id, "ordinal": ordinal, "mark": mark_id, "kind": kind.value, "label": row["label"]}
    audit.write(cursor, reader, audit.Action.MARK, f"document {read.document_id}", **details)
    return Mark(mark_id, ordinal, reader, kind, row["label"], *where, None, None)


def remove(cursor: Cursor, review_id: int, ordinal: int, reader: str, mark_id: int) -> None:
    """Take one's own mark back, until the reading is finished. A second time changes nothing.

    Raises:
        ReviewRefused: as `add`; or the mark is not this person's on that document.
    """
    read = reading.held(cursor, review_id, ordinal, reader)
    row = {"review_id": review_id, "ordinal": ordinal, "reader": reader, "mark_id": mark_id}
    cursor.execute(query("deid", "review_mark", "own"), row)
    found = cursor.fetchone()
    if found is None:
        raise refused(Why.UNKNOWN, f"mark {mark_id}")
    if found[0]:
        return
    cursor.execute(query("deid", "review_mark", "remove"), row)
    audit.write(
        *(cursor, reader, audit.Action.UNMARK, f"document {read.document_id}"),
        review=review_id,
        ordinal=ordinal,
        mark=mark_id,
    )


def of_reader(cursor: Cursor, review_id: int, ordinal: int, reader: str) -> list[Mark]:
    """A person's marks on a document, by place."""
    return of_review(cursor, review_id, ordinal=ordinal, reader=reader)


def of_review(cursor: Cursor, review_id: int, *, ordinal: int | None = None, reader: str | None = None) -> list[Mark]:
    """The marks of a review that nobody took back, by document and place; of one document or person if named."""
    row = {"review_id": review_id, "ordinal": ordinal, "reader": reader}
    cursor.execute(query("deid", "review_mark", "list"), row)
    return [
        Mark(mark_id, document, who, Kind(kind), *rest) for mark_id, document, who, kind, *rest in cursor.fetchall()
    ]


def merged(marks: Iterable[Mark]) -> list[Mark]:
    """One mark for each passage: of overlapping ones of a kind in a document, the first."""
    kept: list[Mark] = []
    for mark in sorted(marks, key=lambda one: (one.ordinal, one.start, -one.end, one.mark_id)):
        if not any(mark.overlaps(other) and mark.kind is other.kind for other in kept):
            kept.append(mark)
    return kept
