"""Files that are built from tables and mapped into memory: pages are shared by processes and loaded on access.

The name of a file is `<stamp>-<SHA-256><suffix>`. The stamp identifies the inputs of the file, the hash its content.
"""

from __future__ import annotations

import hashlib
import json
import logging
import mmap
import os
import struct
import tempfile
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar

from marisa_trie import Trie

from deid.domain.errors import ReferenceRefused

logger = logging.getLogger(__name__)

# Files of one suffix in a folder: the current one, the previous one, and one for a process of another version.
KEPT = 3
# End of a file of sections: mark, then the length in bytes of the directory (section → offset and length, JSON).
_FOOTER = struct.Struct("<8sQ")
_MARK = b"NOCTTAB1"

Opened = TypeVar("Opened")


def stamp_of(packaged: bytes, versions: Mapping[str, str] | None) -> str:
    """Return 16 hexadecimal digits for a digest of what ships and for the reference versions by source."""
    digest = hashlib.sha256(packaged)
    for source, version in sorted((versions or {}).items()):
        digest.update(f"{source}={version}\n".encode())
    return digest.hexdigest()[:16]


def find_file(folder: Path, stamp: str, suffix: str, opened: Callable[[Path, str], Opened]) -> Opened | None:
    """Return the file of a stamp, opened with the hash of its name; None if the folder holds no intact one.

    A file whose content differs from its hash is not used; `write_file` replaces it.
    """
    for path in sorted(folder.glob(f"{stamp}-*{suffix}")):
        try:
            return opened(path, path.stem.partition("-")[2])
        except (ReferenceRefused, OSError) as error:
            logger.warning("%s %s refused: %s", suffix[1:], path.name, type(error).__name__)
    return None


def write_file(folder: Path, stamp: str, suffix: str, content: bytes) -> Path:
    """Write a file of that stamp, then delete the oldest files of its suffix and other files of its stamp.

    The rename is atomic; two processes that build the same file write the same bytes.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stamp}-{hashlib.sha256(content).hexdigest()}{suffix}"
    handle, draft = tempfile.mkstemp(dir=folder, prefix=".building-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(0o644)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    logger.info("%s %s built, %s bytes", suffix[1:], path.name, len(content))
    others = [other for other in folder.glob(f"*{suffix}") if other != path]
    others.sort(key=lambda other: other.stat().st_mtime_ns, reverse=True)
    for other in {*others[KEPT - 1 :], *(other for other in others if other.name.startswith(f"{stamp}-"))}:
        other.unlink(missing_ok=True)
    return path


class MappedFile(ABC):
    """A read-only mapped file that ends with a footer.

    `digest` is the SHA-256 of the file, `path` its location. A subclass defines KIND, its name in messages, and
    FOOTER, whose first field must equal MARK.

    Raises:
        ReferenceRefused: the footer is not that of the kind, or the digest differs from `expected`.
    """

    KIND: ClassVar[str]
    MARK: ClassVar[bytes]
    FOOTER: ClassVar[struct.Struct]

    def __init__(self, path: Path, expected: str | None = None) -> None:
        with path.open("rb") as file:
            self.size = path.stat().st_size
            if self.size < self.FOOTER.size:
                raise self._refused(path)
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.path = path
        self.digest = hashlib.sha256(self._map).hexdigest()
        self._temporary_file: object = None
        mark, *self._fields = self.FOOTER.unpack_from(self._map, self.size - self.FOOTER.size)
        if mark != self.MARK or not self._fits() or expected not in (None, self.digest):
            raise self._refused(path)

    def __reduce__(self) -> tuple[type[Self], tuple[Path, str]]:
        return type(self), (self.path, self.digest)  # another process maps the same file

    @classmethod
    def of(cls, content: bytes) -> Self:
        """Open bytes from a temporary file that lives as long as the object."""
        file = tempfile.NamedTemporaryFile(prefix="nocturne-")  # noqa: SIM115 - closed with the object
        file.write(content)
        file.flush()
        made = cls(Path(file.name))
        made._temporary_file = file
        return made

    @abstractmethod
    def _fits(self) -> bool:
        """Return whether the other fields of the footer agree with the size of the file."""

    def _refused(self, path: Path) -> ReferenceRefused:
        return ReferenceRefused(
            f"{self.KIND} {path.name} is damaged or of another version.", "It is built again at next use."
        )


class SectionWriter:
    """Collects the named sections of a file; the same sections in the same order give the same bytes."""

    def __init__(self) -> None:
        self._sections: dict[str, bytes] = {}

    def put(self, name: str, content: bytes) -> None:
        """Add a section of raw bytes.

        Raises:
            ValueError: a section of that name exists.
        """
        if name in self._sections:
            raise ValueError(f"two sections are called {name}")
        self._sections[name] = content

    def json(self, name: str, content: Any) -> None:
        """Add a section of JSON."""
        self.put(name, json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())

    def numbers(self, name: str, code: str, values: Iterable[float]) -> None:
        """Add numbers of a type code of `array`."""
        self.put(name, array(code, values).tobytes())

    def texts(self, name: str, values: Iterable[str]) -> None:
        """Add texts that are read by number."""
        encoded = [value.encode() for value in values]
        self.numbers(f"{name} ends", "I", accumulate(map(len, encoded)))
        self.put(name, b"".join(encoded))

    def keys(self, name: str, keys: Iterable[str]) -> list[str]:
        """Add a trie of keys; returns the keys in the order of their numbers, for columns beside the trie."""
        trie = Trie(sorted(keys))
        self.put(name, trie.tobytes())
        return [trie.restore_key(number) for number in range(len(trie))]

    def lists(self, name: str, lists: Mapping[str, Sequence[int]]) -> None:
        """Add row numbers by key."""
        ordered = [lists[key] for key in self.keys(name, lists)]
        self.numbers(f"{name} ends", "I", accumulate(map(len, ordered)))
        self.numbers(f"{name} rows", "I", (row for rows in ordered for row in rows))

    def content(self) -> bytes:
        """Return the bytes of the file."""
        pieces, directory, position = [], {}, 0
        for name, section in self._sections.items():
            directory[name] = position, len(section)
            padding = bytes(-len(section) % 8)
            pieces += [section, padding]
            position += len(section) + len(padding)
        listing = json.dumps(directory, separators=(",", ":")).encode()
        return b"".join([*pieces, listing, _FOOTER.pack(_MARK, len(listing))])


class SectionFile(MappedFile):
    """A mapped file of the sections that a `SectionWriter` collected.

    Raises:
        ReferenceRefused: it is no such file, or its digest differs from `expected`.
    """

    KIND, MARK, FOOTER = "tables file", _MARK, _FOOTER

    def __init__(self, path: Path, expected: str | None = None) -> None:
        super().__init__(path, expected)
        end = self.size - _FOOTER.size
        self._directory = json.loads(self._map[end - self._fields[0] : end])

    def _fits(self) -> bool:
        return bool(self._fields[0] <= self.size - _FOOTER.size)

    def view(self, name: str) -> memoryview:
        """Return the bytes of a section.

        Raises:
            KeyError: the file has no such section.
        """
        start, length = self._directory[name]
        return memoryview(self._map)[start : start + length]

    def json(self, name: str) -> Any:
        """Return a section of JSON."""
        return json.loads(bytes(self.view(name)))

    def integers(self, name: str, code: Literal["B", "I", "Q"]) -> memoryview[int]:
        """Return a section of integers of that type code."""
        return self.view(name).cast(code)

    def reals(self, name: str) -> memoryview[float]:
        """Return a section of numbers of the type code "d"."""
        return self.view(name).cast("d")

    def texts(self, name: str) -> Texts:
        """Return a section of texts."""
        return Texts(self.view(name), self.integers(f"{name} ends", "I"))

    def keys(self, name: str) -> Trie:
        """Return a trie of keys: key → number."""
        trie = Trie()
        trie.map(self.view(name))
        return trie

    def lists(self, name: str) -> RowLists:
        """Return row numbers by key."""
        return RowLists(self.keys(name), self.integers(f"{name} ends", "I"), self.integers(f"{name} rows", "I"))


class Texts:
    """Texts by number, decoded on access."""

    def __init__(self, content: memoryview, ends: memoryview[int]) -> None:
        self._content, self._ends = content, ends

    def __len__(self) -> int:
        return len(self._ends)

    def __iter__(self) -> Iterator[str]:
        return (self[at] for at in range(len(self)))

    def __getitem__(self, at: int) -> str:
        start = self._ends[at - 1] if at else 0
        return str(self._content[start : self._ends[at]], "utf-8")


class RowLists:
    """Row numbers by key."""

    def __init__(self, trie: Trie, ends: memoryview[int], rows: memoryview[int]) -> None:
        self.trie, self._ends, self._rows = trie, ends, rows

    def get(self, key: str) -> memoryview[int] | None:
        """Return the rows of a key; None for an unknown key."""
        number = self.trie.get(key)
        if number is None:
            return None
        return self._rows[self._ends[number - 1] if number else 0 : self._ends[number]]
