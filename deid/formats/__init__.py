"""Source formats: the bytes of a document to plain text, and surrogates back into its markup.

A format is a function `(raw, charset, document_id) -> SourceText` of the table `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from deid.domain.errors import DocumentRefused, Reason
from deid.formats.html import read_html
from deid.formats.plain import read_plain
from deid.formats.source import Replacement, SourceText

__all__ = ["FORMATS", "Replacement", "SourceText", "read_source"]

# Media type → function that reads the format
FORMATS: Mapping[str, Callable[[bytes, str, str], SourceText]] = MappingProxyType(
    {"text/plain": read_plain, "text/html": read_html, "application/xhtml+xml": read_html}
)


def read_source(raw: bytes, *, format: str, charset: str, document_id: str, max_bytes: int) -> SourceText:
    """Read a document of the hospital's warehouse.

    `format` is a media type, whose parameters are ignored. `charset` is declared by the warehouse and wins over a
    declaration inside the document; a byte order mark wins over both. `max_bytes` is the largest size read.

    Raises:
        DocumentRefused: too_large, empty (no text without the markup), undecodable, malformed or unsupported_format.
    """
    media_type = format.partition(";")[0].strip().lower()
    if media_type not in FORMATS:
        raise DocumentRefused(document_id, Reason.UNSUPPORTED_FORMAT, f"formats read: {', '.join(FORMATS)}")
    if len(raw) > max_bytes:
        raise DocumentRefused(document_id, Reason.TOO_LARGE, f"{len(raw)} bytes, at most {max_bytes}")
    if not raw:
        raise DocumentRefused(document_id, Reason.EMPTY, "no byte")
    source = FORMATS[media_type](raw, charset, document_id)
    if not source.text.strip():
        raise DocumentRefused(document_id, Reason.EMPTY, "no text")
    return source
