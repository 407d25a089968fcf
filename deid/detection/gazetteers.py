"""Names of places, streets, establishments and professionals, found in one pass over a document."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import cache

from deid.detection.lookup import SHIPPED, Entry, Kind, LookupTable, build, find, shipped, stamp

__all__ = ["Entry", "Gazetteers", "Hit", "Kind", "gazetteers", "use"]


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry found at `[start, end)` of a document, whole words only."""

    start: int
    end: int
    entry: Entry


class Gazetteers:
    """The names of one lookup. A name borne by several entries has one of each kind, the largest commune."""

    def __init__(self, table: LookupTable) -> None:
        self._table = table
        self.digest, self.path = table.digest, table.path
        self.names: Container[str] = _Places(table)

    def scan(self, spaced: str) -> list[Hit]:
        """Every entry in a text from `folding.spaced`, ordered by start, longest first."""
        return [Hit(*found) for found in self._table.scan(spaced)]

    def towns(self, name: str) -> int:
        """Inhabitants of the largest commune of that folded name; 0 if there is none."""
        return self._table.towns(name)


class _Places:
    """Folded names of what is no person."""

    def __init__(self, table: LookupTable) -> None:
        self._table = table

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self._table.kinds(name) - {Kind.PROFESSIONAL})


_in_use: list[Gazetteers] = []


def use(table: LookupTable | None) -> None:
    """Have this process detect with `table` from now on; None is what ships."""
    _in_use[:] = [] if table is None else [Gazetteers(table)]


def gazetteers() -> Gazetteers:
    """The names that this process detects with: those that ship until `use` has said otherwise."""
    return _in_use[0] if _in_use else _shipped()


@cache
def _shipped() -> Gazetteers:
    # A list of the code was edited and the file not built again: what the code says counts, at the cost of two seconds.
    return Gazetteers(find(SHIPPED, stamp()) or LookupTable.of(build(shipped())))
