"""What every format gives: the plain text of a document, and the way back into its markup."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

# [start, end) in the plain text, in code points, and what stands there instead
Replacement = tuple[int, int, str]


@dataclass(frozen=True)
class SourceText(ABC):
    """A document read: `text` is what detection sees, in Unicode NFC, lines ended by a line feed.

    `source` is the decoded document, in NFC too; `source_span` points into it.
    """

    text: str
    source: str

    @abstractmethod
    def rewrite(self, replacements: Sequence[Replacement]) -> str:
        """The document with each span of `text` replaced, in its own format.

        Reading the result again gives `text` with the same replacements, except that line breaks and tabs
        that come from the markup stay where they were when a replaced span runs over them.

        Raises:
            ValueError: replacements are not sorted, overlap, are empty or leave the text.
        """

    @abstractmethod
    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Where the span `[start, end)` of `text` stands in `source`, in code points.

        Raises:
            ValueError: the span is empty or leaves the text.
        """


def check_spans(length: int, spans: Sequence[tuple[int, int]]) -> None:
    """Refuse spans that are empty, unsorted, overlapping or outside a text of `length` code points.

    Raises:
        ValueError: naming the first offending offsets, never a text.
    """
    previous = 0
    for start, end in spans:
        if not previous <= start < end <= length:
            raise ValueError(f"span [{start}, {end}) is empty, unsorted, overlapping or outside 0..{length}")
        previous = end


def replaced(text: str, replacements: Sequence[Replacement]) -> str:
    """`text` with each span replaced; the spans are sorted and do not overlap."""
    pieces: list[str] = []
    position = 0
    for start, end, surrogate in replacements:
        pieces += text[position:start], surrogate
        position = end
    pieces.append(text[position:])
    return "".join(pieces)
