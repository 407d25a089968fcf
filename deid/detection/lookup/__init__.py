"""The lookup of detection: a compact file of the names of places, organisations and people."""

from deid.detection.lookup.entries import Entry, Kind, Row, folded_spellings, lookup_stamp, packaged_spellings
from deid.detection.lookup.table import PACKAGED_LOOKUPS, LookupTable, build_lookup

__all__ = [
    "PACKAGED_LOOKUPS", "Entry", "Kind", "LookupTable", "Row", "build_lookup", "folded_spellings",
    "lookup_stamp", "packaged_spellings",
]  # fmt: skip
