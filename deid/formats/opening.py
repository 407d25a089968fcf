"""The plain text of an incoming document, or its refusal."""

from __future__ import annotations

from deid.domain.document import Document
from deid.domain.errors import DocumentRefused, Reason
from deid.domain.outcomes import Incoming, Opened, Refused
from deid.formats import read_source
from deid.formats.plain import PlainSource


def open_document(item: Incoming, *, max_bytes: int) -> Opened | Refused:
    """Read the plain text of a document; `max_bytes` bounds its source (UTF-8 where it is text)."""
    document = item.document
    try:
        if item.format is None:
            _require_plain_text(document, max_bytes)
            return Opened(document, None, item.title)
        content = document.text.encode("utf-8", "surrogatepass") if item.content is None else item.content
        source = read_source(
            content, format=item.format, charset=item.charset, document_id=document.id, max_bytes=max_bytes
        )
        if not storable(source.text):
            raise DocumentRefused(document.id, Reason.UNDECODABLE, "characters that no text has")
    except DocumentRefused as refused:
        return Refused(document.id, (refused.reason,), refused.detail)
    text = Document(document.id, source.text, document.patient, document.reference_date, document.type)
    return Opened(text, None if isinstance(source, PlainSource) else source, item.title)


def storable(text: str) -> bool:
    """Return whether PostgreSQL and UTF-8 can hold a text: no NUL, no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _require_plain_text(document: Document, max_bytes: int) -> None:
    """Refuse what is not usable as it stands: offsets are the caller's, so that not a character may move."""
    size = len(document.text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise DocumentRefused(document.id, Reason.TOO_LARGE, f"{size} bytes, at most {max_bytes}")
    if not document.text.strip():
        raise DocumentRefused(document.id, Reason.EMPTY, "no text")
    if not storable(document.text):
        raise DocumentRefused(document.id, Reason.UNDECODABLE, "holds NUL or half a character")
