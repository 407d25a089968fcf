"""Names of places, streets and establishments in one Aho–Corasick automaton, scanned once per document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from ahocorasick_rs import AhoCorasick

from deid.detection.folding import key
from deid.detection.known_organisations import BODIES, COMPANIES, HOSPITALS
from deid.detection.places import FOREIGN_CITIES, GEOGRAPHY
from deid.resources import rows


class Kind(StrEnum):
    """What a table entry names."""

    COMMUNE = "commune"
    FORMER = "former commune"
    FOREIGN = "foreign city"
    TERRITORY = "territory"
    STREET = "street"
    ESTABLISHMENT = "establishment"
    ORGANISATION = "organisation"


@dataclass(frozen=True, slots=True)
class Entry:
    """A table entry; `weight` is the population of a commune, otherwise 0."""

    name: str
    kind: Kind
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry found at `[start, end)` of a document, whole words only."""

    start: int
    end: int
    entry: Entry


def _variants(name: str) -> Iterator[str]:
    """The spellings under which a table name is met: with St and Ste, and without its article."""
    yield name
    if "saint" in name:
        yield name.replace("sainte ", "ste ").replace("saint ", "st ")
    for article in ("le ", "la ", "les ", "l "):
        if name.startswith(article) and len(name) - len(article) > 4:
            yield name[len(article) :]


def _entries() -> Iterator[Entry]:
    for row in rows("communes"):
        for name in _variants(key(row["name"])):
            yield Entry(name, Kind.COMMUNE, int(row["population"]))
    for row in rows("former_communes"):
        yield Entry(key(row["name"]), Kind.FORMER)
    for row in rows("territories"):
        for name in _variants(key(row["name"])):
            yield Entry(name, Kind.TERRITORY)
    for name in GEOGRAPHY:
        yield Entry(name, Kind.TERRITORY)
    for name in FOREIGN_CITIES:
        yield Entry(name, Kind.FOREIGN)
    for name in (*HOSPITALS, *COMPANIES, *BODIES):
        yield Entry(name, Kind.ORGANISATION)
    for row in rows("streets"):
        if " " in (name := key(row["name"])):
            yield Entry(name, Kind.STREET)
    for row in rows("establishments"):
        if len(name := key(row["name"])) >= 10 and " " in name:
            yield Entry(name, Kind.ESTABLISHMENT)


class Gazetteers:
    """The automaton. A name borne by several entries keeps the first of each kind, the largest commune."""

    def __init__(self) -> None:
        best: dict[str, dict[Kind, Entry]] = {}
        for entry in _entries():
            kinds = best.setdefault(entry.name, {})
            if entry.kind not in kinds or kinds[entry.kind].weight < entry.weight:
                kinds[entry.kind] = entry
        self._entries = [tuple(kinds.values()) for kinds in best.values()]
        # The blanks make an automaton of strings find whole words only; overlaps share a blank.
        self._automaton = AhoCorasick([f" {name} " for name in best])
        self.names = frozenset(best)

    def scan(self, spaced: str) -> list[Hit]:
        """Every entry in a text from `folding.spaced`, ordered by start, longest first."""
        found = self._automaton.find_matches_as_indexes(f" {spaced} ", overlapping=True)
        found.sort(key=lambda match: (match[1], -match[2]))
        return [Hit(start, end - 2, entry) for index, start, end in found for entry in self._entries[index]]

    def towns(self, name: str) -> int:
        """Inhabitants of the largest commune of that folded name; 0 if there is none."""
        return self._towns.get(name, 0)

    @property
    def _towns(self) -> dict[str, int]:
        return _towns()


@cache
def _towns() -> dict[str, int]:
    table: dict[str, int] = {}
    for row in rows("communes"):
        name = key(row["name"])
        table[name] = max(table.get(name, 0), int(row["population"]))
    return table


@cache
def gazetteers() -> Gazetteers:
    """The automaton of the tables that ship, built once per process."""
    return Gazetteers()
