"""Bytes to characters, strictly: what cannot be decoded without guessing is refused."""

from __future__ import annotations

import codecs
import re
import unicodedata

from deid.domain.errors import DocumentRefused, Reason

# Only character encodings that French software writes: Python's codec registry also holds decompressors.
_ACCEPTED = frozenset(
    {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "iso8859-15", "cp850", "cp437", "mac-roman"}
)
# What is declared as Latin-1 or ASCII is Windows-1252 in practice; browsers decode it so (WHATWG Encoding, 4.2).
_READ_AS = {"iso8859-1": "cp1252", "ascii": "cp1252", "utf-8-sig": "utf-8"}
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

# UTF-8 read as Windows-1252 or Latin-1: lead byte C2, C3 or C5 then a continuation byte; or E2 80 and one more.
_CONTINUATION = "".join({bytes([b]).decode("cp1252", "ignore") or chr(b) for b in range(0x80, 0xC0)} | {"\u0080"})
_DOUBLE_ENCODED = re.compile(
    f"[ÂÃÅ][{re.escape(_CONTINUATION)}\u0080-\u00bf]|â(?:€|\u0080)[{re.escape(_CONTINUATION)}\u0080-\u00bf]|\ufffd"
)
_NOT_ASCII_LETTER = re.compile(r"[^\W\d_\x00-\x7f]")


def decode(raw: bytes, charset: str, document_id: str) -> str:
    """The characters of `raw` in Unicode NFC, a byte order mark honoured and removed.

    Text is refused as double-encoded ("Ã©" for "é"), or as holding characters that an earlier conversion
    lost (U+FFFD), where such damage reaches one fifth of its letters outside ASCII.

    Raises:
        DocumentRefused: undecodable.
    """
    encoding = _encoding(raw, charset, document_id)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        detail = f"not {encoding} at byte {error.start}: find the true charset at the source"
        raise DocumentRefused(document_id, Reason.UNDECODABLE, detail) from None
    text = unicodedata.normalize("NFC", text.removeprefix("\ufeff"))
    if "\0" in text:
        raise DocumentRefused(document_id, Reason.UNDECODABLE, "holds NUL: binary, or UTF-16 declared otherwise")
    damaged = len(_DOUBLE_ENCODED.findall(text))
    if damaged and 5 * damaged >= len(_NOT_ASCII_LETTER.findall(text)) - damaged:
        detail = f"{damaged} characters were encoded twice or lost: convert the document again at the source"
        raise DocumentRefused(document_id, Reason.UNDECODABLE, detail)
    return text


def _encoding(raw: bytes, charset: str, document_id: str) -> str:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return encoding
    try:
        name = codecs.lookup(charset.strip()).name
    except (LookupError, UnicodeError, ValueError):
        name = ""
    encoding = _READ_AS.get(name, name)
    if encoding not in _ACCEPTED:
        detail = f"declared charset is not one of {', '.join(sorted(_ACCEPTED))}"
        raise DocumentRefused(document_id, Reason.UNDECODABLE, detail)
    return encoding
