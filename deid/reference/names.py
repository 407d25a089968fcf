"""First names and surnames to draw from, sorted by sex, generation, frequency band and pool."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from math import log10
from typing import NamedTuple

from deid.french.comparison import words
from deid.french.remembering import remembering
from deid.french.shapes import titled


class Pool(StrEnum):
    """Whose names a surrogate is drawn from: no name is in two pools, so roles are never mixed up."""

    PATIENT = "patient"
    RELATIVE = "relative"
    PROFESSIONAL = "professional"


_POOLS = tuple(Pool)
# Births that open the next frequency band; names under the first number are too few to hide in and are not drawn.
_SURNAME_BANDS = (100, 500, 2_000, 10_000, 50_000)
_FIRST_NAME_BANDS = (300, 3_000, 20_000, 100_000)
_REMEMBERED = 1 << 14
_COHORTS = ("n_1900_1945", "n_1946_1975", "n_1976_2000", "n_2001_2022")
# A name that this share of its bearers have as one sex is of that sex.
_CLEAR_SEX = 0.9


class FirstName(NamedTuple):
    """What is known of a first name; `sex` is None where both sexes bear it."""

    births: int
    sex: str | None
    cohort: int
    band: int


Row = Mapping[str, str]
SurnamePool = tuple[int, Pool]  # frequency band
FirstNamePool = tuple[str, int, int, bool, Pool]  # sex, generation, frequency band, compound or not


class NameTables:
    """Names by their key: folded words joined by a space ("jean pierre" for "Jean-Pierre")."""

    def __init__(
        self,
        surnames: Mapping[str, int],
        first: Mapping[str, FirstName],
        surname_pools: Mapping[SurnamePool, Sequence[str]],
        first_pools: Mapping[FirstNamePool, Sequence[str]],
    ) -> None:
        self.surnames, self.first = surnames, first
        self.surname_pools, self.first_pools = surname_pools, first_pools
        self._first_crowds: dict[tuple[tuple[str, ...], int, int, bool, Pool], Sequence[str]] = {}
        # Asked for every word of every name; bounded, since words come without end.
        self.surname_rather: Callable[[str], float] = remembering(_REMEMBERED)(self._surname_rather)
        self.surnames_like: Callable[[str, Pool], Sequence[str]] = lru_cache(_REMEMBERED)(self._surnames_like)
        self.first_names_like: Callable[[str, str | None, Pool], Sequence[str]] = lru_cache(_REMEMBERED)(
            self._first_names_like
        )

    @classmethod
    def of(cls, surnames: Iterable[Row], first_names: Iterable[Row]) -> NameTables:
        """From rows in the columns of the tables that ship, the most frequent first: ranks deal names to the pools."""
        births, surname_pools = _surnames(surnames)
        first, first_pools = _first_names(first_names)
        return cls(births, first, surname_pools, first_pools)

    def surname_births(self, name: str) -> int:
        """People born with a surname; 0 when it is not in the table."""
        return self.surnames.get(key(name), 0)

    def _surname_rather(self, word: str) -> float:
        """How much likelier a word, by its key, is a surname (above 0) than a first name (below): the logarithm of the
        ratio of their bearers, to the base 10.
        """
        first = self.first.get(word)
        return log10((self.surnames.get(word, 0) + 10) / ((first.births if first else 0) + 10))

    def first_name(self, name: str) -> FirstName | None:
        """What is known of a first name."""
        return self.first.get(key(name))

    def sex_of(self, word: str) -> str | None:
        """The sex of who bears a first name, by its key; None where both do or nobody."""
        first = self.first.get(word)
        return first.sex if first else None

    def _surnames_like(self, name: str, pool: Pool) -> Sequence[str]:
        """Surnames of one pool as frequent as this one; a rare or unknown one gets those of the least frequent band."""
        return self.surname_pools.get((_band(self.surname_births(name), _SURNAME_BANDS), pool), ())

    def _first_names_like(self, name: str, sex: str | None, pool: Pool) -> Sequence[str]:
        """First names of one pool, of the sex, as frequent, compound or not, and of the same generation as this one.

        An unknown first name gets frequent ones of the sex; an unknown sex gets both.
        """
        known = self.first_name(name) or FirstName(0, None, 1, 2)
        sexes = (sex,) if sex in ("M", "F") else ("M", "F")
        wanted = (sexes, known.cohort, known.band, "-" in name, pool)
        if wanted not in self._first_crowds:
            self._first_crowds[wanted] = self._crowd(*wanted)
        return self._first_crowds[wanted]

    def _crowd(self, sexes: tuple[str, ...], cohort: int, known_band: int, compound: bool, pool: Pool) -> Sequence[str]:
        """Names of the nearest band that has enough of them."""
        for band in sorted(range(len(_FIRST_NAME_BANDS)), key=lambda one: abs(one - known_band)):
            found = [one for each in sexes for one in self.first_pools.get((each, cohort, band, compound, pool), ())]
            if len(found) >= _ENOUGH:
                return found
        return [one for each in sexes for one in self.first_pools.get((each, 1, 2, False, pool), ())]


# Fewer names than this are no crowd to hide in.
_ENOUGH = 12


def key(name: str) -> str:
    """The folded words of a name; a name in another alphabet as it is, without case."""
    if name.isascii() and name.isalnum():
        return name.lower()
    return _key(name)


@lru_cache(_REMEMBERED)
def _key(name: str) -> str:
    return " ".join(words(name)) or name.casefold()


def _surnames(rows: Iterable[Row]) -> tuple[dict[str, int], dict[SurnamePool, list[str]]]:
    known: dict[str, int] = {}
    pools: dict[SurnamePool, list[str]] = defaultdict(list)
    for rank, row in enumerate(rows):
        births = int(row["births"])
        known[key(row["name"])] = births
        if births >= _SURNAME_BANDS[0] and row["name"].isalpha():
            pools[_band(births, _SURNAME_BANDS), _POOLS[rank % 3]].append(titled(row["name"]))
    return known, pools


def _first_names(rows: Iterable[Row]) -> tuple[dict[str, FirstName], dict[FirstNamePool, list[str]]]:
    by_sex: dict[str, dict[str, Row]] = defaultdict(dict)
    pools: dict[FirstNamePool, list[str]] = defaultdict(list)
    for rank, row in enumerate(rows):
        births = int(row["births"])
        # The most frequent spelling speaks for the rarer ones: "HERVÉ" before "HERVE".
        by_sex[key(row["name"])].setdefault(row["sex"], row)
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
