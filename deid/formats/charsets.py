"""Charset of a text: its byte order mark, else the declared one, else UTF-8, else what reads as French."""

from __future__ import annotations

import re
import unicodedata

from deid.domain.errors import DocumentRefused, Reason
from deid.formats.readable import damage
from deid.formats.source import find_encoding, marked_encoding

# Encodings of one byte a letter, most frequent first.
_SINGLE_BYTE = ("cp1252", "cp850", "mac-roman", "iso8859-15")
_ACCENTED = "[éèêëâçîïôùûœÉÈÀÇÊ]"
_FRENCH = re.compile(rf"à|(?<=[^\W\d_]){_ACCENTED}|{_ACCENTED}(?=[^\W\d_])")  # "à" alone is a word
_ODD = re.compile("[^\x00-\x7fÀ-ÿœŒŸ€’‘“”«»–—…°²³µ·•§±½¼¾×÷\u00a0]")


def decode(raw: bytes, charset: str | None, document_id: str) -> tuple[str, str, bytes]:
    """Return the text of bytes, its encoding, and its byte order mark. `charset` is declared outside the bytes.

    Raises:
        DocumentRefused: undecodable.
    """
    mark, encoding = marked_encoding(raw)
    encoding = encoding or (find_encoding(charset) if charset else "") or _guess(raw)
    try:
        text = raw[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentRefused(document_id, Reason.UNDECODABLE, f"not {encoding} at byte {error.start}") from None
    if "\0" in text:
        raise DocumentRefused(document_id, Reason.UNDECODABLE, "holds NUL: binary, or UTF-16 declared otherwise")
    return text, encoding, mark


def encode(text: str, encoding: str) -> bytes:
    """Return text in an encoding; a letter that it lacks loses its accent, and becomes "?" if that does not help."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return b"".join(_encode_one(character, encoding) for character in text)


def _encode_one(character: str, encoding: str) -> bytes:
    try:
        return character.encode(encoding)
    except UnicodeEncodeError:
        plain = "".join(one for one in unicodedata.normalize("NFKD", character) if not unicodedata.combining(one))
        return plain.encode(encoding, "replace")


def _guess(raw: bytes) -> str:
    """Return UTF-8 or UTF-16 where the bytes are so, else the encoding in which they read best as French."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if text and "\0" not in text:
        return "utf-8"
    head = raw[:4096]
    if (zeros := head.count(0)) > len(head) / 4:
        return "utf-16-le" if head[1::2].count(0) > zeros / 2 else "utf-16-be"
    return max(_SINGLE_BYTE, key=lambda encoding: _reads_as_french(raw, encoding))


def _reads_as_french(raw: bytes, encoding: str) -> float:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return -1e9
    score = len(_FRENCH.findall(text)) - 3 * len(_ODD.findall(text)) - 0.1 * _SINGLE_BYTE.index(encoding)
    return score - 1000 * (damage(text) is not None)
