"""Documents as lists of labelled and unlabelled pieces, which keep the offsets of mentions exact under edits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument


class Piece(NamedTuple):
    """Text with one label or none; the text of a labelled piece is not blank and has no line break."""

    text: str
    label: Label | None = None


class Edit(NamedTuple):
    """Replacement of `[start, end)` of the joined text by `text`."""

    start: int
    end: int
    text: str


_LINES = re.compile(r"(\s*[\r\n]\s*)")


def cut_pieces(text: str, mentions: Iterable[Mention]) -> list[Piece]:
    """Cut a document into pieces, with an unlabelled piece, possibly empty, before each labelled one."""
    pieces: list[Piece] = []
    position = 0
    for mention in mentions:
        pieces.append(Piece(text[position : mention.start]))
        pieces.append(Piece(text[mention.start : mention.end], mention.label))
        position = mention.end
    pieces.append(Piece(text[position:]))
    return pieces


def joined_text(pieces: Iterable[Piece]) -> str:
    """Return the text of pieces."""
    return "".join(piece.text for piece in pieces)


def assembled(gold: GoldDocument, pieces: Sequence[Piece], name: str) -> GoldDocument:
    """Build a document with the id `name` and an unknown patient from pieces."""
    mentions = []
    position = 0
    for text, label in pieces:
        if label is not None:
            mentions.append(Mention(position, position + len(text), label))
        position += len(text)
    document = Document(name, joined_text(pieces), Patient(), None, gold.document.type)
    return replace(gold, document=document, mentions=tuple(mentions))


def edited(pieces: Sequence[Piece], edits: Iterable[Edit]) -> list[Piece]:
    """Apply sorted, disjoint edits; a line break inserted into a mention splits the mention.

    An edit that touches two pieces, or would leave a mention blank, is skipped.
    """
    result: list[Piece] = []
    waiting = iter(edits)
    edit = next(waiting, None)
    position = 0
    for piece in pieces:
        start, position = position, position + len(piece.text)
        changed: list[str] = []
        kept = start
        while edit is not None and edit.start < position:
            if edit.start >= kept and edit.end <= position:
                changed += piece.text[kept - start : edit.start - start], edit.text
                kept = edit.end
            edit = next(waiting, None)
        if not changed:
            result.append(piece)
            continue
        text = "".join(changed) + piece.text[kept - start :]
        if piece.label is None:
            result.append(Piece(text))
        elif text.strip():
            result += _settled(text, piece.label)
        else:
            result.append(piece)
    return result


def _settled(text: str, label: Label) -> Iterator[Piece]:
    """Split a changed mention at line breaks and leave blanks at its edges outside."""
    for index, part in enumerate(_LINES.split(text)):
        bare = part.strip()
        if index % 2 or not bare:
            yield Piece(part)
            continue
        start = part.index(bare)
        yield Piece(part[:start])
        yield Piece(bare, label)
        yield Piece(part[start + len(bare) :])
