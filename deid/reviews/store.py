"""The annotation store: what readers said of source documents, and its way into training.

`keep` writes the marks of a closed review, in offsets of the source. `corrected` lays them over what the machine had
found; `gold` reads the originals, inside the hospital, and gives documents that `deid train` loads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from deid.config.settings import settings
from deid.domain.document import Mention
from deid.domain.errors import NocturneError, WarehouseError
from deid.domain.labels import Label
from deid.warehouse.connection import connect
from deid.warehouse.originals import Original, OriginalRefused, Why, read_original
from deid.warehouse.queries import Cursor, query
from deid.warehouse.queries import one as only

if TYPE_CHECKING:
    from deid.warehouse.extraction import Content


class Annotation(NamedTuple):
    """A passage of a source text, and its label; None says that it identifies nobody."""

    start: int
    end: int
    label: Label | None


@dataclass(frozen=True, slots=True)
class Annotated:
    """A version of a document that people have read: the run whose mentions they saw, and what they said of them."""

    run_id: int
    document_id: str
    content_hash: str
    surrogates: int
    annotations: tuple[Annotation, ...]


def keep(cursor: Cursor, review_id: int) -> int:
    """Write the marks of a review that nobody took back or dismissed; returns how many there are."""
    cursor.execute(query("deid", "annotation", "keep"), {"review_id": review_id})
    return cursor.rowcount


def annotated(cursor: Cursor) -> list[Annotated]:
    """Every document that as many people as wanted have read in a closed review, the latest reading of each version."""
    cursor.execute(query("deid", "annotation", "documents"))
    return [
        Annotated(run_id, document_id, content_hash, surrogates, tuple(_annotation(*one) for one in said))
        for run_id, document_id, content_hash, surrogates, said in cursor.fetchall()
    ]


def _annotation(start: int, end: int, label: str | None) -> Annotation:
    return Annotation(start, end, None if label is None else Label(label))


def corrected(found: Iterable[Mention], annotations: Sequence[Annotation]) -> tuple[Mention, ...]:
    """The machine's mentions with people's corrections: what a person said of a passage replaces all that was there.

    Where people differ, a label wins over none, and the longer passage over the shorter.
    """
    said = [one for one in annotations if one.label is not None]
    kept: list[Mention] = []
    for one in sorted(said, key=lambda one: (one.start - one.end, one.start)):
        mention = Mention(one.start, one.end, Label(str(one.label)))
        if not any(mention.overlaps(other) for other in kept):
            kept.append(mention)
    kept += [
        Mention(mention.start, mention.end, mention.label)
        for mention in found
        if not any(mention.start < one.end and one.start < mention.end for one in annotations)
    ]
    return tuple(sorted(kept))


def gold(cursor: Cursor, actor: str, refusals: list[NocturneError]) -> Iterator[dict[str, Any]]:
    """Every annotated document as a record: id, text, mentions, and what the hospital knows of its patient.

    Holds original text: it must not leave the hospital. A document whose source has changed since, or whose mentions
    are gone, is left out and added to `refusals`. Each original read is recorded for `actor`.

    Raises:
        OriginalRefused: this process was given no access to the source.
        WarehouseUnreachable, ContractBroken: the source does not answer as it should.
    """
    for one in annotated(cursor):
        try:
            source = read_original(actor, one.run_id, one.document_id, one.content_hash)
        except OriginalRefused as error:
            if error.why == Why.NOT_CONFIGURED:
                raise
            refusals.append(error)
            continue
        if len(source.mentions) < one.surrogates:  # a document without its mentions would teach to find none
            refusals.append(WarehouseError(f"document {one.document_id}: its mentions are no longer in the ledger."))
            continue
        yield _record(_content(cursor, one), source, corrected(source.mentions, one.annotations))


def _content(cursor: Cursor, one: Annotated) -> Content:
    """What the warehouse knows of a document beside its text."""
    from deid.warehouse.extraction import read_contents
    from deid.warehouse.sources import Source

    cursor.execute(query("deid", "run", "source"), {"run_id": one.run_id})
    (source,) = only(cursor)
    with connect(settings().dsn("reader"), application="nocturne annotations") as warehouse:
        warehouse.set_session(readonly=True)
        return read_contents(warehouse, Source(source), [one.document_id])[one.document_id]


def _record(content: Content, source: Original, mentions: Sequence[Mention]) -> dict[str, Any]:
    patient = {
        name: value.isoformat() if isinstance(value, date) else value
        for name, value in asdict(content.patient).items()
        if value not in (None, (), "")
    }
    return {
        "id": source.document_id,
        "text": source.text,
        "type": content.document_type,
        "reference_date": content.reference_date and content.reference_date.isoformat(),
        "patient": patient,
        "mentions": [{"start": m.start, "end": m.end, "label": str(m.label)} for m in mentions],
    }
