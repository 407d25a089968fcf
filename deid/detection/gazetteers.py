"""Names of places, streets, establishments and people, found in one pass over a document or asked for by word."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import cache

from deid.detection.lookup import SHIPPED, Entry, Kind, LookupTable, build, find, shipped, stamp

__all__ = ["Births", "Entry", "Gazetteers", "Hit", "Kind", "gazetteers", "use"]

_WORDS_KEPT = 1 << 17


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
        self.first_names, self.surnames = Births(table, Kind.FIRST_NAME), Births(table, Kind.SURNAME)

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
        return isinstance(name, str) and bool(self._table.kinds(name) - _BORNE)


# A lieu-dit is as often as not called after a family: its name tells nobody from a place.
_BORNE = frozenset({Kind.PROFESSIONAL, Kind.LOCALITY})


class Births:
    """How many people bear a folded word as a first name, or as a surname; read as a dictionary is."""

    def __init__(self, table: LookupTable, kind: Kind) -> None:
        self._table, self._kind = table, kind
        self._met: dict[str, int] = {}

    def get(self, word: str, otherwise: int = 0) -> int:
        births = self._met.get(word)
        if births is None:
            if len(self._met) > _WORDS_KEPT:
                self._met.clear()
            births = self._met[word] = self._table.births(self._kind, word)
        return births or otherwise

    def __contains__(self, word: str) -> bool:
        return self.get(word) > 0

    def __getitem__(self, word: str) -> int:
        return self.get(word)


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
