"""Limits of time and memory on the processing of documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Time and memory that one document may take; a batch gets as much again for each `characters`.

    Args:
        seconds: wall-clock time of a step on one document.
        megabytes: memory (MiB) that a step on one document may add to that of its process.
        characters: length of the longest document admitted.
        portion: characters of a batch that are processed at once, which bounds the memory of a batch.
        isolated: a batch is tried in a process of its own from the start, since an earlier attempt ended its process.
    """

    seconds: float = 300.0
    megabytes: int = 2048
    characters: int = 2_000_000
    portion: int = 2_000_000
    isolated: bool = False

    def share(self, characters: int) -> float:
        """Return how many times the limits of one document a batch of that length may take."""
        return 1 + characters / self.characters
