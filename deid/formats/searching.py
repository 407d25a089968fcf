"""Search of a written file for what may not be in it: on its bytes, apart from the reader that wrote it.

All layers of the bytes are searched, so that what the reader skips is looked at as well as what it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache, partial
from itertools import chain

from deid.domain.errors import DocumentRefused, Reason
from deid.formats.layers import TYPEFACE, is_opaque, read_layers
from deid.formats.sought import Sought, bare_text
from deid.formats.source import INVISIBLE
from deid.french.folding import fold, spaced

_BARE = bytes(
    ord(plain) if (plain := spaced(fold(bytes([code]).decode("cp1252", "replace")))).isascii() else 32
    for code in range(256)
)
_SOFT_HYPHEN = b"\xad"
_LETTERS = re.compile(
    b"|".join(
        (
            *(bytes([lead]) + rb"[\x80-\xbf]" for lead in range(0xC3, 0xCC)),  # by letter, which is sought faster
            rb"\xcc[\x80-\xbf]|\xcd[\x80-\xaf]|\xe1[\xb8-\xbb][\x80-\xbf]",
            *(one.encode() for one in sorted(INVISIBLE)),
        )
    )
)
_LIGATURE = re.compile(rb"[\x8c\x9c\xc6\xe6](?<![\x80-\xbf].)(?=[A-Za-z])", re.DOTALL)
_OWN = re.compile(
    rb"</?([\w:.-]+)|\s((?:\w+:)?(?:xmlns|Type|ContentType)(?::\w+)?=[\"'][^\"']*)"
    rb"|\s([\w:.-]+)=[\"']|[\"']([\w:.-]+)[\"']\s*:|\b((?:application|image|text)/[\w.+-]+)"
)
# Names of elements and keys of HTML, Office, FHIR, CDA and our maps that people bear too; any other may be somebody's
_STANDARD = frozenset(
    "alone audio base basic battery billing blank both bright bundle button call cancel clear container data "
    "default degree div drug english false field fields fill filler flag form given gray group head held hidden "
    "hour indent item kern key kind lang level license line lines link list low manu normal option override part "
    "person photo pitch rank ready real rich role ruby run shade sheet sheets site slot span street style table "
    "tag target time title val value".split()
)


def require_gone(content: bytes, again: str, sought: Sought, document_id: str) -> None:
    """Refuse a written file that holds a sought value; `again` is its text as its reader gives it.

    Raises:
        DocumentRefused: substitution_failed; expands_too_much.
    """
    where = "text" if sought.found(f" {bare_text(again)} ", opaque=False) else ""
    shown = again.encode("utf-8", "replace")  # pages of PDF show words that their bytes do not spell
    for layer, kind in () if where else chain(read_layers(shown, document_id), read_layers(content, document_id)):
        opaque = is_opaque(layer)
        own = partial(_own_words, layer)
        if any(sought.found(text, opaque=opaque, own=own) or sought.spelt(text) for text in _texts(layer)):
            where = kind or "bytes"
            break
    if where:
        raise DocumentRefused(
            document_id, Reason.SUBSTITUTION_FAILED, f"the written file holds a replaced value ({where})"
        )


@lru_cache(1)
def _own_words(layer: bytes) -> frozenset[str]:
    """Return the bare words of a typeface, or of standard names of tags, attributes, keys, namespaces, media types."""
    if TYPEFACE.match(layer):
        return frozenset(word for word in _bare_bytes(layer).split() if word.isalpha())
    names = b" ".join(one[one.lastindex or 0] for one in _OWN.finditer(layer))
    return _STANDARD.intersection(_bare_bytes(names).split())


def _texts(layer: bytes) -> Iterator[str]:
    """Yield the bare texts of bytes: as Windows-1252, and where they hold other letters, as UTF-8."""
    yield _bare_bytes(layer)
    if not layer.isascii():
        try:
            yield f" {bare_text(layer.decode())} "
        except UnicodeDecodeError:  # in part, perhaps
            yield _bare_bytes(_LIGATURE.sub(_joined, _LETTERS.sub(_latin, layer)))


def _joined(letter: re.Match[bytes]) -> bytes:
    """Return the two letters of a ligature of Windows-1252."""
    return b"oe" if letter[0] in b"\x8c\x9c" else b"ae"


def _latin(letter: re.Match[bytes]) -> bytes:
    """Return a letter of UTF-8 without its accents; nothing for one by itself, or what hides between letters."""
    return _plain(letter[0])


@cache
def _plain(letter: bytes) -> bytes:
    """Return a letter of UTF-8 in ASCII where it has such a form, else as it is; nothing for what is no letter."""
    text = letter.decode()
    if not text.isalpha():
        return b" " if text in "×÷" else b""
    plain = bare_text(text)
    return plain.encode() if plain.isascii() else letter


def _bare_bytes(layer: bytes) -> str:
    return f" {b' '.join(layer.translate(_BARE, _SOFT_HYPHEN).split()).decode('ascii')} "
