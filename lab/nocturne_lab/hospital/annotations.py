"""Annotations of source documents by readers of closed reviews, and their export as training documents.

The ledger keeps the marks of a closed review in offsets of the source. `correct_mentions` applies them to the mentions
of the run; `gold_records` reads the originals, inside the hospital, for `deid train`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from deid.database.queries import Cursor, execute, one
from deid.domain.document import Mention
from deid.domain.errors import NocturneError, WarehouseError
from deid.domain.labels import Label
from deid.ledger.identity import Translator
from deid.ledger.originals import Original, OriginalProblem, OriginalRefused, read_original
from deid.source.contract import Source, open_source
from deid.source.extraction import read_contents
from deid.source.rows import Content

REVIEW = "review"  # the annotator of its documents, among those of annotation tools


class Annotation(NamedTuple):
    """A passage of a source text, and its label; None if the passage identifies nobody."""

    start: int
    end: int
    label: Label | None


@dataclass(frozen=True, slots=True)
class Annotated:
    """A document version read by people: the run whose mentions they saw, and their annotations."""

    run_id: int
    document_id: str
    content_hash: str
    surrogates: int
    annotations: tuple[Annotation, ...]


def list_annotated(cursor: Cursor) -> list[Annotated]:
    """Return every fully read document of closed reviews, the latest reading of each version."""
    execute(cursor, "deid", "annotation", "documents")
    return [
        Annotated(run_id, document_id, content_hash, surrogates, tuple(_to_annotation(*item) for item in said))
        for run_id, document_id, content_hash, surrogates, said in cursor.fetchall()
    ]


def _to_annotation(start: int, end: int, label: str | None) -> Annotation:
    return Annotation(start, end, None if label is None else Label(label))


def correct_mentions(found: Iterable[Mention], annotations: Sequence[Annotation]) -> tuple[Mention, ...]:
    """Apply people's annotations to the mentions of a run: an annotation replaces every mention that it overlaps.

    Where people differ, a label is preferred to none, and the longer passage to the shorter.
    """
    labelled = [item for item in annotations if item.label is not None]
    kept: list[Mention] = []
    for item in sorted(labelled, key=lambda item: (item.start - item.end, item.start)):
        mention = Mention(item.start, item.end, Label(str(item.label)))
        if not any(mention.overlaps(other) for other in kept):
            kept.append(mention)
    kept += [
        Mention(mention.start, mention.end, mention.label)
        for mention in found
        if not any(mention.start < item.end and item.start < mention.end for item in annotations)
    ]
    return tuple(sorted(kept))


def gold_records(cursor: Cursor, actor: str, refusals: list[NocturneError]) -> Iterator[dict[str, Any]]:
    """Yield every annotated document as a record: id, text, type, reference date, patient and mentions.

    Records hold original text and must not leave the hospital. A document whose source has changed, or whose mentions
    are missing, is left out and added to `refusals`. Each original read is written to the audit trail for `actor`.

    Raises:
        OriginalRefused: this process has no access to the source.
        WarehouseUnreachable, ContractBroken: the source does not answer as it should.
    """
    for document in list_annotated(cursor):
        try:
            source = read_original(actor, document.run_id, document.document_id, document.content_hash)
        except OriginalRefused as error:
            if error.why == OriginalProblem.NOT_CONFIGURED:
                raise
            refusals.append(error)
            continue
        if len(source.mentions) < document.surrogates:  # a document without its mentions would teach to find none
            refusals.append(
                WarehouseError(f"document {document.document_id}: its mentions are no longer in the ledger.")
            )
            continue
        yield _to_record(
            _read_content(cursor, document), source, correct_mentions(source.mentions, document.annotations)
        )


def _read_content(cursor: Cursor, document: Annotated) -> Content:
    """Read the type, dates and patient of a document from the warehouse."""
    (source,) = one(execute(cursor, "deid", "run", "source", {"run_id": document.run_id}))
    (source_id,) = Translator("identity").to_source("document", [document.document_id]).values()
    with open_source("nocturne annotations") as warehouse:
        return read_contents(warehouse, Source(source), [source_id])[source_id]


def _to_record(content: Content, source: Original, mentions: Sequence[Mention]) -> dict[str, Any]:
    return {
        "id": source.document_id,
        "text": source.text,
        "type": content.document_type,
        "reference_date": content.reference_date and content.reference_date.isoformat(),
        "patient": content.patient.as_json(),
        "annotator": REVIEW,
        "mentions": [{"start": m.start, "end": m.end, "label": str(m.label)} for m in mentions],
    }
