"""Layers of bytes: what they hold packed, encoded or escaped, and layers of layers, whatever their format says.

They are the bytes, parts of ZIP archives by their own headers (whether the directory lists them or not), gzip, zlib and
ASCII85 streams, base64 and hexadecimal runs, UTF-16, and texts without the escapes of RTF, HL7, JSON, PDF, XML, URLs
and mails.
"""

from __future__ import annotations

import base64
import html
import quopri
import re
import zlib
from collections.abc import Iterator
from itertools import chain
from urllib.parse import unquote_to_bytes

from deid.domain.errors import DocumentRefused, Reason

_RATIO, _MARGIN = 100, 1 << 20  # bytes that a file may expand to, as when it is read
_SHORTEST = 4  # bytes of a layer that can hold a name
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\v\f\r\x1b\x1c\x1d\x1e")
_PART = b"PK\x03\x04"
_PACKED = re.compile(rb"PK\x03\x04|\x1f\x8b\x08|x[\x01\x5e\x9c\xda]")
_BITS = {_PART: -zlib.MAX_WBITS, b"\x1f\x8b\x08": 16 + zlib.MAX_WBITS}
_PACKING = {-zlib.MAX_WBITS: "zip", 16 + zlib.MAX_WBITS: "gzip", zlib.MAX_WBITS: "zlib"}
_ASCII85 = re.compile(rb"stream\r?\n([!-uz\s]{8,}?)~>")
_BASE64 = re.compile(
    rb"[A-Za-z0-9+/_-]{12,}(?:\s{1,4}[A-Za-z0-9+/_-]{16,})*(?:\s{1,4}[A-Za-z0-9+/_-]{1,15}(?==))?=*"
    rb"|[A-Za-z0-9+/_-]{6,11}={1,2}"
)
_ENCODED_WORD = re.compile(rb"=\?[\w.-]{1,40}\?[bB]\?([A-Za-z0-9+/]{4,}=*)\?=")
_HEX = re.compile(rb"[0-9A-Fa-f]{12,}(?:\s{1,4}[0-9A-Fa-f]{2,})*")
_HEX_PAIRS = re.compile(rb"(?:(?:0x)?[0-9A-Fa-f]{2}[ ,:;-]{1,2}){5,}(?:0x)?[0-9A-Fa-f]{2}(?![0-9A-Fa-f])")
_PAIR = re.compile(rb"[0-9A-Fa-f]{2}")
_QUOTED = re.compile(rb"=(?:[0-9A-Fa-f]{2}|\r?\n)")
_PERCENT = re.compile(rb"%[0-9A-Fa-f]{2}")
_WIDE = re.compile(rb"(?:[^\0]\0){4}|(?:\0[^\0]){4}")  # of UTF-16, whose Latin letters have a NUL each
# Runs of UTF-16 that may hold letters beyond Latin-1, low byte first or last
_BEYOND = (
    ("utf-16-le", re.compile(rb"(?:[^\0][\0-\x05\x1e\x20]){6,}")),
    ("utf-16-be", re.compile(rb"(?:[\0-\x05\x1e\x20][^\0]){6,}")),
)
# Where UTF-16 begins or ends beside other bytes, as a byte order mark, which would pass for letters of its words
_WIDE_EDGE = re.compile(rb"(?<=[^\0])(?=(?:[^\0]\0){3})|(?<=\0[^\0]\0[^\0]\0[^\0])(?=[^\0])")
TYPEFACE = re.compile(rb"(?:\x00\x01\x00\x00|OTTO|true)\x00[\x01-\x40]")  # of the writer of PDF
_TAG = re.compile(rb"<[^<>]{1,2000}>")
_ROUNDS = 3  # escapes of escapes
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_LONG, _SHORT = 64, 4096  # characters: of a run that is a text by itself, or that may be glued to what is before it


def _character(code: int) -> bytes:
    return chr(code).encode("utf-8", "replace") if code < 0x110000 else b" "


def _reference(found: re.Match[bytes]) -> bytes:
    return html.unescape(found[0].decode("ascii")).encode("utf-8", "replace")


def _backslash(found: re.Match[bytes]) -> bytes:
    if found[1]:
        return _character(int(found[1], 16))
    return bytes([int(found[2], 8)]) if found[2] else b" " if found[3] in b"nrtbf" else found[3]


def _rtf(found: re.Match[bytes]) -> bytes:
    if found[1]:
        return bytes.fromhex(found[1].decode("ascii")).decode("cp1252", "replace").encode()
    return _character(int(found[2]) % 0x10000) if found[2] else b""


def _hl7(found: re.Match[bytes]) -> bytes:
    return bytes.fromhex(found[2].decode("ascii"))


# What an escape is, and what stands for it: of RTF; of JSON and PDF; of HL7; of XML
_RTF_MARK = re.compile(rb"\{\\rtf|\\'[0-9A-Fa-f]{2}")
_RTF = re.compile(rb"\\'([0-9A-Fa-f]{2})|\\u(-?\d{1,5}) ?\??|\\[a-z]{1,32}-?\d* ?|\\\*|[{}\r\n]")
_BACKSLASH = re.compile(rb"\\(?:u([0-9A-Fa-f]{4})|([0-3][0-7]{2})|([^A-Z.]))")
_ESCAPES = (
    (re.compile(rb"([^\w\s])X((?:[0-9A-Fa-f]{2})+)\1"), _hl7),
    (re.compile(rb"&#?[0-9A-Za-z]{2,31};"), _reference),
)


def read_layers(content: bytes, document_id: str) -> Iterator[tuple[bytes, str]]:
    """Yield the bytes of a file and what they hold, each with the way to it.

    Raises:
        DocumentRefused: expands_too_much.
    """
    left = len(content) * _RATIO + _MARGIN
    pending = [(content, "", _ROUNDS)]
    seen = {hash(content)}
    while pending:
        layer, way, rounds = pending.pop()
        yield layer, way
        if TYPEFACE.match(layer):
            continue
        opaque = is_opaque(layer)
        inside = [(plain, "escapes", 0 if opaque else rounds - 1) for plain in _unescaped(layer) if rounds]
        if _TAG.search(layer):
            inside.append((_TAG.sub(b"", layer), "tags", rounds))
        if rounds or not opaque:
            inside += ((inner, kind, _ROUNDS) for inner, kind in chain(_unpacked(layer, left), _decoded(layer)))
        for inner, kind, after in inside:
            if len(inner) >= _SHORTEST and hash(inner) not in seen:
                seen.add(hash(inner))
                left -= len(inner)
                if left < 0:
                    raise DocumentRefused(document_id, Reason.EXPANDS)
                pending.append((inner, f"{way}, {kind}" if way else kind, after))


def _unescaped(layer: bytes) -> Iterator[bytes]:
    """Yield a text without the NUL of UTF-16 and escapes: those of RTF too, where it holds any."""
    yield from _wide(layer)
    if layer[128:132] == b"DICM":
        yield from _joined_values(layer)
    if _WIDE.search(layer):
        layer = _WIDE_EDGE.sub(b" ", layer).replace(b"\0", b"")
    if _RTF_MARK.search(layer):
        yield _RTF.sub(_rtf, layer)
    if b"\\" in layer:
        layer = _BACKSLASH.sub(_backslash, layer)
    for escape, plain in _ESCAPES:
        layer = escape.sub(plain, layer)
    if _QUOTED.search(layer):
        layer = quopri.decodestring(layer)
    yield unquote_to_bytes(layer) if _PERCENT.search(layer) else layer


def _joined_values(layer: bytes) -> Iterator[bytes]:
    """Yield a file of DICOM with each value of its attributes joined to the next one, then to the one before."""
    values = layer.split(b"\\")
    for odd in (0, 1):
        yield b"".join(value + b" " * (at % 2 == odd) for at, value in enumerate(values))


def _wide(layer: bytes) -> Iterator[bytes]:
    """Yield in UTF-8 the runs of UTF-16 with letters beyond Latin-1, which have no NUL beside them."""
    for codec, runs in _BEYOND:
        text = "\n".join(run[0].decode(codec, "replace") for run in runs.finditer(layer))
        if any(letter > "\xff" for letter in text):
            yield text.encode("utf-8", "replace")


def _unpacked(layer: bytes, most: int) -> Iterator[tuple[bytes, str]]:
    parts = 0
    for found in _PACKED.finditer(layer):
        start, bits = found.start(), _BITS.get(found[0], zlib.MAX_WBITS)
        if found[0] == _PART:
            parts += 1
            head = layer[start : start + 30]
            start += 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
            if head[8:10] == b"\0\0":  # stored
                yield layer[start : start + int.from_bytes(head[18:22], "little")], f"zip {parts}"
                continue
        try:
            yield (
                zlib.decompressobj(bits).decompress(memoryview(layer)[start:], most + 1),
                _PACKING[bits] + (f" {parts}" if found[0] == _PART else ""),
            )
        except zlib.error:
            continue
    for found in _ASCII85.finditer(layer):
        try:
            yield base64.a85decode(found[1]), "ASCII85"
        except ValueError:
            continue


def _decoded(layer: bytes) -> Iterator[tuple[bytes, str]]:
    """Yield what runs hold: long ones each, the others together, from each place where they may begin."""
    for runs, unit, decode, kind in ((_BASE64, 4, _from_base64, "base64"), (_HEX, 2, _from_hex, "hexadecimal")):
        short: list[bytes] = []
        for found in runs.finditer(layer):
            lines = found[0].split()
            run = b"".join(lines)
            plain = decode(run)
            if len({*map(len, lines[:-1])}) > 1 or len(lines[-1]) > len(lines[0]):  # several runs
                short += map(decode, lines)
            if len(run) > _SHORT or (len(run) > _LONG and not is_opaque(plain)):
                yield plain, kind
            else:
                short += plain, *(decode(run[shift:]) for shift in range(1, unit))
        yield b"\n".join(short), kind
    pairs = (b"".join(_PAIR.findall(found[0].replace(b"0x", b""))) for found in _HEX_PAIRS.finditer(layer))
    yield b"\n".join(map(_from_hex, pairs)), "hexadecimal"
    for found in _ENCODED_WORD.finditer(layer):
        yield _from_base64(found[1]), "base64"


def _from_base64(run: bytes) -> bytes:
    data = run.rstrip(b"=").translate(_URL_SAFE)
    data = data[:-1] if len(data) % 4 == 1 else data
    return base64.b64decode(data + b"=" * (-len(data) % 4))


def _from_hex(run: bytes) -> bytes:
    return bytes.fromhex(run[: len(run) // 2 * 2].decode("ascii"))


def is_opaque(layer: bytes) -> bool:
    return len(layer.translate(None, _CONTROLS)) * 100 < len(layer) * 99
