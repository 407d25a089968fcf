"""Names of a lookup: those of the packaged tables and lists, those of reference versions, and their spellings."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from deid.detection.lookup.known_names import FOREIGN_CITIES, GEOGRAPHY
from deid.french.folding import key
from deid.french.organisations import COMPANIES, HOSPITALS, PUBLIC_BODIES
from deid.reference.mapped_files import stamp_of
from deid.reference.packaged import DATA, packaged_rows

# Raised whenever the same tables give another file.
FORMAT = 3


class Kind(StrEnum):
    """Kind of a table entry. The entries of one name come in this order."""

    COMMUNE = "commune"
    FORMER = "former commune"
    TERRITORY = "territory"
    FOREIGN = "foreign city"
    ORGANISATION = "organisation"
    STREET = "street"
    ESTABLISHMENT = "establishment"
    PROFESSIONAL = "professional"
    LOCALITY = "locality"
    FIRST_NAME = "first name"
    SURNAME = "surname"
    POSTAL = "postal name"


# Packaged tables: their kind, and the column with inhabitants or births. The order is part of the stamp.
_TABLES = {
    "communes": (Kind.COMMUNE, "population"),
    "former_communes": (Kind.FORMER, None),
    "territories": (Kind.TERRITORY, None),
    "streets": (Kind.STREET, None),
    "establishments": (Kind.ESTABLISHMENT, None),
    "first_names": (Kind.FIRST_NAME, "births"),
    "surnames": (Kind.SURNAME, "births"),
}
_LISTS = (
    (Kind.TERRITORY, GEOGRAPHY),
    (Kind.FOREIGN, FOREIGN_CITIES),
    (Kind.ORGANISATION, (*HOSPITALS, *COMPANIES, *PUBLIC_BODIES)),
)
# Single words, which are asked for and not searched in a text: the number of bearers tells a name from a word.
WORDS = frozenset({Kind.FIRST_NAME, Kind.SURNAME})
_SEVERAL_WORDS = frozenset({Kind.STREET, Kind.ESTABLISHMENT, Kind.PROFESSIONAL})
_VARIED = frozenset({Kind.COMMUNE, Kind.TERRITORY})
_MIN_LETTERS = {Kind.ESTABLISHMENT: 10, Kind.LOCALITY: 4}
_OTHER_SAINT = {"saint": "st", "sainte": "ste", "st": "saint", "ste": "sainte"}

# A row of a table: kind, name as written, inhabitants or births (0 except for communes and names of people).
Row = tuple[Kind, str, int]
# A searched name: kind, folded words, inhabitants or births, and True if these words are the name itself.
Spelling = tuple[Kind, str, int, bool]


@dataclass(frozen=True, slots=True)
class Entry:
    """A table entry; `weight` is the population of a commune, otherwise 0."""

    name: str
    kind: Kind
    weight: int = 0


def packaged_spellings() -> Iterator[Spelling]:
    """Return the names of the packaged tables, then those of the lists, which are folded already."""
    yield from folded_spellings(
        (kind, row["name"], int(row[weight]) if weight else 0)
        for table, (kind, weight) in _TABLES.items()
        for row in packaged_rows(table)
    )
    for kind, names in _LISTS:
        for name in names:
            yield kind, name, 0, True


def folded_spellings(table: Iterable[Row]) -> Iterator[Spelling]:
    """Return the folded forms of the names of a table; none for a name too short to tell from other words.

    Births are counted by word: "jean" has those of Jean-Pierre too, a surname of several words none.
    """
    births: defaultdict[Kind, Counter[str]] = defaultdict(Counter)
    for kind, name, weight in table:
        folded = key(name)
        if kind in WORDS:
            parts = folded.split()
            if kind is Kind.FIRST_NAME or len(parts) == 1:
                for part in parts:
                    births[kind][part] += weight
            continue
        if not folded or (kind in _SEVERAL_WORDS and " " not in folded) or len(folded) < _MIN_LETTERS.get(kind, 0):
            continue
        yield kind, folded, weight, True
        if kind in _VARIED:
            for variant in _place_variants(folded):
                yield kind, variant, weight, False
        if kind is Kind.LOCALITY:
            for variant in _locality_variants(folded):
                yield kind, variant, 0, False
    for kind, words in births.items():
        for word, count in words.items():
            yield kind, word, count, True


def lookup_stamp(versions: Mapping[str, str] | None = None) -> str:
    """Return 16 hexadecimal digits that name the content of a lookup.

    They depend on the format, the packaged tables and lists, and the reference `versions` by source.
    """
    return stamp_of(_packaged_digest(), versions)


@cache
def _packaged_digest() -> bytes:
    digest = hashlib.sha256(f"{FORMAT}\n".encode())
    for table in _TABLES:
        digest.update(hashlib.sha256((DATA / f"{table}.csv.gz").read_bytes()).digest())
    for kind, names in _LISTS:
        digest.update(f"{kind}: {sorted(names)}\n".encode())
    return digest.digest()


def _place_variants(name: str) -> Iterator[str]:
    """Return other spellings of a place: with St and Ste for Saint and Sainte, and without its article."""
    if "saint" in name:
        yield name.replace("sainte ", "ste ").replace("saint ", "st ")
    for article in ("le ", "la ", "les ", "l "):
        if name.startswith(article) and len(name) - len(article) > 4:
            yield name[len(article) :]


def _locality_variants(name: str) -> Iterator[str]:
    """Return other spellings of a lieu-dit: St for Saint or Saint for St; without "le" or "les" ("au", "aux")."""
    words = name.split()
    if not _OTHER_SAINT.keys().isdisjoint(words):
        yield " ".join(_OTHER_SAINT.get(word, word) for word in words)
    if words[0] in ("le", "les") and len(name) - len(words[0]) > 5:
        yield " ".join(words[1:])
