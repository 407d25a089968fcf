"""Annotated documents: a folder of `*.txt` with inline marks, a `*.jsonl` of corrected documents, a Parquet corpus.

In a folder, `*identity.jsonl` holds the patients' identities and `*staff.jsonl` the hospital's staff.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

from deid.detection.lookup.staff import Staff, read_staff
from deid.domain.document import Document, Mention, Patient
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.evaluation.markup import parse_marked

_AUTHOR = re.compile(r"[^\W\d_]*\d*(?=-)|[^\W\d_]+")


DISTANT = "distant"  # the annotator of documents that nobody annotated (`nocturne_lab.learning.distant`)


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """Document with the mentions marked by a person.

    `author` is the writer's identifier in the file name, `annotator` the person, `DISTANT` for none, "" where the file
    does not say.
    """

    document: Document
    mentions: tuple[Mention, ...]
    author: str
    annotator: str = ""

    def without_identity(self) -> GoldDocument:
        """Return the document with an unknown patient."""
        return replace(self, document=replace(self.document, patient=Patient()))


def load_corpus(folder: Path) -> list[GoldDocument]:
    """Return every `*.txt` of `folder`, sorted by name; the patient is unknown without an identity record.

    `folder` may also be a file written by `python -m deid annotations export` or `import`, or a Parquet corpus of
    `python -m deid annotations distant` or one of its splits; `stream_corpus` reads that one document at a time.

    Raises:
        InputRefused: no document there, a file that is not UTF-8, markup or JSON that cannot be read; the
            message names file and line.
    """
    return list(stream_corpus(folder))


def stream_corpus(folder: Path) -> Iterator[GoldDocument]:
    """Yield the documents of `load_corpus`, of a file or a Parquet corpus without the whole in memory.

    Raises:
        InputRefused: see `load_corpus`.
    """
    if folder.is_file():
        yield from read_corrected(folder)
    elif next(folder.rglob("*.parquet"), None) is not None:
        from nocturne_lab.evaluation.parquet_corpus import read_parquet  # pyarrow takes a second to load

        yield from (GoldDocument(document, mentions, "", DISTANT) for document, mentions in read_parquet(folder))
    else:
        yield from _marked_documents(folder)


def _marked_documents(folder: Path) -> Iterator[GoldDocument]:
    paths = sorted(folder.glob("*.txt"))
    if not paths:
        raise InputRefused(f"{folder} holds no .txt file.", "Give a folder of documents marked [[LABEL|text]].")
    known = {record["document"]: record for path in sorted(folder.glob("*identity.jsonl")) for record in _records(path)}
    yield from (_document(path, known.get(path.stem, {})) for path in paths)


def load_staff(folder: Path) -> Staff:
    """Return the staff of every `*staff.jsonl` beside the documents; empty without such a file.

    Raises:
        InputRefused: a file cannot be read; the message names file and line.
    """
    return Staff(one for path in sorted(folder.glob("*staff.jsonl")) for one in read_staff(path).people)


def _document(path: Path, known: Mapping[str, Any]) -> GoldDocument:
    text, mentions = parse_marked(_decoded(path), path.name)
    day = known.get("reference_date")
    try:
        document = Document(
            id=path.stem,
            text=text,
            patient=Patient.from_json(known.get("patient")),
            reference_date=date.fromisoformat(day) if day else None,
            type=known.get("type"),
        )
    except (TypeError, ValueError):
        raise InputRefused(f"the identity of document {path.stem} has a date or field of the wrong kind.") from None
    author = _AUTHOR.match(path.stem)
    return GoldDocument(document, mentions, author.group() if author else path.stem)


def _records(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_decoded(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            record = None
        if not isinstance(record, dict) or not isinstance(record.get("document"), str):
            raise InputRefused(f'{path.name}, line {number}: not a JSON object with a "document".')
        yield record


def _decoded(path: Path) -> str:
    """Decode UTF-8 without universal newlines, which would change offsets."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise InputRefused(f"{path.name}: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise InputRefused(f"{path.name}: not UTF-8 at byte {error.start}.") from None


def load_indirect(overlay: Path, corpus: Path) -> dict[str, list[GoldDocument]]:
    """Return the documents of `overlay` with its mentions of optional labels beside those of `corpus`, by part.

    A line of the overlay names a document of the corpus, the SHA-256 of its text, a part and the mentions: the corpus
    itself stays as the taggers were trained on it.

    Raises:
        InputRefused: the overlay or a document cannot be read, a text is another than the one annotated, or a mention
            overlaps another or leaves the text; the message names the document and quotes nothing.
    """
    parts: dict[str, list[GoldDocument]] = {}
    for record in _records(overlay):
        name = record["document"]
        gold = _document(corpus / f"{name}.txt", {})
        if hashlib.sha256(gold.document.text.encode()).hexdigest() != record.get("sha256"):
            raise InputRefused(f"{overlay.name}: {name} is another text than the one annotated.", "Annotate it again.")
        try:
            added = [Mention(one["start"], one["end"], Label(one["label"])) for one in record["mentions"]]
            mentions = tuple(sorted([*gold.mentions, *added]))
            part = str(record["part"])
        except (KeyError, TypeError, ValueError):
            raise InputRefused(f"{overlay.name}: the mentions of {name} cannot be read.") from None
        if any(one.overlaps(two) for one, two in pairwise(mentions)) or (
            mentions[-1:] and mentions[-1].end > len(gold.document.text)
        ):
            raise InputRefused(f"{overlay.name}: mentions of {name} overlap or leave the text.")
        parts.setdefault(part, []).append(replace(gold, mentions=mentions))
    return parts


# Corrected documents
def read_corrected(path: Path) -> Iterator[GoldDocument]:
    """Yield each document of a file of `python -m deid annotations export` or `import`, with its sorted mentions.

    Raises:
        InputRefused: the file cannot be read, a line is no such object, or its mentions overlap or leave the text; the
            message names file and line, and quotes nothing.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputRefused(f"{path.name}: {error.strerror}.", "Give a readable file.") from None
    if not any(line.strip() for line in lines):
        raise InputRefused(f"{path.name} holds no document.", "Export annotations once a review is closed.")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _corrected_document(json.loads(line.decode("utf-8")))
        except (UnicodeDecodeError, ValueError, TypeError, KeyError, AttributeError):
            raise InputRefused(
                f"{path.name}, line {number}: not a document with a text and sound mentions.",
                "Export it again with `python -m deid annotations export`.",
            ) from None


def gold_record(gold: GoldDocument) -> dict[str, Any]:
    """Return a document as a line of such a file: `read_corrected` gives it back, without the votes of its mentions."""
    document = gold.document
    return {
        "id": document.id,
        "text": document.text,
        "type": document.type,
        "reference_date": document.reference_date and document.reference_date.isoformat(),
        "patient": document.patient.as_json(),
        "annotator": gold.annotator,
        "mentions": [
            {"start": one.start, "end": one.end, "label": str(one.label)}
            | ({"score": round(one.score, 4)} if one.score < 1 else {})
            for one in gold.mentions
        ],
    }


def _mention(record: dict[str, Any]) -> Mention:
    score = float(record.get("score", 1.0))
    if not 0 <= score <= 1:
        raise ValueError("score")
    return Mention(record["start"], record["end"], Label(record["label"]), score)


def _corrected_document(record: dict[str, Any]) -> GoldDocument:
    text, day = record["text"], record.get("reference_date")
    if not isinstance(text, str):
        raise TypeError("text")
    mentions = tuple(sorted(map(_mention, record["mentions"])))
    overlapping = any(before.overlaps(after) for before, after in pairwise(mentions))
    if overlapping or (mentions and mentions[-1].end > len(text)):
        raise ValueError("mentions")
    document = Document(
        id=str(record["id"]),
        text=text,
        patient=Patient.from_json(record.get("patient")),
        reference_date=date.fromisoformat(day) if day else None,
        type=record.get("type"),
    )
    return GoldDocument(document, mentions, str(record.get("author", "")), str(record.get("annotator") or ""))
