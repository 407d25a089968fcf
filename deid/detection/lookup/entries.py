"""Which names a lookup knows: those that ship, those of the reference releases in use, and how each is spelt."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from deid.detection.known_organisations import BODIES, COMPANIES, HOSPITALS
from deid.detection.places import FOREIGN_CITIES, GEOGRAPHY
from deid.french.folding import key
from deid.reference.packaged import DATA, packaged_rows

# Raised whenever the same tables give another file.
FORMAT = 2
_TABLES = (
    "communes", "former_communes", "territories", "streets", "establishments", "first_names", "surnames",
)  # fmt: skip


class Kind(StrEnum):
    """What a table entry names. Their order is that in which the entries of one name are told."""

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


_LISTS = (
    (Kind.TERRITORY, GEOGRAPHY),
    (Kind.FOREIGN, FOREIGN_CITIES),
    (Kind.ORGANISATION, (*HOSPITALS, *COMPANIES, *BODIES)),
)
# Names of single words, which are asked for and not looked for: how many people bear one says what it is.
WORDS = frozenset({Kind.FIRST_NAME, Kind.SURNAME})
_SEVERAL_WORDS = frozenset({Kind.STREET, Kind.ESTABLISHMENT, Kind.PROFESSIONAL})
_VARIED = frozenset({Kind.COMMUNE, Kind.TERRITORY})
_LEAST_LETTERS = {Kind.ESTABLISHMENT: 10, Kind.LOCALITY: 4}


_OTHER_SAINT = {"saint": "st", "sainte": "ste", "st": "saint", "ste": "sainte"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A table entry; `weight` is the population of a commune, otherwise 0."""

    name: str
    kind: Kind
    weight: int = 0


# What a table says: kind, name as it is written, inhabitants or births (0 but for communes and names of people).
Row = tuple[Kind, str, int]
# What is looked for: kind, folded words, inhabitants or births, and whether that is the name or a spelling of it.
Spelling = tuple[Kind, str, int, bool]


def shipped() -> Iterator[Spelling]:
    """The names of the tables that ship, then those of the code, which are folded and known as they are written."""
    yield from spelt(_rows())
    for kind, names in _LISTS:
        for name in names:
            yield kind, name, 0, True


def spelt(table: Iterable[Row]) -> Iterator[Spelling]:
    """The folded forms under which names are looked for; none where a name is too short to tell from other words.

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
        if not folded or (kind in _SEVERAL_WORDS and " " not in folded):
            continue
        if len(folded) < _LEAST_LETTERS.get(kind, 0):
            continue
        yield kind, folded, weight, True
        if kind in _VARIED:
            for variant in _variants(folded):
                yield kind, variant, weight, False
        if kind is Kind.LOCALITY:
            for variant in _of_a_locality(folded):
                yield kind, variant, 0, False
    for kind, words in births.items():
        for word, count in words.items():
            yield kind, word, count, True


def stamp(releases: Mapping[str, str] | None = None) -> str:
    """16 hexadecimal digits that name what a lookup is made of: format, what ships, and release versions by source."""
    digest = hashlib.sha256(_shipped_digest())
    for source, version in sorted((releases or {}).items()):
        digest.update(f"{source}={version}\n".encode())
    return digest.hexdigest()[:16]


@cache
def _shipped_digest() -> bytes:
    digest = hashlib.sha256(f"{FORMAT}\n".encode())
    for table in _TABLES:
        digest.update(hashlib.sha256((DATA / f"{table}.csv.gz").read_bytes()).digest())
    for kind, names in _LISTS:
        digest.update(f"{kind}: {sorted(names)}\n".encode())
    return digest.digest()


def _rows() -> Iterator[Row]:
    for row in packaged_rows("communes"):
        yield Kind.COMMUNE, row["name"], int(row["population"])
    for table, kind in (
        ("former_communes", Kind.FORMER),
        ("territories", Kind.TERRITORY),
        ("streets", Kind.STREET),
        ("establishments", Kind.ESTABLISHMENT),
    ):
        for row in packaged_rows(table):
            yield kind, row["name"], 0
    for table, kind in (("first_names", Kind.FIRST_NAME), ("surnames", Kind.SURNAME)):
        for row in packaged_rows(table):
            yield kind, row["name"], int(row["births"])


def _variants(name: str) -> Iterator[str]:
    """The spellings under which the name of a place is met: with St and Ste, and without its article."""
    if "saint" in name:
        yield name.replace("sainte ", "ste ").replace("saint ", "st ")
    for article in ("le ", "la ", "les ", "l "):
        if name.startswith(article) and len(name) - len(article) > 4:
            yield name[len(article) :]


def _of_a_locality(name: str) -> Iterator[str]:
    """With St for Saint or Saint for St, as registers write either; without the article that "au" and "aux" take in."""
    words = name.split()
    if not _OTHER_SAINT.keys().isdisjoint(words):
        yield " ".join(_OTHER_SAINT.get(word, word) for word in words)
    if words[0] in ("le", "les") and len(name) - len(words[0]) > 5:
        yield " ".join(words[1:])
