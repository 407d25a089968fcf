"""Adjudication of double annotation: the passages on which annotators differ, decisions on them, one corpus.

A passage is the union of mentions that overlap, of any annotator, where not all gave the same. A decision is the number
of one of its options, or a list of mentions of the adjudicator's own. Training and evaluation read a document once
(`distinct_documents`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from deid.domain.document import Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument

ADJUDICATED = "adjudicated"  # the annotator of the merged corpus
_NAMED = 5  # documents that a refusal names
_AROUND = 60  # characters on each side of a passage that are shown
Place = tuple[str, int, int]  # document, start, end


@dataclass(frozen=True, slots=True)
class Option:
    """Mentions that some annotators gave a passage; empty where they marked nothing there."""

    annotators: tuple[str, ...]
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """Passage `[start, end)` of a document on which its annotators differ."""

    document: str
    start: int
    end: int
    options: tuple[Option, ...]

    @property
    def place(self) -> Place:
        """Identity of the passage in a file of decisions."""
        return self.document, self.start, self.end


@dataclass(slots=True)
class Merged:
    """Documents whose every passage is agreed or decided, and the places without a decision that can be used."""

    documents: list[GoldDocument] = field(default_factory=list)
    undecided: list[Place] = field(default_factory=list)


@dataclass(slots=True)
class Distinct:
    """Each version of a document once, in the given order, with the number of readings left out.

    `contradictory` has the ids of documents, left out as well, whose readings differ where no adjudicator decided.
    """

    documents: list[GoldDocument] = field(default_factory=list)
    repeated: int = 0
    contradictory: list[str] = field(default_factory=list)


def distinct_readings(documents: Iterable[GoldDocument]) -> Distinct:
    """Return the readings to learn from or to measure on: one for each id and text.

    Adjudicated readings prevail over those of annotators. The mentions of two readings are compared, not the confidence
    in them.
    """
    together: dict[tuple[str, str], list[GoldDocument]] = {}
    for one in documents:
        together.setdefault((one.document.id, one.document.text), []).append(one)
    found = Distinct()
    for readings in together.values():
        decided = [one for one in readings if one.annotator == ADJUDICATED] or readings
        if len({tuple(sorted((m.start, m.end, m.label) for m in one.mentions)) for one in decided}) > 1:
            found.contradictory.append(readings[0].document.id)
        else:
            found.documents.append(decided[0])
            found.repeated += len(readings) - 1
    return found


def distinct_documents(documents: Iterable[GoldDocument]) -> tuple[list[GoldDocument], int]:
    """Return `distinct_readings` and the number of readings left out.

    Raises:
        InputRefused: readings of a document contradict each other; the message names the first documents.
    """
    found = distinct_readings(documents)
    if found.contradictory:
        some = ", ".join(found.contradictory[:_NAMED])
        raise InputRefused(
            f"{len(found.contradictory)} documents are given twice with different mentions ({some}"
            f"{'…' if len(found.contradictory) > _NAMED else ''}).",
            "Give each once, or decide with `nocturne annotations adjudicate CORPUS… --out FILE`.",
        )
    return found.documents, found.repeated


def find_passages(documents: Iterable[GoldDocument]) -> list[Passage]:
    """Return the passages on which annotators differ, by document and offset.

    Raises:
        InputRefused: a document has two texts.
    """
    return [
        passage
        for readings in _by_document(documents).values()
        for passage in _passages(readings)
        if len(passage.options) > 1
    ]


def passage_record(passage: Passage, text: str) -> dict[str, Any]:
    """Return a passage as a JSON object with the text around it, `decision` to be filled in."""
    return {
        "document": passage.document,
        "start": passage.start,
        "end": passage.end,
        "before": text[max(0, passage.start - _AROUND) : passage.start],
        "text": text[passage.start : passage.end],
        "after": text[passage.end : passage.end + _AROUND],
        "options": [
            {"annotators": list(option.annotators), "mentions": [_record(one) for one in option.mentions]}
            for option in passage.options
        ],
        "decision": None,
    }


def read_decisions(lines: Iterable[str | bytes], name: str) -> list[Mapping[str, Any]]:
    """Return the objects of a file of decisions, which is called `name`.

    Raises:
        InputRefused: a line is no object; the message quotes nothing of it.
    """
    found: list[Mapping[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line) if line.strip() else None
        except ValueError:
            record = ()
        if isinstance(record, dict):
            found.append(record)
        elif record is not None:
            raise InputRefused(f"{name}, line {number}: not a JSON object.", "Mend the line.")
    return found


def merge_annotations(documents: Iterable[GoldDocument], decisions: Iterable[Mapping[str, Any]] = ()) -> Merged:
    """Return one document for each id: what all annotators agree on, and the decisions on the rest.

    A document of one annotator is taken as it is. A document with a passage that nobody decided is left out.

    Args:
        documents: one entry per document and annotator.
        decisions: objects of `passage_record` with `decision` filled in.

    Raises:
        InputRefused: a document has two texts.
    """
    decided = {(str(one.get("document")), one.get("start"), one.get("end")): one.get("decision") for one in decisions}
    merged = Merged()
    for readings in _by_document(documents).values():
        if len(readings) == 1:
            merged.documents.append(readings[0])
            continue
        kept: list[Mention] = []
        undecided = []
        for passage in _passages(readings):
            chosen = _decision(passage, decided.get(passage.place)) if len(passage.options) > 1 else None
            if len(passage.options) > 1 and chosen is None:
                undecided.append(passage.place)
            kept += chosen if chosen is not None else passage.options[0].mentions
        merged.undecided += undecided
        if not undecided:
            first = readings[0]
            merged.documents.append(GoldDocument(first.document, tuple(sorted(kept)), first.author, ADJUDICATED))
    return merged


def _by_document(documents: Iterable[GoldDocument]) -> dict[str, list[GoldDocument]]:
    together: dict[str, list[GoldDocument]] = {}
    for one in documents:
        readings = together.setdefault(one.document.id, [])
        if readings and readings[0].document.text != one.document.text:
            raise InputRefused(f"document {one.document.id} has two texts.", "Import both files with --documents.")
        readings.append(one)
    return dict(sorted(together.items()))


def _passages(readings: Sequence[GoldDocument]) -> Iterator[Passage]:
    """Yield the passages of a document, agreed ones too, which have one option."""
    start = end = 0
    for mention in sorted(mention for one in readings for mention in one.mentions):
        if end and mention.start >= end:
            yield _passage(readings, start, end)
            end = 0
        start = start if end else mention.start
        end = max(end, mention.end)
    if end:
        yield _passage(readings, start, end)


def _passage(readings: Sequence[GoldDocument], start: int, end: int) -> Passage:
    options: dict[tuple[Mention, ...], list[str]] = {}
    for one in readings:
        inside = tuple(Mention(m.start, m.end, m.label) for m in one.mentions if start <= m.start < end)
        options.setdefault(inside, []).append(one.annotator)
    ranked = sorted(options.items(), key=lambda pair: (-len(pair[1]), pair[1]))
    document = readings[0].document.id
    return Passage(document, start, end, tuple(Option(tuple(names), mentions) for mentions, names in ranked))


def _decision(passage: Passage, decision: Any) -> tuple[Mention, ...] | None:
    """Return the mentions that a decision gives a passage; None if it cannot be used."""
    if type(decision) is int:
        return passage.options[decision].mentions if 0 <= decision < len(passage.options) else None
    try:
        mentions = tuple(sorted(Mention(one["start"], one["end"], Label(one["label"])) for one in decision))
    except (TypeError, KeyError, ValueError):
        return None
    apart = all(before.end <= after.start for before, after in pairwise(mentions))
    inside = not mentions or (passage.start <= mentions[0].start and mentions[-1].end <= passage.end)
    return mentions if apart and inside else None


def _record(mention: Mention) -> dict[str, Any]:
    return {"start": mention.start, "end": mention.end, "label": str(mention.label)}
