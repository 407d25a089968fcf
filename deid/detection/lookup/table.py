"""A lookup as bytes: a static trie of folded names, then columns by name; mapped into memory, never parsed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from deid.detection.lookup.entries import WORDS, Entry, Kind, Spelling
from deid.reference.mapped_files import SectionFile, SectionWriter

PACKAGED_LOOKUPS = Path(__file__).parents[2] / "reference" / "packaged_data" / "lookup"
_KINDS = tuple(Kind)
_TOWNS = 1 << _KINDS.index(Kind.COMMUNE) | 1 << _KINDS.index(Kind.FORMER)
# First sign of the words of `entries.WORDS` in the trie: no text from `folding.spaced` has it.
_WORD_MARK = "="
_NAMES, _KINDS_OF, _WEIGHTS, _TOWNS_OF = "names", "kinds", "weights", "towns"  # sections
_MAX_WEIGHT = 2**32 - 1
_WINDOW = 200  # signs of a text that one search looks at: no source has longer names


def build_lookup(spellings: Iterable[Spelling]) -> bytes:
    """Return the file of these names: the same names give the same bytes, in any order.

    The trie maps a name, which ends with a blank, to its number. Three columns by number follow: kinds (uint16, a bit
    each), inhabitants of the largest commune with that spelling (uint32), and inhabitants of the largest commune with
    that very name (uint32). For words of people the two numbers are births by first name and by surname, the larger
    one where two tables differ. A name that only La Poste gives to a commune is a former commune.
    """
    kinds: defaultdict[str, int] = defaultdict(int)
    weights: dict[str, int] = {}
    towns: dict[str, int] = {}
    postal: set[str] = set()
    for kind, name, weight, own in spellings:
        if kind in WORDS:
            name = _WORD_MARK + name
        elif kind is Kind.POSTAL:
            postal.add(name)
            continue
        kinds[name] |= 1 << _KINDS.index(kind)
        weight = min(weight, _MAX_WEIGHT)
        if kind in (Kind.COMMUNE, Kind.FIRST_NAME):
            weights[name] = max(weights.get(name, 0), weight)
        if kind is Kind.SURNAME or (kind is Kind.COMMUNE and own):
            towns[name] = max(towns.get(name, 0), weight)
    for name in postal:
        if not kinds[name] & _TOWNS:
            kinds[name] |= 1 << _KINDS.index(Kind.FORMER)
    writer = SectionWriter()
    names = [name[:-1] for name in writer.keys(_NAMES, (f"{name} " for name in kinds))]
    writer.numbers(_KINDS_OF, "H", (kinds[name] for name in names))
    writer.numbers(_WEIGHTS, "I", (weights.get(name, 0) for name in names))
    writer.numbers(_TOWNS_OF, "I", (towns.get(name, 0) for name in names))
    return writer.content()


class LookupTable(SectionFile):
    """A lookup file, mapped.

    Raises:
        ReferenceRefused: the file is no lookup, or its hash is not `expected`.
    """

    SUFFIX = ".lookup"

    def __init__(self, path: Path, expected: str | None = None) -> None:
        super().__init__(path, expected)
        self._trie = self.keys(_NAMES)
        self._kinds, self._weights, self._towns = map(self.view, (_KINDS_OF, _WEIGHTS, _TOWNS_OF))

    def __len__(self) -> int:
        return len(self._kinds)

    def scan(self, spaced: str) -> list[tuple[int, int, Entry]]:
        """Return `(start, end, entry)` of every entry in a text from `folding.spaced`, by start, longest first."""
        found: list[tuple[int, int, Entry]] = []
        text = f"{spaced} "
        start = 0
        while start < len(spaced):
            end = text.index(" ", start)
            if end > start:
                for name in reversed(self._trie.prefixes(text[start : start + _WINDOW])):
                    found += [(start, start + len(name) - 1, entry) for entry in self._entries(name)]
            start = end + 1
        return found

    def kinds(self, name: str) -> frozenset[Kind]:
        """Return the kinds of a folded name, except names of people; empty when the name is not known."""
        number = self._trie.get(f"{name} ")
        return frozenset() if number is None else frozenset(_kinds_of(self._kinds[number]))

    def births(self, kind: Kind, word: str) -> int:
        """Return the number of people with that folded word in a first name, or as surname; 0 if too few."""
        number = self._trie.get(f"{_WORD_MARK}{word} ")
        return 0 if number is None else (self._weights if kind is Kind.FIRST_NAME else self._towns)[number]

    def towns(self, name: str) -> int:
        """Return the inhabitants of the largest commune of that folded name; 0 if there is none."""
        number = self._trie.get(f"{name} ")
        return 0 if number is None else self._towns[number]

    def _entries(self, key: str) -> list[Entry]:
        """Return the entries of a key of the trie, which is a name with a blank behind it."""
        number = self._trie[key]
        weight = self._weights[number]
        kinds = _kinds_of(self._kinds[number])
        return [Entry(key[:-1], kind, weight if kind is Kind.COMMUNE else 0) for kind in kinds]


def _kinds_of(mask: int) -> list[Kind]:
    return [kind for at, kind in enumerate(_KINDS) if mask >> at & 1]
