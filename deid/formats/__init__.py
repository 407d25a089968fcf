"""Source formats: the bytes of a document to plain text, and surrogates back into its markup.

A text of the warehouse is declared, and a function `(raw, charset, document_id) -> SourceText` of the table `FORMATS`
reads it. A file of any format is recognised by content (`deid.formats.files`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from deid.domain.document import Document
from deid.domain.errors import DocumentRefused, Reason
from deid.domain.outcomes import Incoming, Opened, Refused
from deid.formats.fields import FileRules, load_rules
from deid.formats.files import read_file
from deid.formats.html import read_html
from deid.formats.recognition import described
from deid.formats.segments import SegmentedSource, complete, contradicts, with_told
from deid.formats.source import PlainSource, Replacement, SourceText, read_plain, require_readable

__all__ = [
    "FORMATS",
    "FileRules",
    "Replacement",
    "SegmentedSource",
    "SourceText",
    "declares_text",
    "described",
    "load_rules",
    "open_document",
    "open_files",
    "read_file",
    "read_source",
    "storable",
    "with_told",
]

# Media type → function that reads the format
FORMATS: Mapping[str, Callable[[bytes, str, str], SourceText]] = {
    "text/plain": read_plain,
    "text/html": read_html,
    "application/xhtml+xml": read_html,
}


def read_source(raw: bytes, *, format: str, charset: str, document_id: str, max_bytes: int) -> SourceText:
    """Read a document of the hospital's warehouse.

    `format` is a media type, whose parameters are ignored. `charset` is declared by the warehouse and wins over a
    declaration inside the document; a byte order mark wins over both. `max_bytes` is the largest size read.

    Raises:
        DocumentRefused: too_large, empty (no text without the markup), undecodable, malformed, unsupported_format, or a
            reason of `deid.formats.readable`.
    """
    media_type = _media_type(format)
    if media_type not in FORMATS:
        raise DocumentRefused(document_id, Reason.UNSUPPORTED_FORMAT, f"formats read: {', '.join(FORMATS)}")
    if len(raw) > max_bytes:
        raise DocumentRefused(document_id, Reason.TOO_LARGE, f"{len(raw)} bytes, at most {max_bytes}")
    if not raw:
        raise DocumentRefused(document_id, Reason.EMPTY, "no byte")
    source = FORMATS[media_type](raw, charset, document_id)
    if not source.text.strip():
        raise DocumentRefused(document_id, Reason.EMPTY, "no text")
    if not isinstance(source, PlainSource):
        require_readable(source.text, document_id)  # entities may hold what the bytes do not show
    return source


def declares_text(item: Incoming) -> bool:
    """Return whether a document is plain text, or declared as one of `FORMATS`: no reader of files opens it."""
    return item.format is None or item.content is None or _media_type(item.format) in FORMATS


def _media_type(format: str) -> str:
    return format.partition(";")[0].strip().lower()


def open_files(
    incoming: Sequence[Incoming], *, max_bytes: int, rules: FileRules, written: bool
) -> list[Opened | Refused]:
    """Read the plain text of files; unless they are to be `written` again, without what writing needs."""
    opened = [open_document(item, max_bytes=max_bytes, rules=rules) for item in incoming]
    return [item if written or isinstance(item, Refused) else replace(item, markup=None) for item in opened]


def open_document(item: Incoming, *, max_bytes: int, rules: FileRules | None = None) -> Opened | Refused:
    """Read the plain text of a document; `max_bytes` bounds its source (UTF-8 where it is text).

    With `rules` a content is a file of any format, recognised by what it holds; without, a text of its declared format.
    """
    document = item.document
    try:
        if rules is not None and item.content is not None:
            return _open_file(item, item.content, max_bytes, rules)
        if item.format is None:
            _require_plain_text(document, max_bytes)
            return Opened(document, None, item.title)
        content = document.text.encode("utf-8", "surrogatepass") if item.content is None else item.content
        source = read_source(
            content, format=item.format, charset=item.charset or "utf-8", document_id=document.id, max_bytes=max_bytes
        )
        if not storable(source.text):
            raise DocumentRefused(document.id, Reason.UNDECODABLE, "characters that no text has")
    except DocumentRefused as refused:
        return Refused(document.id, (refused.reason,), refused.detail)
    text = replace(document, text=source.text)
    return Opened(text, None if isinstance(source, PlainSource) else source, item.title)


def _open_file(item: Incoming, content: bytes, max_bytes: int, rules: FileRules) -> Opened:
    document = item.document
    source = read_file(
        content,
        document_id=document.id,
        max_bytes=max_bytes,
        hint=item.format or "",
        charset=item.charset or None,
        rules=rules,
    )
    if not storable(source.text):
        raise DocumentRefused(document.id, Reason.UNDECODABLE, "characters that no text has")
    if contradicts(document.patient, source.patient):
        raise DocumentRefused(document.id, Reason.PATIENT_MISMATCH, "the file's fields name another patient")
    text = replace(document, text=source.text, patient=complete(document.patient, source.patient))
    return Opened(text, source, item.title, source.mentions, source.format, source.removed)


def storable(text: str) -> bool:
    """Return whether PostgreSQL and UTF-8 can hold a text: no NUL, no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _require_plain_text(document: Document, max_bytes: int) -> None:
    """Refuse a text not usable as it is: offsets are the caller's, so that not a character may move."""
    size = len(document.text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise DocumentRefused(document.id, Reason.TOO_LARGE, f"{size} bytes, at most {max_bytes}")
    if not document.text.strip():
        raise DocumentRefused(document.id, Reason.EMPTY, "no text")
    if not storable(document.text):
        raise DocumentRefused(document.id, Reason.UNDECODABLE, "holds NUL or half a character")
    require_readable(document.text, document.id)
