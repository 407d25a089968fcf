"""Where lookups are kept: one file per state of the tables (`deid.reference.mapped_files`)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from deid.detection.lookup.entries import Spelling
from deid.detection.lookup.table import LookupTable, build
from deid.reference.mapped_files import find_file, write_file

SHIPPED = Path(__file__).parents[2] / "reference" / "packaged_data" / "lookup"
_SUFFIX = ".lookup"


def find(folder: Path, stamp: str) -> LookupTable | None:
    """The lookup of that stamp (`entries.stamp`) in a folder; None when there is none that is whole."""
    return find_file(folder, stamp, _SUFFIX, LookupTable)


def build_in(folder: Path, stamp: str, spellings: Iterable[Spelling]) -> LookupTable:
    """Build the lookup of that stamp into a folder.

    Raises:
        OSError: the folder cannot be written.
    """
    return LookupTable(write_file(folder, stamp, _SUFFIX, build(spellings)))
