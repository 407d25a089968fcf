"""Files built from tables: one per state of them, named by what it is made of (its stamp) and by its own hash."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from deid.domain.errors import ReferenceRefused

logger = logging.getLogger(__name__)

# The one in use, the one before, and one that a process of another version still wants.
KEPT = 3

Opened = TypeVar("Opened")


def find(folder: Path, stamp: str, suffix: str, opened: Callable[[Path, str], Opened]) -> Opened | None:
    """The file of that stamp, opened with the hash that its name says; None when there is none that is whole.

    A file whose content is not what its name says is never used: it is left for `write` to replace.
    """
    for path in sorted(folder.glob(f"{stamp}-*{suffix}")):
        try:
            return opened(path, path.stem.partition("-")[2])
        except (ReferenceRefused, OSError) as error:
            logger.warning("%s %s refused: %s", suffix[1:], path.name, type(error).__name__)
    return None


def write(folder: Path, stamp: str, suffix: str, content: bytes) -> Path:
    """Keep a file of that stamp in a folder, drop the oldest ones of its suffix and damaged ones of the same stamp.

    The file appears whole under its name or not at all; two processes that build it write the same.

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
    _prune(folder, suffix, path)
    return path


def _prune(folder: Path, suffix: str, newest: Path) -> None:
    others = sorted(folder.glob(f"*{suffix}"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    others = [path for path in others if path != newest]
    same = [path for path in others if path.name.partition("-")[0] == newest.name.partition("-")[0]]
    for path in {*same, *others[KEPT - 1 :]}:
        path.unlink(missing_ok=True)
