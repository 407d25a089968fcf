"""Saved distributions of taggers on documents outside their training set, served as annotators.

A policy with the tagger `nocturne_lab.learning.held_out:HeldOut` is scored with the shipped detector, from merging to
refining, on every document of a corpus; no document is scored by a model trained on its author.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deid.detection.taggers.tagging import best_mentions
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.errors import InputRefused

Array = NDArray[np.float32]


def save_distributions(folder: Path, tagger: str, distributions: Mapping[str, Array]) -> None:
    """Write the distributions (tokens, tags) of documents by their id; what `HeldOut` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    halves = {name: array.astype(np.float16) for name, array in distributions.items()}
    np.savez_compressed(folder / f"{tagger}.npz", **halves)  # type: ignore[arg-type]


@lru_cache(maxsize=8)
def load_distributions(folder: Path, tagger: str) -> Mapping[str, Array]:
    """Return the distributions written by `save_distributions`.

    Raises:
        InputRefused: the folder has no distributions of that tagger.
    """
    path = folder / f"{tagger}.npz"
    if not path.is_file():
        raise InputRefused(f"{path} is missing.", "Run python -m nocturne_lab.learning.taggers.cross_validation first.")
    with np.load(path) as saved:
        return {name: np.asarray(saved[name], dtype=np.float32) for name in saved.files}


class HeldOut:
    """Tagger that returns saved distributions, and refuses documents without one."""

    def __init__(self, tagger: str, folder: str) -> None:
        self.name = tagger
        self._folder = Path(folder)

    def distributions(self, readings: Sequence[Reading]) -> list[Array]:
        """Return saved distributions (tokens, tags).

        Raises:
            InputRefused: a document was not held out, or its text has changed since.
        """
        saved = load_distributions(self._folder, self.name)
        result = []
        for reading in readings:
            array = saved.get(reading.document.id)
            if array is None or len(array) != len(reading.starts):
                raise InputRefused(
                    f"document {reading.document.id}: no held-out distribution of {self.name} for its present text.",
                    "Run the cross-validation again.",
                )
            result.append(array)
        return result

    def annotate_batch(self, readings: Sequence[Reading]) -> list[list[Mention]]:
        """Return the mentions of this tagger in each document."""
        return best_mentions(readings, self.distributions(readings))

    def annotate(self, reading: Reading) -> list[Mention]:
        """Return the mentions of this tagger in one document."""
        return self.annotate_batch([reading])[0]
