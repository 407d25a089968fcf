"""STREET: numbers changed, kind of way kept, name of the way from the open street list."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

from deid.domain.document import Mention
from deid.french import numerals
from deid.french.folding import comparable, fold_line, words
from deid.french.shapes import accented_like, case_of, in_case_of
from deid.privacy import KeyedStream
from deid.reference import CommuneTable
from deid.substitution.characters import redraw_digits
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft
from deid.substitution.places.vocabulary import HAMLETS, PLAIN, SITE_NAMES, SITES, UNITS, WAYS

STRATEGY = "street_list"
_PARTS = re.compile(r"(\s*[,;–—]\s*|\s+-\s+)")
_WORD = re.compile(r"[^\W\d_]+(?:-point|-dit)?\.?|\d+")
_LETTERS = re.compile(r"\s*((?:[^\W\d_]+[ -])+)")
_SINGLE = re.compile(r"(?<![^\W\d_])[A-Z](?![^\W\d_])")
_LEAST_NAME = 3
_TRIES = 40


class StreetNames:
    """Names of the open street list by kind of way; built once per table."""

    def __init__(self, communes: CommuneTable) -> None:
        self._communes = communes

    @cached_property
    def by_way(self) -> Mapping[str, Sequence[str]]:
        """Kind of way → what follows it: "rue" → "des Tilleuls"."""
        groups: dict[str, list[str]] = defaultdict(list)
        for name in self._communes.streets:
            kind, _, rest = name.partition(" ")
            way = WAYS.get(fold_line(kind))
            if way and any(char.isupper() for char in rest) and not any(char.isdigit() for char in rest):
                groups[way].append(rest)
        return groups


@lru_cache(4)
def street_names(communes: CommuneTable) -> StreetNames:
    """The street names of a table, the same for all who draw from it."""
    return StreetNames(communes)


class Streets:
    """STREET mentions of one document."""

    def __init__(self, context: DocumentContext, names: StreetNames) -> None:
        self._context = context
        self._names = names

    def write(self, mention: Mention, attempt: int) -> Draft:
        """The address with other numbers and names; a hamlet's name where nothing of it could be changed."""
        context = self._context
        original = context.document.text[mention.start : mention.end]
        text = self._other(original, context.stream("street", comparable(original), str(attempt)))
        return Draft(accented_like(original, text, context.accented), STRATEGY)

    def _other(self, original: str, stream: KeyedStream) -> str:
        hidden = frozenset([word for word in words(original) if len(word) >= _LEAST_NAME and word not in PLAIN])
        parts = _PARTS.split(original)  # what stands between two of them comes in every other place
        for _ in range(_TRIES):
            text = "".join([part if at % 2 else self._part(part, stream) for at, part in enumerate(parts) if part])
            if hidden.isdisjoint(words(text)):
                return text
        return in_case_of(original, stream.choice(HAMLETS))

    def _part(self, part: str, stream: KeyedStream) -> str:
        """A part between commas: way, site, unit of a building, or a bare place name."""
        marks = list(_WORD.finditer(part))
        for following, mark in enumerate(marks, 1):
            word = fold_line(mark.group()).rstrip(".")
            if word in WAYS and len(marks) > 1:
                return self._before(part[: mark.start()], stream) + self._way(part, mark, WAYS[word], stream)
            if word in SITES and following < len(marks):
                rest = marks[following:]
                return self._before(part[: mark.start()], stream) + self._site(part, mark, rest, stream)
        if any(mark.group().isdigit() for mark in marks) and all(_counts(mark.group()) for mark in marks):
            return self._numbers(part, stream)
        return self._hamlet(part, marks, stream)

    def _before(self, text: str, stream: KeyedStream) -> str:
        """What stands before a way or site: numbers are redrawn, a name is replaced."""
        if not text or text.rstrip().isdigit():
            return redraw_digits(text, stream)
        marks = list(_WORD.finditer(text))
        if not marks or all(_counts(one.group()) or fold_line(one.group()) in PLAIN for one in marks) or _spoken(text):
            return self._numbers(text, stream)
        return self._hamlet(text, marks, stream) + " "

    def _way(self, part: str, mark: re.Match[str], way: str, stream: KeyedStream) -> str:
        choices = self._names.by_way.get(way) or self._names.by_way["rue"]
        name = stream.choice(choices)
        return f"{mark.group()} {case_of(part[mark.start() :])(name)}"

    def _site(self, part: str, mark: re.Match[str], after: Sequence[re.Match[str]], stream: KeyedStream) -> str:
        """Kind kept ("résidence", "bâtiment"); what follows is letters and numbers, or a name."""
        head, rest = mark.group(), part[mark.end() :]
        if all(_counts(one.group()) for one in after):
            return head + self._numbers(rest, stream)
        if rest.startswith("-dit") or fold_line(rest).startswith((" dit", "dit")):
            head, rest = part[mark.start() : after[0].end()], part[after[0].end() :]
        names = HAMLETS if "dit" in fold_line(head) else SITE_NAMES
        return f"{head} {in_case_of(rest, stream.choice(names))}"

    def _hamlet(self, part: str, marks: Sequence[re.Match[str]], stream: KeyedStream) -> str:
        name = in_case_of(part, stream.choice(HAMLETS))
        if marks and marks[0].group().isdigit():
            return f"{self._numbers(marks[0].group(), stream)} {name}"
        return name

    def _numbers(self, text: str, stream: KeyedStream) -> str:
        """Other digits, other single capitals, other numbers in words."""
        spoken = _spoken(text)
        if spoken is not None:
            said = numerals.write(1 + stream.below(98), hyphens="-" in spoken.group(1))
            return in_case_of(text, said) + " " + text[spoken.end() :]
        changed = redraw_digits(text, stream)
        return _SINGLE.sub(lambda _: stream.choice("ABCDEFGH"), changed)


def _counts(word: str) -> bool:
    """Whether a word of an address is a number, a letter, or what they count."""
    return word.isdigit() or len(word) == 1 or fold_line(word).rstrip(".") in UNITS


def _spoken(text: str) -> re.Match[str] | None:
    """A number in words at the beginning."""
    match = _LETTERS.match(text)
    return match if match is not None and numerals.read(words(match.group(1))) is not None else None
