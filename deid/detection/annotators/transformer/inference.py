"""Documents to distributions over tags: sub-words, windows, batches, rows, in groups of bounded size."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from deid.detection.annotators.transformer.chains import settle
from deid.detection.annotators.transformer.subwords import (
    Alignment,
    Distributions,
    Subwords,
    complete_rows,
    plan_batches,
    plan_windows,
    special_subwords,
    split_bare_labels,
    tokenize_all,
)
from deid.detection.taggers.tags import TAGS
from deid.detection.text.reading import Reading
from deid.domain.errors import DocumentRefused, Reason

if TYPE_CHECKING:
    from deid.detection.annotators.transformer.network import Network, Pending

_GROUP = 1 << 18  # sub-words sorted by length together; bounds memory
_TOGETHER = 64  # documents tokenized in one call


@dataclass(frozen=True, slots=True)
class _WindowJob:
    """One window of one document, and the tokens of its rows."""

    document: _DocumentRows
    ids: NDArray[np.int64]
    tokens: NDArray[np.int64]
    positions: NDArray[np.int64]


class _DocumentRows:
    """Distributions of the tokens of one document, filled window after window."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        tokens = len(reading.starts)
        self.rows: Distributions = np.zeros((tokens, len(TAGS)), dtype=np.float32)
        self.known = np.zeros(tokens, dtype=bool)
        self.shared = np.zeros(tokens, dtype=bool)
        self.waiting = 0  # windows without result
        self.whole = False  # whether all windows have been planned

    @property
    def done(self) -> bool:
        """True if no window is missing."""
        return self.whole and not self.waiting


class WindowedInference:
    """Computes the distributions of documents with one tokenizer and one network, window by window."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        network: Network,
        bare: NDArray[np.int64],
        window: int,
        overlap: int,
        batch_tokens: int,
    ) -> None:
        self._tokenizer, self._network, self._bare = tokenizer, network, bare
        self._before, self._after = special_subwords(tokenizer)
        self._window, self._overlap = window, overlap
        self._batch_tokens = batch_tokens

    def tagged(self, readings: Sequence[Reading]) -> Iterator[tuple[Distributions, Distributions | None]]:
        """Yield the distributions of each reading, in order, and the best path if the model has transitions.

        The path is 1 at each token's tag. The GPU works on a group while the next is tokenized.

        Raises:
            DocumentRefused: the model gave a number that is not finite.
        """
        documents = [_DocumentRows(reading) for reading in readings]
        waiting = deque(documents)
        under_way: deque[list[tuple[list[_WindowJob], Pending]]] = deque()
        for group in self._groups(documents):
            under_way.append(self._launched(group))
            if len(under_way) > 1:
                _collect(under_way.popleft())
            while waiting and waiting[0].done:
                yield self._finished(waiting.popleft())
        while under_way:
            _collect(under_way.popleft())
        while waiting:
            yield self._finished(waiting.popleft())

    def _groups(self, documents: Sequence[_DocumentRows]) -> Iterator[list[_WindowJob]]:
        group: list[_WindowJob] = []
        size = 0
        for job in self._jobs(documents):
            group.append(job)
            size += len(job.ids)
            if size >= _GROUP:
                yield group
                group, size = [], 0
        yield group

    def _jobs(self, documents: Sequence[_DocumentRows]) -> Iterator[_WindowJob]:
        for start in range(0, len(documents), _TOGETHER):
            some = documents[start : start + _TOGETHER]
            parts = tokenize_all(self._tokenizer, [document.reading.text for document in some])
            for document, of_document in zip(some, parts, strict=True):
                yield from self._jobs_of(document, of_document)
                document.whole = True

    def _jobs_of(self, document: _DocumentRows, parts: Iterable[Subwords]) -> Iterator[_WindowJob]:
        alignment = Alignment(document.reading.starts, document.reading.ends)
        size = self._window - len(self._before) - len(self._after)
        for window in plan_windows(document.reading.text, parts, size, min(self._overlap, size // 4)):
            tokens, positions, shared = alignment.take(window)
            if not len(tokens):
                continue
            document.shared[tokens] = shared
            document.waiting += 1
            ids = np.concatenate((self._before, window.subwords.ids, self._after)).astype(np.int64)
            yield _WindowJob(document, ids, tokens, positions + len(self._before))

    def _launched(self, group: Sequence[_WindowJob]) -> list[tuple[list[_WindowJob], Pending]]:
        launched = []
        lengths = [len(job.ids) for job in group]
        for batch in plan_batches(lengths, self._batch_tokens, self._window):
            jobs = [group[index] for index in batch]
            at = np.repeat(np.arange(len(jobs)), [len(job.tokens) for job in jobs])
            positions = np.concatenate([job.positions for job in jobs])
            launched.append((jobs, self._network.launch([job.ids for job in jobs], at, positions)))
        return launched

    def _finished(self, document: _DocumentRows) -> tuple[Distributions, Distributions | None]:
        rows, known, shared = document.rows, document.known, document.shared
        decided = None
        if self._network.transitions is not None:
            decided = settle(rows, known, shared, self._network.transitions, self._network.temperature)
            complete_rows(decided, document.reading.breaks, known, shared)
        split_bare_labels(rows, self._bare)
        complete_rows(rows, document.reading.breaks, known, shared)
        return rows, decided


def _collect(launched: Sequence[tuple[list[_WindowJob], Pending]]) -> None:
    for jobs, pending in launched:
        rows, sound = pending.result()
        start = 0
        for job in jobs:
            end = start + len(job.tokens)
            document = job.document
            if not sound[start:end].all():
                raise DocumentRefused(
                    document.reading.document.id, Reason.DETECTION_FAILED, "transformer: a number that is not finite"
                )
            document.rows[job.tokens] = rows[start:end]
            document.known[job.tokens] = True
            document.waiting -= 1
            start = end
