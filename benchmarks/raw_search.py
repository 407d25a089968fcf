"""Raw search of bytes for values, whatever encodes them: the judge of `hostile_files`, without any code of `deid`.

A value counts as found where its letters and digits follow each other once case, accents, signs and spaces are gone.
"""

from __future__ import annotations

import base64
import binascii
import html
import io
import re
import unicodedata
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress

import pypdf

_DEEPEST = 4  # views of views
_OPAQUE = 0.1  # share of control characters from which bytes are no text, whose runs are chance
_MOST = 1 << 24  # characters of a view
_CHARSETS = ("utf-8", "cp1252", "utf-16-le", "utf-16-be")
_RUN64 = re.compile(r"[A-Za-z0-9+/_-]{14,}(?:\s+[A-Za-z0-9+/_-]{4,})*={0,2}")
_RUN16 = re.compile(r"(?:[0-9A-Fa-f]{2}\s*){9,}")
_WORDS64 = re.compile(r"=\?[^?\s]+\?[bB]\?([^?\s]+)\?=")
_SIGNATURES = re.compile(rb"PK\x03\x04|\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")

# What an escape is, and the character or bytes (as characters of Latin-1) that stand for it, by syntax
_SYNTAXES: dict[str, tuple[str, Callable[[re.Match[str]], str]]] = {
    "RTF": (r"\\'([0-9a-fA-F]{2})", lambda found: chr(int(found[1], 16))),
    "RTF, code": (r"\\u(-?\d{2,6}) ?\??", lambda found: chr(int(found[1]) % 0x10000)),
    "HL7": (r"\\X([0-9a-fA-F ]+)\\?", lambda found: bytes.fromhex(_even(found[1])).decode("latin-1")),
    "HL7, bare": (r"\\[HNFSTRE]\\|\\\.\w+\\", lambda _found: ""),
    "JSON": (r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16))),
    "octal": (r"\\([0-3][0-7]{2})", lambda found: chr(int(found[1], 8))),
    "URL": (r"%([0-9a-fA-F]{2})", lambda found: chr(int(found[1], 16))),
    "quoted-printable": (r"=([0-9a-fA-F]{2})|=\r?\n", lambda found: chr(int(found[1], 16)) if found[1] else ""),
    "tags": (r"<[^<>]*>|\{\\[^{}]*\}|\\[a-z]+-?\d* ?", lambda _found: ""),
}
_COMPILED = [(re.compile(pattern), plain) for pattern, plain in _SYNTAXES.values()]


def letters_of(text: str) -> str:
    """Return the letters and digits of a text alone, in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(filter(str.isalnum, plain))


def found_in(raw: bytes, values: Collection[str]) -> set[str]:
    """Return the values that bytes hold, as they stand or in any encoding that is tried."""
    left = {value: letters_of(value) for value in values}
    found: set[str] = set()
    for text in _views(raw):
        if letters := letters_of(text):
            found |= {value for value, form in left.items() if form in letters}
            if len(found) == len(left):
                break
    return found


def _views(raw: bytes) -> Iterator[str]:
    """Yield every text that bytes may hold, nearest first; none twice."""
    pending: list[tuple[bytes, int]] = [(raw, 0)]
    seen: set[int] = set()
    while pending:
        content, depth = pending.pop(0)
        if hash(content) in seen or len(content) < 4 or len(content) > _MOST:
            continue
        seen.add(hash(content))
        inner: list[bytes] = list(_opened(content))
        controls = sum(byte < 9 or 13 < byte < 32 for byte in content.replace(b"\0", b""))
        for charset in _CHARSETS:
            text = content.decode(charset, "ignore")
            yield text
            if controls > _OPAQUE * len(content):
                continue
            inner.append(text.encode("cp1252", "ignore"))  # UTF-8 that was read as Windows-1252
            for plain in _without_escapes(text):
                yield plain
                # bytes that escapes gave one by one may be letters of UTF-8
                inner.append(plain.encode("latin-1", "ignore"))
            if charset in ("cp1252", "utf-16-le"):
                inner += _runs(text)
        if depth < _DEEPEST:
            pending += ((one, depth + 1) for one in inner)


def _without_escapes(text: str) -> Iterator[str]:
    """Yield a text without the escapes of each syntax, and without all of them one after the other."""
    everything = html.unescape(text)
    if everything != text:
        yield everything
    for pattern, plain in _COMPILED:
        if pattern.search(text):
            yield pattern.sub(plain, text)
        everything = pattern.sub(plain, everything)
    if everything != text:
        yield everything


def _runs(text: str) -> Iterator[bytes]:
    """Yield what runs of base64 and hexadecimal hold, from each place where they may begin."""
    for found in _RUN64.finditer(text):
        lines = found[0].replace("-", "+").replace("_", "/").rstrip("=").split()
        for run in {"".join(lines), *lines}:
            for shift in range(4 if len(run) < 4096 else 1):
                part = run[shift : shift + (len(run) - shift) // 4 * 4] if (len(run) - shift) % 4 == 1 else run[shift:]
                with suppress(binascii.Error):
                    yield base64.b64decode(part + "=" * (-len(part) % 4))
    for word in _WORDS64.finditer(text):
        with suppress(binascii.Error):
            yield base64.b64decode(word[1] + "=" * (-len(word[1]) % 4))
    for found in _RUN16.finditer(text):
        digits = "".join(found[0].split())
        yield from (bytes.fromhex(_even(digits[shift:])) for shift in (0, 1))


def _even(digits: str) -> str:
    plain = "".join(digits.split())
    return plain[: len(plain) // 2 * 2]


def _opened(raw: bytes) -> Iterator[bytes]:
    """Yield what archives, compressed streams and pages of PDF hold, by their signatures wherever they stand."""
    for found in _SIGNATURES.finditer(raw):
        at = found.start()
        if found[0] == b"PK\x03\x04":
            head = raw[at : at + 30]
            start = at + 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
            if int.from_bytes(head[8:10], "little") == 0:
                yield raw[start : start + int.from_bytes(head[18:22], "little")]
                continue
            window = -15
        else:
            window, start = (31, at) if found[0][:1] == b"\x1f" else (15, at)
        with suppress(zlib.error):
            yield zlib.decompressobj(window).decompress(raw[start:], _MOST)
    if b"%PDF-" in raw[:1024]:
        with suppress(Exception):  # the file of another program: what cannot be read is not seen either
            pages = pypdf.PdfReader(io.BytesIO(raw)).pages
            yield "\n".join(page.extract_text() for page in pages).encode()
