"""First names and surnames, and the pools that surrogates are drawn from: by sex, generation and frequency band."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from math import log10
from typing import NamedTuple

from deid.french.folding import titled, words


class Pool(StrEnum):
    """Role of the person who gets a surrogate; the pools are disjoint, so no surrogate has two roles."""

    PATIENT = "patient"
    RELATIVE = "relative"
    PROFESSIONAL = "professional"


_POOLS = tuple(Pool)
# Fewest births of each frequency band; rarer names are not drawn, because too few people have them.
_SURNAME_BANDS = (100, 500, 2_000, 10_000, 50_000)
_FIRST_NAME_BANDS = (300, 3_000, 20_000, 100_000)
_CACHED = 1 << 14
_COHORTS = ("n_1900_1945", "n_1946_1975", "n_1976_2000", "n_2001_2022")
# A first name is of one sex if this share of its births is.
_CLEAR_SEX = 0.9
# Fewest first names that a surrogate is drawn from.
_ENOUGH = 12


class FirstName(NamedTuple):
    """Births, sex (None: both), generation 0 to 3 and frequency band of a first name."""

    births: int
    sex: str | None
    cohort: int
    band: int


Row = Mapping[str, str]
SurnamePool = tuple[int, Pool]  # frequency band
FirstNamePool = tuple[str, int, int, bool, Pool]  # sex, generation, frequency band, compound or not


class NameTables:
    """Births and pools by the key of a name (`name_key`)."""

    def __init__(
        self,
        surnames: Mapping[str, int],
        first: Mapping[str, FirstName],
        surname_pools: Mapping[SurnamePool, Sequence[str]],
        first_pools: Mapping[FirstNamePool, Sequence[str]],
    ) -> None:
        self.surnames, self.first = surnames, first
        self.surname_pools, self.first_pools = surname_pools, first_pools
        # Called for every word of every name.
        self.surname_rather = lru_cache(_CACHED)(self._surname_rather)
        # A document draws several names with the same facts.
        self._first_crowd = cache(self._find_first_names)

    @classmethod
    def from_rows(cls, surnames: Iterable[Row], first_names: Iterable[Row]) -> NameTables:
        """Return the tables of rows in the columns of the packaged tables, the most frequent first.

        The rank of a name assigns it to a pool.
        """
        births, surname_pools = _read_surnames(surnames)
        first, first_pools = _read_first_names(first_names)
        return cls(births, first, surname_pools, first_pools)

    def surname_births(self, name: str) -> int:
        """Return the births of a surname; 0 if it is not in the table."""
        return self.surnames.get(name_key(name), 0)

    def _surname_rather(self, word: str) -> float:
        """Return log₁₀ of (births as a surname + 10) / (births as a first name + 10), of a key."""
        first = self.first.get(word)
        return log10((self.surnames.get(word, 0) + 10) / ((first.births if first else 0) + 10))

    def first_name(self, name: str) -> FirstName | None:
        """Return the facts of a first name; None if it is not in the table."""
        return self.first.get(name_key(name))

    def sex_of(self, word: str) -> str | None:
        """Return the sex of a first name, by its key; None if both sexes bear it or nobody."""
        first = self.first.get(word)
        return first.sex if first else None

    def surnames_like(self, name: str, pool: Pool) -> Sequence[str]:
        """Return the surnames of a pool in the frequency band of a surname; an unknown one is in the lowest band."""
        return self.surname_pools.get((_band(self.surname_births(name), _SURNAME_BANDS), pool), ())

    def first_names_like(self, name: str, sex: str | None, pool: Pool) -> Sequence[str]:
        """Return the first names of a pool with the sex, generation, band and form (compound or not) of a first name.

        An unknown first name gets the generation and band of frequent ones; an unknown sex gets both sexes. If fewer
        than 12 names fit, the nearest band with 12 is taken.
        """
        known = self.first_name(name) or FirstName(0, None, 1, 2)
        sexes = (sex,) if sex in ("M", "F") else ("M", "F")
        return self._first_crowd(sexes, known.cohort, known.band, "-" in name, pool)

    def _find_first_names(
        self, sexes: tuple[str, ...], cohort: int, known_band: int, compound: bool, pool: Pool
    ) -> Sequence[str]:
        for band in sorted(range(len(_FIRST_NAME_BANDS)), key=lambda one: abs(one - known_band)):
            found = [one for sex in sexes for one in self.first_pools.get((sex, cohort, band, compound, pool), ())]
            if len(found) >= _ENOUGH:
                return found
        return [one for sex in sexes for one in self.first_pools.get((sex, 1, 2, False, pool), ())]


@lru_cache(_CACHED)
def name_key(name: str) -> str:
    """Return the folded words of a name, joined by a space; a name in another alphabet only loses its case.

    >>> name_key("Jean-Pierre")
    'jean pierre'
    """
    return " ".join(words(name)) or name.casefold()


def _read_surnames(rows: Iterable[Row]) -> tuple[dict[str, int], dict[SurnamePool, list[str]]]:
    known: dict[str, int] = {}
    pools: dict[SurnamePool, list[str]] = defaultdict(list)
    for rank, row in enumerate(rows):
        births = int(row["births"])
        known[name_key(row["name"])] = births
        if births >= _SURNAME_BANDS[0] and row["name"].isalpha():
            pools[_band(births, _SURNAME_BANDS), _POOLS[rank % 3]].append(titled(row["name"]))
    return known, pools


def _read_first_names(rows: Iterable[Row]) -> tuple[dict[str, FirstName], dict[FirstNamePool, list[str]]]:
    by_sex: dict[str, dict[str, Row]] = defaultdict(dict)
    pools: dict[FirstNamePool, list[str]] = defaultdict(list)
    for rank, row in enumerate(rows):
        births = int(row["births"])
        # The most frequent spelling of a key counts: "HERVÉ" before "HERVE".
        by_sex[name_key(row["name"])].setdefault(row["sex"], row)
        plain = row["name"].replace("-", "").isalpha()
        if births < _FIRST_NAME_BANDS[0] or not plain or len(row["name"]) < 3:
            continue
        where = (row["sex"], _cohort(row), _band(births, _FIRST_NAME_BANDS), "-" in row["name"], _POOLS[rank % 3])
        pools[where].append(titled(row["name"]))
    return {name: _first_name(sexes) for name, sexes in by_sex.items()}, pools


def _band(births: int, floors: Sequence[int]) -> int:
    return max(0, bisect_left(floors, births + 1) - 1)


def _cohort(row: Mapping[str, str]) -> int:
    counts = [int(row[column]) for column in _COHORTS]
    return counts.index(max(counts))


def _first_name(sexes: Mapping[str, Mapping[str, str]]) -> FirstName:
    births = {sex: int(row["births"]) for sex, row in sexes.items()}
    sex = max(births, key=lambda one: births[one])
    total = sum(births.values())
    clear = births[sex] >= _CLEAR_SEX * total
    return FirstName(total, sex if clear else None, _cohort(sexes[sex]), _band(births[sex], _FIRST_NAME_BANDS))
