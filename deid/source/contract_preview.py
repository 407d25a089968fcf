"""Preview of a source contract: the first documents of an interval as a night reads them, with counts by field.

Reads as the reader, in one read-only transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from deid.config.settings import settings
from deid.domain.outcomes import Refused
from deid.source.contract import Source, open_source
from deid.source.extraction import list_documents, make_content, open_contents, read_rows, value_shape
from deid.source.rows import Content

SHOWN = 10  # documents
_BEGINNING = 200  # characters of a text
_PARSED = frozenset({"birth_date", "sex", "content", "content_path"})


@dataclass(frozen=True, slots=True)
class FieldCount:
    """Number of `documents` of which a column of contents.sql is given, and of which it can be read.

    `parsed`: reading may fail, as of a date, a code or a file; else what is given is read.
    """

    column: str
    documents: int
    given: int
    readable: int
    parsed: bool


@dataclass(frozen=True, slots=True)
class SourcePreview:
    """Counts by field, and what is given of the first documents, as it is read or by its shape."""

    fields: Sequence[FieldCount]
    documents: Sequence[Mapping[str, str]]


def preview_source(
    source: Source, start: datetime, end: datetime, sample: int = 20, *, values: bool = False
) -> SourcePreview:
    """Read up to `sample` documents ingested in [start, end) that are not withdrawn; `values`: show what they say.

    Raises:
        ContractBroken: a query does not give what it must.
        PolicyError: the rules of the source's files cannot be read.
    """
    with open_source("nocturne source preview", snapshot=True) as link:
        source.verify(link, "plan", "contents")
        page = next(list_documents(link, source, start, end), [])
        names = [row.document_id for row in page if not row.withdrawn][:sample]
        cut = settings().max_document_bytes + 1
        asked = {"document_ids": names}
        rows = list(read_rows(link, source, "contents", asked, most=len(names), cut=cut)) if names else []
    read = [_Read(row, make_content(row)) for row in rows]
    opened = open_contents([one.content for one in read], source.rules(), limits=settings().limits())
    for one, outcome in zip(read, opened, strict=True):
        one.text = None if isinstance(outcome, Refused) else outcome.document.text
    columns = list(source.kinds("contents"))
    return SourcePreview(
        [_count_field(column, read) for column in columns],
        [{name: said for name in columns if (said := one.say(name, values=values))} for one in read[:SHOWN]],
    )


@dataclass(slots=True)
class _Read:
    row: Mapping[str, Any]
    content: Content
    text: str | None = None

    def gives(self, column: str) -> bool:
        value = self.row[column]
        return value is not None and value not in ("", b"", [], [""], [None])

    def reads(self, column: str) -> bool:
        patient = self.content.patient
        told = {
            "birth_date": patient.birth_date or patient.birth_period,
            "sex": patient.sex,
            "content": self.text is not None,
            "content_path": self.text is not None,
        }
        return bool(told.get(column, True))

    def say(self, column: str, *, values: bool) -> str:
        """Return what a column gives, or its shape; empty if it gives nothing."""
        if not self.gives(column):
            return ""
        if column == "content":
            told = "" if self.text is None else " ".join(self.text.split())[:_BEGINNING]
            return told if values else f"({len(self.text or '')})"
        value = self.row[column]
        said = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        return said if values else value_shape(said)


def _count_field(column: str, read: Sequence[_Read]) -> FieldCount:
    given = [one for one in read if one.gives(column)]
    readable = sum(one.reads(column) for one in given)
    return FieldCount(column, len(read), len(given), readable, column in _PARSED)
