"""Where gold and predicted mentions meet: spans, tokens and characters of one document."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from deid.domain.document import Mention
from deid.domain.labels import Label

_TOKEN = re.compile(r"\w+|\S")


class Span(NamedTuple):
    """`[start, end)` in a text, and the class of a label scheme."""

    start: int
    end: int
    name: str


def spans(mentions: Iterable[Mention], class_of: Callable[[Label], str | None]) -> list[Span]:
    """The mentions whose label has a class in a scheme."""
    named = ((mention, class_of(mention.label)) for mention in mentions)
    return [Span(mention.start, mention.end, name) for mention, name in named if name is not None]


def met(spans: Sequence[Span], others: Sequence[Span]) -> list[bool]:
    """For each span, whether one of `others` of the same class shares a character with it."""
    by_class: dict[str, list[Span]] = defaultdict(list)
    for other in others:
        by_class[other.name].append(other)
    return [_meets(span, by_class[span.name]) for span in spans]


def _meets(span: Span, others: Sequence[Span]) -> bool:
    """Whether a span shares a character with one of `others`, which are sorted and do not overlap."""
    last = bisect_left(others, span.end, key=lambda other: other.start) - 1
    return last >= 0 and others[last].end > span.start


def tokenise(text: str) -> list[tuple[int, int]]:
    """Spans of the tokens: words, and every other character that is no white space."""
    return [match.span() for match in _TOKEN.finditer(text)]


def labelled_tokens(tokens: Sequence[tuple[int, int]], mentions: Iterable[Mention]) -> dict[int, Label]:
    """Number of each token that a mention touches, with the label of the first that does."""
    labels: dict[int, Label] = {}
    for mention in mentions:
        token = bisect_left(tokens, mention.start + 1, key=lambda span: span[1])
        while token < len(tokens) and tokens[token][0] < mention.end:
            labels.setdefault(token, mention.label)
            token += 1
    return labels


def characters(text: str, mentions: Iterable[Mention], labels: frozenset[Label]) -> set[int]:
    """Offsets that mentions of `labels` cover, white space left out."""
    return {
        offset
        for mention in mentions
        if mention.label in labels
        for offset in range(mention.start, mention.end)
        if not text[offset].isspace()
    }
