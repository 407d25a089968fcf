"""A document's text in pieces for display: each with its offset, and the label of its surrogate or mention."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

_LINE = re.compile(r"[^\r]*(?:\r\n?|$)")


class Part(NamedTuple):
    """A piece of a text: offset of its first character, text, and label of its surrogate or mention, if any.

    `told` is the number, from 1, of the passage that it lies in which says that a person is one of a kind, or 0;
    `begins` says whether it is the first piece of that passage.
    """

    start: int
    text: str
    label: str | None
    told: int = 0
    begins: bool = False


def parts(text: str, marked: Iterable[tuple[int, int, str]], passages: Sequence[tuple[int, int]] = ()) -> list[Part]:
    """Cut `text` at the `[start, end, label, …]` of `marked`, which do not overlap, and between them at `passages`.

    Pieces also end after each carriage return: a browser drops it, which would shift later offsets.
    """
    made: list[Part] = []
    at = 0
    cuts = sorted(edge for passage in passages for edge in passage)
    for start, end, label, *_ in marked:
        made += _between(text, at, start, cuts)
        made += _lines(text, start, end, str(label))
        at = end
    made += _between(text, at, len(text), cuts)
    return list(_numbered(made, passages))


def _between(text: str, start: int, end: int, cuts: Iterable[int]) -> Iterator[Part]:
    """Yield the pieces of a stretch without a mention."""
    for first, last in pairwise([start, *(cut for cut in cuts if start < cut < end), end]):
        yield from _lines(text, first, last, None)


def _numbered(pieces: Iterable[Part], passages: Sequence[tuple[int, int]]) -> Iterator[Part]:
    before = 0
    for piece in pieces:
        end = piece.start + len(piece.text)
        told = next((at for at, one in enumerate(passages, 1) if one[0] < end and piece.start < one[1]), 0)
        yield piece._replace(told=told, begins=told not in (0, before))
        before = told


def _lines(text: str, start: int, end: int, label: str | None) -> list[Part]:
    return [Part(start + found.start(), found[0], label) for found in _LINE.finditer(text[start:end]) if found[0]]


def label_names(lang: str) -> Mapping[str, str]:
    """Return the name of each label, in the order of the annotation guide."""
    from deid.reports.wording import LABEL_WORDS

    return LABEL_WORDS[lang]
