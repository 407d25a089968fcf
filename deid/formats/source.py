"""The contract of a format, what every format needs (strict decoding, the characters that hide words), plain text."""

from __future__ import annotations

import codecs
import re
import unicodedata
from abc import ABC, abstractmethod
from base64 import b64decode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deid.domain.errors import DocumentRefused, Reason
from deid.formats.readable import damage, is_other_format

# [start, end) in the plain text, in code points, and what stands there instead
Replacement = tuple[int, int, str]


@dataclass(frozen=True)
class SourceText(ABC):
    """A document read from its format.

    `text` is the plain text given to detection, in Unicode NFC, with lines ended by a line feed.
    """

    text: str

    @abstractmethod
    def rewrite(self, replacements: Sequence[Replacement]) -> str | bytes:
        """Return the document in its own format, with each span of `text` replaced; bytes for a file.

        Reading the result again gives `text` with the same replacements. Exception: line breaks and tabs of the
        markup stay where they were, even inside a replaced span.

        Raises:
            ValueError: replacements are not sorted, overlap, are empty or leave the text.
        """


def check_replacements(length: int, replacements: Sequence[Replacement]) -> None:
    """Refuse replacements that are empty, unsorted, overlapping or outside a text of `length` code points.

    Raises:
        ValueError: naming the first offending offsets, never a text.
    """
    previous = 0
    for start, end, _ in replacements:
        if not previous <= start < end <= length:
            raise ValueError(f"span [{start}, {end}) is empty, unsorted, overlapping or outside 0..{length}")
        previous = end


def replaced(text: str, replacements: Iterable[Replacement]) -> str:
    """Return a text with its replacements, which are in order."""
    pieces: list[str] = []
    position = 0
    for start, end, piece in replacements:
        pieces += text[position:start], piece
        position = end
    return "".join((*pieces, text[position:]))


# Characters that hide words from a reader of text. They are listed here, so that offsets do not depend on the
# version of the Unicode data of Python.


def _characters(ranges: str) -> frozenset[str]:
    """Return the characters of hexadecimal code points and ranges, such as "AD 200B-200F"."""
    bounds = [[int(code, 16) for code in item.split("-")] for item in ranges.split()]
    return frozenset(chr(code) for bound in bounds for code in range(bound[0], bound[-1] + 1))


# Soft hyphen, zero-width characters, direction marks, tags: invisible between the letters of a name. The overrides of
# direction (U+202D, U+202E) stay: characters do not stand in the order in which they are read, and the judge says so.
INVISIBLE = _characters("AD 61C 180E 200B-200F 202A-202C 2060-206F FEFF FFF9-FFFB E0000-E007F")

# Control characters except tab, line feed and carriage return; the line and paragraph separators of Unicode
CONTROL = _characters("1-8 B-C E-1F 7F-9F 2028-2029")

# No-break spaces of French typography, before ":" and inside numbers
FIXED_SPACES = frozenset("\u00a0\u202f")

# Encodings written by French software (the codec registry of Python also holds decompressors)
_ACCEPTED = frozenset(
    {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "iso8859-15", "cp850", "cp437", "mac-roman"}
)
# Text declared as Latin-1 or ASCII is decoded as Windows-1252, as in browsers (WHATWG Encoding, section 4.2).
_READ_AS = {"iso8859-1": "cp1252", "ascii": "cp1252", "utf-8-sig": "utf-8"}
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decode_text(raw: bytes, charset: str, document_id: str) -> str:
    """Decode `raw` to Unicode NFC; a byte order mark wins over `charset`, and is removed.

    Raises:
        DocumentRefused: undecodable, or a reason of `deid.formats.readable`.
    """
    encoding = _encoding(raw, charset, document_id)
    if is_other_format(raw):
        raise DocumentRefused(document_id, Reason.NOT_TEXT, "the bytes of another format, declared as text")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        detail = f"not {encoding} at byte {error.start}: find the true charset at the source"
        raise DocumentRefused(document_id, Reason.UNDECODABLE, detail) from None
    text = unicodedata.normalize("NFC", text.removeprefix("\ufeff"))
    if "\0" in text:
        raise DocumentRefused(document_id, Reason.UNDECODABLE, "holds NUL: binary, or UTF-16 declared otherwise")
    require_readable(text, document_id)
    return text


def require_readable(text: str, document_id: str) -> None:
    """Refuse a text that cannot be read as it was written.

    Raises:
        DocumentRefused: a reason of `deid.formats.readable`.
    """
    if found := damage(text):
        raise DocumentRefused(document_id, *found)


def marked_encoding(raw: bytes) -> tuple[bytes, str]:
    """Return the byte order mark that bytes begin with and its encoding; both empty without one."""
    return next(((mark, encoding) for mark, encoding in _MARKS if raw.startswith(mark)), (b"", ""))


def find_encoding(charset: str) -> str:
    """Return the name of an accepted encoding as Python knows it, "" for another charset."""
    try:
        name = codecs.lookup(charset.strip()).name
    except (LookupError, UnicodeError, ValueError):
        return ""
    encoding = _READ_AS.get(name, name)
    return encoding if encoding in _ACCEPTED else ""


def _encoding(raw: bytes, charset: str, document_id: str) -> str:
    encoding = marked_encoding(raw)[1] or find_encoding(charset)
    if not encoding:
        detail = f"declared charset is not one of {', '.join(sorted(_ACCEPTED))}"
        raise DocumentRefused(document_id, Reason.UNDECODABLE, detail)
    return encoding


# Plain text: one kind of line end, no characters that hide words, every other character as it is

_LINE_END = re.compile("\r\n|[\r\f]")
_NORMALIZED = str.maketrans(dict.fromkeys(INVISIBLE, "") | dict.fromkeys(CONTROL, " "))


def plain_lines(text: str) -> str:
    """Return a text whose lines end with a line feed, without characters that hide words."""
    return _LINE_END.sub("\n", text).translate(_NORMALIZED)


@dataclass(frozen=True)
class PlainSource(SourceText):
    """A plain text; `windows` is True if every line of the source ended in CR LF."""

    windows: bool

    def rewrite(self, replacements: Sequence[Replacement]) -> str:
        """Return the text with its replacements; lines end as in the source if all its lines ended alike."""
        check_replacements(len(self.text), replacements)
        text = replaced(self.text, replacements)
        return text.replace("\n", "\r\n") if self.windows else text


def read_plain(raw: bytes, charset: str, document_id: str) -> PlainSource:
    """Read a plain text.

    CR LF, CR and form feed give a line feed, other control characters a space; invisible characters (soft hyphen,
    zero-width space…) are left out.

    Raises:
        DocumentRefused: undecodable.
    """
    source = decode_text(raw, charset, document_id)
    breaks = source.count("\n")
    windows = breaks > 0 and source.count("\r\n") == breaks == source.count("\r")
    return PlainSource(plain_lines(source), windows)


# ---- Bytes that a field of text holds

_LONG = 200  # characters from which a value of letters and digits only is base64
_WORD = 40  # least length of a line of base64
_HEX = re.compile(r"[0-9A-Fa-f\s]*", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{100,}={0,2}\s*", re.ASCII)


def decoded_field(value: str, encoding: str) -> bytes | None:
    """Return the bytes of a field in `base64`, with or without its padding, or in `hex`; None if it is not so."""
    data = "".join(value.split())
    try:
        if encoding == "hex":
            return bytes.fromhex(data)
        data = data.rstrip("=")
        return b64decode(data + "=" * (-len(data) % 4), validate=True)
    except ValueError:
        return None


def packed_of(value: str) -> tuple[bytes, str] | None:
    """Return the bytes of a long value, and whether it is in `base64` or `hex`; None for another value."""
    if len(value) < _LONG or _BASE64.fullmatch(value) is None:
        return None
    lines = value.split()
    encoding = "hex" if _HEX.fullmatch(value) else "base64"
    if len(value) < _WORD * len(lines) or (encoding == "base64" and sum(map(len, lines)) % 4):
        return None
    raw = decoded_field(value, encoding)
    return None if raw is None else (raw, encoding)
