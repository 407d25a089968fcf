"""A document's text in pieces for display: each with its offset, and the label of its surrogate or mention."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_LINE = re.compile(r"[^\r]*(?:\r\n?|$)")


class Part(NamedTuple):
    """A piece of a text: offset of its first character, text, and label of its surrogate or mention, if any."""

    start: int
    text: str
    label: str | None


def parts(text: str, marked: Iterable[tuple[int, int, str]]) -> list[Part]:
    """Cut `text` at the `[start, end, label, …]` of `marked`, which do not overlap.

    Pieces also end after each carriage return: a browser drops it, which would shift later offsets.
    """
    made: list[Part] = []
    at = 0
    for start, end, label, *_ in marked:
        made += _lines(text, at, start, None)
        made += _lines(text, start, end, str(label))
        at = end
    return made + _lines(text, at, len(text), None)


def _lines(text: str, start: int, end: int, label: str | None) -> list[Part]:
    return [Part(start + found.start(), found[0], label) for found in _LINE.finditer(text[start:end]) if found[0]]


def label_names(lang: str) -> Mapping[str, str]:
    """Return the name of each label, in the order of the annotation guide."""
    from deid.reports.wording import LABEL_WORDS

    return LABEL_WORDS[lang]
