"""Blocks of a document (headings, paragraphs, tables of labelled pieces), and their rendering as text or HTML."""

from __future__ import annotations

import html
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html.entities import codepoint2name

from demo.hospital.model import Patient
from demo.hospital.prose.grammar import Piece, plain, upper

Cell = list[Piece]


class Role(StrEnum):
    """Purpose of a block, by which the renderer chooses the layout."""

    TITLE = "title"
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LINE = "line"
    ITEM = "item"
    TABLE = "table"
    LETTERHEAD = "letterhead"
    ADDRESSEE = "addressee"
    SIGNATURE = "signature"
    FOOTER = "footer"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of cells; only tables have several cells per row."""

    role: Role
    rows: tuple[tuple[Cell, ...], ...] = ()

    def pieces(self) -> Iterable[Piece]:
        """Every piece in reading order."""
        for row in self.rows:
            for cell in row:
                yield from cell

    def map(self, change: Callable[[Cell], Cell]) -> Block:
        """Return the block with every cell passed through `change`."""
        return Block(self.role, tuple(tuple(change(cell) for cell in row) for row in self.rows))


def text_block(role: Role, pieces: Sequence[Piece]) -> Block:
    """A block of one cell."""
    return Block(role, ((list(pieces),),))


def lines_block(role: Role, lines: Iterable[Sequence[Piece]]) -> Block:
    """A block of one cell per row."""
    return Block(role, tuple((list(line),) for line in lines))


def table(rows: Iterable[Sequence[Sequence[Piece]]]) -> Block:
    """A table of cells."""
    return Block(Role.TABLE, tuple(tuple(list(cell) for cell in row) for row in rows))


GAP = Block(Role.GAP)


# Rendering as plain text, as in a dictation or an old listing.
NEWLINE = Piece("\n")


class PlainRenderer:
    """Plain-text renderer with the layout habits of one document; `width` (characters) overrides its own."""

    def __init__(self, rng: random.Random, width: int | None = None) -> None:
        self._rng = rng
        own = rng.choice((0, 0, 0, 72, 80, 90, 100))
        self._width = own if width is None else width
        self._bullet = rng.choice(("- ", "- ", "• ", "* ", "– ", "  - ", "-"))
        self._heading = rng.choice(("plain", "colon", "upper", "underlined", "numbered", "starred"))
        self._table = rng.choice(("tab", "pad", "pad", "pipe", "spaces"))
        self._indent = " " * rng.choice((0, 30, 40, 45))
        self._number = 0

    def render(self, blocks: Sequence[Block]) -> list[Piece]:
        """Return the whole document as one stream of pieces, line breaks included."""
        stream: list[Piece] = []
        for block in blocks:
            for line in self._lines(block):
                stream += [*line, NEWLINE]
            if block.role in (Role.PARAGRAPH, Role.ITEM, Role.TABLE, Role.TITLE):
                stream.append(NEWLINE)
        while stream and stream[-1] == NEWLINE:
            stream.pop()
        return [*stream, NEWLINE]

    def _lines(self, block: Block) -> Iterable[Cell]:
        if block.role is Role.GAP:
            yield []
        elif block.role is Role.TABLE:
            yield from self._table_lines(block)
        elif block.role is Role.LETTERHEAD:
            yield from self._columns(block)
        elif block.role is Role.HEADING:
            yield from self._heading_lines(block.rows[0][0])
        else:
            lead = {Role.ADDRESSEE: self._indent, Role.ITEM: self._bullet}.get(block.role, "")
            for row in block.rows:
                yield from self._wrapped([Piece(lead), *row[0]])

    def _heading_lines(self, cell: Cell) -> Iterable[Cell]:
        self._number += 1
        if self._heading == "underlined":
            yield cell
            yield [Piece("-" * max(4, len(plain(cell))))]
        elif self._heading == "numbered":
            yield [Piece(f"{self._number}. "), *cell]
        elif self._heading == "starred":
            yield [Piece("*** "), *cell, Piece(" ***")]
        elif self._heading == "upper":
            yield upper(cell)
        else:
            yield [*cell, Piece(" :")] if self._heading == "colon" else cell

    def _columns(self, block: Block) -> Iterable[Cell]:
        """Cells side by side, each a stack of lines."""
        for row in block.rows:
            stacks = [_split(cell) for cell in row]
            width = max((len(plain(line)) for line in stacks[0]), default=0) + 6
            for index in range(max(len(stack) for stack in stacks)):
                line: Cell = []
                for stack in stacks:
                    if line:
                        line.append(Piece(" " * max(3, width - len(plain(line)))))
                    line += stack[index] if index < len(stack) else [Piece(" ")]
                yield line

    def _table_lines(self, block: Block) -> Iterable[Cell]:
        columns = max(len(row) for row in block.rows)
        widths = [
            max((len(plain(row[column])) for row in block.rows if column < len(row)), default=0)
            for column in range(columns)
        ]
        for row in block.rows:
            line: Cell = []
            for column, cell in enumerate(row):
                if column:
                    line.append(Piece({"tab": "\t", "pipe": " | ", "spaces": "  "}.get(self._table, "  ")))
                line += cell
                if self._table == "pad":
                    line.append(Piece(" " * (widths[column] - len(plain(cell)))))
            yield line

    def _wrapped(self, cell: Cell) -> Iterable[Cell]:
        """Cut `cell` into lines at spaces; a mention across a cut becomes two pieces."""
        if not self._width:
            yield cell
            return
        line: Cell = []
        length = 0
        for piece in cell:
            start = 0
            while start < len(piece.text):
                room = self._width - length
                rest = piece.text[start:]
                cut = rest.rfind(" ", 0, room + 1) if len(rest) > room else len(rest)
                if cut <= 0 and length == 0:
                    cut = len(rest)
                if cut > 0:
                    line.append(Piece(rest[:cut], piece.label))
                    length += cut
                    start += cut
                if start < len(piece.text):
                    yield line
                    line, length = [], 0
                    start += len(piece.text[start:]) - len(piece.text[start:].lstrip(" "))
        yield line


def _split(cell: Cell) -> list[Cell]:
    lines: list[Cell] = [[]]
    for piece in cell:
        if piece == NEWLINE:
            lines.append([])
        else:
            lines[-1].append(piece)
    return lines


# Rendering as the HTML of a clinical warehouse: letterhead tables, nested spans, entities.
_STYLES = (
    "font-family:Arial;font-size:10pt", "font-size:11.0pt;font-family:'Times New Roman',serif", "color:black",
    "mso-bidi-font-weight:bold", "font-family:Verdana", "letter-spacing:-.1pt",
)  # fmt: skip
_INLINE = ("span", "span", "span", "b", "font", "strong", "em", "u")
CUT_SHARE = 0.10
ENTITY_MODES = ("none", "none", "named", "numeric", "mixed")


class HtmlRenderer:
    """HTML renderer with the habits of one document template."""

    def __init__(self, rng: random.Random, patient: Patient, title: str) -> None:
        self._rng = rng
        self._patient = patient
        self._title = title
        self._entities = rng.choice(ENTITY_MODES)
        self._paragraph = rng.choice(("p", "p", "div", "br", "p span"))
        self._heading = rng.choice(("h2", "h3", "p b", "p u", "div b"))
        self._list = rng.choice(("ul", "ul", "ol", "dash"))
        self._wrapper = rng.choice(("page", "page", "word", "fragment"))
        self._source_width = rng.choice((0, 0, 76))

    def render(self, blocks: Sequence[Block]) -> tuple[str, list[Piece]]:
        """Return the markup, and its pieces in reading order."""
        body = "\n".join(self._block(block) for block in blocks)
        pieces: list[Piece] = []
        for block in blocks:
            pieces += self._read(block)
        return self._page(body), pieces

    def _read(self, block: Block) -> Iterable[Piece]:
        """Return the pieces in reading order; a dash before an item is text too."""
        for row in block.rows:
            if block.role is Role.ITEM and self._list == "dash":
                yield Piece("- ")
            for cell in row:
                yield from cell

    def _page(self, body: str) -> str:
        rng, patient = self._rng, self._patient
        if self._wrapper == "fragment":
            return f'<div class="document" data-ipp="{patient.ipp}">\n{body}\n</div>\n'
        surname = html.escape(patient.last_name)
        head = f"<title>{html.escape(self._title)} - {surname}</title>\n"
        if rng.random() < 0.6:
            head += (
                '<style type="text/css">\n<!-- p { margin:0cm; font-size:10.0pt; } .ent { border:none } -->\n</style>\n'
            )
        if rng.random() < 0.25:
            head += f'<script>var patient = "{surname}"; imprimer(document);</script>\n'
        model = rng.choice(("CRH_STD", "LETTRE_V3", "CR_GENERIQUE"))
        comment = f"<!-- modele {model} ; dossier {patient.ipp} ; {surname} -->\n" if rng.random() < 0.5 else ""
        doctype = rng.choice(
            ("<!DOCTYPE html>\n", '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">\n', "")
        )
        attributes = ' xmlns:o="urn:schemas-microsoft-com:office:office"' if self._wrapper == "word" else ""
        inner = f'<div class="WordSection1">\n{body}\n</div>' if self._wrapper == "word" else body
        page = f'{doctype}<html{attributes}>\n<head>\n{head}</head>\n<body lang="FR">\n'
        return f"{page}{comment}{inner}\n</body>\n</html>\n"

    def _block(self, block: Block) -> str:
        if block.role is Role.GAP:
            return self._rng.choice(("<br>", "<br/>", "<p>&nbsp;</p>", "<div><br></div>"))
        if block.role is Role.TABLE:
            return self._table(block, ' border="1" cellspacing="0" cellpadding="2"')
        if block.role is Role.LETTERHEAD:
            return self._letterhead(block)
        lines = [self._cell(row[0]) for row in block.rows]
        if block.role is Role.ITEM:
            return self._items(lines)
        if block.role is Role.HEADING:
            return "".join(_wrap(self._heading, line) for line in lines)
        if block.role is Role.TITLE:
            return f'<h1 style="text-align:center">{"<br>".join(lines)}</h1>'
        if block.role in (Role.ADDRESSEE, Role.SIGNATURE):
            align = self._rng.choice((' align="right"', ' style="text-align:right;margin-left:9.0cm"', ""))
            return f"<p{align}>{'<br>'.join(lines)}</p>"
        if block.role is Role.FOOTER:
            return "".join(f'<p style="font-size:7.5pt;color:gray">{line}</p>' for line in lines)
        if self._paragraph == "br":
            return "".join(f"{line}<br>\n" for line in lines) + ("<br>" if block.role is Role.PARAGRAPH else "")
        return "\n".join(_wrap(self._paragraph, line) for line in lines)

    def _items(self, lines: Sequence[str]) -> str:
        if self._list == "dash":
            return "".join(f"<p>- {line}</p>\n" for line in lines)
        inner = "\n".join(f"<li>{line}</li>" for line in lines)
        return f"<{self._list}>\n{inner}\n</{self._list}>"

    def _table(self, block: Block, attributes: str) -> str:
        rows = []
        for index, row in enumerate(block.rows):
            tag = "th" if index == 0 and len(row) > 2 and self._rng.random() < 0.5 else "td"
            cells = "".join(f"<{tag}>{self._cell(cell) or '&nbsp;'}</{tag}>" for cell in row)
            rows.append(f"<tr>{cells}</tr>")
        return f"<table{attributes}>\n" + "\n".join(rows) + "\n</table>"

    def _letterhead(self, block: Block) -> str:
        if len(block.rows[0]) > 1 or self._rng.random() < 0.4:
            return self._table(block, ' width="100%" class="entete"')
        lines = [self._cell(row[0]) for row in block.rows]
        lines[0] = f"<b>{lines[0]}</b>"
        return f'<div class="entete" align="center">{"<br>".join(lines)}</div>'

    def _cell(self, cell: Cell) -> str:
        return "".join(self._piece(piece) for piece in cell)

    def _piece(self, piece: Piece) -> str:
        if piece.text == "\n":
            return "<br>"
        text = piece.text
        if piece.label is not None and len(text) > 3 and self._rng.random() < CUT_SHARE:
            at = self._rng.randrange(1, len(text))
            tag = self._rng.choice(_INLINE)
            style = f' style="{self._rng.choice(_STYLES)}"' if tag == "span" else ""
            if self._rng.random() < 0.3:
                return f"<{tag}{style}>{self._escape(text[:at])}</{tag}>{self._escape(text[at:])}"
            return f"{self._escape(text[:at])}<{tag}{style}>{self._escape(text[at:])}</{tag}>"
        if piece.label is None and self._source_width and len(text) > self._source_width:
            return self._folded(text)
        return self._escape(text)

    def _folded(self, text: str) -> str:
        """Break source lines at spaces; the reader must read each break as a space."""
        words, lines, line = text.split(" "), [], ""
        for word in words:
            if line and len(line) + len(word) > self._source_width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        return ("\n" if text.startswith(" ") else "") + "\n".join(self._escape(part) for part in [*lines, line])

    def _escape(self, text: str) -> str:
        escaped = html.escape(text, quote=False)
        if "  " in escaped:
            escaped = escaped.replace("  ", " &nbsp;")
        if self._entities == "none":
            return escaped
        return "".join(self._entity(character) if ord(character) > 127 else character for character in escaped)

    def _entity(self, character: str) -> str:
        if self._entities == "mixed" and self._rng.random() < 0.5:
            return character
        name = codepoint2name.get(ord(character))
        if self._entities != "numeric" and name:
            return f"&{name};"
        return f"&#{ord(character)};"


def _wrap(tags: str, inner: str) -> str:
    names = tags.split()
    head = "".join(f'<{name} style="{_STYLES[0]}">' if name == "span" else f"<{name}>" for name in names)
    return head + inner + "".join(f"</{name}>" for name in reversed(names))
