"""A lookup as bytes: a static trie of folded names, then what each of them is; opened without being read."""

from __future__ import annotations

import struct
from array import array
from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate, compress
from pathlib import Path

from marisa_trie import Trie

from deid.detection.lookup.entries import WORDS, Entry, Kind, Spelling
from deid.detection.lookup.steps import Steps
from deid.reference.mapped_files import MappedFile

_KINDS = tuple(Kind)
_TOWNS = 1 << _KINDS.index(Kind.COMMUNE) | 1 << _KINDS.index(Kind.FORMER)
# The end of a file: mark, names, bytes of the trie.
_FOOTER = struct.Struct("<8sQQ")
_MARK = b"NOCTURN2"
# Opens the words that are asked for and not looked for: no text from `folding.spaced` has it.
_APART = "="
_MOST = 2**32 - 1


def build(spellings: Iterable[Spelling]) -> bytes:
    """The file of these names: the same names give the same bytes, in whatever order they come.

    After the trie, which maps a name to its number, come by number: two bytes with a bit per kind, four bytes with
    the inhabitants of the largest commune looked for by that spelling, four with those of the largest of that very
    name. Words that people bear stand apart; their numbers are births by first name, and by surname, the larger
    where two tables differ. What only La Poste calls a commune is looked for as a former one. Whole words are found
    because a name ends with a blank.
    """
    kinds: defaultdict[str, int] = defaultdict(int)
    weights: dict[str, int] = {}
    towns: dict[str, int] = {}
    postal: set[str] = set()
    for kind, name, weight, own in spellings:
        if kind in WORDS:
            name = _APART + name
        elif kind is Kind.POSTAL:
            postal.add(name)
            continue
        kinds[name] |= 1 << _KINDS.index(kind)
        weight = min(weight, _MOST)
        if kind in (Kind.COMMUNE, Kind.FIRST_NAME):
            weights[name] = max(weights.get(name, 0), weight)
        if kind is Kind.SURNAME or (kind is Kind.COMMUNE and own):
            towns[name] = max(towns.get(name, 0), weight)
    for name in postal:
        if not kinds[name] & _TOWNS:
            kinds[name] |= 1 << _KINDS.index(Kind.FORMER)
    trie = Trie(f"{name} " for name in sorted(kinds))
    columns = array("H", bytes(2 * len(trie))), array("I", bytes(4 * len(trie))), array("I", bytes(4 * len(trie)))
    for name, bits in kinds.items():
        number = trie[f"{name} "]
        columns[0][number], columns[1][number], columns[2][number] = bits, weights.get(name, 0), towns.get(name, 0)
    blob = trie.tobytes()
    padding = bytes(-len(blob) % 8)
    footer = _FOOTER.pack(_MARK, len(trie), len(blob) + len(padding))
    return b"".join([blob, padding, *(column.tobytes() for column in columns), footer])


class LookupTable(MappedFile):
    """A lookup file, mapped.

    Raises:
        ReferenceRefused: the file is no lookup, or is not the one that `expected` says.
    """

    KIND, MARK, FOOTER = "lookup", _MARK, _FOOTER

    def __init__(self, path: Path, expected: str | None = None) -> None:
        super().__init__(path, expected)
        count, start = self._fields
        self._trie = Trie()
        self._trie.mmap(str(path))  # it reads its own length, and leaves what follows
        view = memoryview(self._map)
        self._kinds = view[start : start + 2 * count].cast("H")
        self._weights = view[start + 2 * count : start + 6 * count].cast("I")
        self._towns = view[start + 6 * count : start + 10 * count].cast("I")
        self._steps = Steps(self._trie, self._entries)

    def _fits(self) -> bool:
        count, start = self._fields
        return bool(self.size == start + 10 * count + _FOOTER.size)

    def __len__(self) -> int:
        return len(self._kinds)

    def scan(self, spaced: str) -> list[tuple[int, int, Entry]]:
        """`(start, end, entry)` of every entry in a text from `folding.spaced`, by start, longest first."""
        if self._steps.room[0] < 0:
            self._steps = Steps(self._trie, self._entries)
        words = spaced.split(" ")
        words.append("")
        opened = list(map(self._steps.__getitem__, words))
        ends = list(accumulate(map(len, words)))  # without the blanks, of which there is one after each word
        found: list[tuple[int, int, Entry]] = []
        for at in compress(range(len(words)), opened):
            step, last = opened[at], at
            named: list[tuple[int, tuple[Entry, ...]]] = []
            while step is not None:
                entries, after = step
                if entries:
                    named.append((last, entries))
                if after is None:
                    break
                last += 1
                step = after[words[last]]
            if named:
                start = ends[at] - len(words[at]) + at
                for last, entries in reversed(named):
                    end = ends[last] + last
                    found += [(start, end, entry) for entry in entries]
        return found

    def kinds(self, name: str) -> frozenset[Kind]:
        """What that folded name names, beside people; empty when it is not known."""
        number = self._trie.get(f"{name} ")
        return frozenset() if number is None else frozenset(_bits(self._kinds[number]))

    def births(self, kind: Kind, word: str) -> int:
        """People born with that folded word as or in a first name, or as their surname; 0 when there are too few."""
        number = self._trie.get(f"{_APART}{word} ")
        return 0 if number is None else (self._weights if kind is Kind.FIRST_NAME else self._towns)[number]

    def towns(self, name: str) -> int:
        """Inhabitants of the largest commune of that folded name; 0 if there is none."""
        number = self._trie.get(f"{name} ")
        return 0 if number is None else self._towns[number]

    def _entries(self, key: str) -> tuple[Entry, ...]:
        """The entries of a key of the trie: of a name and the blank after it."""
        number = self._trie.get(key)
        if number is None:
            return ()
        weight = self._weights[number]
        return tuple(
            Entry(key[:-1], kind, weight if kind is Kind.COMMUNE else 0) for kind in _bits(self._kinds[number])
        )


def _bits(mask: int) -> list[Kind]:
    return [kind for at, kind in enumerate(_KINDS) if mask >> at & 1]
