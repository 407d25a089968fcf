"""HTML markup: the elements, the tokens of a source, and a well-nested stream of events.

The tokens follow WHATWG HTML, section 13.2.5, except where a browser would hide words: a `<` that opens no complete
tag ("CRP <seuil", "K<n et Na>n") is text, and so is a CDATA section. Scanning takes linear time.

In the events, a stray end tag closes nothing beyond its own table cell, an element left open is closed where HTML
implies its end, and every element opened is closed at the end: a page written from the events is well-formed.

The elements follow WHATWG HTML, sections 13.1.2 (kinds of elements), 13.1.2.4 (optional tags) and 15.3 (rendering).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import Enum

# Elements of the clean page
INLINE_KEPT = frozenset({"b", "strong", "i", "em", "u", "s", "sub", "sup"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
LISTS = frozenset({"ul", "ol", "li", "dl", "dt", "dd"})
CELLS = frozenset({"td", "th"})
ROWS = frozenset({"table", "thead", "tbody", "tfoot", "tr"})
BLOCK_KEPT = HEADINGS | LISTS | CELLS | ROWS | {"p", "div", "pre", "blockquote", "caption"}
VOID_KEPT = frozenset({"br", "hr"})

# Blocks renamed in the clean page
_AS_DIV = """address article aside center details dialog dir fieldset figcaption figure footer form header
legend main menu nav optgroup option search section summary""".split()
RENAMED = dict.fromkeys(_AS_DIV, "div") | {"listing": "pre", "xmp": "pre", "textarea": "pre"}

# Elements whose content is no text of the document
DROPPED = frozenset({"head", "script", "style", "title"})
# Elements whose content runs up to their own end tag, whatever it is
RAW = frozenset({"script", "style", "title", "textarea"})
# Elements shown as a box, which separates the words on its two sides
BOXES = frozenset({"img", "input", "object", "embed", "video", "audio", "canvas", "svg", "button", "select", "iframe"})

_VANISHING = """html body a abbr acronym applet area base basefont bdi bdo big blink cite code col colgroup data
datalist del dfn font frame frameset ins kbd label link map mark marquee math meta meter nobr noembed noframes
noscript output param picture progress q rb rp rt rtc ruby samp slot small source span strike template time
track tt var wbr""".split()
KNOWN = frozenset(_VANISHING) | INLINE_KEPT | BLOCK_KEPT | VOID_KEPT | RENAMED.keys() | DROPPED | BOXES

TABLE_PARTS = CELLS | ROWS | {"caption"}
SCOPES = CELLS | {"table", "caption"}

# Elements that a truncated document leaves open
CONTAINERS = frozenset({"html", "body", "table"})

# Opening the key ends an open element of the values just above it.
_SECTIONS = frozenset({"thead", "tbody", "tfoot"})
_ENDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(HEADINGS | {"p", "div", "pre", "blockquote", "ul", "ol", "dl", "table", "hr"}, frozenset({"p"})),
    "li": frozenset({"li", "p"}),
    **dict.fromkeys(("dt", "dd"), frozenset({"dt", "dd", "p"})),
    **dict.fromkeys(CELLS, CELLS | {"p", "caption"}),
    "tr": CELLS | {"tr", "p", "caption"},
    **dict.fromkeys(_SECTIONS, CELLS | _SECTIONS | {"tr", "p", "caption"}),
}


# ---- Tokens


class TokenKind(Enum):
    """The kind of a token."""

    TEXT = "text"
    LITERAL = "literal"  # text in which `&` is no entity
    START = "start"
    END = "end"


@dataclass(frozen=True, slots=True)
class MarkupToken:
    """A span `[start, end)` of the source; a tag has a `name` in lower case and the text of its `attributes`."""

    kind: TokenKind
    start: int
    end: int
    name: str = ""
    attributes: str = ""


class Truncated(ValueError):
    """The source ends inside a tag, a comment or an element whose content is raw."""


_VALUE = r"""=\s*+(?:"[^"<]*+"|"[^"]*+"(?=[\s/>])|'[^'<]*+'|'[^']*+'(?=[\s/>])|(?=[^"'\s]))"""
_TAG = re.compile(rf"<(/?)([a-zA-Z][^\s/<>]*+)((?:[^<>=]++|{_VALUE})*+)")
_MARKUP = re.compile(r"</?[a-zA-Z]|<!(?:[a-zA-Z\[]|--)|<\?[a-zA-Z]")
_BARE_WORD = re.compile(r"^\s*+[^\s=/]++(?!\s*=)")
_COMMENT_END = re.compile(r"--!?>")


def split_tokens(source: str) -> Iterator[MarkupToken]:
    """Yield the tokens of `source` in order, without comments, declarations and processing instructions.

    Raises:
        Truncated: the source ends inside markup.
    """
    last_close = source.rfind(">")
    position = 0
    while position < len(source):
        opening = source.find("<", position)
        if opening < 0:
            opening = len(source)
        if opening > position:
            yield MarkupToken(TokenKind.TEXT, position, opening)
        if opening == len(source):
            return
        if opening > last_close and _MARKUP.match(source, opening):
            raise Truncated("ends inside a tag")
        position = yield from _markup(source, opening)


def _markup(source: str, start: int) -> Generator[MarkupToken, None, int]:
    """Yield the tokens of the `<` at `start`; return the position after them."""
    tag = _TAG.match(source, start)
    if tag is not None:
        return (yield from _tag(source, tag))
    if source.startswith("<![CDATA[", start):
        end = _find_end(source, "]]>", start + 9)
        yield MarkupToken(TokenKind.LITERAL, start + 9, end)
        return end + 3
    if source.startswith("<!--", start):
        return _comment_end(source, start)
    if _MARKUP.match(source, start) or source.startswith("</>", start):
        return _find_end(source, ">", start) + 1
    yield MarkupToken(TokenKind.TEXT, start, start + 1)
    return start + 1


def _tag(source: str, tag: re.Match[str]) -> Generator[MarkupToken, None, int]:
    end = tag.end()
    slash, name, attributes = tag.group(1), tag.group(2).lower(), tag.group(3)
    if end == len(source):
        raise Truncated("ends inside a tag")
    if source[end] != ">" or _is_prose(name, attributes):
        yield MarkupToken(TokenKind.TEXT, tag.start(), end)
        return end
    yield MarkupToken(TokenKind.END if slash else TokenKind.START, tag.start(), end + 1, name, attributes)
    if name not in RAW or slash or attributes.endswith("/"):
        return end + 1
    closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(source, end + 1)
    if closing is None:
        raise Truncated(f"ends inside <{name}>")
    yield MarkupToken(TokenKind.TEXT, end + 1, closing.start())
    return closing.start()


def _is_prose(name: str, attributes: str) -> bool:
    """Return whether `<name attributes>` is text between two comparison signs: an unknown element, without the prefix
    or hyphen of a custom one, followed by bare words."""
    return name not in KNOWN and not {":", "-"} & set(name) and _BARE_WORD.match(attributes) is not None


def _comment_end(source: str, start: int) -> int:
    if source.startswith(("<!-->", "<!--->"), start):
        return source.index(">", start) + 1
    end = _COMMENT_END.search(source, start + 4)
    if end is None:
        raise Truncated("ends inside a comment")
    return end.end()


def _find_end(source: str, mark: str, start: int) -> int:
    position = source.find(mark, start)
    if position < 0:
        raise Truncated("ends inside a declaration")
    return position


# ---- Events

_SPAN = re.compile(r"""\b(colspan|rowspan)\s*=\s*["']?\s*(\d{1,3})\b""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Open:
    """The start of an element; `spans` is its colspan and rowspan, written as attributes."""

    name: str
    spans: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    """The end of the innermost open element."""

    name: str


@dataclass(frozen=True, slots=True)
class Words:
    """Text at `[start, end)` of the source; in a literal text `&` is no entity."""

    start: int
    end: int
    literal: bool


@dataclass(frozen=True, slots=True)
class EmptyElement:
    """An empty element: `br`, `hr`, `box` (shown, without text) or `edge` (of a block without element)."""

    name: str


Event = Open | Close | Words | EmptyElement


class _Structure:
    """Turn tokens into events, one at a time.

    The reach of an end tag is bounded: for a block, by the table or cell around it; for an inline element, by its
    block, so that `<b><p>DUPONT</b> Jean</p>` stays one line. Counters answer "is it open within reach?" in
    constant time.
    """

    def __init__(self) -> None:
        self._stack: list[str] = []
        self._blocks: list[Counter[str]] = [Counter()]  # per enclosing table or cell
        self._inline: list[Counter[str]] = [Counter()]  # per enclosing block
        self._dropping: str | None = None
        self._unclosed: Counter[str] = Counter()

    def feed(self, token: MarkupToken) -> Iterator[Event]:
        """Yield the events of the next token."""
        self._count(token)
        if self._dropping is not None:
            if token.name == self._dropping and token.kind is TokenKind.END:
                self._dropping = None
                return
            if self._dropping != "head" or token.name != "body":
                return
            self._dropping = None
        if token.kind in (TokenKind.TEXT, TokenKind.LITERAL):
            yield Words(token.start, token.end, token.kind is TokenKind.LITERAL)
        elif token.kind is TokenKind.START:
            yield from self._start(token)
        else:
            yield from self._end(token)

    def finish(self) -> Iterator[Event]:
        """Close every open element; raise Truncated where a container is still open."""
        while self._stack:
            yield self._pop()
        unclosed = sorted(self._unclosed)
        if self._dropping or unclosed:
            raise Truncated(f"<{self._dropping or unclosed[0]}> is never closed")

    def _count(self, token: MarkupToken) -> None:
        """Count the open containers; a second <html> or <body> does not count."""
        if token.name not in CONTAINERS:
            return
        if token.kind is TokenKind.START:
            self._unclosed[token.name] = self._unclosed[token.name] + 1 if token.name == "table" else 1
        elif self._unclosed[token.name] > 1:
            self._unclosed[token.name] -= 1
        else:
            del self._unclosed[token.name]

    def _start(self, token: MarkupToken) -> Iterator[Event]:
        name = RENAMED.get(token.name, token.name)
        if name in DROPPED:
            self._dropping = None if token.attributes.endswith("/") else name
        elif name in VOID_KEPT:
            yield EmptyElement(name)
        elif name in BOXES:
            yield EmptyElement("box")
        elif name in BLOCK_KEPT or name in INLINE_KEPT:
            yield from self._open(name, _spans(token.attributes) if name in CELLS else "")
        elif name in CONTAINERS:
            yield EmptyElement("edge")

    def _end(self, token: MarkupToken) -> Iterator[Event]:
        name = RENAMED.get(token.name, token.name)
        if name == "br":
            yield EmptyElement("br")
        elif name in INLINE_KEPT:
            yield from self._close(name)
        elif name in BLOCK_KEPT or name in CONTAINERS:
            closes = list(self._close(name))
            yield from closes or [EmptyElement("edge")]
        elif name in BOXES:
            yield EmptyElement("box")

    def _open(self, name: str, spans: str) -> Iterator[Event]:
        ended = _ENDS.get(name, frozenset())
        while self._stack and self._stack[-1] in ended:
            yield self._pop()
        self._stack.append(name)
        if name in INLINE_KEPT:
            self._inline[-1][name] += 1
        else:
            self._blocks[-1][name] += 1
            self._inline.append(Counter())
        if name in SCOPES:
            self._blocks.append(Counter())
        yield Open(name, spans)

    def _close(self, name: str) -> Iterator[Event]:
        """Close `name` and the elements inside, if it is open within reach; the end of a table part leaves one cell."""
        if name in INLINE_KEPT:
            reach = self._inline[-1:]
        elif name in TABLE_PARTS:
            reach = self._blocks[-3:] if name == "table" else self._blocks[-2:]
        else:
            reach = self._blocks[-1:]
        if any(counts[name] for counts in reach):
            while self._stack[-1] != name:
                yield self._pop()
            yield self._pop()

    def _pop(self) -> Close:
        name = self._stack.pop()
        if name in SCOPES:
            self._blocks.pop()
        if name in INLINE_KEPT:
            self._inline[-1][name] -= 1
        else:
            self._inline.pop()
            self._blocks[-1][name] -= 1
        return Close(name)


def _spans(attributes: str) -> str:
    found = {name.lower(): int(number) for name, number in _SPAN.findall(attributes)}
    return "".join(f' {name}="{number}"' for name, number in sorted(found.items()) if number > 1)


def read_events(source: str) -> Iterator[Event]:
    """Yield the events of an HTML document.

    Raises:
        Truncated: the document ends inside markup, or leaves a container open.
    """
    structure = _Structure()
    for token in split_tokens(source):
        yield from structure.feed(token)
    yield from structure.finish()
