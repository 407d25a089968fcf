"""Recognition of a format by content; the declared type, or the ending of the file's name, is a hint only."""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from collections.abc import Mapping

from deid.domain import read_lists
from deid.domain.outcomes import RewrittenFile
from deid.formats.source import marked_encoding

IMAGE, UNKNOWN = "image", "unknown"

# Media type, or ending of a file's name → format.
HINTS: Mapping[str, str] = {key: name for name, keys in read_lists(__file__).items() for key in keys.split()}

_ENDINGS = {"cda": "xml", "fhir": "json", "fhir_xml": "xml"}  # of formats whose files have a wider one's ending
_MOST_TYPES = 1 << 20  # bytes of the list of types that are looked at
_HEAD = 4096  # bytes that are looked at
_IMAGES = re.compile(
    rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|BM.{4}\0\0\0\0|RIFF....WEBP|\0\0\x01\0|\xd7\xcd\xc6\x9a"
    rb"|....ftyp(?:heic|avif|mif1)",
    re.DOTALL,
)
_NO_TEXT = re.compile(rb"\x1f\x8b|BZh|\xfd7zXZ\0|7z\xbc\xaf\x27\x1c|Rar!|%!PS|MSCF|\x7fELF|MZ|ID3|OggS")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Names of the streams of an OLE file, in its directory
_STREAMS = (("EncryptedPackage", "encrypted"), ("WordDocument", "doc"), ("Workbook", "xls"), ("Book", "xls"))
_PARTS = (("word/document", "docx"), ("xl/workbook", "xlsx"))  # beginnings, for a file that declares no types
_TYPES = "[content_types].xml"
# Types of the main part of a document and of a workbook, with or without macros, templates too
_MAIN = re.compile(rb"(?:(?:wordprocessingml|ms-word)|(spreadsheetml|ms-excel))\.[\w.]+\.main\+xml", re.IGNORECASE)
_DICOM_GROUPS = (b"\x02\x00", b"\x08\x00")
_HL7 = re.compile(r"[\x0b\s]*(?:(?:FHS|BHS).{6,}\s+)*MSH(?P<bar>[^\w\s]).{4}")
_RESOURCE = re.compile(r'^[ \t]*\[?[ \t]*\{[^{}\n]{0,200}"resourceType"', re.MULTILINE)  # on a line of its own
_PROLOG = re.compile(
    r"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>\s*)*", re.DOTALL | re.IGNORECASE
)
_ROOT = re.compile(r"<(?:(?P<prefix>[\w.-]+):)?(?P<name>[A-Za-z_][\w.-]*)(?P<rest>[^>]*)>?", re.DOTALL)
_CDA = re.compile(rb"<(?:[\w.-]+:)?ClinicalDocument[\s>]")
_HTML = frozenset(
    "html body head title meta p div span table tr td ul ol li h1 h2 h3 h4 pre font b i u br a hr".split()
)
# The first line of a message in a mailbox (mbox)
MAILBOX = re.compile(rb"From \S+ [^\n]*\d\d:\d\d[^\n]*\r?\n")
_HEADER = re.compile(r"[!-9;-~]+:[ \t\r\n]")
_MAIL = re.compile(
    r"^(?:From|To|Received|Return-Path|MIME-Version|Message-ID|Delivered-To|Subject|Date|X-[\w-]+):",
    re.MULTILINE | re.I,
)


def recognise(raw: bytes, hint: str = "") -> str:
    """Return the format of bytes: a value of `HINTS`, `image`, `encrypted` (of an office) or `unknown`.

    `hint` is a media type, a file's name or a value of `HINTS`. It decides between formats of text only.
    """
    declared = hinted(hint)
    if declared == "narrative":
        return declared
    if binary := _binary(raw):
        return binary
    text = _text(raw)
    return _marked(text, raw, declared) or declared_text(text, declared)


def described(file: RewrittenFile) -> tuple[str, str]:
    """Return the media type of a rewritten file and the ending of its name."""
    written = HINTS.get(file.suffix.lstrip("."), file.format)
    names = [name for name, kind in HINTS.items() if kind == written]
    media = next((name for name in names if "/" in name), "application/octet-stream")
    ending = _ENDINGS.get(written) or next((name for name in names if "/" not in name), "bin")
    return media, file.suffix or f".{ending}"


def hinted(hint: str) -> str:
    """Return the format of a media type, a file's name or a format's name; "" if none."""
    name = hint.partition(";")[0].strip().lower()
    ending = name.rpartition("/")[2].rpartition(".")[2]
    return HINTS.get(name) or HINTS.get(ending) or (name if name in HINTS.values() else "")


def declared_text(text: str, declared: str) -> str:
    """Return the format of a text without a mark of its own."""
    if sum(map(text.count, "\0\1\2\3\4\5\6\x0e\x0f\x10\x11\x12\x13\x14\x15\x16")) > max(2, len(text) / 100):
        return UNKNOWN
    return declared if declared in ("csv", "html", "json", "jsonl", "xml") else "text"


def _binary(raw: bytes) -> str:
    if raw.startswith(_OLE):
        names = ((name.encode("utf-16-le"), kind) for name, kind in _STREAMS)
        return next((kind for name, kind in names if name + b"\0\0" in raw), UNKNOWN)
    if raw.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive(raw)
    if b"%PDF-" in raw[:1024] and b"<" not in raw[:1024].partition(b"%PDF-")[0]:
        return "pdf"
    if raw[128:132] == b"DICM" or (raw[:2] in _DICOM_GROUPS and raw[2:4] < b"\x20\0" and raw[3:4] == b"\0"):
        return "dicom"
    if _IMAGES.match(raw):
        return IMAGE
    return UNKNOWN if (_NO_TEXT.match(raw) and not raw[:2].isalnum()) or (_NO_TEXT.match(raw) and 0 in raw[:64]) else ""


def _archive(raw: bytes) -> str:
    """Return the format of an archive by the types that it declares; a broken one is a zip, whose reader says so."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = set(archive.namelist())
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:
                return HINTS.get(archive.read("mimetype").decode("ascii", "replace").strip(), UNKNOWN)
            types = next((name for name in names if name.lower() == _TYPES), None)
            main = _MAIN.search(archive.open(types).read(_MOST_TYPES)) if types else None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError, EOFError, zlib.error):
        return "zip"
    if main:
        return "xlsx" if main[1] else "docx"
    return next((kind for name, kind in _PARTS if any(one.lower().startswith(name) for one in names)), "zip")


def _text(raw: bytes) -> str:
    """Return the head of a text, read well enough to see marks of ASCII."""
    mark, encoding = marked_encoding(raw)
    if not mark and raw[:_HEAD].count(0) > len(raw[:_HEAD]) / 4:
        encoding = "utf-16-le" if raw[1:2] == b"\0" else "utf-16-be"
    return raw[len(mark) : _HEAD].decode(encoding or "latin-1", "replace")


def _marked(text: str, raw: bytes, declared: str) -> str:
    """Return the format that the first characters of a text mark."""
    start = text.lstrip("\ufeff\x0b\x0c \t\r\n")
    if start.startswith("{\\rtf"):
        return "rtf"
    if _HL7.match(text):
        return "hl7"
    if start.startswith("##fileformat=VCF"):
        return "vcf"
    if start.startswith("<"):
        return _tagged(start, declared, raw)
    if start[:1] in ("{", "["):
        return _json(raw, declared)
    if line := MAILBOX.match(raw):
        text = text[line.end() :]
    header = re.split(r"\r?\n\r?\n", text, maxsplit=1)[0]
    if (
        _HEADER.match(text)
        and len(set(_MAIL.findall(header))) >= (2 if declared != "eml" else 1)
        and declared != "text"
    ):
        return "eml"
    return ""


def _tagged(start: str, declared: str, raw: bytes) -> str:
    """Return the format of a text that begins as a tag."""
    if re.match(r"<!DOCTYPE\s+html", start, re.IGNORECASE):
        return "html"
    root = _ROOT.match(start, _PROLOG.match(start).end())  # type: ignore[union-attr]  # it matches nothing too
    if root is None:
        return "xml" if start.startswith("<?xml") else ""
    if root["name"] == "ClinicalDocument" or (root["name"] in ("stylesheet", "Signature") and _CDA.search(raw)):
        return "cda"
    if "http://hl7.org/fhir" in root["rest"]:
        return "fhir_xml"
    if root["name"].lower() == "html" or (
        root["name"].lower() in _HTML and declared != "xml" and not start.startswith("<?xml")
    ):
        return "html"
    if declared == "text" and not start.startswith("<?xml"):
        return ""
    return "html" if declared == "html" else "xml"


def _json(raw: bytes, declared: str) -> str:
    """Return the format of a text that begins as JSON; "" if it is not, and is not declared so."""
    mark, encoding = marked_encoding(raw)
    try:
        text = raw[len(mark) :].decode(encoding or "utf-8")
        value, end = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return declared if declared in ("json", "jsonl", "fhir") else ""
    rest = text.lstrip()[end:].strip()[:1]
    resources = value if isinstance(value, list) else [value]  # a directory gives several
    typed = [isinstance(one, dict) and isinstance(one.get("resourceType"), str) for one in resources]
    if rest in ("", "{") and typed and all(typed):  # one a line too
        return "fhir"
    if rest and rest in "{[" and (declared == "fhir" or _RESOURCE.search(text, end)):  # behind a header of the export
        return "fhir"
    if rest or declared == "jsonl":
        return "jsonl" if rest in ("{", "[", "") else ""
    return "json"
