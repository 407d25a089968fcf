"""A file that is mapped, not read: a footer with a mark says what it is, its SHA-256 which one."""

from __future__ import annotations

import hashlib
import mmap
import struct
import tempfile
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, Self

from deid.domain.errors import ReferenceRefused


class MappedFile(ABC):
    """Processes share its pages, and only those that somebody reads are loaded.

    `digest` is the SHA-256 of the file; `path` is where another process finds it. A subclass says what the file is
    called where it is refused, its mark, and the footer, whose first field is the mark.

    Raises:
        ReferenceRefused: the file is no such file, or is not the one that `expected` says.
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
        self._kept: object = None
        mark, *self._fields = self.FOOTER.unpack_from(self._map, self.size - self.FOOTER.size)
        if mark != self.MARK or not self._fits() or expected not in (None, self.digest):
            raise self._refused(path)

    @classmethod
    def of(cls, content: bytes) -> Self:
        """The same from bytes that no folder keeps: in a temporary file that lives as long as the object."""
        file = tempfile.NamedTemporaryFile(prefix="nocturne-")  # noqa: SIM115 - closed with the object
        file.write(content)
        file.flush()
        made = cls(Path(file.name))
        made._kept = file
        return made

    @abstractmethod
    def _fits(self) -> bool:
        """Whether the footer's other fields agree with the size of the file."""

    def _refused(self, path: Path) -> ReferenceRefused:
        return ReferenceRefused(
            f"{self.KIND} {path.name} is damaged or of another version.", "It is built again at next use."
        )
