"""Extraction from the hospital's warehouse: ids of an interval page by page, then the contents of a batch."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from deid.config.settings import settings
from deid.domain.document import Document, Patient, Stay
from deid.domain.errors import DocumentRefused, Reason
from deid.domain.limits import Limits
from deid.domain.outcomes import Incoming, Opened, Refused
from deid.formats import FileRules
from deid.pipeline import open_documents
from deid.source.contract import Source, bind
from deid.source.file_shares import read_file_at
from deid.source.links import Asked, SourceLink
from deid.source.rows import Content, Listed

PAGE = 5000
# Documents of a batch with several rows that are refused one by one; more of both stop the run.
REPEATED_FLOOR, REPEATED_SHARE = 20, 0.05
# Endings of files whose declared type is one that is read without a reader of files
_TEXTS = {"txt": "text/plain", "htm": "text/html", "html": "text/html"}
IDENTIFIED = ("document_id", "content_hash", "patient_id", "document_type", "service")


def list_documents(link: SourceLink, source: Source, start: datetime, end: datetime) -> Iterator[list[Listed]]:
    """List the documents ingested in [start, end) page by page, ordered by ingestion time then id.

    Raises:
        ContractBroken: the query lacks a column, gives a null id, digest or time, is not ordered, gives a row outside
            of the interval, or a page that does not go on behind the former one.
    """
    source.verify(link, "plan")
    after: tuple[datetime | None, str | None] = (None, None)
    seen: set[str] = set()  # ids of the time at which the former pages end
    while True:
        parameters = {
            "interval_start": start,
            "interval_end": end,
            "after_ingested_at": after[0],
            "after_document_id": after[1],
            "page": PAGE,
        }
        page = [Listed(**row) for row in read_rows(link, source, "plan", parameters)]
        _check_page(source, page, start, end)
        _check_progress(source, page, after[0], seen)
        page = [replace(row, content_hash=version_hash(row.content_hash, row.patient_id)) for row in page]
        if page:
            yield page
        if len(page) < PAGE:
            return
        last = page[-1].ingested_at
        seen = {row.document_id for row in page if row.ingested_at == last} | (seen if last == after[0] else set())
        after = (last, page[-1].document_id)


def version_hash(content_hash: str, patient_id: str | None) -> str:
    """Return the SHA-256 of a content and its patient: the document with another patient is another version."""
    return hashlib.sha256(f"{content_hash}\n{patient_id or ''}".encode()).hexdigest()


def present_documents(link: SourceLink, source: Source, document_ids: Sequence[str]) -> dict[str, str | None]:
    """Return the patient of each document that the source still has and has not withdrawn, by document id."""
    records = read_rows(link, source, "present", {"document_ids": list(document_ids)})
    return {row["document_id"]: row["patient_id"] for row in records}


def read_merges(link: SourceLink, source: Source) -> list[tuple[str, str]] | None:
    """Read the patients merged into another, as (patient, merged into); None if the source has no such query.

    Raises:
        ContractBroken: the query lacks a column or gives another type.
    """
    if not source.has("merges"):
        return None
    source.verify(link, "merges")
    return [(row["patient_id"], row["merged_into"]) for row in read_rows(link, source, "merges", {})]


def identify_documents(link: SourceLink, source: Source, document_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the columns `IDENTIFIED` of documents, with the hash of the version; no content leaves the server.

    Raises:
        ContractBroken: the query lacks a column or gives another type.
    """
    source.verify(link, "contents")
    kinds = {name: kind for name, kind in source.kinds("contents").items() if name in IDENTIFIED}
    with source.reading("contents"):
        asked = bind({"document_ids": list(document_ids)})
        rows = list(link.rows(Asked(source.query("contents"), asked, kinds, chosen=True)))
    return [{**row, "content_hash": version_hash(row["content_hash"], row["patient_id"])} for row in rows]


def read_contents(link: SourceLink, source: Source, document_ids: Sequence[str]) -> dict[str, Content]:
    """Read documents by id, in their present version; an id that the source no longer has is absent.

    A content longer than `max_document_bytes` is read one byte past it, so that it is refused and fills no memory.
    A document of several rows is `repeated`, and refused when it is opened: which row is right is unknown. So is one
    whose patient has a birth date that is none, since it could not be searched for.

    Raises:
        ContractBroken: the query lacks a column, gives another type or an id that was not asked for; or more than
            20 documents and 5 % of those asked for have several rows, or a birth date that is none.
    """
    source.verify(link, "contents")
    asked = set(document_ids)
    spare = max(REPEATED_FLOOR, int(REPEATED_SHARE * len(asked)))
    found: dict[str, Content] = {}
    repeats = 0
    misread: Counter[str] = Counter()
    for record in read_rows(
        *(link, source, "contents", {"document_ids": list(document_ids)}),
        most=len(asked) + spare + 1,
        cut=settings().max_document_bytes + 1,
    ):
        document_id = record["document_id"]
        if document_id not in asked:
            raise source.broken("contents", "a row has no id, or one that was not asked for")
        repeats += document_id in found
        found[document_id] = content = replace(make_content(record), repeated=document_id in found)
        misread.update([content.misread_birth] if content.misread_birth else [])
    if repeats > spare:
        raise source.broken(
            "contents",
            f"more rows than the {len(asked)} documents asked for",
            "Mend its joins: one row for each document. `python -m deid source check` counts the repeated ones.",
        )
    if misread.total() > spare:
        raise source.broken(
            "contents",
            f"{misread.total()} birth dates of {len(asked)} cannot be read ({_most_common(misread)})",
            "Give a date there, or text as YYYY-MM-DD: to_date(column, 'DD/MM/YYYY'); null where it is not known.",
        )
    return found


def _most_common(shapes: Counter[str]) -> str:
    return ", ".join(shape for shape, _ in shapes.most_common(3))


def fetch(content: Content) -> Content | Refused:
    """Return a document with the bytes of its file, if it lies in one; refused if that cannot be read or has changed.

    Raises:
        WarehouseUnreachable: the root of the file does not answer.
        SettingsError: nothing installed reads a root of that kind.
    """
    if content.repeated:
        return Refused(content.document_id, (Reason.REPEATED,), "several rows of the source")
    if content.misread_birth:
        return Refused(content.document_id, (Reason.BIRTH_DATE,), content.misread_birth)
    if content.path is None or content.patient_id is None:
        return content
    try:
        raw = read_file_at(content.path, content.document_id, max_bytes=settings().max_document_bytes)
    except DocumentRefused as refused:
        return Refused(refused.document_id, (refused.reason,), refused.detail)
    if len(raw) <= settings().max_document_bytes and not _is_of(raw, content.stated_hash):
        return Refused(content.document_id, (Reason.FILE_CHANGED,), "not the content_hash of the source")
    return replace(content, content=raw, path=None, digest=hashlib.sha256(raw).hexdigest())


def _is_of(raw: bytes, stated: str) -> bool:
    """Return whether bytes have the digest or size that a source states as `sha256:…`, `md5:…` or `size:…`."""
    kind, _, value = stated.partition(":")
    if kind == "size":
        return re.split(r"\D", value, maxsplit=1)[0] == str(len(raw))
    if kind not in ("sha256", "md5"):
        return True  # of something else, which is compared between planning and reading only
    return hashlib.new(kind, raw, usedforsecurity=False).hexdigest() == value.strip().lower()


def receive(content: Content) -> Incoming | Refused:
    """Return a document of the source as it came, to be opened; a document without a patient is refused."""
    if content.patient_id is None:
        return Refused(content.document_id, (Reason.NO_PATIENT,))
    return Incoming(
        Document(
            content.document_id,
            "",
            content.patient,
            content.reference_date,
            content.document_type,
            content.stay,
            content.service,
        ),
        format=_media_type(content.format or content.path or ""),
        content=content.content,
        charset=content.charset or "",
        title=content.title,
    )


def _media_type(declared: str) -> str:
    """Return the media type of a text whose ending or file's name is declared; another declaration as it is."""
    return _TEXTS.get(declared.rpartition(".")[2].strip().lower(), declared)


def open_contents(
    contents: Sequence[Content], rules: FileRules, *, limits: Limits, written: bool = False
) -> list[Opened | Refused]:
    """Read the plain text of documents of a source; see `deid.pipeline.open_documents`.

    Raises:
        WarehouseUnreachable: a root of files does not answer.
        SettingsError: nothing installed reads a root of that kind.
    """
    whole = [fetch(content) for content in contents]
    received = [item if isinstance(item, Refused) else receive(item) for item in whole]
    incoming = [item for item in received if isinstance(item, Incoming)]
    size = settings().max_document_bytes
    opened = iter(open_documents(incoming, max_bytes=size, limits=limits, rules=rules, written=written))
    return [item if isinstance(item, Refused) else next(opened) for item in received]


def read_staff_rows(link: SourceLink, source: Source) -> list[dict[str, str | None]]:
    """Read the hospital's professionals, as dictionaries with the columns of the contract.

    Raises:
        ContractBroken: the query lacks a column or gives another type.
    """
    source.verify(link, "staff")
    return list(read_rows(link, source, "staff", {}))


def read_rows(
    link: SourceLink,
    source: Source,
    step: str,
    parameters: Mapping[str, Any],
    *,
    most: int | None = None,
    cut: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a contract's query, with the contract's columns only: `most`, with contents `cut` to a length.

    Raises:
        ContractBroken: the query takes too long, or gives what the contract does not allow.
    """
    with source.reading(step):
        asked = Asked(source.query(step), bind(parameters), source.kinds(step), cut is not None, most, cut)
        yield from link.rows(asked)


def _check_progress(source: Source, page: Sequence[Listed], last: datetime | None, seen: Collection[str]) -> None:
    """Refuse a page that does not start behind the former one, which would be asked for again without end."""
    if last is not None and any(row.ingested_at < last or row.document_id in seen for row in page):
        raise source.broken(
            "plan",
            "a page does not start behind the former one",
            "Add the condition on %(after_ingested_at)s and %(after_document_id)s to that query, in its own order.",
        )


def _check_page(source: Source, page: Sequence[Listed], start: datetime, end: datetime) -> None:
    if any(None in (row.document_id, row.content_hash, row.ingested_at, row.withdrawn) for row in page):
        raise source.broken("plan", "a row has no id, digest, time or withdrawal flag")
    # Two times of one zone would compare by the clock on the wall, which shows an hour twice in autumn.
    first, behind = start.astimezone(UTC), end.astimezone(UTC)
    if outside := sum(not first <= row.ingested_at.astimezone(UTC) < behind for row in page):
        raise source.broken(
            "plan",
            f"{outside} rows lie outside of the interval that was asked for",
            "Compare ingested_at there with %(interval_start)s and %(interval_end)s, as instants: a local time by "
            "AT TIME ZONE 'Europe/Paris'.",
        )
    keys = [(row.ingested_at, row.document_id) for row in page]
    if any(before[0] > after[0] or before == after for before, after in pairwise(keys)):
        raise source.broken(
            "plan",
            "rows repeat or are not ordered by ingested_at, document_id",
            "Mend that query: pages would lose documents.",
        )


def make_content(record: Mapping[str, Any]) -> Content:
    """Return the document of a row of the query of contents."""
    known = {name: record[name] for name in Content.__dataclass_fields__ if name in record and name != "content"}
    known["content_hash"] = version_hash(record["content_hash"], record["patient_id"])
    content, path = record["content"], record.get("content_path")
    if isinstance(content, str):
        content, known["charset"] = content.encode(), "utf-8"
    patient, misread = _patient(record)
    return Content(
        **known,
        content=bytes(content or b""),
        patient=patient,
        misread_birth=misread,
        stay=Stay(record["stay_start"], record["stay_end"]) if record["stay_start"] else None,
        path=path if path and not content else None,
        stated_hash=record["content_hash"],
    )


def _patient(record: Mapping[str, Any]) -> tuple[Patient, str]:
    """Return the patient of a row, and the shape of a birth date that is none."""
    known = {name: record[name] for name in Patient.__dataclass_fields__ if name in record}
    lists = {name: [item for item in value if item] for name, value in known.items() if isinstance(value, list)}
    given = {**known, **lists, "key": record["patient_id"]}
    try:
        return Patient.from_json(given), ""
    except ValueError:
        return Patient.from_json({**given, "birth_date": None}), value_shape(str(given["birth_date"]))


def value_shape(value: str) -> str:
    """Return a value with each digit as 9 and each letter as a, at most 24 characters: it says no value."""
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", value.strip()))[:24]
