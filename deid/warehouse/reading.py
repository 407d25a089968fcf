"""The documents of a batch as the source has them now: read, or given their outcome when they cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from deid.config.settings import settings
from deid.detection.staff import Staff
from deid.domain.document import Document
from deid.domain.errors import DocumentRefused, Reason
from deid.formats import SourceText, read_source
from deid.warehouse.connection import connect
from deid.warehouse.copy import storable
from deid.warehouse.extraction import Content, contents, staff
from deid.warehouse.ledger import StepWork, Waiting
from deid.warehouse.sources import Source


@dataclass(frozen=True, slots=True)
class Opened:
    """A document that waits for a step, with its content read."""

    waiting: Waiting
    content: Content
    source: SourceText

    @property
    def document(self) -> Document:
        """What detection, substitution and validation see of it."""
        content = self.content
        return Document(
            content.document_id, self.source.text, content.patient, content.reference_date, content.document_type
        )


def opened(work: StepWork) -> Iterator[Opened]:
    """Each waiting document that can be read. The others are settled in `work`: deleted, corrected, refused.

    Raises:
        ContractBroken: the source's query does not give what it must.
        WarehouseUnreachable: the source does not answer.
    """
    with connect(settings().dsn("reader"), application=f"nocturne {work.step}") as warehouse:
        warehouse.set_session(readonly=True)
        document_ids = [waiting.document_id for waiting in work.waiting]
        source = Source(work.run.source)
        found: Mapping[str, Content] = contents(warehouse, source, document_ids) if document_ids else {}
    for waiting in work.waiting:
        content = found.get(waiting.document_id)
        if content is None:
            work.leave(waiting, "withdrawn")
        elif content.content_hash != waiting.content_hash:
            work.leave(waiting, "superseded")  # corrected since it was planned: a later run has the new version
        else:
            try:
                yield Opened(waiting, content, decoded(content))
            except DocumentRefused as refused:
                work.refuse(waiting, refused.reason)


def staff_of(source: str) -> Staff:
    """Who works in the hospital, as its source has it now; read once per batch.

    Raises:
        ContractBroken: the source's query does not give what it must.
        WarehouseUnreachable: the source does not answer.
    """
    with connect(settings().dsn("reader"), application="nocturne detect") as warehouse:
        warehouse.set_session(readonly=True)
        records = staff(warehouse, Source(source))
    return Staff.from_records(record for record in records if record["last_name"])


def decoded(content: Content) -> SourceText:
    """The text of a content and where each character of it stands.

    Raises:
        DocumentRefused: nobody could read it, or it belongs to no patient.
    """
    if content.patient_id is None:
        raise DocumentRefused(content.document_id, Reason.NO_PATIENT)
    source = read_source(
        content.content,
        format=content.format or "",
        charset=content.charset or "utf-8",
        document_id=content.document_id,
        max_bytes=settings().max_document_bytes,
    )
    if not storable(source.text):
        raise DocumentRefused(content.document_id, Reason.UNDECODABLE, "characters that no text has")
    return source
