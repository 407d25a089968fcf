"""Search of a written file for what may not be in it: on its bytes, apart from the reader that wrote it.

Layers are searched: the bytes, parts of ZIP archives by their own headers (whether the directory lists them or not),
gzip, zlib and ASCII85 streams, base64 and hexadecimal runs, UTF-16, and texts without the escapes of RTF, HL7, JSON,
PDF, XML, URLs and mails; layers of layers too. What the reader skips is thus looked at as well as what it reads.

Sought are names, phone numbers, e-mails, identifiers and streets: those that were replaced in the document, and those
of its patient. Dates, ages, communes and postal codes are not: a draw may return the original one, and a file refused
for that would make its release depend on the draw, which the epsilon does not count. Likewise a value that the new
text holds, as a surrogate or as it was, is not sought.
"""

from __future__ import annotations

import base64
import html
import quopri
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from functools import cache, cached_property, lru_cache, partial
from itertools import accumulate, chain
from urllib.parse import unquote_to_bytes

from ahocorasick_rs import AhoCorasick

from deid.domain.document import Document, Patient, Substitution
from deid.domain.errors import DocumentRefused, Reason
from deid.domain.labels import DIRECT, NAMES, Label
from deid.formats.fields import shown_day
from deid.formats.source import INVISIBLE
from deid.french.check_digits import nir_key
from deid.french.folding import fold, spaced

_SOUGHT = DIRECT - {Label.URL}
_OTHERS = NAMES - {Label.PATIENT}
_STRONG = 4  # letters of a name that points at a person alone
_SURE = 6  # characters from which a value is no chance among the bytes of a picture or a stream
_PHONE = 8  # digits
_STREET = 8  # characters
_NEAR = 8  # values before one that are looked at
_BESIDE = 60  # characters between two values of a person
_GLUED = 3  # letters of a name that another value of its person touches
_DIGITS = re.compile(r"(?<!\d)\d+(?: \d+)+")
_FEW_GROUPS = 3  # groups of digits that a short number is written in
_LONG_NUMBER = 10  # digits
_SPELT = re.compile(r"(?<= )\w(?: \w){5,}(?= )")
_INVISIBLE = re.compile(f"[{''.join(sorted(INVISIBLE))}]")
_RATIO, _MARGIN = 100, 1 << 20  # bytes that a file may expand to, as when it is read

# ---- What is sought


class Sought:
    """The values that a written file may not hold, by their bare form: folded words with one space between them.

    A weak form (a word of the language, a short name, a number that may be no person's) counts only beside another one
    of the same person.

    Args:
        document: with its text as it was, and its patient.
        substitution: what replaced its mentions.
        common: bare words of the language among those of `bare_words`.
    """

    def __init__(self, document: Document, substitution: Substitution, common: frozenset[str]) -> None:
        self._common = common
        self._persons: dict[str, set[str]] = {}
        self._weak: set[str] = set()
        self._kept: frozenset[str] = frozenset()
        for label, value in _known(document.patient):
            self._add(label, value, "", known=True)
        for label, value in _replaced(document, substitution):
            self._add(label, value, "" if label not in _OTHERS else _bare(value))
        kept = f" {_bare(substitution.text)} "
        self._kept = frozenset(form for form, _, _ in self._whole(kept))
        self._persons = {form: whose for form, whose in self._persons.items() if form not in self._kept}
        for made in ("_automaton", "_numbers"):
            self.__dict__.pop(made, None)

    def _add(self, label: Label, value: str, person: str, *, known: bool = False) -> None:
        for form, weak in _forms(label, value, self._common, known):
            if not weak:
                self._weak.discard(form)
            elif form not in self._persons:
                self._weak.add(form)
            self._persons.setdefault(form, set()).add(person)

    @cached_property
    def _automaton(self) -> tuple[AhoCorasick, list[str]]:
        forms = list(self._persons)
        return AhoCorasick(forms), forms

    @cached_property
    def _numbers(self) -> tuple[AhoCorasick, list[str]]:
        """Long numbers of digits alone, which count however they are grouped."""
        forms = [form for form in self._persons if form.isdigit() and len(form) >= _PHONE and form not in self._weak]
        return AhoCorasick(forms), forms

    def _matches(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield the forms that a bare text holds: as whole words or numbers, glued to one another, or in groups."""
        if not self._persons:
            return
        yield from self._whole(text, glued=True)
        yield from self._grouped(text)

    def _whole(self, text: str, *, glued: bool = False) -> Iterator[tuple[str, int, int]]:
        if not self._persons:
            return
        automaton, forms = self._automaton
        chains: dict[int, tuple[str, set[str]]] = {}
        for at, start, end in automaton.find_matches_as_indexes(text, overlapping=True):
            form, edges = forms[at], (text[start - 1], text[end])
            digits = end - start >= _PHONE and form.replace(" ", "").isdigit()
            if not any(edge.isdigit() if digits else edge != " " for edge in edges):
                yield form, start, end
            elif glued and form.isalpha() and end - start >= _GLUED:
                yield from self._glued(form, start, end, edges, chains)

    def _glued(
        self, form: str, start: int, end: int, edges: tuple[str, str], chains: dict[int, tuple[str, set[str]]]
    ) -> Iterator[tuple[str, int, int]]:
        """Yield a name that digits touch, or names of a person that touch: `chains` of names by their end."""
        before, after = edges
        whose = self._persons[form]
        named, others = chains.get(start, ("", whose))
        whose = whose & others
        if not whose or (before.isalpha() and not named):
            return
        if after.isalpha():
            chains[end] = named + form, whose
        elif named:
            yield named + form, start - len(named), end
        elif end - start >= _STREET:
            yield form, start, end

    def _grouped(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield the long numbers whose digits stand in groups: few enough that they are one number."""
        automaton, forms = self._numbers
        for run in _DIGITS.finditer(text) if forms else ():
            groups = run[0].split(" ")
            found = automaton.find_matches_as_indexes("".join(groups), overlapping=True)
            if not found:
                continue
            starts = {at: number for number, at in enumerate(accumulate(map(len, groups), initial=0))}
            for at, start, end in found:
                most = end - start + 3 >> 1 if end - start >= _LONG_NUMBER else _FEW_GROUPS
                if start in starts and end in starts and starts[end] - starts[start] <= most:
                    yield forms[at], run.start() + start, run.start() + end

    def found(self, text: str, *, opaque: bool, own: Callable[[], frozenset[str]] = frozenset) -> bool:
        """Return whether a bare text holds a sought value.

        `opaque` where it comes from bytes that are no text; `own` gives words that its format may write by itself,
        which are weak.
        """
        least = _SURE if opaque else _STRONG
        weak: list[tuple[int, int, str]] = []
        for form, start, end in self._matches(text):
            glued = form not in self._persons
            if glued and end - start >= _STREET and form not in self._kept:
                return True
            if glued:
                continue
            alone = not form.isalpha() or end - start >= _SURE or text[start - 1] == text[end] == " "
            if form not in self._weak and alone and end - start >= least and form not in own():
                return True
            weak.append((start, end, form))
        weak.sort()
        return any(
            form != other and end <= start <= end + _BESIDE and not self._persons[form].isdisjoint(self._persons[other])
            for at, (start, _, other) in enumerate(weak)
            for _, end, form in weak[max(0, at - _NEAR) : at]
        )

    def spelt(self, text: str) -> bool:
        """Return whether a bare text spells a sought value letter by letter."""
        runs = " ".join(run.replace(" ", "") for run in _SPELT.findall(text))
        strong = (form.replace(" ", "") for form in self._persons if form not in self._weak and len(form) >= _SURE)
        return bool(runs) and any(form in runs for form in strong)


def _bare(text: str) -> str:
    """Return the words of a text without case, accents and signs, one space between them."""
    shown = text if text.isascii() else _INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    return " ".join(spaced(fold(shown)).replace("œ", "oe").replace("æ", "ae").split())


def bare_words(document: Document, substitution: Substitution) -> frozenset[str]:
    """Return the bare words of names and streets that are sought, of which a caller knows the common ones."""
    values = chain(_known(document.patient), _replaced(document, substitution))
    named = (value for label, value in values if label in NAMES or label is Label.STREET)
    return frozenset(word for value in named for word in _bare(value).split() if word.isalpha())


def _replaced(document: Document, substitution: Substitution) -> Iterator[tuple[Label, str]]:
    for drawn in substitution.surrogates:
        if drawn.mention.label in _SOUGHT:
            yield drawn.mention.label, document.text[drawn.mention.start : drawn.mention.end]


def _known(patient: Patient) -> Iterator[tuple[Label, str]]:
    """Yield the values of a patient's identity that are sought."""
    numbers = (patient.ipp, patient.nda, patient.nir, *patient.identifiers)
    for label, values in (
        (Label.PATIENT, (" ".join(patient.names), *patient.names)),
        (Label.ID, numbers),
        (Label.PHONE, patient.phones),
        (Label.EMAIL, patient.emails),
        (Label.STREET, patient.addresses),
    ):
        yield from ((label, value) for value in values if value)


def _forms(label: Label, value: str, common: frozenset[str], known: bool) -> Iterator[tuple[str, bool]]:
    """Yield the bare forms of a value, and whether each is weak; `known` as the patient's, not by a mention."""
    whole = _bare(value)
    words = whole.split()
    if label in NAMES:
        usual = all(word in common or len(word) < _STRONG for word in words)
        if len(words) > 1 and len(whole) > _SURE and not usual:
            yield whole, False
        for word in words:
            if word.isalpha() and len(word) >= (_STRONG if word in common else _STRONG - 1):
                yield word, word in common or len(word) < _STRONG
    elif label is Label.STREET:
        way = whole.lstrip("0123456789 ")
        usual = all(word in common or len(word) < _STRONG for word in way.split())
        for form in {whole, way} if len(way.split()) > 1 else {whole}:
            if len(form) >= _STREET:
                yield form, usual and (form == way or len(words) < 3)
    elif label is Label.EMAIL:
        if len(whole) >= _SURE:
            yield whole, False
    elif label is Label.PHONE:
        yield from ((form, False) for form in _phones(whole) if len(form) >= _PHONE)
    elif label is Label.COORDINATES or shown_day(value.strip()) is None:  # a number like a day may be a drawn one
        compact = whole.replace(" ", "")
        if len(compact) >= _SURE and sum(map(str.isdigit, compact)) >= _STRONG:
            weak = label is Label.ID and not known  # the number of a hospital or of a device, which may stay elsewhere
            yield from ((form, weak) for form in {whole, compact, *_registered(compact)})


def _registered(number: str) -> Iterator[str]:
    """Yield the other ways to write a number: a NIR with or without its key, and without the zeros that sheets drop."""
    if re.fullmatch(r"[1-478]\d{12}(?:\d\d)?", number):
        yield number[:13]
        yield number[:13] + nir_key(number[:13])
    if number.isdigit() and len(short := number.lstrip("0")) >= _PHONE:
        yield short


def _phones(written: str) -> set[str]:
    """Return the ways to write a phone number: at home and from abroad, without the zero that sheets drop."""
    digits = "".join(filter(str.isdigit, written))
    home = re.sub(r"^(?:00)?33(?=[1-9]\d{8}$)", "0", digits)
    if len(home) != 10 or home[0] != "0":
        return {written, digits}
    return {written, digits, home, home[1:], *(f"{code}{home[1:]}" for code in ("33", "330", "0033", "00330"))}


# ---- Layers

_BARE = bytes(
    ord(plain) if (plain := spaced(fold(bytes([code]).decode("cp1252", "replace")))).isascii() else 32
    for code in range(256)
)
_SOFT_HYPHEN = b"\xad"
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
_LETTERS = re.compile(
    b"|".join(
        (
            *(bytes([lead]) + rb"[\x80-\xbf]" for lead in range(0xC3, 0xCC)),  # by letter, which is sought faster
            rb"\xcc[\x80-\xbf]|\xcd[\x80-\xaf]|\xe1[\xb8-\xbb][\x80-\xbf]",
            *(one.encode() for one in sorted(INVISIBLE)),
        )
    )
)
_WIDE = re.compile(rb"(?:[^\0]\0){4}|(?:\0[^\0]){4}")  # of UTF-16, whose Latin letters have a NUL each
_LIGATURE = re.compile(rb"[\x8c\x9c\xc6\xe6](?<![\x80-\xbf].)(?=[A-Za-z])", re.DOTALL)
# Runs of UTF-16 that may hold letters beyond Latin-1, low byte first or last
_BEYOND = (
    ("utf-16-le", re.compile(rb"(?:[^\0][\0-\x05\x1e\x20]){6,}")),
    ("utf-16-be", re.compile(rb"(?:[\0-\x05\x1e\x20][^\0]){6,}")),
)
_OWN = re.compile(
    rb"</?([\w:.-]+)|\s((?:\w+:)?(?:xmlns|Type|ContentType)(?::\w+)?=[\"'][^\"']*)"
    rb"|\s([\w:.-]+)=[\"']|[\"']([\w:.-]+)[\"']\s*:|\b((?:application|image|text)/[\w.+-]+)"
)
# Where UTF-16 begins or ends beside other bytes, as a byte order mark, which would pass for letters of its words
_WIDE_EDGE = re.compile(rb"(?<=[^\0])(?=(?:[^\0]\0){3})|(?<=\0[^\0]\0[^\0]\0[^\0])(?=[^\0])")
# Names of elements and keys of HTML, Office, FHIR, CDA and our maps that people bear too; any other may be somebody's
_STANDARD = frozenset(
    "alone audio base basic battery billing blank both bright bundle button call cancel clear container data "
    "default degree div drug english false field fields fill filler flag form given gray group head held hidden "
    "hour indent item kern key kind lang level license line lines link list low manu normal option override part "
    "person photo pitch rank ready real rich role ruby run shade sheet sheets site slot span street style table "
    "tag target time title val value".split()
)
_TYPEFACE = re.compile(rb"(?:\x00\x01\x00\x00|OTTO|true)\x00[\x01-\x40]")  # of the writer of PDF
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


def require_gone(content: bytes, again: str, sought: Sought, document_id: str) -> None:
    """Refuse a written file that holds a sought value; `again` is its text as its reader gives it.

    Raises:
        DocumentRefused: substitution_failed; expands_too_much.
    """
    where = "text" if sought.found(f" {_bare(again)} ", opaque=False) else ""
    shown = again.encode("utf-8", "replace")  # pages of PDF show words that their bytes do not spell
    for layer, kind in () if where else chain(_layers(shown, document_id), _layers(content, document_id)):
        opaque = _is_opaque(layer)
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
    if _TYPEFACE.match(layer):
        return frozenset(word for word in _bare_bytes(layer).split() if word.isalpha())
    names = b" ".join(one[one.lastindex or 0] for one in _OWN.finditer(layer))
    return _STANDARD.intersection(_bare_bytes(names).split())


def _texts(layer: bytes) -> Iterator[str]:
    """Yield the bare texts of bytes: as Windows-1252, and where they hold other letters, as UTF-8."""
    yield _bare_bytes(layer)
    if not layer.isascii():
        try:
            yield f" {_bare(layer.decode())} "
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
    plain = _bare(text)
    return plain.encode() if plain.isascii() else letter


def _bare_bytes(layer: bytes) -> str:
    return f" {b' '.join(layer.translate(_BARE, _SOFT_HYPHEN).split()).decode('ascii')} "


def _layers(content: bytes, document_id: str) -> Iterator[tuple[bytes, str]]:
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
        if _TYPEFACE.match(layer):
            continue
        opaque = _is_opaque(layer)
        inside = [(plain, "escapes", 0 if opaque else rounds - 1) for plain in _unescaped(layer) if rounds]
        if _TAG.search(layer):
            inside.append((_TAG.sub(b"", layer), "tags", rounds))
        if rounds or not opaque:
            inside += ((inner, kind, _ROUNDS) for inner, kind in chain(_unpacked(layer, left), _decoded(layer)))
        for inner, kind, after in inside:
            if len(inner) >= _STRONG and hash(inner) not in seen:
                seen.add(hash(inner))
                left -= len(inner)
                if left < 0:
                    raise DocumentRefused(document_id, Reason.EXPANDS)
                pending.append((inner, f"{way}, {kind}" if way else kind, after))


def _unescaped(layer: bytes) -> Iterator[bytes]:
    """Yield a text without the NUL of UTF-16 and escapes: those of RTF too, where it holds any."""
    yield from _wide(layer)
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
            if len(run) > _SHORT or (len(run) > _LONG and not _is_opaque(plain)):
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


def _is_opaque(layer: bytes) -> bool:
    return len(layer.translate(None, _CONTROLS)) * 100 < len(layer) * 99
