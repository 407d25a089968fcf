"""Documents to distributions over tags: sub-words, windows, batches, rows, in groups of bounded size."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from deid.detection.annotators.transformer import tokenizing, windows
from deid.detection.annotators.transformer.alignment import Alignment, Rows, complete, place
from deid.detection.annotators.transformer.batches import batches
from deid.detection.reading import Reading
from deid.detection.taggers.tags import TAGS
from deid.domain.errors import DocumentRefused, Reason

if TYPE_CHECKING:
    from deid.detection.annotators.transformer.network import Network, Pending

_GROUP = 1 << 18  # sub-words sorted by length together; bounds what is held beside the results
_TOGETHER = 64  # documents tokenized in one call


@dataclass(frozen=True, slots=True)
class Slot:
    """One window of one document, and where what the model says of it goes."""

    document: Page
    ids: NDArray[np.int64]
    tokens: NDArray[np.int64]
    positions: NDArray[np.int64]


class Page:
    """One document on its way: what is known of its tokens so far."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        tokens = len(reading.starts)
        self.rows: Rows = np.zeros((tokens, len(TAGS)), dtype=np.float32)
        self.known = np.zeros(tokens, dtype=bool)
        self.shared = np.zeros(tokens, dtype=bool)
        self.waiting = 0  # slots that have not come back
        self.whole = False  # whether all its slots have been made

    @property
    def done(self) -> bool:
        """Whether nothing more will come for it."""
        return self.whole and not self.waiting


class Tagging:
    """What turns readings into rows with one tokenizer and one network."""

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
        self._before, self._after = tokenizing.frame(tokenizer)
        self._window, self._overlap = window, overlap
        self._batch_tokens = batch_tokens

    def distributions(self, readings: Sequence[Reading]) -> Iterator[Rows]:
        """Rows of each reading, in order. The GPU works on one group while the next is tokenized.

        Raises:
            DocumentRefused: the model gave a number that is not finite.
        """
        pages = [Page(reading) for reading in readings]
        waiting = deque(pages)
        under_way: deque[list[tuple[list[Slot], Pending]]] = deque()
        for group in self._groups(pages):
            under_way.append(self._launched(group))
            if len(under_way) > 1:
                _collect(under_way.popleft())
            while waiting and waiting[0].done:
                yield self._finished(waiting.popleft())
        while under_way:
            _collect(under_way.popleft())
        while waiting:
            yield self._finished(waiting.popleft())

    def _groups(self, pages: Sequence[Page]) -> Iterator[list[Slot]]:
        group: list[Slot] = []
        size = 0
        for slot in self._slots(pages):
            group.append(slot)
            size += len(slot.ids)
            if size >= _GROUP:
                yield group
                group, size = [], 0
        yield group

    def _slots(self, pages: Sequence[Page]) -> Iterator[Slot]:
        for start in range(0, len(pages), _TOGETHER):
            some = pages[start : start + _TOGETHER]
            parts = tokenizing.together(self._tokenizer, [page.reading.text for page in some])
            for page, of_page in zip(some, parts, strict=True):
                yield from self._slots_of(page, of_page)
                page.whole = True

    def _slots_of(self, page: Page, parts: Iterable[windows.Subwords]) -> Iterator[Slot]:
        alignment = Alignment(page.reading.starts, page.reading.ends)
        size = self._window - len(self._before) - len(self._after)
        for window in windows.plan(page.reading.text, parts, size, min(self._overlap, size // 4)):
            tokens, positions, shared = alignment.take(window)
            if not len(tokens):
                continue
            page.shared[tokens] = shared
            page.waiting += 1
            ids = np.concatenate((self._before, window.subwords.ids, self._after)).astype(np.int64)
            yield Slot(page, ids, tokens, positions + len(self._before))

    def _launched(self, group: Sequence[Slot]) -> list[tuple[list[Slot], Pending]]:
        launched = []
        lengths = [len(slot.ids) for slot in group]
        for batch in batches(lengths, self._batch_tokens, self._window):
            slots = [group[index] for index in batch]
            at = np.repeat(np.arange(len(slots)), [len(slot.tokens) for slot in slots])
            positions = np.concatenate([slot.positions for slot in slots])
            launched.append((slots, self._network.launch([slot.ids for slot in slots], at, positions)))
        return launched

    def _finished(self, page: Page) -> Rows:
        place(page.rows, self._bare)
        complete(page.rows, page.reading.breaks, page.known, page.shared)
        return page.rows


def _collect(launched: Sequence[tuple[list[Slot], Pending]]) -> None:
    for slots, pending in launched:
        rows, sound = pending.result()
        start = 0
        for slot in slots:
            end = start + len(slot.tokens)
            page = slot.document
            if not sound[start:end].all():
                raise DocumentRefused(
                    page.reading.document.id, Reason.DETECTION_FAILED, "transformer: a number that is not finite"
                )
            page.rows[slot.tokens] = rows[start:end]
            page.known[slot.tokens] = True
            page.waiting -= 1
            start = end
