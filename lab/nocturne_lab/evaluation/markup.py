"""Documents annotated in line, `[[LABEL|surface]]`: parser and writer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.domain.document import Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from deid.formats.source import check_replacements, replaced

_MARK = re.compile(r"\[\[|\]\]")
_MENTION = re.compile(r"\[\[([A-Z_]+)\|((?:(?!\[\[|\]\])[^|\n])+)\]\]")


def parse_marked(marked: str, name: str) -> tuple[str, tuple[Mention, ...]]:
    """Return the text without marks, and the mentions in order; errors name the file as `name`.

    Raises:
        InputRefused: an unbalanced mark or an unknown label; the message gives `name`, line and column, and quotes
            nothing.
    """
    pieces: list[str] = []
    mentions: list[Mention] = []
    length = position = 0
    while (mark := _MARK.search(marked, position)) is not None:
        found = _MENTION.match(marked, mark.start())
        if found is None or found.group(1) not in Label.__members__:
            raise InputRefused(f"{_place(marked, mark.start(), name)}: {_fault(marked, mark.start(), found)}")
        surface = found.group(2)
        length += mark.start() - position
        pieces += marked[position : mark.start()], surface
        mentions.append(Mention(length, length + len(surface), Label(found.group(1))))
        length += len(surface)
        position = found.end()
    pieces.append(marked[position:])
    return "".join(pieces), tuple(mentions)


def write_marked(text: str, mentions: Sequence[Mention]) -> str:
    """Return the text with its mentions marked; `parse_marked` restores spans and labels.

    Raises:
        ValueError: mentions overlap or are unsorted, or the text holds characters reserved by the markup: `[[` or `]]`
            anywhere, `|` or a line break in a mention.
    """
    pieces = [(one.start, one.end, f"[[{one.label}|{text[one.start : one.end]}]]") for one in mentions]
    check_replacements(len(text), pieces)
    marked = replaced(text, pieces)
    try:
        sayable = parse_marked(marked, "")[0] == text
    except InputRefused:
        sayable = False
    if not sayable:
        raise ValueError("the text holds a mark of the markup, or a mention a line break")
    return marked


def _place(marked: str, offset: int, name: str) -> str:
    line = marked.count("\n", 0, offset) + 1
    column = offset - (marked.rfind("\n", 0, offset) + 1) + 1
    return f"{name}, line {line}, column {column}"


def _fault(marked: str, offset: int, found: re.Match[str] | None) -> str:
    if found is not None:
        return f"unknown label; the labels are {', '.join(Label)}"
    if marked.startswith("]]", offset):
        return "]] closes no mention"
    return "[[ opens no mention: write [[LABEL|text]] on one line, without | or [[ in the text"
