"""Text files whose fields are replaced in place, so that every other byte stays as it is."""

from __future__ import annotations

from collections.abc import Callable

from deid.formats.charsets import decode, encode
from deid.formats.reading import Reading
from deid.formats.source import replaced


class SplicedText:
    """The text of a file, and the replacements of its parts.

    Args:
        raw: bytes of the file.
        reading: of the file.
        charset: that the file declares; None if it does not.
    """

    def __init__(self, raw: bytes, reading: Reading, charset: str | None = None) -> None:
        self._raw = raw
        self._reading = reading
        self.text, self.encoding, self._mark = decode(raw, charset or reading.charset, reading.document_id)
        self._pieces: dict[int, tuple[int, str]] = {}

    def place(self, start: int, end: int, form: Callable[[str], str] = str) -> Callable[[str], None]:
        """Return what replaces `[start, end)` by a value in the form of the file."""

        def put(value: str) -> None:
            self._pieces[start] = end, form(value)

        return put

    def save(self) -> bytes:
        """Return the file with its new parts."""
        if self._reading.untouched:
            return self._raw
        return self._mark + encode(self.written(), self.encoding)

    def written(self) -> str:
        """Return the text with its new parts."""
        pieces = ((start, end, piece) for start, (end, piece) in sorted(self._pieces.items()))
        return self.settle(replaced(self.text, pieces))

    def settle(self, text: str) -> str:
        """Return the text to write, once every part is replaced."""
        return text
