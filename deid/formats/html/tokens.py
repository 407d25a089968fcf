"""HTML to tokens with their positions, in one pass, never losing text to a stray `<`.

Follows WHATWG HTML, section 13.2.5, and parts from it where a browser would hide words: a `<` that opens no
complete tag ("CRP <seuil", "K<n et Na>n") is text, and so is a CDATA section. Scanning is linear: no character
is looked at again once a tag that began before it has failed.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import Enum

from deid.formats.html.elements import KNOWN, RAW


class Kind(Enum):
    """What a token is."""

    TEXT = "text"
    LITERAL = "literal"  # text in which `&` is no entity
    START = "start"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """`[start, end)` in the source; `name` is lower case, `attributes` is what follows it in the tag."""

    kind: Kind
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


def tokens(source: str) -> Iterator[Token]:
    """The tokens of `source`, in order; comments, declarations and processing instructions are left out.

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
            yield Token(Kind.TEXT, position, opening)
        if opening == len(source):
            return
        if opening > last_close and _MARKUP.match(source, opening):
            raise Truncated("ends inside a tag")
        position = yield from _markup(source, opening)


def _markup(source: str, start: int) -> Generator[Token, None, int]:
    """What the `<` at `start` opens; returns where reading goes on."""
    tag = _TAG.match(source, start)
    if tag is not None:
        return (yield from _tag(source, tag))
    if source.startswith("<![CDATA[", start):
        end = _find(source, "]]>", start + 9)
        yield Token(Kind.LITERAL, start + 9, end)
        return end + 3
    if source.startswith("<!--", start):
        return _comment_end(source, start)
    if _MARKUP.match(source, start) or source.startswith("</>", start):
        return _find(source, ">", start) + 1
    yield Token(Kind.TEXT, start, start + 1)
    return start + 1


def _tag(source: str, tag: re.Match[str]) -> Generator[Token, None, int]:
    end = tag.end()
    slash, name, attributes = tag.group(1), tag.group(2).lower(), tag.group(3)
    if end == len(source):
        raise Truncated("ends inside a tag")
    if source[end] != ">" or _is_prose(name, attributes):
        yield Token(Kind.TEXT, tag.start(), end)
        return end
    yield Token(Kind.END if slash else Kind.START, tag.start(), end + 1, name, attributes)
    if name not in RAW or slash or attributes.endswith("/"):
        return end + 1
    closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(source, end + 1)
    if closing is None:
        raise Truncated(f"ends inside <{name}>")
    yield Token(Kind.TEXT, end + 1, closing.start())
    return closing.start()


def _is_prose(name: str, attributes: str) -> bool:
    """Whether `<name attributes>` is words between two comparison signs: no element of HTML is called so,
    no prefix or hyphen makes it someone's own, and bare words follow."""
    return name not in KNOWN and not {":", "-"} & set(name) and _BARE_WORD.match(attributes) is not None


def _comment_end(source: str, start: int) -> int:
    if source.startswith(("<!-->", "<!--->"), start):
        return source.index(">", start) + 1
    end = _COMMENT_END.search(source, start + 4)
    if end is None:
        raise Truncated("ends inside a comment")
    return end.end()


def _find(source: str, mark: str, start: int) -> int:
    position = source.find(mark, start)
    if position < 0:
        raise Truncated("ends inside a declaration")
    return position
