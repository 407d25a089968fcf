"""Plain text: line ends made one, characters that hide words removed, every other character kept."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from deid.formats.characters import CONTROL, INVISIBLE
from deid.formats.decoding import decode
from deid.formats.source import Replacement, SourceText, check_spans, replaced

_INVISIBLE = re.escape("".join(sorted(INVISIBLE)))
_CONTROL = re.escape("".join(sorted(CONTROL)))
# What does not stand for itself, one character of text or none for each match
_ALTERED = re.compile(f"\r\n|[\r\f{_CONTROL}{_INVISIBLE}]")


@dataclass(frozen=True)
class PlainSource(SourceText):
    """`shifts` holds `(text offset, source offset)` wherever the difference between both changes."""

    shifts: tuple[tuple[int, int], ...]

    def rewrite(self, replacements: Sequence[Replacement]) -> str:
        """The text replaced; lines end in CR LF where all of the source's did, otherwise in LF."""
        check_spans(len(self.text), [(start, end) for start, end, _ in replacements])
        text = replaced(self.text, replacements)
        breaks = self.source.count("\n")
        all_windows = breaks > 0 and self.source.count("\r\n") == breaks == self.source.count("\r")
        return text.replace("\n", "\r\n") if all_windows else text

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """See `SourceText.source_span`."""
        check_spans(len(self.text), [(start, end)])
        return self._source_offset(start), self._source_offset(end - 1) + 1

    def _source_offset(self, offset: int) -> int:
        text_offset, source_offset = self.shifts[bisect_right(self.shifts, offset, key=lambda shift: shift[0]) - 1]
        return source_offset + offset - text_offset


def read(raw: bytes, charset: str, document_id: str) -> PlainSource:
    """Plain text as stored.

    CR LF, CR and form feed read as a line feed; other control characters as a space; invisible characters
    (soft hyphen, zero-width space…) are left out.

    Raises:
        DocumentRefused: undecodable.
    """
    source = decode(raw, charset, document_id)
    pieces: list[str] = []
    shifts = [(0, 0)]
    length = position = 0
    for match in _ALTERED.finditer(source):
        stands_for = _stands_for(match.group())
        pieces += source[position : match.start()], stands_for
        length += match.start() - position + len(stands_for)
        position = match.end()
        if len(stands_for) != len(match.group()):
            shifts.append((length, position))
    pieces.append(source[position:])
    return PlainSource("".join(pieces), source, tuple(shifts))


def _stands_for(characters: str) -> str:
    if characters in ("\r\n", "\r", "\f"):
        return "\n"
    return "" if characters in INVISIBLE else " "
