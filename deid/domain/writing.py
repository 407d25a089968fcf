"""Files: their digest, and replacement at once, in which a reader finds the former content or the new one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a file to write, which takes the name `path` at the end, or is deleted after an error."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits, read block by block."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
