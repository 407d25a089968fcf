"""The names that detection knows, in one compact file: what goes in, how it is laid out, where it is kept."""

from deid.detection.lookup.entries import Entry, Kind, Row, shipped, spelt, stamp
from deid.detection.lookup.folder import SHIPPED, build_in, find
from deid.detection.lookup.table import LookupTable, build

__all__ = ["SHIPPED", "Entry", "Kind", "LookupTable", "Row", "build", "build_in", "find", "shipped", "spelt", "stamp"]
