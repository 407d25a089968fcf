"""Plain text: one kind of line end, no characters that hide words, every other character as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from deid.formats.source import CONTROL, INVISIBLE, Replacement, SourceText, check_replacements, decode_text

_LINE_END = re.compile("\r\n|[\r\f]")
_NORMALIZED = str.maketrans(dict.fromkeys(INVISIBLE, "") | dict.fromkeys(CONTROL, " "))


@dataclass(frozen=True)
class PlainSource(SourceText):
    """A plain text; `windows` is True if every line of the source ended in CR LF."""

    windows: bool

    def rewrite(self, replacements: Sequence[Replacement]) -> str:
        """Return the text with its replacements; lines end as in the source if all its lines ended alike."""
        check_replacements(len(self.text), replacements)
        pieces: list[str] = []
        position = 0
        for start, end, surrogate in replacements:
            pieces += self.text[position:start], surrogate
            position = end
        text = "".join((*pieces, self.text[position:]))
        return text.replace("\n", "\r\n") if self.windows else text


def read_plain(raw: bytes, charset: str, document_id: str) -> PlainSource:
    """Read a plain text.

    CR LF, CR and form feed give a line feed, other control characters a space; invisible characters (soft hyphen,
    zero-width space…) are left out.

    Raises:
        DocumentRefused: undecodable.
    """
    source = decode_text(raw, charset, document_id)
    breaks = source.count("\n")
    windows = breaks > 0 and source.count("\r\n") == breaks == source.count("\r")
    return PlainSource(_LINE_END.sub("\n", source).translate(_NORMALIZED), windows)
