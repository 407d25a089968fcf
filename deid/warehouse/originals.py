"""The source text of one document, for the few who may see it: read as the source's reader, never kept, recorded.

The line of the audit trail is written, and committed, before the text is given out: a text that was shown without a
line cannot be.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from deid.config.settings import settings
from deid.domain.document import Mention
from deid.domain.errors import NocturneError
from deid.domain.outcomes import Refused
from deid.warehouse import audit
from deid.warehouse.audit import Action
from deid.warehouse.batches import open_content, read_mentions
from deid.warehouse.connection import connect
from deid.warehouse.extraction import Content, present_documents, read_contents
from deid.warehouse.queries import query
from deid.warehouse.sources import Source

APPLICATION = "nocturne original"


class Why(StrEnum):
    """Why an original is not shown."""

    NOT_CONFIGURED = "not_configured"  # this process has no access to the source, by the deployment's choice
    UNKNOWN = "unknown"  # the ledger has no such document in that run
    GONE = "gone"  # the source has deleted it
    WITHDRAWN = "withdrawn"  # withdrawn by the source, or its patient objected
    CHANGED = "changed"  # corrected since: what one would read is not what was judged
    UNREADABLE = "unreadable"  # its bytes are no text


class OriginalRefused(NocturneError):
    """The original of a document cannot be shown. `why` decides the words that a person reads."""

    def __init__(self, document_id: str, why: Why) -> None:
        super().__init__(f"document {document_id}: its original cannot be shown ({why}).")
        self.document_id, self.why = document_id, why


@dataclass(frozen=True, slots=True)
class Original:
    """A source text, and what the run's detection found in it, in the order of the text."""

    document_id: str
    content_hash: str
    text: str
    mentions: tuple[Mention, ...]


def read_original(actor: str, run_id: int, document_id: str, content_hash: str) -> Original:
    """The text of exactly this version of a document, with the mentions that run `run_id` found; recorded for `actor`.

    Whether `actor` may see originals is the caller's to know.

    Raises:
        OriginalRefused: see `Why`; nothing was shown, and the refusal is recorded unless nothing could be asked.
        ContractBroken: the source's query does not give what it must.
        WarehouseUnreachable, WarehouseError: the ledger or the source could not be read.
    """
    if settings().reader_dsn is None:
        raise OriginalRefused(document_id, Why.NOT_CONFIGURED)
    asked = {"run_id": run_id, "document_id": document_id, "content_hash": content_hash}
    with connect(settings().dsn("steward"), application=APPLICATION) as link, link.cursor() as cursor:
        cursor.execute(query("deid", "original", "asked"), asked)
        known = cursor.fetchone()
    if known is None:
        raise OriginalRefused(document_id, Why.UNKNOWN)
    source, withdrawn = known
    try:
        text = _text(source, document_id, content_hash, withdrawn=withdrawn)
    except OriginalRefused as refused:
        _record(actor, Action.REFUSED, asked, why=refused.why.value)
        raise
    _record(actor, Action.READ_ORIGINAL, asked)
    mentions = read_mentions(run_id, [document_id], role="steward").get(document_id, ())
    return Original(document_id, content_hash, text, mentions)


def _text(source_name: str, document_id: str, content_hash: str, *, withdrawn: bool) -> str:
    if withdrawn:
        raise OriginalRefused(document_id, Why.WITHDRAWN)
    with connect(settings().dsn("reader"), application=APPLICATION) as warehouse:
        warehouse.set_session(readonly=True)
        source = Source(source_name)
        source.verify(warehouse, "present")
        content = read_contents(warehouse, source, [document_id]).get(document_id)
        if content is None:
            raise OriginalRefused(document_id, Why.GONE)
        if document_id not in present_documents(warehouse, source, [document_id]) or _opposed(content):
            raise OriginalRefused(document_id, Why.WITHDRAWN)
    if content.content_hash != content_hash:
        raise OriginalRefused(document_id, Why.CHANGED)
    outcome = open_content(content)
    if isinstance(outcome, Refused):
        raise OriginalRefused(document_id, Why.UNREADABLE)
    return outcome.document.text


def _opposed(content: Content) -> bool:
    """Whether the document's patient has objected."""
    with connect(settings().dsn("steward"), application=APPLICATION) as link, link.cursor() as cursor:
        cursor.execute(query("deid", "opt_out", "of_patient"), {"patient_id": content.patient_id})
        return cursor.fetchone() is not None


def _record(actor: str, action: Action, asked: dict[str, object], **details: object) -> None:
    with connect(settings().dsn("steward"), application=APPLICATION) as link, link.cursor() as cursor:
        about = f"document {asked['document_id']}"
        audit.write(cursor, actor, action, about, run_id=asked["run_id"], content_hash=asked["content_hash"], **details)
