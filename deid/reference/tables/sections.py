"""One file of named sections, mapped: processes share its pages, and only those that somebody reads are loaded."""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from marisa_trie import Trie

from deid.reference.mapped_file import MappedFile

# The end of a file: mark, bytes of the directory before it (section → offset and length, JSON).
_FOOTER = struct.Struct("<8sQ")
_MARK = b"NOCTTAB1"


class Draft:
    """Sections of a file to be; the same content in the same order gives the same bytes."""

    def __init__(self) -> None:
        self._sections: dict[str, bytes] = {}

    def put(self, name: str, content: bytes) -> None:
        """A section as it is.

        Raises:
            ValueError: there is one of that name.
        """
        if name in self._sections:
            raise ValueError(f"two sections are called {name}")
        self._sections[name] = content

    def json(self, name: str, content: Any) -> None:
        """A section as JSON."""
        self.put(name, json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())

    def numbers(self, name: str, code: str, values: Iterable[float]) -> None:
        """Numbers of one of the types of `array`."""
        self.put(name, array(code, values).tobytes())

    def texts(self, name: str, values: Iterable[str]) -> None:
        """Texts that are read one by one."""
        encoded = [value.encode() for value in values]
        self.numbers(f"{name} ends", "I", accumulate(map(len, encoded)))
        self.put(name, b"".join(encoded))

    def keys(self, name: str, keys: Iterable[str]) -> list[str]:
        """Keys that are looked up; gives them in the order of their numbers, by which columns beside them are put."""
        trie = Trie(sorted(keys))
        self.put(name, trie.tobytes())
        return [trie.restore_key(number) for number in range(len(trie))]

    def lists(self, name: str, lists: Mapping[str, Sequence[int]]) -> None:
        """Row numbers by key."""
        ordered = [lists[key] for key in self.keys(name, lists)]
        self.numbers(f"{name} ends", "I", accumulate(map(len, ordered)))
        self.numbers(f"{name} rows", "I", (row for rows in ordered for row in rows))

    def content(self) -> bytes:
        """The file."""
        pieces, directory, position = [], {}, 0
        for name, section in self._sections.items():
            directory[name] = position, len(section)
            padding = bytes(-len(section) % 8)
            pieces += [section, padding]
            position += len(section) + len(padding)
        listing = json.dumps(directory, separators=(",", ":")).encode()
        return b"".join([*pieces, listing, _FOOTER.pack(_MARK, len(listing))])


class Sections(MappedFile):
    """A mapped file of sections.

    Raises:
        ReferenceRefused: the file is none of these, or is not the one that `expected` says.
    """

    KIND, MARK, FOOTER = "tables file", _MARK, _FOOTER

    def __init__(self, path: Path, expected: str | None = None) -> None:
        super().__init__(path, expected)
        end = self.size - _FOOTER.size
        self._directory = json.loads(self._map[end - self._fields[0] : end])

    def _fits(self) -> bool:
        return bool(self._fields[0] <= self.size - _FOOTER.size)

    def __contains__(self, name: str) -> bool:
        return name in self._directory

    def view(self, name: str) -> memoryview:
        """A section's bytes.

        Raises:
            KeyError: there is no such section.
        """
        start, length = self._directory[name]
        return memoryview(self._map)[start : start + length]

    def json(self, name: str) -> Any:
        """What `Draft.json` put."""
        return json.loads(bytes(self.view(name)))

    def integers(self, name: str, code: Literal["B", "I", "Q"]) -> memoryview[int]:
        """What `Draft.numbers` put under that type code."""
        return self.view(name).cast(code)

    def reals(self, name: str) -> memoryview[float]:
        """What `Draft.numbers` put under the type code "d"."""
        return self.view(name).cast("d")

    def texts(self, name: str) -> Texts:
        """What `Draft.texts` put."""
        return Texts(self.view(name), self.integers(f"{name} ends", "I"))

    def keys(self, name: str) -> Trie:
        """What `Draft.keys` put: key → number."""
        trie = Trie()
        trie.map(self.view(name))
        return trie

    def lists(self, name: str) -> Lists:
        """What `Draft.lists` put."""
        return Lists(self.keys(name), self.integers(f"{name} ends", "I"), self.integers(f"{name} rows", "I"))


class Texts:
    """Texts by number, decoded when asked for."""

    def __init__(self, content: memoryview, ends: memoryview[int]) -> None:
        self._content, self._ends = content, ends

    def __len__(self) -> int:
        return len(self._ends)

    def __iter__(self) -> Iterator[str]:
        return (self[at] for at in range(len(self)))

    def __getitem__(self, at: int) -> str:
        start = self._ends[at - 1] if at else 0
        return str(self._content[start : self._ends[at]], "utf-8")


class Lists:
    """Row numbers by key."""

    def __init__(self, trie: Trie, ends: memoryview[int], rows: memoryview[int]) -> None:
        self.trie, self._ends, self._rows = trie, ends, rows

    def get(self, key: str) -> memoryview[int] | None:
        """Rows of a key; None for an unknown one."""
        number = self.trie.get(key)
        if number is None:
            return None
        return self._rows[self._ends[number - 1] if number else 0 : self._ends[number]]
