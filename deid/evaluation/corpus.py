"""A folder of annotated documents: `*.txt` marked in line, what the hospital knows of the patients in
`*identity.jsonl`, and who works there in `*staff.jsonl`; or one `*.jsonl` of documents that people corrected."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from deid.detection.staff import Staff, read_staff
from deid.domain.document import Document, Mention, Patient
from deid.domain.errors import InputRefused
from deid.evaluation.markup import parse

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_AUTHOR = re.compile(r"[^\W\d_]*\d*(?=-)|[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """A document, and the mentions that a person marked in it. `author` is who wrote it, by its file name."""

    document: Document
    mentions: tuple[Mention, ...]
    author: str

    def without_identity(self) -> GoldDocument:
        """The same document, its patient unknown."""
        return replace(self, document=replace(self.document, patient=Patient()))


def load(folder: Path) -> list[GoldDocument]:
    """Every `*.txt` of `folder`, sorted by name; a document that no identity file knows has an unknown patient.

    A file in the place of the folder is what `python -m deid annotations export` writes.

    Raises:
        InputRefused: no document there, a file that is not UTF-8, markup or JSON that cannot be read; the
            message names file and line.
    """
    if folder.is_file():
        from deid.evaluation.corrected import read as read_corrected

        return [GoldDocument(document, mentions, "") for document, mentions in read_corrected(folder)]
    paths = sorted(folder.glob("*.txt"))
    if not paths:
        raise InputRefused(f"{folder} holds no .txt file.", "Give a folder of documents marked [[LABEL|text]].")
    known = {record["document"]: record for path in sorted(folder.glob("*identity.jsonl")) for record in _records(path)}
    return [_document(path, known.get(path.stem, {})) for path in paths]


def staff(folder: Path) -> Staff:
    """Who works in the hospital of the documents: every `*staff.jsonl` beside them; nobody where there is none.

    Raises:
        InputRefused: a file cannot be read; the message names file and line.
    """
    return Staff(one for path in sorted(folder.glob("*staff.jsonl")) for one in read_staff(path).people)


def _document(path: Path, known: Mapping[str, Any]) -> GoldDocument:
    text, mentions = parse(_decoded(path), path.name)
    day = known.get("reference_date")
    try:
        document = Document(
            id=path.stem,
            text=text,
            patient=Patient.from_json(_whole_dates(known.get("patient"))),
            reference_date=date.fromisoformat(day) if day else None,
            type=known.get("type"),
        )
    except (TypeError, ValueError):
        raise InputRefused(f"the identity of document {path.stem} has a date or field of the wrong kind.") from None
    author = _AUTHOR.match(path.stem)
    return GoldDocument(document, mentions, author.group() if author else path.stem)


def _whole_dates(patient: Mapping[str, Any] | None) -> dict[str, Any]:
    """A birth date known to the month or year only is no date: it is left unknown."""
    known = dict(patient or {})
    if not _DAY.fullmatch(known.get("birth_date") or ""):
        known.pop("birth_date", None)
    return known


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
    """Bytes decoded as they are: universal newlines would move offsets."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise InputRefused(f"{path.name}: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise InputRefused(f"{path.name}: not UTF-8 at byte {error.start}.") from None
