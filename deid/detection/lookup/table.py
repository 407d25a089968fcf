"""A lookup as bytes: a static trie of folded names, then what each of them is; opened without being read."""

from __future__ import annotations

import hashlib
import mmap
import re
import struct
import tempfile
from array import array
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from marisa_trie import Trie

from deid.detection.lookup.entries import Entry, Kind, Spelling
from deid.errors import ReferenceRefused

_KINDS = tuple(Kind)
# The end of a file: mark, names, bytes of the trie, letters of the longest name.
_FOOTER = struct.Struct("<8sQQQ")
_MARK = b"NOCTURN1"
_WORD = re.compile("[^ ]+")
_WORDS_KEPT = 1 << 16


def build(spellings: Iterable[Spelling]) -> bytes:
    """The file of these names: the same names give the same bytes, in whatever order they come.

    After the trie, which maps a name to its number, come by number: two bytes with a bit per kind, four bytes with
    the inhabitants of the largest commune looked for by that spelling, four with those of the largest of that very
    name. Whole words are found because a name ends with a blank.
    """
    kinds: defaultdict[str, int] = defaultdict(int)
    weights: dict[str, int] = {}
    towns: dict[str, int] = {}
    for kind, name, weight, own in spellings:
        kinds[name] |= 1 << _KINDS.index(kind)
        if kind is Kind.COMMUNE:
            weights[name] = max(weights.get(name, 0), weight)
            if own:
                towns[name] = max(towns.get(name, 0), weight)
    trie = Trie(f"{name} " for name in sorted(kinds))
    columns = array("H", bytes(2 * len(trie))), array("I", bytes(4 * len(trie))), array("I", bytes(4 * len(trie)))
    for name, bits in kinds.items():
        number = trie[f"{name} "]
        columns[0][number], columns[1][number], columns[2][number] = bits, weights.get(name, 0), towns.get(name, 0)
    blob = trie.tobytes()
    longest = max(map(len, kinds), default=0)
    padding = bytes(-len(blob) % 8)
    footer = _FOOTER.pack(_MARK, len(trie), len(blob) + len(padding), longest)
    return b"".join([blob, padding, *(column.tobytes() for column in columns), footer])


class LookupTable:
    """A lookup file, mapped: processes share its pages, and only those that a text touches are read.

    `digest` is the SHA-256 of the file; `path` is where another process finds it.

    Raises:
        ReferenceRefused: the file is no lookup, or is not the one that `expected` says.
    """

    def __init__(self, path: Path, expected: str | None = None) -> None:
        with path.open("rb") as file:
            size = path.stat().st_size
            if size < _FOOTER.size:
                raise _refused(path)
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.path = path
        self._kept: object = None
        self.digest = hashlib.sha256(self._map).hexdigest()
        mark, count, start, self._longest = _FOOTER.unpack_from(self._map, size - _FOOTER.size)
        if mark != _MARK or size != start + 10 * count + _FOOTER.size or expected not in (None, self.digest):
            raise _refused(path)
        self._trie = Trie()
        self._trie.mmap(str(path))  # it reads its own length, and leaves what follows
        view = memoryview(self._map)
        self._kinds = view[start : start + 2 * count].cast("H")
        self._weights = view[start + 2 * count : start + 6 * count].cast("I")
        self._towns = view[start + 6 * count : start + 10 * count].cast("I")
        self._met: dict[int, tuple[Entry, ...]] = {}
        # Most words begin no name: what was said of a word is kept, since words come back.
        self._opens = lru_cache(_WORDS_KEPT)(lambda word: any(True for _ in self._trie.iterkeys(f"{word} ")))

    @classmethod
    def of(cls, content: bytes) -> LookupTable:
        """The same from bytes that no folder keeps: in a temporary file that lives as long as the table."""
        file = tempfile.NamedTemporaryFile(prefix="nocturne-lookup-")  # noqa: SIM115 - closed with the table
        file.write(content)
        file.flush()
        table = cls(Path(file.name))
        table._kept = file
        return table

    def __len__(self) -> int:
        return len(self._kinds)

    def scan(self, spaced: str) -> list[tuple[int, int, Entry]]:
        """`(start, end, entry)` of every entry in a text from `folding.spaced`, by start, longest first."""
        text = f"{spaced} "
        reach, prefixes, known, opens = self._longest + 1, self._trie.iter_prefixes_with_ids, self._entries, self._opens
        found: list[tuple[int, int, Entry]] = []
        for word in _WORD.finditer(spaced):
            if not opens(word.group()):
                continue
            start = word.start()
            names = list(prefixes(text[start : start + reach]))
            for name, number in reversed(names):
                end = start + len(name) - 1
                found += [(start, end, entry) for entry in known(number, name)]
        return found

    def kinds(self, name: str) -> frozenset[Kind]:
        """What that folded name names; empty when it is not known."""
        number = self._trie.get(f"{name} ")
        return frozenset() if number is None else frozenset(_bits(self._kinds[number]))

    def towns(self, name: str) -> int:
        """Inhabitants of the largest commune of that folded name; 0 if there is none."""
        number = self._trie.get(f"{name} ")
        return 0 if number is None else self._towns[number]

    def _entries(self, number: int, name: str) -> tuple[Entry, ...]:
        known = self._met.get(number)
        if known is None:
            weight = self._weights[number]
            known = self._met[number] = tuple(
                Entry(name[:-1], kind, weight if kind is Kind.COMMUNE else 0) for kind in _bits(self._kinds[number])
            )
        return known


def _bits(mask: int) -> list[Kind]:
    return [kind for at, kind in enumerate(_KINDS) if mask >> at & 1]


def _refused(path: Path) -> ReferenceRefused:
    return ReferenceRefused(f"lookup {path.name} is damaged or of another version.", "It is built again at next use.")
