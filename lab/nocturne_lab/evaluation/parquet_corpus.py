"""Parquet corpora of distant supervision: one row per sentence, read without the whole in memory.

`python -m deid annotations distant` writes them; `nocturne_lab.evaluation.corpus.load_corpus` reads them. The sentences
of a document follow each other and hold its whole text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, get_args

import pyarrow as pa
from pyarrow import parquet

from deid.domain.document import Document, Mention, Patient
from deid.domain.errors import InputRefused
from deid.domain.labels import Label

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)

_SPAN = [("start", pa.int32()), ("end", pa.int32()), ("label", pa.string())]
# Offsets count the characters of the document. `patient` and `document` are random ids, never the hospital's.
SCHEMA = pa.schema(
    [
        ("document", pa.string()),
        ("patient", pa.string()),
        ("split", pa.string()),
        ("type", pa.string()),
        ("service", pa.string()),
        ("date", pa.date32()),  # of the document, as the hospital has it
        ("sentence", pa.int32()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("text", pa.string()),
        ("token_starts", pa.list_(pa.int32())),
        ("token_ends", pa.list_(pa.int32())),
        ("tags", pa.list_(pa.string())),
        ("confidences", pa.list_(pa.float32())),
        ("mentions", pa.list_(pa.struct([*_SPAN, ("confidence", pa.float32())]))),
        ("votes", pa.list_(pa.struct([("function", pa.string()), *_SPAN, ("score", pa.float32())]))),
    ]
)
_READ = ["document", "patient", "type", "service", "date", "start", "text", "mentions"]

Labelled = tuple[Document, tuple[Mention, ...]]


def read_parquet(folder: Path, splits: Sequence[Split] = SPLITS) -> Iterator[Labelled]:
    """Yield the documents of a corpus with their noisy mentions, whose score is the confidence in [0, 1].

    The patient is known by the random id only. `folder` may be that of one split.

    Raises:
        InputRefused: no such file, or one that is damaged or has other columns; the message names it.
    """
    for path in sorted(folder.rglob("*.parquet")):
        if path.parent.name in SPLITS and path.parent.name not in splits:
            continue
        try:
            yield from map(_document, _documents(path))
        except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
            raise InputRefused(
                f"{path.name} in {path.parent} is no file of a corpus, or is damaged.",
                "Write the corpus again with `python -m deid annotations distant`.",
            ) from None


def _documents(path: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of each document, in order."""
    with parquet.ParquetFile(path) as file:
        rows = (row for batch in file.iter_batches(batch_size=1024, columns=_READ) for row in batch.to_pylist())
        for _, sentences in groupby(rows, key=itemgetter("document")):
            yield list(sentences)


def _document(sentences: Sequence[dict[str, Any]]) -> Labelled:
    first = sentences[0]
    text = "".join(one["text"] for one in sentences)
    if sum(len(one["text"]) for one in sentences[:-1]) != sentences[-1]["start"]:
        raise ValueError("a sentence is missing")
    mentions = tuple(
        Mention(one["start"], one["end"], Label(one["label"]), one["confidence"])
        for sentence in sentences
        for one in sentence["mentions"]
    )
    document = Document(
        first["document"],
        text,
        Patient(key=first["patient"]),
        first.get("date"),  # an earlier release wrote neither date nor service
        first["type"],
        service=first.get("service"),
    )
    return document, mentions
