"""Calendars (iCalendar, RFC 5545) and cards (vCard 2.1, 3.0 and 4.0, RFC 6350): properties, changed in place.

Rules are told by the path of a property (`VEVENT/DTSTART`), by that of a component of its value (`N.1`), and by that of
a parameter (`ATTENDEE/@CN`). The folds of lines, which stand at any letter, are left out of a file that changes.
"""

from __future__ import annotations

import quopri
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import partial

from deid.formats.charsets import encode
from deid.formats.fields import Rule
from deid.formats.reading import Reading, Save
from deid.formats.source import find_encoding
from deid.formats.splicing import SplicedText

_FOLD = re.compile(r"\r?\n[ \t]")
# A line in quoted-printable, which goes on where it ends with a sign
_SOFT = re.compile(
    r"^[^:\r\n]*QUOTED-PRINTABLE[^:\r\n]*:[^\r\n]*=(?:\r?\n[^\r\n]*=)*\r?\n", re.IGNORECASE | re.MULTILINE
)
_PROPERTY = re.compile(r'(?:[\w-]{1,64}\.)?(?P<name>[A-Za-z][\w-]{0,64})(?P<told>(?:;[^":]*(?:"[^"]*"[^":]*)*)?):')
_PARAMETER = re.compile(r'(?:^|;)(?:(?P<name>[\w-]+)=)?(?P<value>[^;"]*(?:"[^"]*"[^;"]*)*)')
_VALUE, _CODE = re.compile(r'"[^"]*"|[^",]+'), re.compile(r'[^",]+')
_PART = re.compile(r"[^;\\]*(?:\\.?[^;\\]*)*")
_MOMENT = re.compile(r"[^,/]+")
_DURATION = re.compile(r"[+-]?P[\dTWDHMS]{1,12}", re.ASCII)  # it may be the other end of a period
_ESCAPE = re.compile(r"\\(.)")
_DATA = re.compile(r"data:([\w./+-]*)[^,]{0,200};base64,", re.IGNORECASE)
_ENCODED = re.compile(r";(?:ENCODING=)?(?:BASE64|B)(?=;|$)", re.IGNORECASE)
_MEDIA = re.compile(r";(?:FMT|MEDIA)?TYPE=(?:\w+/)?([\w.+-]+)", re.IGNORECASE)
_CHARSET = re.compile(r";CHARSET=([\w-]+)", re.IGNORECASE)
_PARTS = frozenset({"N", "ADR", "ORG"})  # properties whose values have components


def read_cards(raw: bytes, reading: Reading) -> Save:
    """Read a calendar or cards by the field map `vcard`."""
    file = SplicedText(raw, reading)
    file.text = _unfolded(file.text)
    cards = _Cards(file, reading)
    for line in re.finditer(r"[^\r\n]+", file.text):
        cards.read(line.start(), line[0])
    return file.save


def _unfolded(text: str) -> str:
    ends = max(text.upper().rfind("\nEND:V"), 0)
    blank = " " if "VERSION:2.1" in text[:ends] else ""  # there the blank is one of the text's
    joined = _SOFT.sub(lambda found: re.sub(r"=\r?\n", "", found[0]), text[:ends])
    return _FOLD.sub(blank, joined) + text[ends:]


class _Cards:
    """The properties of a file, for a reading."""

    def __init__(self, file: SplicedText, reading: Reading) -> None:
        self._file = file
        self._reading = reading
        self._within: list[str] = []  # open components

    def read(self, start: int, line: str) -> None:
        """Read a line: a property, or words that are none."""
        found = _PROPERTY.match(line)
        if found is None:
            self._reading.field(Rule(), line, self._file.place(start, start + len(line)))
            return
        name, told = found["name"].upper(), found["told"]
        value, at = line[found.end() :], start + found.end()
        self._enter(name, value.strip().upper())
        path = "/".join((*self._within, name))
        self._parameters(path, told, start + found.start("told"))
        if name == "RRULE":
            self._parameters(path, value, at)
        elif _ENCODED.search(told) or _DATA.match(value):
            self._data(told, value, at)
        elif name in _PARTS:
            for number, part in enumerate(_split(value), 1):
                self._text((f"{path}.{number}", path), told, value[slice(*part)], at + part[0])
        else:
            self._text((path,), told, value, at)

    def _enter(self, name: str, value: str) -> None:
        if name == "BEGIN":
            self._within.append(value)
        elif name == "END" and self._within:
            self._within.pop()

    def _parameters(self, path: str, told: str, start: int) -> None:
        """Read the values of parameters; those of vCard 2.1 without a name are types."""
        for parameter in _PARAMETER.finditer(told):
            rule = self._reading.rule("vcard", f"{path}/@{parameter['name'] or 'TYPE'}")
            for value in (_CODE if rule.kind == "code" else _VALUE).finditer(parameter["value"]):
                quoted = value[0].startswith('"')
                at = start + parameter.start("value") + value.start() + quoted
                text = value[0].strip('"')
                self._reading.field(rule, text, self._file.place(at, at + len(text), _unmarked))

    def _data(self, told: str, value: str, start: int) -> None:
        """Read a picture, a sound or a key in base64 by its content."""
        if found := _DATA.match(value):
            start, value = start + found.end(), value[found.end() :]
        media = found or _MEDIA.search(told)
        place = self._file.place(start, start + len(value))

        def put(new: bytes) -> None:
            place(b64encode(new).decode())

        if not self._reading.embed_encoded(value, "base64", media[1] if media else "", put):
            place("")

    def _text(self, paths: tuple[str, ...], told: str, value: str, start: int) -> None:
        """Read a value, or a component of one; of days, each by itself."""
        rule = self._reading.rule("vcard", *paths)
        if rule.value != "date":
            read, form = self._forms(told, value)
            self._reading.field(rule, read(value), self._file.place(start, start + len(value), form))
            return
        for one in _MOMENT.finditer(value):
            if one[0] not in rule.codes and not _DURATION.fullmatch(one[0]):
                place = self._file.place(start + one.start(), start + one.end())
                self._reading.field(rule, one[0], place)

    def _forms(self, told: str, value: str) -> tuple[Callable[[str], str], Callable[[str], str]]:
        """Return what reads a value as a person does, and what writes it."""
        if "QUOTED-PRINTABLE" not in told.upper():
            bare = "".join({",", ";"} & {*_ESCAPE.sub("", value)})
            return _unescaped, partial(_escaped, bare=bare)
        named = _CHARSET.search(told)
        encoding = (find_encoding(named[1]) if named else "") or self._file.encoding
        return partial(_unquoted, encoding=encoding), partial(_quoted, encoding=encoding)


def _split(value: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the components of a value."""
    at = 0
    while at <= len(value):
        found = _PART.match(value, at)
        end = found.end() if found else len(value)
        yield at, end
        at = end + 1


def _unescaped(value: str) -> str:
    return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


def _escaped(value: str, bare: str) -> str:
    """Return a text with its signs escaped, but for those that stood `bare` in what it replaces."""
    value = value.replace("\\", "\\\\").replace("\r", "").replace("\n", "\\n")
    return "".join(f"\\{one}" if one in ",;" and one not in bare else one for one in value)


def _unquoted(value: str, encoding: str) -> str:
    return quopri.decodestring(encode(value, encoding)).decode(encoding, "replace")


def _quoted(value: str, encoding: str) -> str:
    """Return a text in quoted-printable on one line, without signs that end a component."""
    plain = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,'()/:+-_")
    return "".join(chr(one) if one in plain else f"={one:02X}" for one in encode(value.replace("\n", "\r\n"), encoding))


def _unmarked(value: str) -> str:
    return re.sub(r'[":;,\r\n]', " ", value)
