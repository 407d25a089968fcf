"""Files of every format: recognised by content, read as text with what their fields tell, and rewritten.

A reader is a function `(raw, reading) -> save` of the table `READERS`, imported when a file needs it. It tells
`reading` (`deid.formats.reading.Reading`) the segments of the file; `save` writes it with the changed ones.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from deid.domain.errors import DocumentRefused, NocturneError, Reason
from deid.formats.fields import FileRules
from deid.formats.reading import DAMAGED, Reading, Save
from deid.formats.recognition import IMAGE, UNKNOWN, recognise
from deid.formats.segments import SegmentedSource, lay_out
from deid.formats.source import require_readable

# Format → module and function that read it
READERS: Mapping[str, str] = {
    "text": "deid.formats.texts:read_text",
    "html": "deid.formats.texts:read_page",
    "rtf": "deid.formats.rtf:read_rtf",
    "docx": "deid.formats.docx:read_docx",
    "xlsx": "deid.formats.spreadsheets:read_xlsx",
    "xls": "deid.formats.spreadsheets:read_xls",
    "pdf": "deid.formats.pdf:read_pdf",
    IMAGE: "deid.formats.pdf:read_picture",
    "doc": "deid.formats.libreoffice:read_doc",
    "dicom": "deid.formats.dicom:read_dicom",
    "odt": "deid.formats.libreoffice:read_odt",
    "xml": "deid.formats.trees:read_xml",
    "cda": "deid.formats.cda:read_cda",
    "json": "deid.formats.records:read_json",
    "jsonl": "deid.formats.records:read_json_lines",
    "csv": "deid.formats.records:read_csv",
    "hl7": "deid.formats.hl7:read_hl7",
    "fhir": "deid.formats.fhir:read_fhir",
    "narrative": "deid.formats.fhir:read_narrative",
    "fhir_xml": "deid.formats.fhir:read_fhir_xml",
    "vcf": "deid.formats.vcf:read_vcf",
    "eml": "deid.formats.eml:read_eml",
    "zip": "deid.formats.archives:read_archive",
}
DEFAULT = FileRules()
_EXPANDED = 20  # times the largest size of a file that it may hold once expanded


def read_file(
    raw: bytes,
    *,
    document_id: str,
    max_bytes: int,
    hint: str = "",
    charset: str | None = None,
    rules: FileRules = DEFAULT,
) -> SegmentedSource:
    """Read a file of any format of `READERS`.

    Args:
        raw: its bytes.
        document_id: for refusals.
        max_bytes: largest size read.
        hint: its declared media type or its name.
        charset: declared outside the file; None if it is not known.
        rules: of the file's source.

    Raises:
        DocumentRefused: too_large, empty, unsupported_format, malformed, encrypted, expands_too_much, scanned,
            pictures, no_converter, undecodable, or a reason of `deid.formats.readable`.
    """
    if len(raw) > max_bytes:
        raise DocumentRefused(document_id, Reason.TOO_LARGE, f"{len(raw)} bytes, at most {max_bytes}")
    if not raw.strip():
        raise DocumentRefused(document_id, Reason.EMPTY, "no byte")
    limit = _EXPANDED * max_bytes
    read = partial(_read, document_id=document_id, hint=hint, charset=charset, rules=rules, limit=limit, known={})
    reading = read(raw)
    text, mentions = lay_out(reading.segments)
    if not (told := text.replace(DAMAGED, "").strip()) and text.strip():
        raise DocumentRefused(document_id, Reason.MALFORMED, "all of its documents are damaged")
    if not told:
        raise DocumentRefused(document_id, Reason.EMPTY, "no text")
    require_readable(text, document_id)
    return SegmentedSource(
        text,
        tuple(reading.segments),
        raw,
        read,
        recognise(raw, hint),
        mentions,
        reading.patient,
        reading.removals,
        reading.suffix,
    )


def _read(
    raw: bytes, document_id: str, hint: str, charset: str | None, rules: FileRules, limit: int, known: dict[bytes, Any]
) -> Reading:
    reading = Reading(document_id, rules, charset, _parse, recognise, len(raw), limit, known)
    return reading.conclude(_parse(raw, hint, reading))


def _parse(raw: bytes, hint: str, reading: Reading) -> Save:
    """Read a file or an embedded document by its content.

    Raises:
        DocumentRefused: see `read_file`; malformed for what the library of its format does not take.
    """
    kind = recognise(raw, hint)
    if kind == "encrypted":
        reading.refuse(Reason.ENCRYPTED)
    if kind not in READERS:
        reading.refuse(Reason.UNSUPPORTED_FORMAT, "" if kind == UNKNOWN else kind)
    try:
        return _reader(kind)(raw, reading)
    except (NocturneError, MemoryError, ImportError):
        raise
    except Exception as error:  # the kind of error only: its message may quote the file
        reading.refuse(Reason.MALFORMED, f"{kind}: {type(error).__name__}")


def _reader(kind: str) -> Callable[[bytes, Reading], Save]:
    module, _, name = READERS[kind].partition(":")
    function: Callable[[bytes, Reading], Save] = getattr(importlib.import_module(module), name)
    return function
