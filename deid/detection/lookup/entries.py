"""Which names a lookup knows: those that ship, those of the reference releases in use, and how each is spelt."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from deid.detection.folding import key
from deid.detection.known_organisations import BODIES, COMPANIES, HOSPITALS
from deid.detection.places import FOREIGN_CITIES, GEOGRAPHY
from deid.resources import DATA, rows

# Raised whenever the same tables give another file.
FORMAT = 1
_TABLES = ("communes", "former_communes", "territories", "streets", "establishments")


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


_LISTS = (
    (Kind.TERRITORY, GEOGRAPHY),
    (Kind.FOREIGN, FOREIGN_CITIES),
    (Kind.ORGANISATION, (*HOSPITALS, *COMPANIES, *BODIES)),
)
_SEVERAL_WORDS = frozenset({Kind.STREET, Kind.ESTABLISHMENT, Kind.PROFESSIONAL})
_VARIED = frozenset({Kind.COMMUNE, Kind.TERRITORY})


@dataclass(frozen=True, slots=True)
class Entry:
    """A table entry; `weight` is the population of a commune, otherwise 0."""

    name: str
    kind: Kind
    weight: int = 0


# What a table says: kind, name as it is written, inhabitants (0 but for communes).
Row = tuple[Kind, str, int]
# What is looked for: kind, folded words, inhabitants, and whether that is the name itself or a spelling of it.
Spelling = tuple[Kind, str, int, bool]


def shipped() -> Iterator[Spelling]:
    """The names of the tables that ship, then those of the code, which are folded and known as they are written."""
    yield from spelt(_rows())
    for kind, names in _LISTS:
        for name in names:
            yield kind, name, 0, True


def spelt(table: Iterable[Row]) -> Iterator[Spelling]:
    """The folded forms under which names are looked for; none where a name is too short to tell from other words."""
    for kind, name, weight in table:
        folded = key(name)
        if not folded or (kind in _SEVERAL_WORDS and " " not in folded):
            continue
        if kind is Kind.ESTABLISHMENT and len(folded) < 10:
            continue
        yield kind, folded, weight, True
        if kind in _VARIED:
            for variant in _variants(folded):
                yield kind, variant, weight, False


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
    for row in rows("communes"):
        yield Kind.COMMUNE, row["name"], int(row["population"])
    for table, kind in (
        ("former_communes", Kind.FORMER),
        ("territories", Kind.TERRITORY),
        ("streets", Kind.STREET),
        ("establishments", Kind.ESTABLISHMENT),
    ):
        for row in rows(table):
            yield kind, row["name"], 0


def _variants(name: str) -> Iterator[str]:
    """The spellings under which the name of a place is met: with St and Ste, and without its article."""
    if "saint" in name:
        yield name.replace("sainte ", "ste ").replace("saint ", "st ")
    for article in ("le ", "la ", "les ", "l "):
        if name.startswith(article) and len(name) - len(article) > 4:
            yield name[len(article) :]
