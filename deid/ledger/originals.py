"""Source text of one document, for people permitted to see it: read as the source's reader, never stored, recorded.

The line of the audit trail is committed before the text is returned: no text is shown without a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from deid.config.settings import settings
from deid.database.connection import open_cursor, open_identity
from deid.database.queries import execute, one
from deid.domain.document import Document, Mention
from deid.domain.errors import NocturneError
from deid.domain.outcomes import Refused
from deid.ledger import audit
from deid.ledger.audit import Action
from deid.ledger.identity import Translator
from deid.ledger.steps import read_mentions
from deid.source.contract import Source, open_source
from deid.source.extraction import open_contents, present_documents, read_contents
from deid.source.rows import Content

APPLICATION = "nocturne original"


class OriginalProblem(StrEnum):
    """Reason for which an original is not shown."""

    NOT_CONFIGURED = "not_configured"  # the deployment gives this process no access to the source
    UNKNOWN = "unknown"  # the ledger has no such document in that run
    GONE = "gone"  # the source has deleted it
    WITHDRAWN = "withdrawn"  # withdrawn by the source, or its patient opted out
    CHANGED = "changed"  # corrected since: not the version that was judged
    UNREADABLE = "unreadable"  # its bytes are no text


class OriginalRefused(NocturneError):
    """The original of a document cannot be shown. `why` selects the wording of the pages."""

    def __init__(self, document_id: str, why: OriginalProblem) -> None:
        super().__init__(f"document {document_id}: its original cannot be shown ({why}).")
        self.document_id, self.why = document_id, why


@dataclass(frozen=True, slots=True)
class Original:
    """A source document, and the mentions detected by the run, in order of the text.

    There are none of a document that is neither in quarantine nor in the sample of a review.
    """

    content_hash: str
    document: Document
    mentions: tuple[Mention, ...]

    @property
    def document_id(self) -> str:
        """Identifier of the document in the ledger."""
        return self.document.id

    @property
    def text(self) -> str:
        """The source text."""
        return self.document.text


def read_original(
    actor: str, run_id: int, document_id: str, content_hash: str, action: Action = Action.READ_ORIGINAL
) -> Original:
    """Return exactly this version of a document, with the mentions of run `run_id`; recorded for `actor` as `action`.

    The caller checks the permissions of `actor`, and shows a person without that of originals no source text: of such
    a reading `action` is READ_TEXT.

    Raises:
        OriginalRefused: see `OriginalProblem`; the refusal is recorded, except for NOT_CONFIGURED and UNKNOWN.
        ContractBroken: the source's query breaks its contract.
    """
    if settings().reader_dsn is None:
        raise OriginalRefused(document_id, OriginalProblem.NOT_CONFIGURED)
    asked = {"run_id": run_id, "document_id": document_id, "content_hash": content_hash}
    with open_cursor("steward", APPLICATION) as cursor:
        known = execute(cursor, "deid", "original", "asked", asked).fetchone()
    if known is None:
        raise OriginalRefused(document_id, OriginalProblem.UNKNOWN)
    source, characters, withdrawn = known
    try:
        document = _read_document(source, document_id, content_hash, withdrawn=withdrawn)
        if characters not in (None, len(document.text)):  # a file whose digest the source does not tell
            raise OriginalRefused(document_id, OriginalProblem.CHANGED)
    except OriginalRefused as refused:
        _record(actor, Action.REFUSED, asked, why=refused.why.value)
        raise
    _record(actor, action, asked)
    mentions = read_mentions(run_id, [document_id], role="steward").get(document_id, ())
    return Original(content_hash, document, mentions)


def _read_document(source_name: str, document_id: str, content_hash: str, *, withdrawn: bool) -> Document:
    if withdrawn:
        raise OriginalRefused(document_id, OriginalProblem.WITHDRAWN)
    source_ids = list(Translator("identity").to_source("document", [document_id]).values())
    with open_source(APPLICATION) as warehouse:
        source = Source(source_name)
        source.verify(warehouse, "present")
        found = read_contents(warehouse, source, source_ids)
        present = present_documents(warehouse, source, source_ids)
    if not found:
        raise OriginalRefused(document_id, OriginalProblem.GONE)
    if not present or any(_has_opted_out(content) for content in found.values()):
        raise OriginalRefused(document_id, OriginalProblem.WITHDRAWN)
    (content,) = Translator("identity").rename(list(found.values()))
    if content.content_hash != content_hash:
        raise OriginalRefused(document_id, OriginalProblem.CHANGED)
    (outcome,) = open_contents([content], source.rules(), limits=settings().limits())
    if isinstance(outcome, Refused):
        raise OriginalRefused(document_id, OriginalProblem.UNREADABLE)
    return outcome.document


def _has_opted_out(content: Content) -> bool:
    """Return whether the patient of a document, as the source names the patient, has opted out."""
    with open_identity("identity", APPLICATION) as ids:
        execute(ids, "identity", "opt_out", "of_source", {"source_id": content.patient_id})
        opt_out_ids, patient_id = one(ids)
    with open_cursor("identity", APPLICATION) as cursor:
        known = {"opt_out_ids": opt_out_ids, "patient_id": patient_id}
        return bool(one(execute(cursor, "deid", "opt_out", "objected", known))[0])


def _record(actor: str, action: Action, asked: dict[str, object], **details: object) -> None:
    with open_cursor("steward", APPLICATION) as cursor:
        about = f"document {asked['document_id']}"
        audit.write(cursor, actor, action, about, run_id=asked["run_id"], content_hash=asked["content_hash"], **details)
