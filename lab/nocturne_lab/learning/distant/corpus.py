"""The Parquet corpus of distant supervision: documents to noisy labels, written in constant memory.

Layout of a corpus: `train/`, `validation/`, `test/` with files of up to `FILE_ROWS` sentences, and `statistics.json`
with counts only. The files hold original text: the folder and all in it are readable by their owner alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Literal, Self

import pyarrow as pa
from pyarrow import parquet

from deid.config.policy import Detection
from deid.detection.lookup.staff import NO_STAFF, Staff
from deid.detection.refining import refine
from deid.detection.taggers.tags import TAGS, encode
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused
from nocturne_lab.evaluation.parquet_corpus import SCHEMA, SPLITS, Split
from nocturne_lab.learning.distant.aggregation import Aggregation, Agreement, LabelModel, Patterns, decide
from nocturne_lab.learning.distant.functions import Votes, labelling_functions, vote
from nocturne_lab.learning.distant.statistics import SplitCounts

Method = Literal["agreement", "label-model"]
Kind = Literal["document", "patient"]
# Random ids of documents or patients of the hospital, by the hospital's own.
Rename = Callable[[Kind, Sequence[str]], Mapping[str, str]]
Row = dict[str, Any]

STATISTICS = "statistics.json"
ROWS, FILE_ROWS = 4_000, 1_000_000  # sentences of a row group, of a file
BATCH = 64
FIT = 2_000  # documents that the label model learns from
# A line break, or a full stop with a capital behind it; not behind an initial or an abbreviated title.
_BREAK = re.compile(r"\n\s*|(?<=[.!?…])(?<!\b[A-ZÀ-Ý]\.)(?<!\b(?:Dr|Pr|Mr|St|Ex|av|bd)\.)[^\S\n]+(?=[A-ZÀ-Ý«“\"])")
_LINE = re.compile(r"[^\s](?:[^\n]*[^\s])?")
_SHARES = {"train": 80, "validation": 10, "test": 10}  # percent of the patients (El Azzouzi et al. 2024)


@dataclass(slots=True)
class Built:
    """Counts of a corpus, and the documents left out: without a patient who could be told from others, or empty."""

    splits: dict[Split, SplitCounts] = field(default_factory=lambda: {split: SplitCounts() for split in SPLITS})
    without_patient: list[str] = field(default_factory=list)
    empty: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return every count."""
        return {
            "splits": {name: counts.as_json() for name, counts in self.splits.items()},
            "without_patient": len(self.without_patient),
            "empty": self.empty,
        }


def build_corpus(
    documents: Iterable[Document],
    out: Path,
    policy: Detection,
    staff: Staff = NO_STAFF,
    method: Method = "agreement",
    rename: Rename | None = None,
) -> Built:
    """Write the corpus of `documents` to the folder `out`, replacing an earlier corpus once the new one is whole.

    Args:
        documents: read once, a few at a time.
        out: a folder that does not exist, is empty, or holds an earlier corpus.
        policy: options of refining, such as terms that are never mentions.
        staff: professionals of the hospital.
        method: of aggregation; the label model learns from the first `FIT` documents.
        rename: the ledger's random ids; None draws ids for this corpus alone.

    Raises:
        InputRefused: `out` holds something else, or cannot be written (full disk); an earlier corpus is as it was.
    """
    built, rename = Built(), rename or random_ids()
    labeller = Labeller(policy, staff)
    remaining = _usable(documents, built)
    if method == "label-model":
        first = list(islice(remaining, FIT))
        labeller.learn(first)
        remaining = chain(first, remaining)
    with CorpusWriter(out) as writer:
        while batch := list(islice(remaining, BATCH)):
            ids = rename("document", [one.id for one in batch])
            patients = rename("patient", [str(patient_id(one)) for one in batch])
            for document in batch:
                own = str(patient_id(document))
                split = split_of(own)
                names = {"document": ids[document.id], "patient": patients[own], "split": split}
                mentions, rows = labeller.label(document)
                built.splits[split].add(mentions, rows)
                writer.add(split, (names | row for row in rows))
        writer.finish(built.as_json() | {"aggregation": method})
    return built


def _usable(documents: Iterable[Document], built: Built) -> Iterator[Document]:
    """Yield documents with a patient and a text; count the others."""
    for one in documents:
        if not one.text.strip():
            built.empty += 1
        elif patient_id(one) is None:
            built.without_patient.append(one.id)
        else:
            yield one


def patient_id(document: Document) -> str | None:
    """Return the hospital's id of a document's patient, None where the patient cannot be told from others."""
    return document.patient.key or document.patient.ipp or document.patient.nir


def split_of(patient: str) -> Split:
    """Return the split of a patient's documents, the same in every corpus."""
    place = int.from_bytes(hashlib.sha256(f"split:{patient}".encode()).digest()[:8]) % 100
    for split in SPLITS:
        if place < _SHARES[split]:
            return split
        place -= _SHARES[split]
    raise AssertionError("the shares do not sum to 100")


def random_ids() -> Rename:
    """Return a renaming by random ids of this corpus alone: the same id gives the same name, no other corpus does."""
    salt = secrets.token_bytes(32)

    def rename(kind: Kind, ids: Sequence[str]) -> dict[str, str]:
        return {one: hashlib.blake2b(f"{kind}:{one}".encode(), key=salt, digest_size=16).hexdigest() for one in ids}

    return rename


class Labeller:
    """Labels documents by the functions, their aggregation and refining."""

    def __init__(self, policy: Detection, staff: Staff) -> None:
        self._policy = policy
        self.functions = labelling_functions(staff)
        self.aggregation: Aggregation = Agreement(self.functions)

    def learn(self, documents: Iterable[Document]) -> None:
        """Aggregate from now on by a label model of the votes on these documents."""
        patterns = Patterns(self.aggregation)
        for document in documents:
            patterns.add(self.vote(document))
        self.aggregation = LabelModel.fit(patterns)

    def vote(self, document: Document) -> Votes:
        """Return the votes on a document."""
        return vote(Reading(document), self.functions)

    def label(self, document: Document) -> tuple[tuple[Mention, ...], list[Row]]:
        """Return the mentions of a document, whose score is the confidence, and its rows without the ids."""
        votes = self.vote(document)
        if not len(votes.symbols):
            return (), []
        probabilities = self.aggregation.distributions(votes)
        refined = refine(votes.reading, decide(votes, probabilities, self.functions), self._policy)
        mentions = tuple(part for one in refined for part in _lines_of(document.text, one))
        outside = [float(one) for one in probabilities[:, 0]]
        return mentions, list(self._rows(document, votes, mentions, outside))

    def _rows(
        self, document: Document, votes: Votes, mentions: Sequence[Mention], confidences: list[float]
    ) -> Iterator[Row]:
        reading = votes.reading
        tags = [TAGS[tag] for tag in encode(reading, mentions)]
        for mention in mentions:
            for at in reading.tokens(mention):
                confidences[at] = mention.score
        cast = sorted(
            (one.start, one.end, function.name, one)
            for function, found in zip(self.functions, votes.mentions, strict=True)
            for one in found
        )
        for number, (start, end) in enumerate(split_sentences(reading, mentions)):
            tokens = [at for at in range(reading.token_at(start), len(tags)) if reading.starts[at] < end]
            yield {
                "type": document.type,
                "service": document.service,
                "date": document.reference_date,
                "sentence": number,
                "start": start,
                "end": end,
                "text": document.text[start:end],
                "token_starts": [reading.starts[at] for at in tokens],
                "token_ends": [reading.ends[at] for at in tokens],
                "tags": [tags[at] for at in tokens],
                "confidences": [confidences[at] for at in tokens],
                "mentions": [_span(one) | {"confidence": one.score} for one in mentions if start <= one.start < end],
                "votes": [
                    _span(one) | {"function": name, "score": one.score}
                    for first, _, name, one in cast
                    if start <= first < end
                ],
            }


def _lines_of(text: str, mention: Mention) -> Iterator[Mention]:
    """Yield a mention line by line: the annotation guide lets none go over a line break."""
    for match in _LINE.finditer(text, mention.start, mention.end):
        yield replace(mention, start=match.start(), end=match.end())


def _span(mention: Mention) -> Row:
    return {"start": mention.start, "end": mention.end, "label": str(mention.label)}


class CorpusWriter:
    """Writes the splits of a corpus beside its place, which it takes in the end (`finish`).

    Raises:
        InputRefused: the place holds something else, or cannot be written. What was written is removed.
    """

    def __init__(self, out: Path) -> None:
        self._out = out
        self._building = out.with_name(f".{out.name}.{os.getpid()}.partial")
        self._open: dict[Split, _SplitFiles] = {}

    def __enter__(self) -> Self:
        if self._out.exists() and not _may_replace(self._out):
            raise InputRefused(
                f"{self._out} is no folder of a corpus.", "Give a new folder: a corpus replaces what is there."
            )
        try:
            self._building.mkdir(mode=0o700)
            for split in SPLITS:
                (self._building / split).mkdir(mode=0o700)
        except OSError as error:
            raise self._refusal(error) from None
        self._open = {split: _SplitFiles(self._building / split) for split in SPLITS}
        return self

    def add(self, split: Split, rows: Iterable[Row]) -> None:
        """Add the sentences of a document."""
        self._open[split].add(rows)

    def finish(self, statistics: Mapping[str, Any]) -> None:
        """Write what is left and the statistics, and put the corpus in its place."""
        for one in self._open.values():
            one.close()
        with _private_file(self._building / STATISTICS) as file:
            file.write(json.dumps(statistics, ensure_ascii=False, indent=2).encode() + b"\n")
        former = self._building.with_suffix(".former")
        if self._out.exists():
            self._out.rename(former)
        self._building.rename(self._out)
        shutil.rmtree(former, ignore_errors=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for one in self._open.values():
            one.abandon()
        shutil.rmtree(self._building, ignore_errors=True)
        if isinstance(error, OSError):
            raise self._refusal(error) from None

    def _refusal(self, error: OSError) -> InputRefused:
        return InputRefused(
            f"{self._out}: {error.strerror or 'cannot be written'}.",
            "Give a folder on a disk with room; nothing was changed there.",
        )


class _SplitFiles:
    """Files of one split: row groups of `ROWS` sentences, files of `FILE_ROWS`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows: list[Row] = []
        self._written = self._number = 0
        self._file: BinaryIO | None = None
        self._writer: parquet.ParquetWriter | None = None

    def add(self, rows: Iterable[Row]) -> None:
        """Add the sentences of a document, which stay in one file."""
        self._rows += rows
        if len(self._rows) >= ROWS:
            self._write()

    def close(self) -> None:
        """Write what is left, an empty file where the split is empty."""
        if self._rows or not self._number:
            self._write()
        self._end_file()

    def abandon(self) -> None:
        """Close the file, whatever is left."""
        with suppress(OSError):
            self._end_file()

    def _write(self) -> None:
        if self._writer is None:
            self._file = _private_file(self._folder / f"part-{self._number:05}.parquet")
            self._writer = parquet.ParquetWriter(self._file, SCHEMA, compression="zstd")
            self._number += 1
        self._writer.write_table(pa.Table.from_pylist(self._rows, schema=SCHEMA), row_group_size=2 * ROWS)
        self._written += len(self._rows)
        self._rows = []
        if self._written >= FILE_ROWS:
            self._end_file()

    def _end_file(self) -> None:
        writer, file, self._writer, self._file, self._written = self._writer, self._file, None, None, 0
        try:
            if writer is not None:
                writer.close()
        finally:
            if file is not None:
                file.close()


def _private_file(path: Path) -> BinaryIO:
    """Open a new file that its owner alone may read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _may_replace(folder: Path) -> bool:
    return folder.is_dir() and ((folder / STATISTICS).is_file() or next(folder.iterdir(), None) is None)


def split_sentences(reading: Reading, mentions: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    """Yield `[start, end)` of the sentences of a text; together they are the text.

    A sentence ends with the white space behind it, and never inside a mention of `mentions` (sorted, disjoint).
    """
    inside = reading.coverage(Mention(one.start, one.end - 1, one.label) for one in mentions if one.end - one.start > 1)
    start, text = 0, reading.text
    for match in _BREAK.finditer(text):
        end = match.end()
        if end < len(text) and text[start:end].strip() and not inside[end - 1]:
            yield start, end
            start = end
    if start < len(text):
        yield start, len(text)
