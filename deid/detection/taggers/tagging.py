"""From readings to distributions and mentions: the part that the CRF and the BiLSTM-CRF have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from deid.detection.reading import Reading
from deid.detection.taggers.chunks import Chunk, chunks
from deid.detection.taggers.manifest import read
from deid.detection.taggers.paths import best_paths, log_probabilities
from deid.detection.taggers.table import Table, table
from deid.detection.taggers.threads import one_thread
from deid.detection.tags import TAGS, decode
from deid.domain.document import Mention
from deid.domain.errors import DocumentRefused, Reason
from deid.models import FOLDER

# Every computation has one of few shapes, whatever stands beside a document: matrix products of other shapes add in
# another order, and a document's mentions must not depend on its batch.
ROWS = 16  # chains computed at once; those that are missing are empty
_STEP = 64  # chains are padded to a multiple of so many tokens

Array = NDArray[np.float32]


class Tagging(ABC):
    """A learned tagger of this product: `model` is a folder that `nocturne train` wrote, else the one that ships.

    Raises:
        PolicyError: the folder holds no such model, or one made for other features or labels.
    """

    name: str

    def __init__(self, model: str | None = None) -> None:
        self._folder = Path(model) if model else FOLDER / self.name
        self._manifest = read(self._folder, self.name)
        self._loaded = False

    @property
    def version(self) -> str:
        """The annotator's name and the first characters of its weights' hash."""
        return f"{self.name}-{self._manifest.weights[:8]}"

    @abstractmethod
    def load(self, folder: Path) -> None:
        """Read the weights."""

    @abstractmethod
    def probabilities(self, tables: Sequence[Table], width: int) -> torch.Tensor:
        """Probabilities (ROWS, width, tags) of at most `ROWS` chains given as tables of at most `width` tokens."""

    def distributions(self, readings: Sequence[Reading]) -> list[Array]:
        """Per reading an array (tokens, tags) of calibrated probabilities; rows sum to one.

        Raises:
            DocumentRefused: a probability is not a finite number.
        """
        if not self._loaded:
            self.load(self._folder)
            self._loaded = True
        result = [np.zeros((len(reading.starts), len(TAGS)), dtype=np.float32) for reading in readings]
        for width, batch in _batches(readings):
            tables = [_part(table(readings[index]), chunk) for index, chunk in batch]
            with one_thread():
                found = self.probabilities(tables, width).numpy()
            for row, (index, chunk) in enumerate(batch):
                result[index][chunk.first : chunk.last] = found[
                    row, chunk.first - chunk.begin : chunk.last - chunk.begin
                ]
        for reading, array in zip(readings, result, strict=True):
            if not np.isfinite(array).all():
                raise DocumentRefused(reading.document.id, Reason.DETECTION_FAILED, "a tagger's score is not a number")
        return [_calibrated(array, self._manifest.temperature) for array in result]

    def annotate_batch(self, readings: Sequence[Reading]) -> list[list[Mention]]:
        """Mentions of each document by this tagger alone."""
        return mentions(readings, self.distributions(readings))

    def annotate(self, reading: Reading) -> list[Mention]:
        """Mentions of one document by this tagger alone."""
        return self.annotate_batch([reading])[0]


def mentions(readings: Sequence[Reading], distributions: Sequence[Array]) -> list[list[Mention]]:
    """The mentions of the best allowed path through each reading's distribution (tokens, tags)."""
    paths = best_paths([log_probabilities(distribution) for distribution in distributions])
    return [
        decode(reading, path, np.take_along_axis(distribution, np.asarray(path, dtype=np.intp)[:, None], axis=1)[:, 0])
        for reading, path, distribution in zip(readings, paths, distributions, strict=True)
    ]


def _calibrated(distribution: Array, temperature: float) -> Array:
    if temperature == 1.0 or not len(distribution):
        return distribution
    sharpened = np.power(distribution, 1 / temperature)
    calibrated: Array = sharpened / sharpened.sum(axis=1, keepdims=True)
    return calibrated


def _part(whole: Table, chunk: Chunk) -> Table:
    if chunk.begin == 0 and chunk.end == len(whole):
        return whole
    return whole.part(chunk.begin, chunk.end)


def _batches(readings: Sequence[Reading]) -> Iterator[tuple[int, list[tuple[int, Chunk]]]]:
    """A width, and at most `ROWS` chunks that are padded to it: a chunk's width depends on its own length only."""
    waiting: dict[int, list[tuple[int, Chunk]]] = {}
    for index, reading in enumerate(readings):
        for chunk in chunks(reading):
            width = -(-(chunk.end - chunk.begin) // _STEP) * _STEP
            batch = waiting.setdefault(width, [])
            batch.append((index, chunk))
            if len(batch) == ROWS:
                yield width, waiting.pop(width)
    yield from waiting.items()
