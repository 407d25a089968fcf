"""Documents as a tool's file gives them, and the checks that make them annotated documents.

A document with a fault is left out as a whole: without one of its mentions it would teach to find none there. Faults
name the document and the place in the file, and hold no text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument

FILLER = "\n"  # stands where a format leaves out the white space between two pieces of a text


class Fault(StrEnum):
    """Reason for which a document of a tool's file is left out."""

    UNREADABLE = "unreadable"  # the line or file is not of the format
    NOT_ACCEPTED = "not_accepted"  # the annotator rejected, ignored or skipped it
    UNKNOWN_DOCUMENT = "unknown_document"  # none of the documents given has that id
    OTHER_VERSION = "other_version"  # the text is not that of the document given, or not the one that was exported
    DUPLICATE = "duplicate"  # the same annotator has it twice
    UNKNOWN_LABEL = "unknown_label"
    OUTSIDE = "outside"  # a span is empty, leaves the text, or holds white space alone
    MISPLACED = "misplaced"  # the text that the file tells of a span is not at its offsets
    DISCONTINUOUS = "discontinuous"  # a span is in several parts
    OVERLAP = "overlap"  # two spans share a character
    NOTHING_MARKED = "nothing_marked"  # the annotator marked nothing in any document of the file


@dataclass(frozen=True, slots=True)
class Problem:
    """A document left out. `place` is a line or a span of the file; `shift` the characters that a span is off by."""

    document: str
    annotator: str
    fault: Fault
    place: str = ""
    shift: int | None = None


class Span(NamedTuple):
    """A span of a tool's file, before any check; `surface` is its text according to the file, if any."""

    start: int
    end: int
    label: str
    place: str
    surface: str | None = None


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A document as a tool wrote it. `digest` is the SHA-256 of its text when it was exported, if the file holds it."""

    id: str
    text: str
    spans: tuple[Span, ...] = ()
    annotator: str = ""
    type: str | None = None
    digest: str | None = None
    fault: Fault | None = None
    place: str = ""


Reader = Callable[[Path, Mapping[str, str]], Iterator[Unchecked]]  # file or folder, texts by document id
Writer = Callable[[Path, Sequence[GoldDocument]], None]


def joined_names(text: str, spans: Iterable[Span], together: Callable[[Span, Span], bool]) -> Iterator[Span]:
    """Yield the spans in their order, with those that are parts of one name joined: only white space is between.

    Args:
        text: text of the document.
        spans: spans in their order.
        together: whether two neighbours are of one name, by their labels.
    """
    waiting: Span | None = None
    for span in spans:
        between = text[waiting.end : span.start] if waiting else ""
        if waiting and between.isspace() and together(waiting, span):
            waiting = waiting._replace(end=span.end, surface=f"{waiting.surface}{between}{span.surface}")
            continue
        if waiting:
            yield waiting
        waiting = span
    if waiting:
        yield waiting


@dataclass(slots=True)
class Checked:
    """Sound documents, and those left out."""

    documents: list[GoldDocument] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def check(
    found: Iterable[Unchecked],
    originals: Mapping[str, Document] | None = None,
    labels: Mapping[str, Label | None] | None = None,
    *,
    annotator: str = "",
    accept_unmarked: bool = False,
) -> Checked:
    """Return the sound documents of a file, and the problem of each that is left out.

    Args:
        found: what a reader gave.
        originals: the documents that were given for annotation, by id; they give type, date and patient, and a text
            that differs is another version. None accepts any.
        labels: label of the file → ours, or None for a kind that is left unmarked; None takes our own names.
        annotator: name of the annotator where the file does not tell.
        accept_unmarked: take the documents of an annotator who marked nothing at all.
    """
    checked = Checked()
    table = {str(label): label for label in Label} if labels is None else labels
    seen: set[tuple[str, str]] = set()
    for one in found:
        named = replace(one, annotator=one.annotator or annotator)
        problem = _problem_of_document(named, originals, seen)
        mentions = None if problem else _mentions(named, table)
        if isinstance(mentions, tuple):
            seen.add((named.id, named.annotator))
            checked.documents.append(_gold(named, mentions, originals))
        else:
            checked.problems.append(problem or mentions or Problem(named.id, named.annotator, Fault.UNREADABLE))
    if not accept_unmarked:
        _leave_out_unmarked(checked)
    return checked


def _problem_of_document(
    one: Unchecked, originals: Mapping[str, Document] | None, seen: set[tuple[str, str]]
) -> Problem | None:
    original = None if originals is None else originals.get(one.id)
    fault = one.fault
    if fault is None and (one.id, one.annotator) in seen:
        fault = Fault.DUPLICATE
    if fault is None and originals is not None and original is None:
        fault = Fault.UNKNOWN_DOCUMENT
    if fault is None and (
        (original is not None and original.text != one.text) or one.digest not in (None, text_digest(one.text))
    ):
        fault = Fault.OTHER_VERSION
    return None if fault is None else Problem(one.id, one.annotator, fault, one.place)


def _mentions(one: Unchecked, labels: Mapping[str, Label | None]) -> tuple[Mention, ...] | Problem:
    """Return the sorted mentions of a document, without white space at their edges; or its first problem."""
    kept: list[tuple[Mention, Span]] = []
    for span in one.spans:
        problem = _problem_of_span(one, span, labels)
        if problem is not None:
            return problem
        label = labels[span.label]
        if label is not None:
            kept.append((Mention(*_trimmed(one.text, span.start, span.end), label), span))
    kept.sort(key=lambda pair: pair[0])
    for (before, _), (after, span) in pairwise(kept):
        if before.overlaps(after):
            return Problem(one.id, one.annotator, Fault.OVERLAP, span.place)
    return tuple(mention for mention, _ in kept)


def _problem_of_span(one: Unchecked, span: Span, labels: Mapping[str, Label | None]) -> Problem | None:
    shift = None
    if span.label not in labels:
        fault = Fault.UNKNOWN_LABEL
    elif not 0 <= span.start < span.end <= len(one.text):
        fault = Fault.OUTSIDE
    elif span.surface is not None and one.text[span.start : span.end] != span.surface:
        fault, shift = Fault.MISPLACED, _shift(one.text, span)
    elif not one.text[span.start : span.end].strip():
        fault = Fault.OUTSIDE
    else:
        return None
    return Problem(one.id, one.annotator, fault, span.place, shift)


def _shift(text: str, span: Span) -> int | None:
    """Return by how many characters the text of a span is off, if it is near."""
    for shift in (1, -1, 2, -2, 3, -3):
        start = span.start + shift
        if start >= 0 and span.surface and text.startswith(span.surface, start):
            return shift
    return None


def _gold(one: Unchecked, mentions: tuple[Mention, ...], originals: Mapping[str, Document] | None) -> GoldDocument:
    document = Document(one.id, one.text, type=one.type) if originals is None else originals[one.id]
    return GoldDocument(document, mentions, "", one.annotator)


def _leave_out_unmarked(checked: Checked) -> None:
    """Move the documents of annotators who marked nothing anywhere to the problems."""
    marked = {one.annotator for one in checked.documents if one.mentions}
    for one in checked.documents:
        if one.annotator not in marked:
            checked.problems.append(Problem(one.document.id, one.annotator, Fault.NOTHING_MARKED))
    checked.documents[:] = [one for one in checked.documents if one.annotator in marked]


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text, hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# Texts in pieces: lines of a document as tasks, sentences with offsets.
_TOKEN = re.compile(r"\w+|\S")


def trimmed_mentions(gold: GoldDocument) -> list[Mention]:
    """Return the mentions of a document without white space at their edges; a mention of white space is left out."""
    edges = [(*_trimmed(gold.document.text, one.start, one.end), one.label) for one in gold.mentions]
    return [Mention(start, end, label) for start, end, label in edges if start < end]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    surface = text[start:end]
    start += len(surface) - len(surface.lstrip())
    return start, start + len(surface.strip())


def text_lines(text: str, mentions: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    """Yield the lines of a text that hold more than white space, without it at their edges.

    A mention over a line break joins its lines.
    """
    start = 0
    breaks = [match.start() for match in re.finditer("\n", text)] + [len(text)]
    for end in breaks:
        if any(one.start <= end < one.end for one in mentions):
            continue
        line = text[start:end]
        if line.strip():
            yield start + len(line) - len(line.lstrip()), start + len(line.rstrip())
        start = end + 1


def line_tokens(text: str, mentions: Sequence[Mention], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the words and other characters of `[start, end)`, cut where a mention begins or ends."""
    edges = sorted({edge for one in mentions for edge in (one.start, one.end)})
    for match in _TOKEN.finditer(text, start, end):
        cuts = [match.start(), *(edge for edge in edges if match.start() < edge < match.end()), match.end()]
        yield from pairwise(cuts)


def join_pieces(pieces: Sequence[tuple[int, str]], original: str | None) -> str | None:
    """Return the text of pieces by their offsets: the original where all stand in it, else with `FILLER` between.

    None if two pieces overlap.
    """
    ordered = sorted(pieces)
    if original is not None and all(original.startswith(piece, start) for start, piece in ordered):
        return original
    text = ""
    for start, piece in ordered:
        if start < len(text):
            return None
        text += FILLER * (start - len(text)) + piece
    return text


# Files
def read_text(path: Path) -> str:
    """Return the content of a UTF-8 file, line breaks as they are.

    Raises:
        InputRefused: the file cannot be read or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputRefused(f"{path.name}: {error.strerror}.", "Give a readable file.") from None
    except UnicodeDecodeError as error:
        raise InputRefused(f"{path.name}: not UTF-8 at byte {error.start}.", "Export it again as UTF-8.") from None


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file, line breaks as they are.

    Raises:
        InputRefused: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise InputRefused(f"{path.name}: {error.strerror}.", "Give a folder that can be written.") from None
    except UnicodeEncodeError:
        raise InputRefused(f"{path.name}: a character has no form in UTF-8.", "Mend the document.") from None


def files_of(path: Path, suffix: str) -> list[Path]:
    """Return `path` itself if it is a file, else its files with that suffix in all subfolders, sorted.

    Raises:
        InputRefused: there is none.
    """
    found = [path] if path.is_file() else sorted(path.rglob(f"*{suffix}"))
    if not found:
        raise InputRefused(f"{path.name} holds no {suffix} file.", "Give the folder that the tool exported.")
    return found
