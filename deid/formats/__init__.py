"""Source formats: a document's bytes to plain text with kept offsets, and surrogates back into its markup.

A format is a module with one function `read(raw, charset, document_id) -> SourceText`; adding one is a line
in `FORMATS`. Modules load on first use, so that a format's parser costs nothing where it is not met.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Protocol, cast

from deid.domain.errors import DocumentRefused, Reason
from deid.formats.source import Replacement, SourceText

__all__ = ["FORMATS", "Replacement", "SourceText", "read"]

# Media type → module that reads it
FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "text/plain": "deid.formats.plain",
        "text/html": "deid.formats.html",
        "application/xhtml+xml": "deid.formats.html",
    }
)


class _FormatModule(Protocol):
    def read(self, raw: bytes, charset: str, document_id: str) -> SourceText: ...


def read(raw: bytes, *, format: str, charset: str, document_id: str, max_bytes: int) -> SourceText:
    """Read a document as a warehouse stores it.

    `format` is a media type, parameters ignored; `charset` is what the warehouse declares, and wins over
    what the document says of itself, except for a byte order mark; `max_bytes` is the largest size read.

    Raises:
        DocumentRefused: too_large, empty (no text once markup is removed), undecodable, malformed or
            unsupported_format.
    """
    media_type = format.partition(";")[0].strip().lower()
    if media_type not in FORMATS:
        raise DocumentRefused(document_id, Reason.UNSUPPORTED_FORMAT, f"formats read: {', '.join(FORMATS)}")
    if len(raw) > max_bytes:
        raise DocumentRefused(document_id, Reason.TOO_LARGE, f"{len(raw)} bytes, at most {max_bytes}")
    if not raw:
        raise DocumentRefused(document_id, Reason.EMPTY, "no byte")
    source = cast(_FormatModule, import_module(FORMATS[media_type])).read(raw, charset, document_id)
    if not source.text.strip():
        raise DocumentRefused(document_id, Reason.EMPTY, "no text")
    return source
