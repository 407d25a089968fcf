"""Sentences of a document: pieces that hold its whole text, and no mention that two of them share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deid.detection.text.reading import Reading
from deid.domain.document import Mention

# A line break, or a full stop with a capital behind it; not behind an initial or an abbreviated title.
_BREAK = re.compile(r"\n\s*|(?<=[.!?…])(?<!\b[A-ZÀ-Ý]\.)(?<!\b(?:Dr|Pr|Mr|St|Ex|av|bd)\.)[^\S\n]+(?=[A-ZÀ-Ý«“\"])")


def split_sentences(reading: Reading, mentions: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    """Yield `[start, end)` of the sentences of a text; together they are the text.

    A sentence ends with the white space behind it, and never inside a mention of `mentions` (sorted, disjoint).
    """
    inside = reading.coverage(Mention(one.start, one.end - 1, one.label) for one in mentions if one.end - one.start > 1)
    start, text = 0, reading.text
    for match in _BREAK.finditer(text):
        end = match.end()
        if end < len(text) and text[start:end].strip() and not inside[end - 1]:
            yield start, end
            start = end
    if start < len(text):
        yield start, len(text)
