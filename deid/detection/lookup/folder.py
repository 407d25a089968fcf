"""Where lookups are kept: one file per state of the tables (`deid.reference.stamped`)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from deid.detection.lookup.entries import Spelling
from deid.detection.lookup.table import LookupTable, build
from deid.reference import stamped

SHIPPED = Path(__file__).parents[2] / "reference" / "packaged_data" / "lookup"
_SUFFIX = ".lookup"


def find(folder: Path, stamp: str) -> LookupTable | None:
    """The lookup of that stamp (`entries.stamp`) in a folder; None when there is none that is whole."""
    return stamped.find(folder, stamp, _SUFFIX, LookupTable)


def build_in(folder: Path, stamp: str, spellings: Iterable[Spelling]) -> LookupTable:
    """Build the lookup of that stamp into a folder.

    Raises:
        OSError: the folder cannot be written.
    """
    return LookupTable(stamped.write(folder, stamp, _SUFFIX, build(spellings)))
