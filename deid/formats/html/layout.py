"""Events of HTML to lines of text, each run of characters tied to where it stands in the source.

Lines. A block starts and ends a line; `br` ends one; cells of a row are parted by a tab, and a cell's own lines
stay lines. Blocks add no empty line, `br` does. No line break stands before the end of the text.
White space. A run of spaces, tabs, line ends and control characters is one space, and none at the edges of a
line; in `pre`, `textarea`, `listing` and `xmp` it stays as written. A no-break space (U+00A0, U+202F) is a
space that is never folded. An image or form field between two words is a space. Invisible characters (soft
hyphen, zero-width space…) are left out, so that they cannot split a name.
Tags inside a word leave no trace: `DU<b>PONT</b>` reads DUPONT.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from deid.formats.characters import CONTROL, FIXED_SPACES, INVISIBLE
from deid.formats.html import elements
from deid.formats.html.structure import Close, Event, Mark, Open, Words

_FOLDED = "\t\n\r " + "".join(sorted(CONTROL))
_SPECIAL = re.escape("".join(sorted(INVISIBLE | FIXED_SPACES)))
_PIECE = re.compile(
    rf"(?P<words>[^&{re.escape(_FOLDED)}{_SPECIAL}]+(?: [^&{re.escape(_FOLDED)}{_SPECIAL}]+)*+)"
    rf"|(?P<gap>[{re.escape(_FOLDED)}]+)"
    r"|(?P<entity>&(?:\#[0-9]{1,31}|\#[xX][0-9a-fA-F]{1,31}|[A-Za-z][0-9A-Za-z]{0,31});?)"
    r"|(?P<single>.)",
    re.DOTALL,
)
_ALONE = str.maketrans(dict.fromkeys(INVISIBLE, "") | dict.fromkeys(FIXED_SPACES, " "))
_IN_PRE = str.maketrans(dict.fromkeys(CONTROL, " "))


@dataclass(frozen=True, slots=True)
class Run:
    """`[start, end)` of the text, characters that stand in the source (not those that layout adds)."""

    start: int
    end: int
    verbatim: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """From `start` of the text up to the next segment: `[source_start, source_end)` of the source.

    Where `exact`, character by character; otherwise (an entity, folded white space) as a whole.
    """

    start: int
    source_start: int
    source_end: int
    exact: bool


class Layout:
    """Text under construction, and the nodes of the page: tags as written in a clean page, and runs."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._length = 0
        self._pending = ""  # line breaks and tabs to write before the next character
        self._cell_start = 0  # how much of `_pending` was there when the present cell began
        self._in_line = False  # a character has been written since the line or cell began
        self._any_in_line = False  # …since the line began
        self._space: tuple[int, int, int] | None = None  # node and source span of a folded space, if it proves one
        self._stray_edge: int | None = None  # node where a line ended with no element to show for it
        self._cells: list[int] = [0]  # cells seen in the present row of each open table
        self._verbatim = 0
        self._pre_begins = False
        self.nodes: list[str | Run] = []
        self.segments: list[Segment] = []

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, event: Event) -> None:
        match event:
            case Words():
                self._words(event)
            case Open():
                self._open(event)
            case Close():
                self._close(event)
            case Mark():
                self._mark(event)

    def _words(self, words: Words) -> None:
        for piece in _PIECE.finditer(self._source, words.start, words.end):
            start, end = piece.span()
            kind, characters = piece.lastgroup, piece.group()
            if kind == "entity" and not words.literal:
                characters = html.unescape(characters)
                kind = "gap" if characters and not characters.strip(_FOLDED) else "entity"
            if self._pre_begins:
                self._pre_begins = False
                if kind == "gap":
                    characters = re.sub(r"\A(?:\r\n|\r|\n)", "", characters)
            if kind == "gap" and not self._verbatim:
                self._gap(start, end)
            elif kind == "words":
                self._write(characters, start, end)
            elif kind == "gap":
                self._write(re.sub("\r\n?", "\n", characters).translate(_IN_PRE), start, end)
            else:
                self._write(characters.translate(_ALONE), start, end)

    def _gap(self, start: int, end: int) -> None:
        if self._in_line and not self._pending and self._space is None:
            self._space = len(self.nodes), start, end
            self.nodes.append("")

    def _write(self, characters: str, start: int, end: int) -> None:
        if not characters:
            return
        if self._pending:
            self._append(self._pending, start, start)
            self._pending = ""
            if self._stray_edge is not None:
                self.nodes[self._stray_edge] = "<br>"  # ends the line alike, and needs no end tag
        elif self._space is not None:
            index, space_start, space_end = self._space
            self.nodes[index] = Run(self._length, self._length + 1, False)
            self._append(" ", space_start, space_end)
        self._space = self._stray_edge = None
        self._cell_start = 0
        self.nodes.append(Run(self._length, self._length + len(characters), self._verbatim > 0))
        self._append(characters, start, end)
        self._in_line = self._any_in_line = not characters.endswith("\n")

    def _append(self, characters: str, start: int, end: int) -> None:
        self.segments.append(Segment(self._length, start, end, len(characters) == end - start))
        self._pieces.append(characters)
        self._length += len(characters)

    def _open(self, event: Open) -> None:
        if event.name == "table":
            self._cells.append(0)
        if event.name in elements.CELLS:
            self._cell()
        elif event.name in elements.ROWS:
            self._row()
        elif event.name not in elements.INLINE_KEPT:
            self._edge()
        if event.name == "pre":
            self._verbatim += 1
            self._pre_begins = True
        self.nodes.append(f"<{event.name}{event.spans}>" + ("\n" if event.name == "pre" else ""))

    def _close(self, event: Close) -> None:
        if event.name == "pre":
            self._verbatim -= 1
            self._pre_begins = False
        if event.name in elements.ROWS:
            self._row()
        elif event.name not in elements.INLINE_KEPT:
            self._edge()
        if event.name == "table":
            self._cells.pop()
        ends_line = event.name not in elements.INLINE_KEPT and not self._verbatim
        self.nodes.append(f"</{event.name}>" + ("\n" if ends_line else ""))

    def _mark(self, event: Mark) -> None:
        if event.name == "box":
            self._gap(event.at, event.at)
        elif event.name == "br":
            self._pending += "\n"
            self.nodes.append("<br>")
        elif event.name == "hr":
            self._edge()
            self.nodes.append("<hr>")
        elif self._edge():
            self._stray_edge = len(self.nodes)
            self.nodes.append("")

    def _edge(self) -> bool:
        """A block begins or ends: the line does, unless nothing stands on it yet. Whether it did."""
        ends_line = self._in_line and not self._pending
        if ends_line:
            self._pending = "\n"
        return ends_line

    def _row(self) -> None:
        """A row or table begins or ends: tabs that lead to no text go."""
        breaks = self._pending.count("\n")
        self._pending = "\n" * max(breaks, 1 if self._any_in_line else 0)
        self._cells[-1] = 0
        self._cell_start = len(self._pending)
        self._in_line = False

    def _cell(self) -> None:
        """A cell begins: a tab parts it from the one before, whose trailing line breaks go."""
        if self._cells[-1]:
            self._pending = "\t" if self._in_line else self._pending[: self._cell_start] + "\t"
        self._cells[-1] += 1
        self._cell_start = len(self._pending)
        self._in_line = False
