"""Files that are built from tables and mapped into memory: pages are shared by processes and loaded on access.

The name of a file is `<stamp>-<SHA-256><suffix>`. The stamp identifies the inputs of the file, the hash its content.
Their format is that of the models' weights, safetensors: named columns of numbers, with what else is bytes among them.
"""

from __future__ import annotations

import hashlib
import json
import logging
import mmap
import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar, Self

from marisa_trie import Trie

from deid.domain.errors import ReferenceRefused

logger = logging.getLogger(__name__)

# Files of one suffix in a folder: the current one, the previous one, and one for a process of another version.
KEPT = 3
_CODES = {"U8": "B", "U16": "H", "U32": "I", "U64": "Q", "F64": "d"}  # type of safetensors → type code of `array`
_LENGTH = 8  # bytes of the number of bytes of the header, which is JSON


def stamp_of(packaged: bytes, versions: Mapping[str, str] | None) -> str:
    """Return 16 hexadecimal digits for a digest of what ships and for the reference versions by source."""
    digest = hashlib.sha256(packaged)
    for source, version in sorted((versions or {}).items()):
        digest.update(f"{source}={version}\n".encode())
    return digest.hexdigest()[:16]


class SectionWriter:
    """Collects the named sections of a file; the same sections give the same bytes, in any order."""

    def __init__(self) -> None:
        self._sections: dict[str, tuple[str, bytes]] = {}

    def put(self, name: str, content: bytes, code: str = "B") -> None:
        """Add a section of bytes, or of numbers of a type code of `array`.

        Raises:
            ValueError: a section of that name exists.
        """
        if name in self._sections:
            raise ValueError(f"two sections are called {name}")
        self._sections[name] = code, content

    def json(self, name: str, content: Any) -> None:
        """Add a section of JSON."""
        self.put(name, json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())

    def numbers(self, name: str, code: str, values: Iterable[float]) -> None:
        """Add numbers of a type code of `array`."""
        self.put(name, array(code, values).tobytes(), code)

    def texts(self, name: str, values: Iterable[str]) -> None:
        """Add texts that are read by number."""
        encoded = [value.encode() for value in values]
        self.numbers(f"{name} ends", "I", accumulate(map(len, encoded)))
        self.put(name, b"".join(encoded))

    def keys(self, name: str, keys: Iterable[str]) -> list[str]:
        """Add a trie of keys; returns the keys in the order of their numbers, for columns beside the trie."""
        trie = Trie(sorted(keys))
        content = trie.tobytes()
        self.put(name, content + bytes(-len(content) % 8), "Q")  # a trie is mapped at multiples of eight bytes
        return [trie.restore_key(number) for number in range(len(trie))]

    def lists(self, name: str, lists: Mapping[str, Sequence[int]]) -> None:
        """Add row numbers by key."""
        ordered = [lists[key] for key in self.keys(name, lists)]
        self.numbers(f"{name} ends", "I", accumulate(map(len, ordered)))
        self.numbers(f"{name} rows", "I", (row for rows in ordered for row in rows))

    def content(self) -> bytes:
        """Return the bytes of the file."""
        import numpy as np
        from safetensors.numpy import save

        return save({name: np.frombuffer(content, code) for name, (code, content) in self._sections.items()})


class SectionFile:
    """A mapped file of the sections that a `SectionWriter` collected.

    `digest` is the SHA-256 of the file, `path` its location. A subclass has a SUFFIX of its own.

    Raises:
        ReferenceRefused: it is no such file, or its digest differs from `expected`.
    """

    SUFFIX: ClassVar[str] = ".sections"

    def __init__(self, path: Path, expected: str | None = None) -> None:
        self.path = path
        with path.open("rb") as file:
            if not path.stat().st_size:
                raise self._refused()
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.digest = hashlib.sha256(self._map).hexdigest()
        self._temporary_file: object = None
        self._start = _LENGTH + int.from_bytes(self._map[:_LENGTH], "little")
        if expected not in (None, self.digest) or self._start > len(self._map):
            raise self._refused()
        try:
            self._directory = json.loads(self._map[_LENGTH : self._start])
        except ValueError:
            raise self._refused() from None

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

    @classmethod
    def find(cls, folder: Path, stamp: str) -> Self | None:
        """Return the file of a stamp; None if the folder holds no intact one.

        A file whose content differs from the hash in its name is not used; `write` replaces it.
        """
        for path in sorted(folder.glob(f"{stamp}-*{cls.SUFFIX}")):
            try:
                return cls(path, path.stem.partition("-")[2])
            except (ReferenceRefused, OSError) as error:
                logger.warning("%s %s refused: %s", cls.SUFFIX[1:], path.name, type(error).__name__)
        return None

    @classmethod
    def write(cls, folder: Path, stamp: str, content: bytes, kept: int = KEPT) -> Self:
        """Write a file of that stamp, then delete all but the `kept` latest of its suffix, and others of its stamp.

        The rename is atomic; two processes that build the same file write the same bytes.

        Raises:
            OSError: the folder cannot be written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{stamp}-{hashlib.sha256(content).hexdigest()}{cls.SUFFIX}"
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
        logger.info("%s %s built, %s bytes", cls.SUFFIX[1:], path.name, len(content))
        others = [other for other in folder.glob(f"*{cls.SUFFIX}") if other != path]
        others.sort(key=lambda other: other.stat().st_mtime_ns, reverse=True)
        for other in {*others[kept - 1 :], *(other for other in others if other.name.startswith(f"{stamp}-"))}:
            other.unlink(missing_ok=True)
        return cls(path)

    @classmethod
    def keep(cls, folder: Path, stamp: str, content: bytes) -> Self:
        """Write a file of that stamp; a folder that cannot be written costs time only: it is this process's alone."""
        try:
            return cls.write(folder, stamp, content)
        except OSError as error:
            logger.warning("%s: folder %s cannot be written (%s)", cls.SUFFIX[1:], folder, error.strerror)
            return cls.of(content)

    def view(self, name: str) -> memoryview[Any]:
        """Return the numbers of a section, or its bytes.

        Raises:
            ReferenceRefused: the file has no such section.
        """
        if name not in self._directory:
            raise self._refused()
        start, end = self._directory[name]["data_offsets"]
        whole: memoryview[Any] = memoryview(self._map)[self._start + start : self._start + end]
        return whole.cast(_CODES[self._directory[name]["dtype"]])  # type: ignore[call-overload, no-any-return]

    def json(self, name: str) -> Any:
        """Return a section of JSON."""
        return json.loads(bytes(self.view(name)))

    def texts(self, name: str) -> Texts:
        """Return a section of texts."""
        return Texts(self.view(name), self.view(f"{name} ends"))

    def keys(self, name: str) -> Trie:
        """Return a trie of keys: key → number."""
        trie = Trie()
        trie.map(self.view(name).cast("B"))
        return trie

    def lists(self, name: str) -> RowLists:
        """Return row numbers by key."""
        return RowLists(self.keys(name), self.view(f"{name} ends"), self.view(f"{name} rows"))

    def _refused(self) -> ReferenceRefused:
        return ReferenceRefused(f"{self.path.name} is damaged or of another version.", "It is built again at next use.")


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
