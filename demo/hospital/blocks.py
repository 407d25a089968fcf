"""A document before it is dressed: headings, paragraphs, tables of labelled pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from demo.hospital.prose.grammar import Piece

Cell = list[Piece]


class Role(StrEnum):
    """What a block is for; the dressing decides how it looks."""

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
    """Rows of cells; everything but a table has one cell per row."""

    role: Role
    rows: tuple[tuple[Cell, ...], ...] = ()

    def pieces(self) -> Iterable[Piece]:
        """Every piece in reading order."""
        for row in self.rows:
            for cell in row:
                yield from cell

    def map(self, change: Callable[[Cell], Cell]) -> Block:
        """The same block with every cell passed through `change`."""
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
