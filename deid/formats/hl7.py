r"""HL7 v2 (ORU, MDM, ADT and others), with the separators and escapes that each message declares, changed in place.

Rules are told by place: `PID-5.1.1`, then `PID-5.1`, `PID-5` and `PID`. Where a repetition tells its type, as the fifth
component of an identifier (INS) or the seventh of a name (L, D), `PID-3[INS].1` comes before `PID-3.1`; of a result the
type of its value, `OBX-5[TX]`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deid.domain.errors import Reason
from deid.domain.labels import Label
from deid.formats.fields import Rule, is_insee_code, tells_communes
from deid.formats.reading import Reading, Save, single
from deid.formats.splicing import SplicedText

_SEGMENT = re.compile(r"[^\r\n]+")
_NAME = re.compile(r"[A-Z][A-Z0-9]{2}")
# Names of MSH-18 (HL7 table 0211) that Python does not know.
_CHARSETS = {"UNICODE": "utf-16-be", "8859/1": "iso8859-1", "8859/15": "iso8859-15", "ASCII": "ascii"}
# Between escape characters (~): a separator, highlighting, an order of layout, or bytes in hexadecimal, of which some
# hold one character together. Locally defined ones (Z) and changes of charset (C, M) are shown as they are written.
_ESCAPE = r"~(?:[FSTREPHN]|\.(?:br|sp|fi|nf|ce|in|ti|sk)[ +-]*\d*)~|(?:~X(?:[0-9A-Fa-f]{2})+~)+"
_CODE, _NO_CODE = Rule(kind="code"), Rule(kind="drop")
_COMMUNE = Rule(kind="identity", label=Label.CITY, caption="Commune")
_CODED = frozenset({"CE", "CWE", "CNE", "IS", "ID", "ST"})
_DELETED = '""'  # tells the receiver to delete its value
_MLLP = "\x0b\x1c\x1d "


@dataclass(frozen=True, slots=True)
class _Marks:
    """Separators of a message: fields, components, repetitions, escapes, subcomponents."""

    field: str
    component: str
    repetition: str
    escape: str
    part: str
    charset: str

    def unescape(self, value: str) -> str:
        """Return a value as a person reads it: what is no escape of the standard is text, its marks included."""
        if not self.escape or self.escape not in value:
            return value
        mark = re.escape(self.escape)
        return re.sub(_ESCAPE.replace("~", mark), self._read, value)

    def _read(self, found: re.Match[str]) -> str:
        code = found[0].strip(self.escape)
        if code.startswith("X"):
            raw = bytes.fromhex(re.sub("[^0-9A-Fa-f]", "", code))
            try:
                return raw.decode(self.charset)
            except UnicodeDecodeError:
                return raw.decode("latin-1")
        if code.startswith("."):
            return "\n" if code.startswith((".br", ".sp", ".fi", ".nf", ".ce")) else " "
        plain = {"F": self.field, "S": self.component, "T": self.part, "R": self.repetition, "E": self.escape}
        return plain.get(code, "#" if code == "P" else "")

    def escaped(self, value: str) -> str:
        """Return a value with its separators escaped, and its line feeds as `\\.br\\`."""
        if not self.escape:
            return re.sub(f"[{re.escape(self.field + self.component + self.repetition + self.part)}\r\n]", " ", value)
        codes = {self.escape: "E", self.field: "F", self.component: "S", self.repetition: "R", self.part: "T"}
        codes |= {"\r": ".br", "\n": ".br"}
        return "".join(f"{self.escape}{codes[one]}{self.escape}" if one in codes else one for one in value)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a message and its place in the text."""

    start: int
    text: str

    def split(self, mark: str) -> Iterator[_Piece]:
        """Yield the parts between marks."""
        start = self.start
        for text in self.text.split(mark) if mark else [self.text]:
            yield _Piece(start, text)
            start += len(text) + len(mark)


def read_hl7(raw: bytes, reading: Reading) -> Save:
    """Read one message or a batch of them, by the field map `hl7`.

    Raises:
        DocumentRefused: malformed, undecodable.
    """
    file = SplicedText(raw, reading, _declared(raw))
    marks: _Marks | None = None
    for found in _SEGMENT.finditer(file.text):
        line = _Piece(found.start(), found.group())
        name = line.text.lstrip(_MLLP)[:3]
        line = _Piece(line.start + len(line.text) - len(line.text.lstrip(_MLLP)), line.text.lstrip(_MLLP))
        if not line.text:
            continue
        if name in ("MSH", "FHS", "BHS"):
            marks = _separators(line.text, reading, file.encoding)
        if marks is None:
            reading.refuse(Reason.MALFORMED, "a segment before MSH")
        if _NAME.fullmatch(name) and line.text[3:4] in (marks.field, ""):
            _Fields(file, reading, marks, name).read(line)
        else:  # text with a bare line end
            put = file.place(line.start, line.start + len(line.text), marks.escaped)
            reading.add(marks.unescape(line.text), single(put))
    return file.save


def _declared(raw: bytes) -> str | None:
    """Return the charset of MSH-18 by a name that Python knows."""
    start = raw.find(b"MSH")
    line = re.split(rb"[\r\n]", raw[start : start + 2000])[0]
    fields = line.split(line[3:4]) if len(line) > 4 else []
    charset = re.split(rb"[~^]", fields[17])[0].decode("ascii", "replace").strip() if len(fields) > 17 else ""
    return _CHARSETS.get(charset, charset.removeprefix("UNICODE ").strip()) or None


def _separators(line: str, reading: Reading, charset: str) -> _Marks:
    field = line[3:4]
    others = line[4:].split(field)[0] if field else ""
    if not 2 <= len(others) <= 5 or len(set(field + others)) != len(others) + 1 or re.search(r"[\w\s]", field + others):
        reading.refuse(Reason.MALFORMED, "separators of the message")
    component, repetition, escape, part = (*others[:4], "", "")[:4]
    return _Marks(field, component, repetition, escape, part, charset)


class _Fields:
    """Tell a reading the fields of one segment."""

    def __init__(self, file: SplicedText, reading: Reading, marks: _Marks, name: str) -> None:
        self._file = file
        self._reading = reading
        self._marks = marks
        self._name = name

    def read(self, line: _Piece) -> None:
        """Read a segment."""
        header = self._name in ("MSH", "FHS", "BHS")
        fields = list(line.split(self._marks.field))
        kind = fields[2].text if self._name == "OBX" and len(fields) > 2 else ""
        for number, field in enumerate(fields[2:] if header else fields[1:], 3 if header else 1):
            place = f"{self._name}-{number}"
            for repetition in field.split(self._marks.repetition):
                if self._is_commune(place, repetition, fields):
                    self._commune(repetition)
                elif place == "OBX-5" and kind == "ED":
                    self._embedded(place, repetition)
                else:
                    self._repetition(place, repetition, kind if place == "OBX-5" else "")
        if kind in ("NM", "SN"):
            self._result(fields)

    def _result(self, fields: Sequence[_Piece]) -> None:
        """Show a numeric result as a line of text, "Potassium : 4.1 mmol/L (3.5-5.1)"; its fields stay."""
        told = [
            [self._marks.unescape(part.text).strip() for part in field.split(self._marks.component)]
            for field in fields[:8]
        ] + [[""]] * (8 - len(fields))
        name, unit = (next(filter(None, parts), "") for parts in ((*told[3][1:2], *told[3]), told[6]))
        value, usual = "".join(told[5]), f"({told[7][0]})" if told[7][0] else ""
        if value:
            shown = " ".join(part for part in (value, unit, usual) if part)
            self._reading.add(shown, lambda _texts: None, caption=f"{name} : " if name else "")

    def _is_commune(self, place: str, repetition: _Piece, fields: Sequence[_Piece]) -> bool:
        """Return whether a coded value is a commune: its system says so, or the name of a result with such a code."""
        code, *rest = repetition.text.split(self._marks.component)
        if not is_insee_code(code) or not self._marks.component:
            return False
        about = fields[3].text if place == "OBX-5" and fields[2].text in _CODED else ""
        systems = rest[1:2] + rest[4:5] + about.split(self._marks.component)
        return any(map(tells_communes, systems))

    def _commune(self, repetition: _Piece) -> None:
        """Empty the code of a commune, and tell its name."""
        for number, piece in enumerate(repetition.split(self._marks.component)):
            put = self._file.place(piece.start, piece.start + len(piece.text), self._marks.escaped)
            value = self._marks.unescape(piece.text)
            self._reading.field(_COMMUNE if number % 3 == 1 else _NO_CODE if number % 3 == 0 else _CODE, value, put)

    def _repetition(self, place: str, repetition: _Piece, kind: str) -> None:
        components = list(repetition.split(self._marks.component))
        if not kind:
            at = 6 if place.startswith(("PID-5", "PID-9", "NK1-2")) else 4
            kind = components[at].text if len(components) > at else ""
        for number, component in enumerate(components, 1):
            for part, piece in enumerate(component.split(self._marks.part), 1):
                if piece.text not in ("", _DELETED):
                    self._value(place, kind, (number, part), piece)

    def _value(self, place: str, kind: str, at: tuple[int, int], piece: _Piece) -> None:
        typed = f"{place}[{kind}]"
        paths = [f"{one}{part}" for part in (f".{at[0]}.{at[1]}", f".{at[0]}", "") for one in (typed, place)]
        value = self._marks.unescape(piece.text)
        put = self._file.place(piece.start, piece.start + len(piece.text), self._marks.escaped)
        self._reading.field(self._reading.rule("hl7", *paths, self._name), value, put)

    def _embedded(self, place: str, repetition: _Piece) -> None:
        """Read an embedded document: application ^ type ^ subtype ^ encoding ^ data; all else is text."""
        parts = list(repetition.split(self._marks.component))
        for number, piece in enumerate(parts, 1):
            if number == 5 and piece.text:
                self._data(piece, parts[3].text.strip().casefold(), parts[2].text)
            elif piece.text not in ("", _DELETED):
                self._value(place, "ED", (number, 1), piece)

    def _data(self, data: _Piece, encoding: str, subtype: str) -> None:
        place = self._file.place(data.start, data.start + len(data.text), str)
        text = self._marks.unescape(data.text)
        if encoding in ("base64", "hex"):
            hint = subtype if "/" in subtype else subtype.lower()

            def put_encoded(new: bytes) -> None:
                place(new.hex().upper() if encoding == "hex" else b64encode(new).decode("ascii"))

            if not self._reading.embed_encoded(text, encoding, hint, put_encoded):
                place("")
        else:
            put = self._file.place(data.start, data.start + len(data.text), self._marks.escaped)
            self._reading.add(text, single(put))
