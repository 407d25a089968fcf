"""The clean page: kept elements without attributes, escaped text, surrogates where the mentions stood."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deid.formats.characters import CONTROL
from deid.formats.html.layout import Run, Segment
from deid.formats.source import Replacement, SourceText, check_spans

_PAGE = "<html><body>\n{}\n</body></html>\n"
# A space that a browser would fold or drop
_FOLDED_SPACE = re.compile(r"(?<=[ \n]) | (?=[ \n])")
_ONE_LINE = str.maketrans(dict.fromkeys(CONTROL | {"\t", "\n", "\r"}, " "))


@dataclass
class _Chunk:
    """Text between two tags of the page; `after` and `before` are its neighbours on the same line, or a line feed."""

    text: str
    verbatim: bool
    follows_on: bool  # nothing of layout stands between it and the chunk before
    before: str = "\n"
    after: str = "\n"

    def escaped(self) -> str:
        if self.verbatim:
            return html.escape(self.text, quote=False)
        line = _FOLDED_SPACE.sub("\u00a0", self.before + self.text + self.after)[1:-1]
        return html.escape(line, quote=False).replace("\u00a0", "&#160;")


@dataclass(frozen=True)
class HtmlSource(SourceText):
    """`nodes` is the clean page, tags as they are written and runs of the text; `segments` leads to the source."""

    nodes: tuple[str | Run, ...]
    segments: tuple[Segment, ...]

    def rewrite(self, replacements: Sequence[Replacement]) -> str:
        """A clean page; see `SourceText.rewrite`. A surrogate stands in the first text node of its mention, and is
        written on one line."""
        check_spans(len(self.text), [(start, end) for start, end, _ in replacements])
        pending = deque((start, end, surrogate.translate(_ONE_LINE)) for start, end, surrogate in replacements)
        page: list[str | _Chunk] = []
        end = 0
        for node in self.nodes:
            if isinstance(node, Run):
                page.append(_Chunk(_cut(self.text, node, pending), node.verbatim, node.start == end))
                end = node.end
            elif node:
                page.append(node)
        _introduce([part for part in page if isinstance(part, _Chunk)])
        return _PAGE.format("".join(part.escaped() if isinstance(part, _Chunk) else part for part in page))

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """See `SourceText.source_span`. Line breaks that come from the markup stand before what follows them."""
        check_spans(len(self.text), [(start, end)])
        return self._source_offset(start)[0], self._source_offset(end - 1)[1]

    def _source_offset(self, offset: int) -> tuple[int, int]:
        segment = self.segments[bisect_right(self.segments, offset, key=lambda segment: segment.start) - 1]
        if not segment.exact:
            return segment.source_start, segment.source_end
        position = segment.source_start + offset - segment.start
        return position, position + 1


def _cut(text: str, run: Run, pending: deque[Replacement]) -> str:
    """What is left of a run, surrogates put in; those that go on past its end stay pending, with nothing to write."""
    pieces: list[str] = []
    position = run.start
    while pending and pending[0][0] < run.end:
        start, end, surrogate = pending.popleft()
        pieces += text[position : max(start, position)], surrogate
        position = max(position, min(end, run.end))
        if end > run.end:
            pending.appendleft((start, end, ""))
            break
    pieces.append(text[position : run.end])
    return "".join(pieces)


def _introduce(chunks: Sequence[_Chunk]) -> None:
    """Tell each chunk the characters it stands between."""
    for last, chunk in _neighbours(chunks):
        chunk.before = last.text[-1]
    for chunk, following in _neighbours(chunks):
        chunk.after = following.text[0]


def _neighbours(chunks: Sequence[_Chunk]) -> Iterator[tuple[_Chunk, _Chunk]]:
    """Pairs of chunks that hold text and follow one another on a line."""
    last: _Chunk | None = None
    for chunk in chunks:
        if not chunk.follows_on:
            last = None
        if chunk.text:
            if last is not None:
                yield last, chunk
            last = chunk
