"""Prodigy's and Doccano's JSON Lines.

Prodigy: one task per line, `text`, `tokens`, `spans`, `meta`, `answer`, as in El Azzouzi et al. 2024; a task is a
document or one of its lines, at `meta.start`. Doccano: one document per line, `text` and `label` as `[start, end,
label]`, or `entities` as projects with relations have them.

Neither says what text a span covers. Prodigy's `token_start` and `token_end` tell it; of other spans, one that cuts a
word, and would cut none a character further on or back, covers that passage.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from deid.domain.document import Mention
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.exchange.documents import (
    Fault,
    Span,
    Unchecked,
    join_pieces,
    line_tokens,
    read_text,
    text_digest,
    text_lines,
    trimmed_mentions,
    write_text,
)

Record = Mapping[str, Any]


def read_prodigy(path: Path, texts: Mapping[str, str]) -> Iterator[Unchecked]:
    """Yield the documents of a file, the tasks of one document and annotator joined.

    The id is `meta.ID_ENTREPOT` or `meta.id`; the annotator `_annotator_id`, else `meta.annotator`. A document with a
    task that was not accepted is not accepted.

    Raises:
        InputRefused: the file cannot be read.
    """
    tasks: dict[tuple[str, str], list[tuple[int, Unchecked]]] = {}
    for place, record in _records(path):
        start, task = _task(path, place, record)
        tasks.setdefault((task.id, task.annotator), []).append((start, task))
    for (document, _), parts in tasks.items():
        yield from _joined(parts, texts.get(document))


def _joined(parts: Sequence[tuple[int, Unchecked]], original: str | None) -> Iterator[Unchecked]:
    """Yield the document of its tasks, and those that stand a second time as documents of their own, duplicates."""
    first: dict[int, Unchecked] = {}
    again: list[Unchecked] = []
    for start, task in parts:
        if start in first:
            again.append(task)
        first.setdefault(start, task)
    whole = next(iter(first.values()))
    faulty = next((task for task in first.values() if task.fault), None)
    text = join_pieces([(start, task.text) for start, task in first.items()], original)
    if faulty is not None or text is None:
        yield faulty or replace(whole, fault=Fault.UNREADABLE)
    else:
        moved = (
            span._replace(start=span.start + start, end=span.end + start)
            for start, task in first.items()
            for span in task.spans
        )
        yield replace(whole, text=text, spans=tuple(moved))
    yield from again


def _task(path: Path, place: str, record: Record | None) -> tuple[int, Unchecked]:
    unreadable = Unchecked(f"{path.name}:{place}", "", fault=Fault.UNREADABLE, place=place)
    if record is None or not isinstance(record.get("text"), str):
        return 0, unreadable
    meta = record["meta"] if isinstance(record.get("meta"), dict) else {}
    document = _name(meta.get("ID_ENTREPOT", meta.get("id", record.get("id"))))
    spans = _spans(record.get("spans") or [], place, ("start", "end", "label"), record["text"], record.get("tokens"))
    start = meta.get("start", 0)
    if document is None or spans is None or type(start) is not int:
        return 0, unreadable if document is None else replace(unreadable, id=document)
    return start, Unchecked(
        document,
        record["text"],
        spans,
        _name(record.get("_annotator_id", meta.get("annotator"))) or "",
        _name(meta.get("CODE", meta.get("type"))),
        _name(meta.get("sha256")),
        None if record.get("answer", "accept") == "accept" else Fault.NOT_ACCEPTED,
        place,
    )


def write_prodigy(path: Path, documents: Sequence[GoldDocument], *, by_line: bool = False) -> None:
    """Write one task per document, or per line of each, its mentions as spans that the annotator corrects.

    Raises:
        InputRefused: the file cannot be written.
    """
    tasks = []
    for gold in documents:
        text, mentions = gold.document.text, trimmed_mentions(gold)
        places = text_lines(text, mentions) if by_line else [(0, len(text))]
        tasks += [_prodigy_task(gold, mentions, start, end) for start, end in places]
    write_text(path, "".join(f"{json.dumps(task, ensure_ascii=False)}\n" for task in tasks))


def _prodigy_task(gold: GoldDocument, mentions: Sequence[Mention], start: int, end: int) -> dict[str, Any]:
    text = gold.document.text
    tokens = list(line_tokens(text, mentions, start, end))
    first = {low: number for number, (low, _) in enumerate(tokens)}
    last = {high: number for number, (_, high) in enumerate(tokens)}
    return {
        "text": text[start:end],
        "tokens": [
            {
                "text": text[low:high],
                "start": low - start,
                "end": high - start,
                "id": number,
                "ws": text[high : min(high + 1, end)] == " ",
            }
            for number, (low, high) in enumerate(tokens)
        ],
        "spans": [
            {
                "start": one.start - start,
                "end": one.end - start,
                "token_start": first[one.start],
                "token_end": last[one.end],
                "label": str(one.label),
            }
            for one in mentions
            if start <= one.start < end
        ],
        "meta": {
            "ID_ENTREPOT": gold.document.id,
            "CODE": gold.document.type,
            "annotator": gold.annotator,
            "start": start,
            "sha256": text_digest(text),
        },
        "answer": "accept",
    }


def read_doccano(path: Path, texts: Mapping[str, str]) -> Iterator[Unchecked]:
    """Yield the documents of a file, or of a folder with a file per annotator, as Doccano exports them.

    The id is `document_id`, which `write_doccano` adds and Doccano keeps, else Doccano's own `id`. The annotator is
    `annotator`, else the name of the file, unless it is Doccano's `all`.

    Raises:
        InputRefused: a file cannot be read.
    """
    del texts  # Doccano keeps the whole text
    for file in sorted(path.glob("*.jsonl")) if path.is_dir() else [path]:
        for place, record in _records(file):
            yield _doccano_document(file, place, record, named=path.is_dir() and file.stem != "all")


def _doccano_document(file: Path, place: str, record: Record | None, *, named: bool) -> Unchecked:
    unreadable = Unchecked(f"{file.name}:{place}", "", fault=Fault.UNREADABLE, place=place)
    if record is None or not isinstance(text := record.get("text", record.get("data")), str):
        return unreadable
    meta = record["meta"] if isinstance(record.get("meta"), dict) else record
    document = _name(meta.get("document_id", record.get("id")))
    if isinstance(record.get("entities"), list):
        spans = _spans(record["entities"], place, ("start_offset", "end_offset", "label"), text)
    else:
        spans = _spans(record.get("label", record.get("labels")) or [], place, (0, 1, 2), text)
    if document is None or spans is None:
        return unreadable if document is None else replace(unreadable, id=document)
    annotator = _name(meta.get("annotator")) or (file.stem if named else "")
    return Unchecked(document, text, spans, annotator, _name(meta.get("type")), _name(meta.get("sha256")), place=place)


def write_doccano(path: Path, documents: Sequence[GoldDocument]) -> None:
    """Write one line per document; Doccano keeps `document_id`, `type` and `sha256` beside the text.

    Raises:
        InputRefused: the file cannot be written.
    """
    lines = [
        json.dumps(
            {
                "text": gold.document.text,
                "label": [[one.start, one.end, str(one.label)] for one in gold.mentions],
                "document_id": gold.document.id,
                "type": gold.document.type,
                "annotator": gold.annotator,
                "sha256": text_digest(gold.document.text),
            },
            ensure_ascii=False,
        )
        for gold in documents
    ]
    write_text(path, "".join(f"{line}\n" for line in lines))


def _records(path: Path) -> Iterator[tuple[str, Record | None]]:
    """Yield the number and the object of each line; None for a line that is no object."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        yield f"line {number}", record if isinstance(record, dict) else None


def _spans(
    found: Any, place: str, keys: tuple[Any, Any, Any], text: str, tokens: Any = None
) -> tuple[Span, ...] | None:
    """Return the spans of a list of objects or triples; None if one is neither."""
    spans = []
    for number, one in enumerate(found if isinstance(found, list) else [None], start=1):
        try:
            start, end, label = (one[key] for key in keys)
        except (TypeError, KeyError, IndexError):
            return None
        if type(start) is not int or type(end) is not int or not isinstance(label, str):
            return None
        told = one if isinstance(one, dict) else {}
        surface = told.get("text")
        if not isinstance(surface, str):
            surface = _of_tokens(told, tokens, text) or _unshifted(text, start, end)
        spans.append(Span(start, end, label, f"{place}, span {number}", surface))
    return tuple(spans)


def _of_tokens(span: Record, tokens: Any, text: str) -> str | None:
    """Return the text between the first and the last token of a span; None where the task lacks one."""
    try:
        by_id = {one["id"]: one for one in tokens or ()}
        first, last = by_id[span["token_start"]], by_id[span["token_end"]]
        if first is last:
            return str(first["text"])
        return f"{first['text']}{text[first['end'] : last['start']]}{last['text']}"
    except (KeyError, TypeError):
        return None


def _unshifted(text: str, start: int, end: int) -> str | None:
    """Return the passage a character before or behind a span, if the span cuts a word and this passage none."""

    def cuts(place: int) -> bool:
        return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()

    if 0 <= start < end <= len(text) and (cuts(start) or cuts(end)):
        for low, high in ((start - 1, end - 1), (start + 1, end + 1)):
            passage = text[max(low, 0) : high]
            if low >= 0 and high <= len(text) and passage == passage.strip() and not (cuts(low) or cuts(high)):
                return passage
    return None


def _name(value: Any) -> str | None:
    """Return a name or number as text; a float without fraction, as data frames write ids, as an integer."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int | float) and str(value) else None
