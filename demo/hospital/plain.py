"""Dresses blocks as plain text, as a dictation or an old listing would leave it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from demo.hospital.blocks import Block, Cell, Role
from demo.hospital.prose.grammar import Piece, plain, upper

NEWLINE = Piece("\n")


class PlainDressing:
    """The layout habits of one document."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._width = rng.choice((0, 0, 0, 72, 80, 90, 100))
        self._bullet = rng.choice(("- ", "- ", "• ", "* ", "– ", "  - ", "-"))
        self._heading = rng.choice(("plain", "colon", "upper", "underlined", "numbered", "starred"))
        self._table = rng.choice(("tab", "pad", "pad", "pipe", "spaces"))
        self._indent = " " * rng.choice((0, 30, 40, 45))
        self._number = 0

    def dress(self, blocks: Sequence[Block]) -> list[Piece]:
        """The whole document as one stream of pieces, line breaks included."""
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
        """`cell` cut into lines at spaces; a mention across a cut becomes two pieces."""
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
