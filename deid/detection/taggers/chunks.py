"""Long documents in pieces of bounded length, with context on both sides, so that no text outgrows memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deid.detection.reading import Reading

LONGEST = 320  # tokens in a piece
CONTEXT = 40  # tokens read on each side of a piece without being judged


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tokens `[first, last)` are judged; `[begin, end)` are read."""

    begin: int
    first: int
    last: int
    end: int


def chunks(reading: Reading) -> list[Chunk]:
    """Pieces that together judge every token once; cut at a line break where one is near."""
    return cut(reading.words)


def cut(words: Sequence[str]) -> list[Chunk]:
    """The pieces of a document of `words`."""
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
