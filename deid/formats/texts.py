"""Plain text and pages of HTML as files."""

from __future__ import annotations

import re

from deid.formats.charsets import decode, encode
from deid.formats.html import read_html
from deid.formats.reading import Reading, Save
from deid.formats.source import find_encoding, marked_encoding

_DECLARED = re.compile(rb"""(?:charset\s*=\s*["']?|encoding\s*=\s*["'])([\w.:-]{2,40})""", re.IGNORECASE)

# Calendars and cards fold their lines at any letter (RFC 5545, section 3.1; RFC 6350, section 3.2)
_FOLDED, _FOLD = re.compile(r"\s*BEGIN:V(?:CALENDAR|CARD)\b", re.IGNORECASE), re.compile(r"\r?\n[ \t]")


def read_text(raw: bytes, reading: Reading) -> Save:
    """Read a plain text, written back in its encoding and with its line ends; unchanged, it stays as it is."""
    text, encoding, mark = decode(raw, reading.charset, reading.document_id)
    if _FOLDED.match(text):
        ends = max(text.upper().rfind("\nEND:V"), 0)
        blank = " " if "VERSION:2.1" in text[:ends] else ""  # there the blank is one of the text's
        text = _FOLD.sub(blank, text[:ends]) + text[ends:]
    breaks = text.count("\n")
    windows = breaks > 0 and text.count("\r\n") == breaks == text.count("\r")
    written = [raw]

    def put(texts: tuple[str | None, ...]) -> None:
        new = texts[0] or ""
        written[0] = mark + encode(new.replace("\n", "\r\n") if windows else new, encoding)

    reading.add(text, put)
    return lambda: written[0]


def read_page(raw: bytes, reading: Reading) -> Save:
    """Read a page of HTML; it is written as a clean page in ASCII, whose references stand for other letters."""
    source = read_html(raw, _charset(raw, reading), reading.document_id)
    written = [b""]

    def put(page: str | bytes) -> None:
        written[0] = page if isinstance(page, bytes) else page.encode("ascii", "xmlcharrefreplace")

    reading.add_source(source, put)
    return lambda: written[0]


def _charset(raw: bytes, reading: Reading) -> str:
    if marked_encoding(raw)[0]:
        return "utf-8"  # the mark wins
    declared = _DECLARED.search(raw, 0, 2048)
    names = (reading.charset or "", declared[1].decode("ascii") if declared else "")
    for name in names:
        if name and find_encoding(name) and not find_encoding(name).startswith("utf-16"):
            return name
    return decode(raw, None, reading.document_id)[1]
