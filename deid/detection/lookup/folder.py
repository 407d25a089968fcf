"""Where lookups are kept: one file per state of the tables, named by what it is made of and by its own hash."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from deid.detection.lookup.entries import Spelling
from deid.detection.lookup.table import LookupTable, build
from deid.errors import ReferenceRefused

logger = logging.getLogger(__name__)

SHIPPED = Path(__file__).parents[2] / "resources" / "lookup"
# The one in use, the one before, and one that a process of another version still wants.
KEPT = 3
_SUFFIX = ".lookup"


def find(folder: Path, stamp: str) -> LookupTable | None:
    """The lookup of that stamp (`entries.stamp`) in a folder; None when there is none that is whole.

    A file whose content is not what its name says is never used: it is left for `build_in` to replace.
    """
    for path in sorted(folder.glob(f"{stamp}-*{_SUFFIX}")):
        try:
            return LookupTable(path, path.stem.partition("-")[2])
        except (ReferenceRefused, OSError) as error:
            logger.warning("lookup %s refused: %s", path.name, type(error).__name__)
    return None


def build_in(folder: Path, stamp: str, spellings: Iterable[Spelling]) -> LookupTable:
    """Build the lookup of that stamp into a folder, drop the oldest ones and damaged ones of the same stamp.

    The file appears whole under its name or not at all; two processes that build it write the same.

    Raises:
        OSError: the folder cannot be written.
    """
    content = build(spellings)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stamp}-{hashlib.sha256(content).hexdigest()}{_SUFFIX}"
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
    logger.info("lookup %s built, %s bytes", path.name, len(content))
    _prune(folder, path)
    return LookupTable(path)


def _prune(folder: Path, newest: Path) -> None:
    others = sorted(folder.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    others = [path for path in others if path != newest]
    same = [path for path in others if path.name.partition("-")[0] == newest.name.partition("-")[0]]
    for path in {*same, *others[KEPT - 1 :]}:
        path.unlink(missing_ok=True)
