"""Words and names that detection knows: gazetteers of places, establishments and people, and a French lexicon."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

from deid.detection.lookup import (
    PACKAGED_LOOKUPS,
    Entry,
    Kind,
    LookupTable,
    build_lookup,
    lookup_stamp,
    packaged_spellings,
)
from deid.french.folding import fold, key
from deid.reference.packaged import packaged_rows

__all__ = ["Births", "Entry", "Gazetteers", "Hit", "Kind", "Lexicon", "gazetteers", "lexicon", "use_lookup"]

# Many lieux-dits bear the name of a family: such an entry does not tell a place from a person.
_PERSONAL = frozenset({Kind.PROFESSIONAL, Kind.LOCALITY})


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry found at `[start, end)` of a document, whole words only."""

    start: int
    end: int
    entry: Entry


class Gazetteers:
    """The names of one lookup. A name borne by several entries has one of each kind, the largest commune.

    `names` holds the folded names of places and organisations, `first_names` and `surnames` count births in France.
    """

    def __init__(self, table: LookupTable) -> None:
        self.table = table
        self.digest, self.path = table.digest, table.path
        self.names: Container[str] = _Places(table)
        self.first_names, self.surnames = Births(table, Kind.FIRST_NAME), Births(table, Kind.SURNAME)

    def scan(self, spaced: str) -> list[Hit]:
        """Return every entry in a text from `folding.spaced`, ordered by start, longest first."""
        return [Hit(*found) for found in self.table.scan(spaced)]

    def towns(self, name: str) -> int:
        """Return the inhabitants of the largest commune of that folded name; 0 if there is none."""
        return self.table.towns(name)


class _Places:
    def __init__(self, table: LookupTable) -> None:
        self._table = table

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self._table.kinds(name) - _PERSONAL)


class Births:
    """Number of people who bear a folded word as a first name, or as a surname; read like a dictionary."""

    def __init__(self, table: LookupTable, kind: Kind) -> None:
        # Each word of a document is asked for several times, and most words come back in the next document.
        self._births = lru_cache(maxsize=1 << 17)(partial(table.births, kind))

    def get(self, word: str, default: int = 0) -> int:
        """Return the births of `word`, or `default` if there are none."""
        return self._births(word) or default

    def __contains__(self, word: str) -> bool:
        return self._births(word) > 0

    def __getitem__(self, word: str) -> int:
        return self._births(word)


_in_use: list[Gazetteers] = []


def use_lookup(table: LookupTable | None) -> None:
    """Make this process detect with `table` from now on; None is the packaged lookup."""
    _in_use[:] = [] if table is None else [Gazetteers(table)]


def gazetteers() -> Gazetteers:
    """Return the names that this process detects with: those of `use_lookup`, else the packaged ones."""
    return _in_use[0] if _in_use else _packaged()


@cache
def _packaged() -> Gazetteers:
    # While a list of the code is newer than the packaged file, the lookup is built in two seconds.
    found = LookupTable.find(PACKAGED_LOOKUPS, lookup_stamp())
    return Gazetteers(found or LookupTable.of(build_lookup(packaged_spellings())))


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Tables keyed by folded word. Births are counts in France; common is a frequency per million words."""

    first_names: Births
    surnames: Births
    common: dict[str, float]
    medical: frozenset[str]
    drugs: frozenset[str]
    eponyms: frozenset[str]
    single_eponyms: frozenset[str]  # of one person
    double_eponyms: frozenset[str]  # of two or more people: "guillain barre"
    clinical: dict[str, str]  # kinds of clinical term: drug, germ, acronym, word, joined by |
    parts: dict[str, str]  # parts of speech that the word can be, as Lexique names them, joined by |

    def is_first_name(self, word: str) -> bool:
        """True if `word` is much rather a first name than a word of the language."""
        births = self.first_names.get(word)
        return births >= 60 and births > 150 * self.common.get(word, 0.0) and word not in self.drugs

    def is_surname(self, word: str) -> bool:
        """True if `word` is borne as a surname and is not a usual word."""
        births = self.surnames.get(word)
        return births >= 15 and births > 100 * self.common.get(word, 0.0) and word not in self.medical

    def is_word(self, word: str) -> bool:
        """True if `word` belongs to the language, general or medical, or is a drug."""
        return word in self.common or word in self.medical or word in self.drugs

    def is_unknown(self, word: str) -> bool:
        """True if no table knows `word`: in French prose that is a name, a brand or a misspelling."""
        return not (self.is_word(word) or word in self.first_names or word in self.surnames)


def lexicon() -> Lexicon:
    """Return the lexicon of this process: names of the lookup in use (`use_lookup`), packaged words."""
    return _lexicon(gazetteers())


@lru_cache(maxsize=2)
def _lexicon(names: Gazetteers) -> Lexicon:
    return Lexicon(names.first_names, names.surnames, **_language())


@cache
def _language() -> dict[str, Any]:
    """Return the fields of `Lexicon` that do not depend on the lookup."""
    common: dict[str, float] = defaultdict(float)
    parts: dict[str, str] = {}
    clinical: dict[str, str] = {}
    for row in packaged_rows("clinical_terms"):
        clinical[row["term"]] = f"{clinical[row['term']]}|{row['kind']}" if row["term"] in clinical else row["kind"]
    for row in packaged_rows("words"):
        for spelling in _spellings(fold(row["word"])):
            common[spelling] += float(row["per_million"])
            parts.setdefault(spelling, row["parts"])
    return {
        "common": dict(common),
        "medical": frozenset(word for row in packaged_rows("medical_words") for word in _spellings(fold(row["word"]))),
        "drugs": frozenset(
            word for row in packaged_rows("drugs") if len(word := key(row["name"])) > 3 and " " not in word
        ),
        "eponyms": frozenset(
            part for row in packaged_rows("eponyms") for part in key(row["name"]).split() if len(part) > 2
        ),
        "single_eponyms": frozenset(name for row in packaged_rows("eponyms") if " " not in (name := key(row["name"]))),
        "double_eponyms": frozenset(name for row in packaged_rows("eponyms") if " " in (name := key(row["name"]))),
        "clinical": clinical,
        "parts": parts,
    }


def _spellings(word: str) -> tuple[str, ...]:
    """Return a folded word, and its spelling without the letters œ and æ if it has one."""
    return (word, word.replace("œ", "oe").replace("æ", "ae")) if "œ" in word or "æ" in word else (word,)
