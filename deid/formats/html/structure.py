"""Tokens of HTML to a well-nested stream of events: what opens, what closes, what is text.

A stray end tag closes nothing beyond its own table cell, an element left open is closed where HTML implies it,
and every element opened is closed at the end, so that the clean page written from these events is well-formed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from deid.formats.html import elements
from deid.formats.html.tokens import Kind, Token, Truncated, tokens

_SPAN = re.compile(r"""\b(colspan|rowspan)\s*=\s*["']?\s*(\d{1,3})\b""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Open:
    """An element starts; `spans` is its colspan and rowspan, written as attributes."""

    name: str
    spans: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    """The innermost open element ends; its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Words:
    """Text at `[start, end)` in the source; in a literal one `&` is no entity."""

    start: int
    end: int
    literal: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """A point: `br` and `hr`, `box` (something shown that holds no text), `edge` (of a block
    that leaves no element)."""

    name: str
    at: int


Event = Open | Close | Words | Mark


class _Nesting:
    """The elements open at one point.

    What an end tag may reach is bounded: a block's end, by the table or cell it stands in; an inline one's, by its
    block, so that `<b><p>DUPONT</b> Jean</p>` stays one line. Counters make each question cost one look.
    """

    def __init__(self) -> None:
        self._stack: list[str] = []
        self._blocks: list[Counter[str]] = [Counter()]  # per enclosing table or cell
        self._inline: list[Counter[str]] = [Counter()]  # per enclosing block

    def open(self, name: str, spans: str = "") -> Iterator[Event]:
        ended = elements.ENDS.get(name, frozenset())
        while self._stack and self._stack[-1] in ended:
            yield self._pop()
        self._stack.append(name)
        if name in elements.INLINE_KEPT:
            self._inline[-1][name] += 1
        else:
            self._blocks[-1][name] += 1
            self._inline.append(Counter())
        if name in elements.SCOPES:
            self._blocks.append(Counter())
        yield Open(name, spans)

    def close(self, name: str) -> Iterator[Event]:
        """Nothing where `name` is not open within reach: a part of a table is, through one cell."""
        if name in elements.INLINE_KEPT:
            reach = self._inline[-1:]
        elif name in elements.TABLE_PARTS:
            reach = self._blocks[-3:] if name == "table" else self._blocks[-2:]
        else:
            reach = self._blocks[-1:]
        if any(counts[name] for counts in reach):
            while self._stack[-1] != name:
                yield self._pop()
            yield self._pop()

    def close_all(self) -> Iterator[Event]:
        while self._stack:
            yield self._pop()

    def _pop(self) -> Close:
        name = self._stack.pop()
        if name in elements.SCOPES:
            self._blocks.pop()
        if name in elements.INLINE_KEPT:
            self._inline[-1][name] -= 1
        else:
            self._inline.pop()
            self._blocks[-1][name] -= 1
        return Close(name)


class _Structure:
    """Turns tokens into events, one at a time."""

    def __init__(self) -> None:
        self._nesting = _Nesting()
        self._dropping: str | None = None
        self._unclosed: Counter[str] = Counter()

    def feed(self, token: Token) -> Iterator[Event]:
        self._count(token)
        if self._dropping is not None:
            if token.name == self._dropping and token.kind is Kind.END:
                self._dropping = None
                return
            if self._dropping != "head" or token.name != "body":
                return
            self._dropping = None
        if token.kind in (Kind.TEXT, Kind.LITERAL):
            yield Words(token.start, token.end, token.kind is Kind.LITERAL)
        elif token.kind is Kind.START:
            yield from self._start(token)
        else:
            yield from self._end(token)

    def finish(self) -> Iterator[Event]:
        yield from self._nesting.close_all()
        unclosed = sorted(self._unclosed)
        if self._dropping or unclosed:
            raise Truncated(f"<{self._dropping or unclosed[0]}> is never closed")

    def _count(self, token: Token) -> None:
        """Follow the containers that an unharmed document closes; a second <html> or <body> is no second one."""
        if token.name not in elements.CONTAINERS:
            return
        if token.kind is Kind.START:
            self._unclosed[token.name] = self._unclosed[token.name] + 1 if token.name == "table" else 1
        elif self._unclosed[token.name] > 1:
            self._unclosed[token.name] -= 1
        else:
            del self._unclosed[token.name]

    def _start(self, token: Token) -> Iterator[Event]:
        name = elements.RENAMED.get(token.name, token.name)
        if name in elements.DROPPED:
            self._dropping = None if token.attributes.endswith("/") else name
        elif name in elements.VOID_KEPT:
            yield Mark(name, token.start)
        elif name in elements.BOXES:
            yield Mark("box", token.start)
        elif name in elements.BLOCK_KEPT or name in elements.INLINE_KEPT:
            yield from self._nesting.open(name, _spans(token.attributes) if name in elements.CELLS else "")
        elif name in elements.CONTAINERS:
            yield Mark("edge", token.start)

    def _end(self, token: Token) -> Iterator[Event]:
        name = elements.RENAMED.get(token.name, token.name)
        if name == "br":
            yield Mark("br", token.start)
        elif name in elements.INLINE_KEPT:
            yield from self._nesting.close(name)
        elif name in elements.BLOCK_KEPT or name in elements.CONTAINERS:
            closes = list(self._nesting.close(name))
            yield from closes or [Mark("edge", token.start)]
        elif name in elements.BOXES:
            yield Mark("box", token.start)


def _spans(attributes: str) -> str:
    found = {name.lower(): int(number) for name, number in _SPAN.findall(attributes)}
    return "".join(f' {name}="{number}"' for name, number in sorted(found.items()) if number > 1)


def events(source: str) -> Iterator[Event]:
    """The events of an HTML document.

    Raises:
        Truncated: it ends inside markup, or a container it opened is never closed.
    """
    structure = _Structure()
    for token in tokens(source):
        yield from structure.feed(token)
    yield from structure.finish()
