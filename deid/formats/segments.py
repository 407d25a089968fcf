"""Segments: the paragraphs, cells and fields of a file, one line each in its plain text, and back.

A segment has runs, the parts of it that the file keeps apart, such as the words of one typeface. A surrogate stands in
the first run that its mention touches; the others lose the mention's characters.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import Any, Protocol

from deid.domain.document import PATIENT_LISTS, Mention, Patient
from deid.domain.labels import NAMES, Label
from deid.formats.source import Replacement, SourceText, check_replacements, plain_lines
from deid.french.folding import words

# Replacements of the runs of each segment that changes, by its number; offsets count in the run.
Changes = Mapping[int, Sequence[Sequence[Replacement]]]

_UNIT = "unit"  # subtype of what is an organisation only where a person's name is found in it
_WHITE = re.compile(r"[ \t\n]+")


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a file that is one line of its text, or several where it holds line feeds.

    `runs` are normalised. With a `label` the whole segment is a mention. `caption` stands before the text on its line.
    A `unit` is the name of a service: a mention as a whole where it holds a name of a person.
    """

    runs: tuple[str, ...]
    label: Label | None = None
    caption: str = ""
    unit: bool = False

    @property
    def blank(self) -> bool:
        """True if it gives no line."""
        return not any(run.strip() for run in self.runs)


class Rewriting(Protocol):
    """A file that was parsed, and can be written with changes."""

    @property
    def segments(self) -> Sequence[Segment]:
        """Segments in their order."""
        ...

    def write(self, changes: Changes) -> bytes:
        """Return the file with its changes."""
        ...


@dataclass(frozen=True)
class SegmentedSource(SourceText):
    """A file read as segments.

    Args:
        format: as `deid.formats.recognition` names it.
        mentions: those that the file's own fields tell.
        patient: what the file tells of the patient, as `Patient.from_json` reads it.
        removed: number of things by kind that the rewritten file lacks, such as images and comments.
        suffix: the ending of the rewritten file where its format is another one; else "".
        raw: bytes of the file.
        parse: reads them again, to write the file.
    """

    segments: tuple[Segment, ...]
    raw: bytes
    parse: Callable[[bytes], Rewriting]
    format: str = ""
    mentions: tuple[Mention, ...] = ()
    patient: Mapping[str, Sequence[str]] = field(default_factory=dict)
    removed: Mapping[str, int] = field(default_factory=dict)
    suffix: str = ""

    @property
    def patients(self) -> int:
        """Number of patients whom the fields tell: of their identifiers, unless all have one birth date; at least 1."""
        told = {
            name: {one.casefold() for one in self.patient.get(name, ()) if one.strip()}
            for name in ("ipp", "birth_date")
        }
        return 1 if len(told["birth_date"]) == 1 else max(1, len(told["ipp"]))

    def rewrite(self, replacements: Sequence[Replacement]) -> bytes:
        """Return the file with each span of the text replaced; see `SourceText.rewrite`."""
        check_replacements(len(self.text), replacements)
        parsed = self.parse(self.raw)
        if tuple(parsed.segments) != self.segments:
            raise ValueError("the file gives other segments when it is read again")
        return parsed.write(_divide(self.segments, replacements))

    def read_again(self, written: bytes) -> str:
        """Return the text of the rewritten file.

        Raises:
            DocumentRefused: it cannot be read.
        """
        return lay_out(self.parse(written).segments)[0]


def normalize(run: str) -> str:
    """Return a run as the plain text shows it: NFC, line feeds, no character that hides words."""
    if run.isascii() and run.isprintable():
        return run
    return unicodedata.normalize("NFC", plain_lines(run))


def normalize_runs(runs: Sequence[str]) -> tuple[str, ...]:
    """Return the runs of a segment as the plain text shows them; an accent joins the letter of the run before."""
    if len(runs) == 1:
        return (normalize(runs[0]),)
    joined = list(runs)
    for at in range(1, len(joined)):
        letters = joined[at].lstrip()
        accents = len(letters) - len(letters.lstrip("".join(filter(unicodedata.combining, set(letters[:3])))))
        if accents and letters == joined[at] and joined[at - 1]:
            joined[at - 1], joined[at] = joined[at - 1] + letters[:accents], letters[accents:]
    return tuple(map(normalize, joined))


def fold_runs(runs: Sequence[str]) -> tuple[str, ...]:
    """Return runs with each white space as one space, and none at the edges of the segment."""
    folded: list[str] = []
    space = True  # the text so far ends with a space
    for run in runs:
        piece = _WHITE.sub(" ", run)
        piece = piece[1:] if space and piece.startswith(" ") else piece
        space = piece.endswith(" ") if piece else space
        folded.append(piece)
    for at in range(len(folded) - 1, -1, -1):
        if folded[at]:
            folded[at] = folded[at].rstrip(" ")
            if folded[at]:
                break
    return tuple(folded)


def lay_out(segments: Sequence[Segment]) -> tuple[str, tuple[Mention, ...]]:
    """Return the plain text of segments, and the mentions that their labels tell."""
    lines: list[str] = []
    mentions: list[Mention] = []
    for segment, starts in _places(segments):
        lines.append(segment.caption + "".join(segment.runs))
        if segment.label is not None or segment.unit:
            whole = "".join(segment.runs)
            start = starts[0] + len(whole) - len(whole.lstrip())
            subtype = None if segment.label else _UNIT
            mentions.append(Mention(start, start + len(whole.strip()), segment.label or Label.ORG, subtype=subtype))
    return "\n".join(lines), tuple(mentions)


def _places(segments: Sequence[Segment]) -> list[tuple[Segment, list[int]]]:
    """Return the segments that give lines, each with the offset of its runs in the text."""
    found = []
    position = 0
    for segment in segments:
        if segment.blank:
            continue
        position += len(segment.caption)
        starts = []
        for run in segment.runs:
            starts.append(position)
            position += len(run)
        found.append((segment, starts))
        position += 1
    return found


def _divide(segments: Sequence[Segment], replacements: Sequence[Replacement]) -> Changes:
    """Return the replacements of each run; the surrogate goes to the first run that the mention touches."""
    changes: dict[int, list[list[Replacement]]] = {}
    numbers = (number for number, segment in enumerate(segments) if not segment.blank)
    pending = list(reversed(replacements))
    for number, (segment, starts) in zip(numbers, _places(segments), strict=True):
        for at, (run, begin) in enumerate(zip(segment.runs, starts, strict=True)):
            end = begin + len(run)
            while run and pending and pending[-1][0] < end:
                start, stop, surrogate = pending.pop()
                if stop <= begin:  # within a caption or a line break
                    continue
                parts = changes.setdefault(number, [[] for _ in segment.runs])
                parts[at].append((max(start, begin) - begin, min(stop, end) - begin, surrogate))
                if stop > end:
                    pending.append((end, stop, ""))
                    break
    return changes


def with_told(found: Sequence[Mention], told: Sequence[Mention], text: str) -> tuple[Mention, ...]:
    """Return the mentions found, and those that the file's fields tell, which win where both overlap.

    What a mention found covers beyond them stays a mention, if it holds a letter or digit. The name of a service is
    one where a person's name was found in it.
    """
    told = _without_bare_units(found, told)
    if not told:
        return tuple(found)
    kept: list[Mention] = list(told)
    told = sorted(told)
    ends = [one.end for one in told]
    for mention in found:
        start = mention.start
        for other in takewhile(mention.overlaps, islice(told, bisect_right(ends, mention.start), None)):
            if start < other.start:
                kept += _part(mention, start, other.start, text)
            start = max(start, other.end)
        if start < mention.end:
            kept += _part(mention, start, mention.end, text)
    return tuple(sorted(kept))


def _without_bare_units(found: Sequence[Mention], told: Sequence[Mention]) -> list[Mention]:
    """Return the mentions that fields tell without the services in whose names no person was found."""
    people = sorted(one for one in found if one.label in NAMES)
    ends = [one.end for one in people]
    kept = []
    for one in told:
        if one.subtype != _UNIT:
            kept.append(one)
        elif any(map(one.overlaps, people[(at := bisect_right(ends, one.start)) : at + 1])):
            kept.append(replace(one, subtype=None))
    return kept


def _part(mention: Mention, start: int, end: int, text: str) -> list[Mention]:
    shown = text[start:end]
    if not any(map(str.isalnum, shown)):
        return []
    start += len(shown) - len(shown.lstrip())
    return [replace(mention, start=start, end=start + len(shown.strip()))]


def complete(patient: Patient, fed: Mapping[str, Sequence[str]]) -> Patient:
    """Return a patient with the fields that the warehouse leaves empty and a file gives.

    A field of one value that the file gives two values, as a table of patients does, stays empty. Of several hospital
    ids of one patient (one birth date is told), the first is the IPP and the others further identifiers: a second id
    does not make another patient. Of several surnames of one patient (one birth date or one IPP is told), the first is
    the name in use, and the others are names of birth.
    """
    known: dict[str, Any] = {}
    once = {name: list({one.casefold(): one for one in values if one.strip()}.values()) for name, values in fed.items()}
    if len(once.get("ipp", ())) > 1 and len(once.get("birth_date", ())) == 1:
        first, *others = once["ipp"]
        once |= {"ipp": [first], "identifiers": [*once.get("identifiers", ()), *others]}
    if 1 in (len(once.get("birth_date", ())), len(once.get("ipp", ()))):
        in_use = (patient.last_name or next(iter(once.get("last_name", ())), "")).casefold()
        others = [one for one in once.get("last_name", ()) if one.casefold() != in_use]
        once |= {
            "last_name": [one for one in once.get("last_name", ()) if one.casefold() == in_use],
            "birth_name": [" ".join(dict.fromkeys((*once.get("birth_name", ()), *others)))],
        }
    for name, distinct in once.items():
        if getattr(patient, name) or not any(distinct):
            continue
        if name in PATIENT_LISTS:
            known[name] = distinct
        elif len(distinct) == 1:
            known[name] = distinct[0]
    try:
        told = Patient.from_json(known)
    except ValueError:  # a birth date that is none
        told = Patient.from_json({name: value for name, value in known.items() if name != "birth_date"})
    filled = {name: value for name in known if (value := getattr(told, name))}
    if told.birth_period and not patient.birth_date:
        filled["birth_period"] = told.birth_period
    filled["key"] = patient.key or _key(told)
    return replace(patient, **filled)


def contradicts(patient: Patient, fed: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a file's own fields name another patient than the warehouse does.

    That is another IPP, or another name with another birth date. The same names with the same birth date are the same
    patient, whose IPP may be that of a record merged since, or of another hospital; so is the same IPP with other
    names. What either leaves open contradicts nothing.
    """
    names, birth = _other_name(patient, fed), _other(_days(patient), fed.get("birth_date", ()))
    same = names is False and birth is False
    ipp = _other([patient.ipp or ""], fed.get("ipp", ()))
    return not same if ipp else ipp is None and bool(names and birth)


def _other(known: Sequence[str], told: Sequence[str]) -> bool | None:
    """Return whether no value is told that is known; None if there are none on a side."""
    sides = [{_bare(value) for value in values} - {""} for values in (known, told)]
    return sides[0].isdisjoint(sides[1]) if all(sides) else None


def _other_name(patient: Patient, fed: Mapping[str, Sequence[str]]) -> bool | None:
    """Return whether surname or first names are other ones, word by word; None if neither can be compared."""
    known = ((patient.last_name or "", patient.birth_name or ""), patient.first_names)
    told = ((*fed.get("last_name", ()), *fed.get("birth_name", ())), fed.get("first_names", ()))
    others = [_other(_long_words(ours), _long_words(theirs)) for ours, theirs in zip(known, told, strict=True)]
    return None if others == [None, None] else any(others)


def _long_words(names: Sequence[str]) -> list[str]:
    """Return the words of names without particles."""
    found = [word for name in names for word in words(name)]
    return [word for word in found if len(word) > 2] or found


def _days(patient: Patient) -> list[str]:
    return [patient.birth_date.isoformat()] if patient.birth_date else []


def _bare(value: str) -> str:
    """Return letters and digits of a value, without zeros before a number."""
    return "".join(words(value)).lstrip("0")


def _key(told: Patient) -> str | None:
    """Return a file's strongest identifier of a patient unknown to the warehouse: IPP, NIR, or names and birth date."""
    if strong := told.ipp or _bare(told.nir or "")[:13]:  # with or without its key
        return strong
    names = " ".join(told.names).casefold()
    return f"{names} {told.birth_date}" if told.birth_date and names else None
