"""Reading of one file: a format's reader gets it, and reports segments, fields and embedded documents to it."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import Any, NoReturn, TypeVar

from deid.domain.errors import DocumentRefused, NocturneError, Reason
from deid.domain.labels import NAMES, Label
from deid.formats.fields import (
    FileRules,
    Rule,
    is_own_word,
    is_word_of_system,
    iso_day,
    left_of_time,
    shown_day,
    split_ending,
    split_reference,
    split_system,
    split_telecom,
    stays_as_code,
    telecom_label,
    unmasked_day,
    written_day,
)
from deid.formats.segments import Changes, Segment, fold_runs, normalize, normalize_runs
from deid.formats.source import Replacement, SourceText, decoded_field, packed_of, replaced
from deid.french.folding import fold, words

Save = Callable[[], bytes]
# Reads a file that was recognised, or an embedded one: (its bytes, hint of its type, where it is told).
Parse = Callable[[bytes, str, "Reading"], Save]
Found = TypeVar("Found")
Recognise = Callable[[bytes, str], str]

_DEPTH = 5  # documents in documents
_RATIO = 100  # most bytes that a byte of a file may expand to
_NAMES = ("last_name", "birth_name", "first_names")
_NAME = 4  # letters of a name that no code is taken for by chance
_DAY = Rule.model_validate({"label": "DATE", "as": "date"})
_EIGHT = re.compile(r"(?:\d{8}|\d{4}-\d\d-\d\d)", re.ASCII)
_MASK = re.compile(r"\[[A-Z]+\]")
_NOTHING: tuple[tuple[Replacement, ...], ...] = ((),)
_DAMAGE = frozenset({Reason.MALFORMED, Reason.UNDECODABLE})
DAMAGED = "[document joint illisible, retiré]"  # stands in the text for an embedded document that cannot be read


class _File:
    """State that the reading of a file and those of the documents in it share."""

    def __init__(self, size: int, limit: int, known: dict[bytes, Any]) -> None:
        self.known = known
        self.left = min(limit, size * _RATIO + (1 << 20))
        self.segments: list[Segment] = []
        self.puts: list[Callable[[Sequence[Sequence[Replacement]]], None]] = []
        self.saving: list[Callable[[], None]] = []
        self.changes: Changes = {}
        self.rules: dict[tuple[str, tuple[str, ...]], Rule] = {}  # files repeat their paths
        self.patient: dict[str, list[str]] = {}
        self.removed: Counter[str] = Counter()
        self.names: set[str] = set()  # words of the persons' names that its fields tell
        self.shared: dict[tuple[str, Label | None], list[Callable[[str], None]]] = {}

    def take_back(self) -> Callable[[], None]:
        """Return what forgets all that is reported from now on."""
        segments, puts, saving = len(self.segments), len(self.puts), len(self.saving)
        patient, removed = {name: list(values) for name, values in self.patient.items()}, self.removed.copy()
        shared = dict(self.shared)

        def forget() -> None:
            del self.segments[segments:], self.puts[puts:], self.saving[saving:]
            self.patient, self.removed, self.shared = patient, removed, shared

        return forget


class Reading:
    """The reading of a file, or of an embedded document. A format's reader gets one and reports its finds to it.

    Args:
        document_id: for refusals.
        rules: of the file's source.
        charset: declared outside the file; None if it is not known.
        parse: reads an embedded document.
        recognise: tells its format.
        size: bytes of the file.
        limit: most bytes that it may hold once expanded.
        known: what readings of the file found at a cost, by the hash of what they found it in.
    """

    def __init__(
        self,
        document_id: str,
        rules: FileRules,
        charset: str | None,
        parse: Parse,
        recognise: Recognise,
        size: int,
        limit: int,
        known: dict[bytes, Any] | None = None,
    ) -> None:
        self.document_id = document_id
        self.rules = rules
        self.charset = charset
        self.depth = 0
        self.suffix = ""
        self.untouched = True  # nothing was replaced or removed, so that `save` may give the bytes that were read
        self._parse = parse
        self._recognise = recognise
        self._file = _File(size, limit, {} if known is None else known)
        self._save: Save = bytes

    # ---- For the reader of a format

    def add(
        self,
        runs: str | Sequence[str],
        put: Callable[[tuple[str | None, ...]], None],
        *,
        label: Label | None = None,
        patient: str | None = None,
        caption: str = "",
        fold: bool = False,
        unit: bool = False,
    ) -> None:
        """Add a segment.

        Args:
            runs: its text as in the file.
            put: gets the new text of each run, None where it stays, if the segment changed.
            label: of a segment that is a mention as a whole.
            patient: field of `Patient` that it feeds.
            caption: words before it on its line, which the file does not hold.
            fold: white space is one space, and none at the edges, as in XML.
            unit: it is the name of a service.
        """
        written = (runs,) if isinstance(runs, str) else tuple(runs)
        shown = normalize_runs(written)
        shown = fold_runs(shown) if fold else shown

        def put_changed(changes: Sequence[Sequence[Replacement]]) -> None:
            self.untouched = False
            put(
                tuple(
                    _edges(old, new if fold else old)[0] + replaced(new, change) + _edges(old, new if fold else old)[1]
                    if change
                    else None
                    for old, new, change in zip(written, shown, changes, strict=True)
                )
            )

        self._add(Segment(shown, label, caption, unit), put_changed)
        if label in NAMES:
            self._file.names |= {word for word in words("".join(shown)) if len(word) >= _NAME}
        if patient is not None:
            self.feed(patient, "".join(shown))

    def rule(self, format: str, *paths: str) -> Rule:
        """Return the rule of a field: of the first path that has one, else the default of the format."""
        known = self._file.rules.get((format, paths))
        if known is None:
            known = self._file.rules[format, paths] = self.rules.find(format, *paths)
        return known

    def field(self, rule: Rule, value: str, put: Callable[[str], None], *, caption: str = "") -> None:
        """Add a field of one value under its rule; a field that is kept or empty gives no segment."""
        if rule.kind in ("keep", "code") and self._is_birth(value):
            rule = _DAY
        if rule.kind == "code" and value.strip():
            if stays_as_code(value.strip(), rule) and not self._names(value):
                return
            rule = rule.without_code
        if rule.kind == "keep" or not value.strip():
            if rule.patient is not None:
                self.feed(rule.patient, value)
            return
        if rule.kind == "drop":
            self.removed("field")
            self._file.saving.append(lambda: put(""))
            return
        if rule.value == "system":
            self._system(rule, value, put)
            return
        if rule.value == "time" and (left := left_of_time(value, self.rules.times)) is not None:
            if left != value:
                self.untouched = False
                self._file.saving.append(lambda: put(left))
            return
        put = put if rule.label is None and rule.value != "unit" else unmasked(put)
        caption = f"{rule.caption} : " if rule.caption else caption
        if rule.value in ("telecom", "reference"):
            self._prefixed(rule, value, put, caption)
            return
        if rule.value == "file":
            name, ending = split_ending(value)
            whole = unmasked(lambda text: put(text + ending if text else ""))
            self.add(name, single(whole), label=rule.label, patient=rule.patient, caption=caption)
            return
        if (packed := packed_of(value)) is not None:
            raw, encoding = packed
            if not self.embed(raw, "", lambda new: put(new.hex() if encoding == "hex" else b64encode(new).decode())):
                put("")
            return
        if rule.value == "date":
            value, put = self._unmasked_day(value, put)
            if not value:
                return
        day = shown_day(value) if rule.value == "date" or rule.kind == "text" else None
        if day is not None and rule.value != "date":
            rule = rule if day.count("/") < 2 else _DAY
            day = day if rule is _DAY else None
        if day is None:
            unit = rule.value == "unit"
            self.add(value, single(put), label=rule.label, patient=rule.patient, caption=caption, unit=unit)
            return
        time = rule.patient != "birth_date"
        self.add(
            day, lambda texts: put(self._dated(texts[0] or "", value, time=time)), label=rule.label, caption=caption
        )
        if rule.patient is not None:
            self.feed(rule.patient, iso_day(value))

    def _unmasked_day(self, value: str, put: Callable[[str], None]) -> tuple[str, Callable[[str], None]]:
        """Return a day without its unknown parts, which the written file lacks whether or not the day changes."""
        known = unmasked_day(value)
        if known == value:
            return value, put
        told: list[str] = []
        self.removed("field")
        self._file.saving.append(lambda: put(told[-1] if told else known))
        return known, told.append

    def _dated(self, surrogate: str, value: str, *, time: bool) -> str:
        return written_day(surrogate, value, time=time, times=self.rules.times)

    def _is_birth(self, value: str) -> bool:
        """Return whether a value is the whole day of birth that the file told before."""
        return bool(_EIGHT.fullmatch(value)) and iso_day(value) in self._file.patient.get("birth_date", ())

    def _names(self, value: str) -> bool:
        """Return whether a value is a name of the patient, or holds one of anybody, whom the file told before."""
        told = (name for field in _NAMES for name in self._file.patient.get(field, ()))
        whole = value.strip().isalpha() and fold(value.strip()) in map(fold, told)
        return whole or not self._file.names.isdisjoint(re.findall(r"[^\W\d_]+", fold(value)))

    def _prefixed(self, rule: Rule, value: str, put: Callable[[str], None], caption: str) -> None:
        """Add a number, an address or a reference, whose scheme or type before it stays."""
        prefix, rest = (split_telecom if rule.value == "telecom" else split_reference)(value)
        label, patient = rule.label, rule.patient
        if rule.value == "telecom" and label is Label.PHONE:
            label = telecom_label(prefix, rest)
            patient = patient and {Label.EMAIL: "emails", Label.PHONE: "phones"}.get(label)
        whole = unmasked(lambda text: put(prefix + text if text else ""))
        self.add(rest, single(whole), label=label, patient=patient, caption=caption)

    def _system(self, rule: Rule, value: str, put: Callable[[str], None]) -> None:
        """Add the host of a URI, once for all of its file, and what of its path is no usual word."""
        parts = split_system(value, rule)
        if not parts:
            if "://" not in value and not value.startswith("urn:") and not is_own_word(value.strip()):
                self.field(Rule(), value, put)
            return

        def put_part(text: str, at: int) -> None:
            parts[at] = text
            put("".join(parts) if parts[1] else "")

        if "".join(parts) != value:
            self.removed("field")
            self._file.saving.append(lambda: put("".join(parts) if parts[1] else ""))
        self._share(parts[1], partial(put_part, at=1), rule.label, f"{rule.caption} : ")
        for at, piece in enumerate(parts[2:], 2):
            if not is_word_of_system(piece, rule):
                self._share(piece, partial(put_part, at=at), None, f"{rule.caption} : ")

    def _share(self, value: str, put: Callable[[str], None], label: Label | None, caption: str) -> None:
        """Add a value whose first place in the file gives the text, and the surrogate of all others."""
        places = self._file.shared.setdefault((value, label), [])
        places.append(put)
        if len(places) == 1:

            def put_all(text: str) -> None:
                for place in places:
                    place(text)

            self.add(value, single(unmasked(put_all)), label=label, caption=caption)

    def add_source(self, source: SourceText, put: Callable[[str | bytes], None]) -> None:
        """Add a document read elsewhere, such as a page of HTML; `put` always gets its rewritten form."""
        self.untouched = False
        number = len(self._file.segments)
        self._add(Segment((source.text,)), lambda _changes: None)
        self._file.saving.append(lambda: put(source.rewrite(self._file.changes.get(number, _NOTHING)[0])))

    def embed(
        self, raw: bytes, hint: str, put: Callable[[bytes], None], charset: str | None = None, *, body: bool = False
    ) -> bool:
        """Read an embedded document; return whether the file keeps it. `put` gets its rewritten form when saving.

        `hint` is its media type or file name; `charset` is declared beside it. What is damaged is removed, and the text
        says so, unless it is the `body`, without which the file says nothing.

        Raises:
            DocumentRefused: a reason of the embedded document.
        """
        if not raw.strip():
            return True
        self.expand(len(raw))
        kind = self._recognise(raw, hint)
        if kind == "image":
            return self.image()
        if kind == "unknown":
            self.removed("attachment")
            return False
        if self.depth >= _DEPTH:
            self.refuse(Reason.EXPANDS, f"documents in documents, more than {_DEPTH} deep")
        inner = copy(self)
        inner.depth, inner.suffix, inner.charset, inner.untouched = self.depth + 1, "", charset, True
        forget = self._file.take_back()
        try:
            save = self._parse(raw, hint, inner)
        except DocumentRefused as refused:
            if refused.reason is Reason.UNSUPPORTED_FORMAT and not body:
                forget()
                self.removed("attachment")
                return False
            if refused.reason not in _DAMAGE:
                raise
            forget()
            return self.damaged(refused.detail, body=body)

        def put_written() -> None:
            written = save()
            if written != raw:
                self.untouched = False
                put(written)

        self._file.saving.append(put_written)
        return True

    def embed_encoded(
        self, value: str, encoding: str, hint: str, put: Callable[[bytes], None], *, body: bool = False
    ) -> bool:
        """Read a document that a field holds in `base64`, with or without its padding, or in `hex`; see `embed`."""
        raw = decoded_field(value, encoding)
        if raw is None:
            return self.damaged(encoding, body=body)
        return self.embed(raw, hint, put, body=body)

    def damaged(self, detail: str, *, body: bool = False) -> bool:
        """Count an embedded document that cannot be read, and say so in the text; return that the file loses it.

        Raises:
            DocumentRefused: malformed, where it is the file's body.
        """
        if body:
            self.refuse(Reason.MALFORMED, f"its body: {detail}")
        self.removed("damaged")
        self._add(Segment((DAMAGED,)), lambda _changes: None)
        return False

    def image(self) -> bool:
        """Return whether an embedded image stays.

        Raises:
            DocumentRefused: pictures, where the rules hold such a file back.
        """
        if self.rules.images == "refuse":
            self.refuse(Reason.PICTURES)
        if self.rules.images == "remove":
            self.removed("image")
        return self.rules.images == "keep"

    def feed(self, field: str, value: str) -> None:
        """Tell a field of the patient."""
        values = normalize(value).split() if field == "first_names" else [normalize(value).strip()]
        self._file.patient.setdefault(field, []).extend(
            iso_day(one) if field == "birth_date" else one for one in values
        )

    def removed(self, what: str) -> None:
        """Count a thing that the rewritten file lacks: image, macro, comment, attachment, metadata…"""
        self.untouched = False
        self._file.removed[what] += 1

    def becomes(self, suffix: str) -> None:
        """Say that the rewritten file is of another format, by its ending, such as ".html"."""
        self.suffix = suffix

    def expand(self, size: int) -> None:
        """Count bytes that the file expands to, before they are held.

        Raises:
            DocumentRefused: expands_too_much.
        """
        self._file.left -= size
        if self._file.left < 0:
            self.refuse(Reason.EXPANDS)

    def once(self, key: bytes, find: Callable[[], Found]) -> Found:
        """Return what `find` gives; the reading that writes the file has it from the one before, by its key."""
        if key not in self._file.known:
            self._file.known[key] = find()
        found: Found = self._file.known[key]
        return found

    def refuse(self, reason: Reason, detail: str = "") -> NoReturn:
        """Put the file in quarantine; `detail` holds none of its content.

        Raises:
            DocumentRefused: always.
        """
        raise DocumentRefused(self.document_id, reason, detail)

    # ---- For the caller of a reader

    def conclude(self, save: Save) -> Reading:
        """Keep what writes the file, once it was read."""
        self._save = save
        return self

    @property
    def segments(self) -> list[Segment]:
        """Segments in their order."""
        return self._file.segments

    @property
    def patient(self) -> dict[str, list[str]]:
        """Fields of the patient that the file gives."""
        return self._file.patient

    @property
    def removals(self) -> Counter[str]:
        """Things removed by kind."""
        return self._file.removed

    def write(self, changes: Changes) -> bytes:
        """Return the file with its changes.

        Raises:
            DocumentRefused: malformed, where the library of a format does not write what it read.
        """
        self._file.changes = changes
        try:
            for number, put in enumerate(self._file.puts):
                if number in changes:
                    put(changes[number])
            for step in self._file.saving:
                step()
            return self._save()
        except (NocturneError, MemoryError):
            raise
        except Exception as error:  # the kind of error only: its message may quote the file
            self.refuse(Reason.MALFORMED, f"it cannot be written: {type(error).__name__}")

    def _add(self, segment: Segment, put: Callable[[Sequence[Sequence[Replacement]]], None]) -> None:
        self._file.segments.append(segment)
        self._file.puts.append(put)


def single(put: Callable[[str], None]) -> Callable[[tuple[str | None, ...]], None]:
    """Return what `Reading.add` calls with the texts of one run."""
    return lambda texts: put(texts[0] or "")


def unmasked(put: Callable[[str], None]) -> Callable[[str], None]:
    """Return a setter of a typed field, which empties the field where the value is a mask: "[DATE]"."""
    return lambda text: put("" if _MASK.fullmatch(text) else text)


def _edges(old: str, new: str) -> tuple[str, str]:
    """Return the white space at the edges of a run that folding took away."""
    lead = old[: len(old) - len(old.lstrip(" \t\r\n"))]
    trail = old[len(old.rstrip(" \t\r\n")) :] if old.strip() else ""
    return "" if new[:1].isspace() else lead, "" if new[-1:].isspace() else trail
