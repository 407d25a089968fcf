"""STREET: numbers changed, kind of way kept, name of the way from the open street list."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from deid.document import Mention
from deid.privacy import KeyedStream
from deid.reference import CommuneTable
from deid.substitution import numerals
from deid.substitution.characters import redraw_digits
from deid.substitution.dossier import Dossier
from deid.substitution.drafts import Draft
from deid.substitution.folding import comparable, flat, words
from deid.substitution.places.vocabulary import HAMLETS, PLAIN, SITE_NAMES, SITES, WAYS
from deid.substitution.shapes import accented_like, in_case_of

STRATEGY = "street_list"
_PARTS = re.compile(r"(\s*[,;–—]\s*|\s+-\s+)")
_WORD = re.compile(r"[^\W\d_]+(?:-point|-dit)?\.?|\d+")
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
        for name in self._communes.streets():
            kind, _, rest = name.partition(" ")
            way = WAYS.get(flat(kind))
            if way and rest and not any(char.isdigit() for char in rest):
                groups[way].append(rest)
        return groups


class Streets:
    """STREET mentions of one document."""

    def __init__(self, dossier: Dossier, names: StreetNames) -> None:
        self._dossier = dossier
        self._names = names

    def write(self, mention: Mention, attempt: int) -> Draft:
        """The address with other numbers and names; a hamlet's name where nothing of it could be changed."""
        original = self._dossier.text(mention)
        stream = self._dossier.stream("street", comparable(original), str(attempt))
        hidden = frozenset(word for word in words(original) if len(word) >= _LEAST_NAME and word not in PLAIN)
        for _ in range(_TRIES):
            text = "".join(
                part if _PARTS.fullmatch(part) else self._part(part, stream) for part in _PARTS.split(original) if part
            )
            if hidden.isdisjoint(words(text)):
                return Draft(accented_like(original, text, self._dossier.accented), STRATEGY)
        text = in_case_of(original, stream.choice(HAMLETS))
        return Draft(accented_like(original, text, self._dossier.accented), STRATEGY)

    def _part(self, part: str, stream: KeyedStream) -> str:
        marks = list(_WORD.finditer(part))
        for index, mark in enumerate(marks):
            word = flat(mark.group()).rstrip(".")
            followed = index + 1 < len(marks)
            if word in WAYS and (followed or index):
                return self._numbers(part[: mark.start()], stream) + self._way(part, mark, WAYS[word], stream)
            if word in SITES and followed:
                return self._site(part, mark, marks[index + 1 :], stream)
        if all(
            flat(mark.group()).rstrip(".") in PLAIN or mark.group().isdigit() or len(mark.group()) == 1
            for mark in marks
        ):
            return self._numbers(part, stream)
        return self._hamlet(part, marks, stream)

    def _way(self, part: str, mark: re.Match[str], way: str, stream: KeyedStream) -> str:
        choices = self._names.by_way.get(way) or self._names.by_way["rue"]
        name = stream.choice(choices)
        return f"{mark.group()} {in_case_of(part[mark.start() :], name)}"

    def _site(self, part: str, mark: re.Match[str], after: Sequence[re.Match[str]], stream: KeyedStream) -> str:
        """Kind kept ("résidence", "bâtiment"); what follows is a letter, a number, or a name."""
        head = self._numbers(part[: mark.end()], stream)
        rest = part[mark.end() :]
        if all(one.group().isdigit() or len(one.group()) == 1 or flat(one.group()) in PLAIN for one in after):
            return head + self._numbers(rest, stream)
        name = stream.choice(SITE_NAMES)
        return f"{head} {in_case_of(rest, name)}"

    def _hamlet(self, part: str, marks: Sequence[re.Match[str]], stream: KeyedStream) -> str:
        name = in_case_of(part, stream.choice(HAMLETS))
        if marks and marks[0].group().isdigit():
            return f"{self._numbers(marks[0].group(), stream)} {name}"
        return name

    def _numbers(self, text: str, stream: KeyedStream) -> str:
        """Other digits, other single letters after them, other numbers in words."""
        spoken = re.match(r"\s*((?:[^\W\d_]+[ -])+)", text)
        if spoken:
            value = numerals.read(words(spoken.group(1)))
            if value is not None:
                said = numerals.write(1 + stream.below(98), hyphens="-" in spoken.group(1))
                return in_case_of(text, said) + " " + text[spoken.end() :]
        changed = redraw_digits(text, stream)
        return re.sub(r"(?<![^\W\d_])[B-HJ-NP-Z](?![^\W\d_])", lambda _: "ABCDEFGH"[stream.below(8)], changed)
