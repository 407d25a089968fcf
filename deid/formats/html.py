"""HTML: the text that a person reads on a page, and a clean page with surrogates in place of the mentions.

Content. Scripts, styles, comments, `head` and the values of attributes are dropped, also from the clean page; hidden
text is text. A document is truncated if it ends inside a tag, comment, script, style or title, or leaves `html`,
`body`, `head` or a table open; a fragment without these elements is complete.
Lines. A block starts and ends a line; `br` ends one. A tab separates the cells of a row, and the lines of a cell stay
lines. Blocks add no empty line, `br` does. The text does not end with a line break.
White space. A run of spaces, tabs, line ends and control characters is one space, and none at the edges of a line;
in `pre`, `textarea`, `listing` and `xmp` it stays as written. A no-break space (U+00A0, U+202F) is a space that is
never folded. An image or form field between two words is a space. Invisible characters (soft hyphen, zero-width
space…) are left out. Tags inside a word leave no trace: `DU<b>PONT</b>` reads DUPONT.
"""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from deid.domain.errors import DocumentRefused, Reason
from deid.formats.markup import (
    CELLS,
    INLINE_KEPT,
    ROWS,
    Close,
    EmptyElement,
    Event,
    Open,
    Truncated,
    Words,
    read_events,
)
from deid.formats.source import (
    CONTROL,
    FIXED_SPACES,
    INVISIBLE,
    Replacement,
    SourceText,
    check_replacements,
    decode_text,
)

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
class SourceSpan:
    """A span `[start, end)` of the text whose characters stand in the source."""

    start: int
    end: int
    verbatim: bool


class _Layout:
    """Build the text from events, with the nodes (tags and runs) of the clean page."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._length = 0
        self._pending = ""  # line breaks and tabs to write before the next character
        self._cell_start = 0  # length of `_pending` at the start of this cell
        self._in_line = False  # a character was written in this line or cell
        self._any_in_line = False  # a character was written in this line
        self._space: int | None = None  # node of a possible space
        self._stray_edge: int | None = None  # node of a line end without element
        self._cells: list[int] = [0]  # cells in the current row of each open table
        self._verbatim = 0
        self._pre_begins = False
        self._nodes: list[str | SourceSpan] = []

    def add(self, event: Event) -> None:
        """Continue the text and the page with an event."""
        match event:
            case Words():
                self._words(event)
            case Open():
                self._open(event)
            case Close():
                self._close(event)
            case EmptyElement():
                self._mark(event)

    def result(self) -> HtmlSource:
        """Return the document after its last event."""
        return HtmlSource("".join(self._pieces), tuple(self._nodes))

    def _words(self, words: Words) -> None:
        for piece in _PIECE.finditer(self._source, words.start, words.end):
            kind, characters = piece.lastgroup, piece.group()
            if kind == "entity" and not words.literal:
                characters = html.unescape(characters)
                kind = "gap" if characters and not characters.strip(_FOLDED) else "entity"
            if self._pre_begins:
                self._pre_begins = False
                if kind == "gap":
                    characters = re.sub(r"\A(?:\r\n|\r|\n)", "", characters)
            if kind == "gap" and not self._verbatim:
                self._gap()
            elif kind == "words":
                self._write(characters)
            elif kind == "gap":
                self._write(re.sub("\r\n?", "\n", characters).translate(_IN_PRE))
            else:
                self._write(characters.translate(_ALONE))

    def _gap(self) -> None:
        if self._in_line and not self._pending and self._space is None:
            self._space = len(self._nodes)
            self._nodes.append("")

    def _write(self, characters: str) -> None:
        if not characters:
            return
        if self._pending:
            self._append(self._pending)
            self._pending = ""
            if self._stray_edge is not None:
                self._nodes[self._stray_edge] = "<br>"  # ends the line alike, and needs no end tag
        elif self._space is not None:
            self._nodes[self._space] = SourceSpan(self._length, self._length + 1, False)
            self._append(" ")
        self._space = self._stray_edge = None
        self._cell_start = 0
        self._nodes.append(SourceSpan(self._length, self._length + len(characters), self._verbatim > 0))
        self._append(characters)
        self._in_line = self._any_in_line = not characters.endswith("\n")

    def _append(self, characters: str) -> None:
        self._pieces.append(characters)
        self._length += len(characters)

    def _open(self, event: Open) -> None:
        if event.name == "table":
            self._cells.append(0)
        if event.name in CELLS:
            self._cell()
        elif event.name in ROWS:
            self._row()
        elif event.name not in INLINE_KEPT:
            self._edge()
        if event.name == "pre":
            self._verbatim += 1
            self._pre_begins = True
        self._nodes.append(f"<{event.name}{event.spans}>" + ("\n" if event.name == "pre" else ""))

    def _close(self, event: Close) -> None:
        if event.name == "pre":
            self._verbatim -= 1
            self._pre_begins = False
        if event.name in ROWS:
            self._row()
        elif event.name not in INLINE_KEPT:
            self._edge()
        if event.name == "table":
            self._cells.pop()
        ends_line = event.name not in INLINE_KEPT and not self._verbatim
        self._nodes.append(f"</{event.name}>" + ("\n" if ends_line else ""))

    def _mark(self, event: EmptyElement) -> None:
        if event.name == "box":
            self._gap()
        elif event.name == "br":
            self._pending += "\n"
            self._nodes.append("<br>")
        elif event.name == "hr":
            self._edge()
            self._nodes.append("<hr>")
        elif self._edge():
            self._stray_edge = len(self._nodes)
            self._nodes.append("")

    def _edge(self) -> bool:
        """End the line at the edge of a block, unless it is empty; return whether it ended."""
        ends_line = self._in_line and not self._pending
        if ends_line:
            self._pending = "\n"
        return ends_line

    def _row(self) -> None:
        """Start or end a row or table; tabs not followed by text are dropped."""
        breaks = self._pending.count("\n")
        self._pending = "\n" * max(breaks, 1 if self._any_in_line else 0)
        self._cells[-1] = 0
        self._cell_start = len(self._pending)
        self._in_line = False

    def _cell(self) -> None:
        """Start a cell: a tab replaces the trailing line breaks of the cell before."""
        if self._cells[-1]:
            self._pending = "\t" if self._in_line else self._pending[: self._cell_start] + "\t"
        self._cells[-1] += 1
        self._cell_start = len(self._pending)
        self._in_line = False


# ---- The clean page: kept elements without attributes, escaped text, surrogates in place of mentions

_PAGE = "<html><body>\n{}\n</body></html>\n"
# A space that browsers fold or drop
_FOLDED_SPACE = re.compile(r"(?<=[ \n]) | (?=[ \n])")
_ONE_LINE = str.maketrans(dict.fromkeys(CONTROL | {"\t", "\n", "\r"}, " "))


@dataclass
class _Chunk:
    """Text between two tags; `before` and `after` are the neighbouring characters on its line, or a line feed."""

    text: str
    verbatim: bool
    follows_on: bool  # no line break or tab separates it from the chunk before
    before: str = "\n"
    after: str = "\n"

    def escaped(self) -> str:
        """Return the text as markup; spaces that a browser would fold are no-break spaces."""
        if self.verbatim:
            return html.escape(self.text, quote=False)
        line = _FOLDED_SPACE.sub("\u00a0", self.before + self.text + self.after)[1:-1]
        return html.escape(line, quote=False).replace("\u00a0", "&#160;")


@dataclass(frozen=True)
class HtmlSource(SourceText):
    """An HTML document; `nodes` are the tags and runs of the clean page."""

    nodes: tuple[str | SourceSpan, ...]

    def rewrite(self, replacements: Sequence[Replacement]) -> str:
        """Return a clean page; see `SourceText.rewrite`.

        A surrogate is written on one line, in the first text node of its mention.
        """
        check_replacements(len(self.text), replacements)
        pending = deque((start, end, surrogate.translate(_ONE_LINE)) for start, end, surrogate in replacements)
        page: list[str | _Chunk] = []
        end = 0
        for node in self.nodes:
            if isinstance(node, SourceSpan):
                page.append(_Chunk(_cut(self.text, node, pending), node.verbatim, node.start == end))
                end = node.end
            elif node:
                page.append(node)
        _join_lines([part for part in page if isinstance(part, _Chunk)])
        return _PAGE.format("".join(part.escaped() if isinstance(part, _Chunk) else part for part in page))


def _cut(text: str, run: SourceSpan, pending: deque[Replacement]) -> str:
    """Return a run with its surrogates; a replacement that continues after the run stays pending, with no text."""
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


def _join_lines(chunks: Sequence[_Chunk]) -> None:
    """Set `before` and `after` of the chunks with text that follow each other on a line."""
    last: _Chunk | None = None
    for chunk in chunks:
        if not chunk.follows_on:
            last = None
        if chunk.text:
            if last is not None:
                chunk.before, last.after = last.text[-1], chunk.text[0]
            last = chunk


def read_html(raw: bytes, charset: str, document_id: str) -> HtmlSource:
    """Read an HTML page or fragment; the module explains its lines and white space.

    Raises:
        DocumentRefused: undecodable, or malformed (truncated).
    """
    source = decode_text(raw, charset, document_id)
    layout = _Layout(source)
    try:
        for event in read_events(source):
            layout.add(event)
    except Truncated as error:
        detail = f"{error}: the document was cut, export it again at the source"
        raise DocumentRefused(document_id, Reason.MALFORMED, detail) from None
    return layout.result()
