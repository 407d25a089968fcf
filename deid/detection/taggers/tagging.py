"""The CRF and the BiLSTM-CRF as annotators: manifest of a trained model, batches of chunks, distributions, mentions."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from deid.detection.taggers.crf import SINGLE, TOGETHER
from deid.detection.taggers.features import COLUMNS, GRAMS, FeatureTable, Rule, feature_table
from deid.detection.taggers.tags import TAGS, best_path, decode, log_probabilities
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.errors import DocumentRefused, PolicyError, Reason
from deid.domain.writing import file_digest
from deid.models import FOLDER

MANIFEST_FILE = "model.json"
WEIGHTS = "weights.safetensors"
# Raised when a column of the same name gets another content.
FEATURES = 1
# Every computation has one of few shapes: the sums of a matrix product depend on its shape, and a document's mentions
# must not depend on its batch.
ROWS = 16  # chains of a computation; missing ones are empty
_STEP = 64  # tokens: chains are padded to a multiple of it
# Long documents are cut into chunks, so that memory is bounded.
LONGEST = 320  # tokens of a chunk
CONTEXT = 40  # tokens on each side of a chunk that are read and not tagged
_RETRAIN = "Train it again with `nocturne train`, or restore it."

Array = NDArray[np.float32]


@cache
def features_digest() -> str:
    """Return a name of the features and tags of this version: columns, n-grams, templates, tags."""
    what = [FEATURES, COLUMNS, GRAMS, SINGLE, TOGETHER, TAGS]
    return sha256(json.dumps(what).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Manifest:
    """Description of a trained tagger, in `model.json` beside its weights.

    `kind` is the annotator's name, `features` the `features_digest` of its training, `weights` the sha256 of the
    weights' file; `temperature` divides the logarithms of probabilities to calibrate them.
    """

    kind: str
    features: str
    weights: str
    temperature: float = 1.0
    shape: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)

    def save(self, folder: Path) -> None:
        """Write `model.json`."""
        text = json.dumps(asdict(self), indent=2, sort_keys=True)
        (folder / MANIFEST_FILE).write_text(text + "\n", encoding="utf-8")


def read_manifest(folder: Path, kind: str) -> Manifest:
    """Return the manifest of the model in `folder`, checked against its weights and the features of this version.

    Raises:
        PolicyError: nothing there, unreadable, another kind, other features or tags, or altered weights.
    """
    if not (folder / MANIFEST_FILE).is_file() or not (folder / WEIGHTS).is_file():
        raise PolicyError(
            f"annotator {kind}: no model in {folder.name} ({MANIFEST_FILE} and {WEIGHTS} are expected).",
            "Give the folder that `nocturne train` wrote; without the option, the model that ships, if any.",
        )
    try:
        manifest = Manifest(**json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise PolicyError(
            f"annotator {kind}: {MANIFEST_FILE} of model {folder.name} cannot be read.", _RETRAIN
        ) from None
    if manifest.kind != kind:
        raise PolicyError(f"annotator {kind}: model {folder.name} is a {manifest.kind}.", "Name its own annotator.")
    if manifest.features != features_digest():
        raise PolicyError(
            f"annotator {kind}: model {folder.name} was trained for other features or labels "
            f"({manifest.features}; this release computes {features_digest()}).",
            _RETRAIN,
        )
    if manifest.weights != file_digest(folder / WEIGHTS):
        raise PolicyError(
            f"annotator {kind}: {WEIGHTS} of model {folder.name} is not the file that was saved.", _RETRAIN
        )
    return manifest


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document: tokens `[first, last)` are tagged, tokens `[begin, end)` are read."""

    begin: int
    first: int
    last: int
    end: int


def cut_chunks(words: Sequence[str]) -> list[Chunk]:
    """Return chunks of a document of `words` that tag every token once; cut at a line break where one is near."""
    found = []
    first, total = 0, len(words)
    while first < total:
        last = min(first + LONGEST, total)
        if last < total:
            breaks = (at for at in range(last, first + LONGEST // 2, -1) if words[at - 1] == "\n")
            last = next(breaks, last)
        found.append(Chunk(max(0, first - CONTEXT), first, last, min(total, last + CONTEXT)))
        first = last
    return found


class Tagging(ABC):
    """A learned tagger of this product.

    Args:
        model: a folder that `nocturne train` wrote; None is the packaged model of that name.

    Raises:
        PolicyError: the folder holds no such model, or one made for other features or labels.
    """

    name: str
    rules: Sequence[Rule]  # annotators whose mentions are features

    def __init__(self, model: str | None = None) -> None:
        self._folder = Path(model) if model else FOLDER / self.name
        self._manifest = read_manifest(self._folder, self.name)
        self._loaded = False

    @property
    def version(self) -> str:
        """The annotator's name and the first characters of its weights' hash."""
        return f"{self.name}-{self._manifest.weights[:8]}"

    @abstractmethod
    def load(self, folder: Path) -> None:
        """Read the weights."""

    def load_once(self) -> None:
        """Read the weights at the first call."""
        if not self._loaded:
            self.load(self._folder)
            self._loaded = True

    def tables(self, readings: Sequence[Reading]) -> list[FeatureTable]:
        """Return what `probabilities` takes, of whole documents."""
        return [feature_table(reading, self.rules) for reading in readings]

    @abstractmethod
    def probabilities(self, tables: Sequence[FeatureTable], width: int) -> torch.Tensor:
        """Return probabilities (ROWS, width, tags) of at most `ROWS` tables of at most `width` tokens."""

    def distributions(self, readings: Sequence[Reading]) -> list[Array]:
        """Return per reading an array (tokens, tags) of calibrated probabilities; rows sum to one.

        Raises:
            DocumentRefused: a probability is not a finite number.
        """
        self.load_once()
        result = [np.zeros((len(reading.starts), len(TAGS)), dtype=np.float32) for reading in readings]
        with one_thread():
            whole = self.tables(readings)
        for width, batch in _batches(readings):
            tables = [whole[index].part(chunk.begin, chunk.end) for index, chunk in batch]
            with one_thread():
                found = self.probabilities(tables, width).numpy()
            for row, (index, chunk) in enumerate(batch):
                tagged = slice(chunk.first - chunk.begin, chunk.last - chunk.begin)
                result[index][chunk.first : chunk.last] = found[row, tagged]
        for reading, array in zip(readings, result, strict=True):
            if not np.isfinite(array).all():
                raise DocumentRefused(reading.document.id, Reason.DETECTION_FAILED, "a tagger's score is not a number")
        return [_calibrated(array, self._manifest.temperature) for array in result]

    def annotate_batch(self, readings: Sequence[Reading]) -> list[list[Mention]]:
        """Return the mentions of each document by this tagger alone."""
        return best_mentions(readings, self.distributions(readings))

    def annotate(self, reading: Reading) -> list[Mention]:
        """Return the mentions of one document by this tagger alone."""
        return self.annotate_batch([reading])[0]


def best_mentions(readings: Sequence[Reading], distributions: Sequence[Array]) -> list[list[Mention]]:
    """Return the mentions of the best allowed path through each reading's distribution (tokens, tags)."""
    found = []
    for reading, distribution in zip(readings, distributions, strict=True):
        path = np.asarray(best_path(log_probabilities(distribution)), dtype=np.intp)
        found.append(decode(reading, path.tolist(), distribution[np.arange(len(path)), path]))
    return found


@contextmanager
def one_thread() -> Iterator[None]:
    """Make torch compute on one thread within the block.

    The batches are too small to share: two threads take nearly twice the time of one on two idle cores. One order of
    additions also gives the same digits on machines with other numbers of cores.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _calibrated(distribution: Array, temperature: float) -> Array:
    if temperature == 1.0 or not len(distribution):
        return distribution
    sharpened = np.power(distribution, 1 / temperature)
    calibrated: Array = sharpened / sharpened.sum(axis=1, keepdims=True)
    return calibrated


def _batches(readings: Sequence[Reading]) -> Iterator[tuple[int, list[tuple[int, Chunk]]]]:
    """Return widths, each with at most `ROWS` chunks; the width of a chunk depends on its own length only."""
    waiting: dict[int, list[tuple[int, Chunk]]] = {}
    for index, reading in enumerate(readings):
        for chunk in cut_chunks(reading.words):
            width = -(-(chunk.end - chunk.begin) // _STEP) * _STEP
            batch = waiting.setdefault(width, [])
            batch.append((index, chunk))
            if len(batch) == ROWS:
                yield width, waiting.pop(width)
    yield from waiting.items()
