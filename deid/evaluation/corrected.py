"""Documents that people corrected, one JSON object a line: what `python -m deid annotations export` writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

from deid.domain.document import Document, Mention, Patient
from deid.domain.errors import InputRefused
from deid.domain.labels import Label


def read(path: Path) -> Iterator[tuple[Document, tuple[Mention, ...]]]:
    """Each document of a file, and its mentions in order.

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
            yield _document(json.loads(line.decode("utf-8")))
        except (UnicodeDecodeError, ValueError, TypeError, KeyError, AttributeError):
            raise InputRefused(
                f"{path.name}, line {number}: not a document with a text and sound mentions.",
                "Export it again with `python -m deid annotations export`.",
            ) from None


def _document(record: dict[str, Any]) -> tuple[Document, tuple[Mention, ...]]:
    text, day = record["text"], record.get("reference_date")
    if not isinstance(text, str):
        raise TypeError("text")
    mentions = tuple(sorted(Mention(one["start"], one["end"], Label(one["label"])) for one in record["mentions"]))
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
    return document, mentions
