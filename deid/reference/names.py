"""First names and surnames, and the crowds that surrogates are drawn from: by origin, sex, generation, frequency."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import islice
from math import log10
from typing import NamedTuple

from deid.french.folding import titled, words
from deid.reference.origins import FRENCH, ORIGINS, OriginModel, sexes_written, written_names

NOBODY = "Anonyme"


# Fewest births of each frequency band of surrogates; rarer names are not drawn, because too few people have them.
# The first band holds what rare and unknown names become.
_SURNAME_BANDS = (100, 160, 500, 2_000, 10_000, 50_000)
_FIRST_NAME_BANDS = (100, 300, 3_000, 20_000, 100_000)
_RARE = 0
# Births that put a name in a band as an original, for each of those that put it there as a surrogate: so every band
# has more surrogates than originals, and each original one of its own.
_SURNAME_WIDTH, _FIRST_NAME_WIDTH = (5, 4), (3, 2)
_CACHED = 1 << 14
_COHORTS = ("n_1900_1945", "n_1946_1975", "n_1976_2000", "n_2001_2022")
# A first name is of one sex if this share of its births is.
_CLEAR_SEX = 0.9
BOTH = "B"  # the sex of a first name that women and men bear, or nobody
# Fewest surrogates of rare names, fewest originals of frequent ones, and more surrogates than originals in each half.
_ENOUGH, _ORIGINALS, _SPARE = 60, 32, 8
_HALVINGS = 48
_FRENCH_SURNAMES, _FRENCH_BIRTHS = 4_000, 3_000


class FirstName(NamedTuple):
    """Births, sex (None: both), generation 0 to 3 and frequency band of a first name."""

    births: int
    sex: str | None
    cohort: int
    band: int


class Crowd:
    """Names that are drawn for each other: of like origin, frequency, and for first names sex and generation.

    `members` are the surrogates, in the order of their keys; `originals` the keys of the names that have one surrogate
    each among them, none for the crowds of rare names. `number` tells the crowd from all others, which share no member
    with it.
    """

    def __init__(self, number: int, members: Sequence[str], originals: Sequence[str]) -> None:
        self.number, self.members, self.originals = number, members, originals

    @cached_property
    def _sides(self) -> dict[tuple[frozenset[str], bool], Side]:
        return {}

    @cached_property
    def letters(self) -> tuple[Sequence[_Stretch], Sequence[_Stretch]]:
        """The stretches of members and of originals by the first letter of their keys."""
        return _stretches(self.members, name_key), _stretches(self.originals, str)

    @cached_property
    def halvings(self) -> Sequence[frozenset[str]]:
        """Sets of first letters that part the crowd: each half has more surrogates than the other has originals."""
        members, originals = self.letters
        letters = sorted({one.letter for one in (*members, *originals)})
        found = {_half(letters, members, number) for number in range(_HALVINGS)}
        return [one for one in sorted(found, key=sorted) if _fits(one, members, originals)]

    def place(self, word: str) -> int | None:
        """The place of a key among the originals; None if it is none of them."""
        place = bisect_left(self.originals, word)
        return place if place < len(self.originals) and self.originals[place] == word else None

    def side(self, half: frozenset[str], word: str) -> Side:
        """The side of a halving that an original is on, by its key."""
        inside = word[0] in half
        side = self._sides.get((half, inside))
        if side is None:
            side = self._sides[half, inside] = Side(self, half, inside)
        return side


class Side:
    """Originals whose first letters are on one side of a halving, and the members on the other side.

    `inside`: the originals' letters are those of the half. `asked` is the number of originals, the length that of
    members, which is greater.
    """

    def __init__(self, crowd: Crowd, half: frozenset[str], inside: bool) -> None:
        self._names, self.inside = crowd.members, inside
        members, originals = crowd.letters
        self._originals = [one for one in originals if (one.letter in half) is inside]
        self._members = [one for one in members if (one.letter in half) is not inside]
        self.asked, self._length = _total(self._originals), _total(self._members)

    def __len__(self) -> int:
        return self._length

    def rank(self, place: int) -> int:
        """The number of an original of this side, by its place among all."""
        return _rank(self._originals, place)

    def member(self, rank: int) -> str:
        """The member of a number."""
        for _, start, end in self._members:
            if rank < end - start:
                return self._names[start + rank]
            rank -= end - start
        raise IndexError(rank)

    def place_of(self, word: str) -> int | None:
        """The number of the member that a key is of; None if this side has none."""
        place = bisect_left(self._names, word, key=name_key)
        found = place < len(self._names) and name_key(self._names[place]) == word
        return _rank(self._members, place) if found and any(one.letter == word[0] for one in self._members) else None


class _Stretch(NamedTuple):
    """Names in order whose keys begin with one letter: those of [start, end)."""

    letter: str
    start: int
    end: int


def _stretches(names: Sequence[str], key: Callable[[str], str]) -> Sequence[_Stretch]:
    found: list[_Stretch] = []
    start = 0
    while start < len(names):
        letter = key(names[start])[0]
        end = bisect_left(names, chr(ord(letter) + 1), start, key=key)
        found.append(_Stretch(letter, start, end))
        start = end
    return found


def _total(stretches: Iterable[_Stretch]) -> int:
    return sum(one.end - one.start for one in stretches)


def _rank(stretches: Iterable[_Stretch], place: int) -> int:
    return sum(min(one.end, place) - one.start for one in stretches if one.start < place)


def _half(letters: Sequence[str], members: Iterable[_Stretch], number: int) -> frozenset[str]:
    """One half of the letters by a public shuffle, about as heavy as the other."""
    weight = {one.letter: one.end - one.start for one in members}
    half: set[str] = set()
    taken = left = 0
    for letter in sorted(letters, key=lambda letter: sha256(f"{number} {letter}".encode()).digest()):
        if taken <= left:
            half.add(letter)
            taken += weight.get(letter, 0)
        else:
            left += weight.get(letter, 0)
    return frozenset(half)


def _fits(half: frozenset[str], members: Sequence[_Stretch], originals: Sequence[_Stretch]) -> bool:
    inside = _total(one for one in members if one.letter in half)
    asked = _total(one for one in originals if one.letter in half)
    return asked + _SPARE <= _total(members) - inside and _total(originals) - asked + _SPARE <= inside


Row = Mapping[str, str]
# A crowd by sort: ("surname", origin, band), or ("first name", sex, origin, generation, band).
Sort = tuple[str | int, ...]


class NameTables:
    """Births by the key of a name (`name_key`), and the crowds that surrogates are drawn from.

    Args:
        surnames, first: what is known of names.
        sorts: sort of a name → number of its crowd; sorts that lack names share a crowd with their neighbours.
        crowds: the crowds by number.
        origins: the models of surnames and first names.
    """

    def __init__(
        self,
        surnames: Mapping[str, int],
        first: Mapping[str, FirstName],
        sorts: Mapping[Sort, int],
        crowds: Sequence[Crowd],
        origins: tuple[OriginModel, OriginModel],
    ) -> None:
        self.surnames, self.first = surnames, first
        self.sorts, self.crowds, self.origins = sorts, crowds, origins
        # Called for every word of every name.
        self.surname_rather = lru_cache(_CACHED)(self._surname_rather)

    @classmethod
    def from_rows(cls, surnames: Iterable[Row], first_names: Iterable[Row]) -> NameTables:
        """Return the tables of rows in the columns of the packaged tables, the most frequent first."""
        births, written = _read_surnames(surnames)
        first, called = _read_first_names(first_names)
        settled = (key for key, one in first.items() if one.births >= _FRENCH_BIRTHS and one.cohort < len(_COHORTS) - 1)
        of_surnames = OriginModel.trained("surname", islice(births, _FRENCH_SURNAMES))
        origins = of_surnames, OriginModel.trained("first name", settled)
        of_first_names = _first_name_leaves(first, called, origins[1])
        sorts, crowds = _crowds(_surname_leaves(births, written, origins[0]), of_first_names)
        return cls(births, first, sorts, crowds, origins)

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

    def is_name(self, word: str) -> bool:
        """Return whether a word is a surname or first name."""
        return bool(self.surname_births(word) or self.first_name(word))

    def sex_of(self, word: str) -> str | None:
        """Return the sex of a first name, by its key; None if both sexes bear it or nobody."""
        first = self.first.get(word)
        return first.sex if first else sexes_written().get(word)

    def surnames_like(self, word: str) -> Crowd:
        """Return the crowd of a surname, by its key."""
        births = self.surnames.get(word, 0)
        return self._crowd("surname", self.origins[0].origin_of(word, births), _surname_band(births))

    def first_names_like(self, word: str, sex: str | None = None) -> Crowd:
        """Return the crowd of a first name, by its key, for a person of a sex; None: the name's own sex."""
        known = self.first.get(word) or FirstName(0, self.sex_of(word), 2, _RARE)
        origin = self.origins[1].origin_of(word, known.births)
        band = _first_name_band(known.births)
        return self._crowd("first name", sex or known.sex or BOTH, origin, known.cohort, band)

    def _crowd(self, *sort: str | int) -> Crowd:
        number = self.sorts.get(sort)
        return _NOBODY if number is None else self.crowds[number]


_NOBODY = Crowd(-1, (), ())


@lru_cache(_CACHED)
def name_key(name: str) -> str:
    """Return the folded words of a name, joined by a space; a name in another alphabet only loses its case.

    >>> name_key("Jean-Pierre")
    'jean pierre'
    """
    return " ".join(words(name)) or name.casefold()


class _Leaf(NamedTuple):
    """Names of one sort: those that may be drawn, by their keys, and those that are drawn for."""

    members: dict[str, str]
    originals: set[str]


def _leaves() -> dict[Sort, _Leaf]:
    return defaultdict(lambda: _Leaf({}, set()))


def _read_surnames(rows: Iterable[Row]) -> tuple[dict[str, int], dict[str, str]]:
    """Return births by key, and how those that may be drawn are written."""
    known: dict[str, int] = {}
    written: dict[str, str] = {}
    for row in rows:
        key = name_key(row["name"])
        known[key] = births = int(row["births"])
        if births >= _SURNAME_BANDS[0] and row["name"].isalpha() and len(row["name"]) > 1:
            written.setdefault(key, titled(row["name"]))
    return known, written


def _surname_leaves(births: Mapping[str, int], written: Mapping[str, str], model: OriginModel) -> dict[Sort, _Leaf]:
    leaves = _leaves()
    for key, count in births.items():
        if not key.isalpha():
            continue
        origin = model.origin_of(key, count)
        if key in written:
            leaves["surname", origin, _band(count, _SURNAME_BANDS)].members[key] = written[key]
        leaves["surname", origin, _surname_band(count)].originals.add(key)
    for origin in ORIGINS:
        for number, (key, name, _) in enumerate(_written(model, origin, written)):
            leaves["surname", origin, number % 2].members[key] = name
    return leaves


def _written(model: OriginModel, origin: str, drawn: Container[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the key, name and sex of the names written for an origin that no register has among those drawn.

    Every second one goes with rare names, the others with the least frequent: nobody knows how frequent they are.
    """
    found: set[str] = set()
    for name, sex in written_names(model.kind, origin):
        key = name_key(name)
        if len(key) > 2 and key not in drawn and key not in found and model.origin_of(key) == origin:
            found.add(key)
            yield key, titled(name), sex


def _read_first_names(rows: Iterable[Row]) -> tuple[dict[str, FirstName], dict[str, str]]:
    """Return facts by key, and how those that may be drawn are written."""
    by_sex: dict[str, dict[str, Row]] = defaultdict(dict)
    written: dict[str, str] = {}
    for row in rows:
        key = name_key(row["name"])
        # The most frequent spelling of a key counts: "HERVÉ" before "HERVE".
        by_sex[key].setdefault(row["sex"], row)
        # INSEE counts children without a known name as "Anonyme", which would read as no name at all.
        if row["name"].isalpha() and len(row["name"]) > 2 and row["name"] != NOBODY.upper():
            written.setdefault(key, titled(row["name"]))
    return {name: _first_name(sexes) for name, sexes in by_sex.items()}, written


def _first_name_leaves(
    first: Mapping[str, FirstName], written: Mapping[str, str], model: OriginModel
) -> dict[Sort, _Leaf]:
    leaves = _leaves()
    for key, one in first.items():
        sort = "first name", one.sex or BOTH, model.origin_of(key, one.births), one.cohort
        if key in written and one.births >= _FIRST_NAME_BANDS[0]:
            leaves[*sort, one.band].members[key] = written[key]
        if key.isalpha():
            leaves[*sort, _first_name_band(one.births)].originals.add(key)
    drawn = {key for key in written if first[key].births >= _FIRST_NAME_BANDS[0]}
    for origin in ORIGINS:
        for number, (key, name, sex) in enumerate(_written(model, origin, drawn)):
            leaves["first name", sex, origin, number // 2 % len(_COHORTS), number % 2].members[key] = name
    return leaves


# The sorts of an origin, in an order in which neighbours may share a crowd: those of rare names, and the others.
_Sorts = tuple[Sequence[Sort], Sequence[Sort]]


def _crowds(surnames: Mapping[Sort, _Leaf], first_names: Mapping[Sort, _Leaf]) -> tuple[dict[Sort, int], list[Crowd]]:
    """Return the crowds of all sorts."""
    sorts: dict[Sort, int] = {}
    crowds: list[Crowd] = []
    bands, first_bands = range(len(_SURNAME_BANDS)), range(len(_FIRST_NAME_BANDS))
    _fill(sorts, crowds, surnames, {one: _parted([("surname", one, band) for band in bands]) for one in ORIGINS})
    for sex in ("F", "M", BOTH):
        # Frequent names stand beside those of the next generation.
        told = [
            (age, band)
            for age in range(len(_COHORTS))
            for band in (first_bands if age % 2 == 0 else reversed(first_bands))
        ]
        called = {one: _parted([("first name", sex, one, *where) for where in told]) for one in ORIGINS}
        _fill(sorts, crowds, first_names, called)
    return sorts, crowds


def _parted(sorts: Sequence[Sort]) -> _Sorts:
    """Return the sorts of rare names, then the others."""
    return [one for one in sorts if one[-1] == _RARE], [one for one in sorts if one[-1] != _RARE]


def _fill(
    sorts: dict[Sort, int], crowds: list[Crowd], leaves: Mapping[Sort, _Leaf], of_origins: Mapping[str, _Sorts]
) -> None:
    """Add the crowds of one kind of names.

    An origin that lacks names for crowds of its own has one for all its names; those that lack names even for it share
    theirs, else with the French.
    """
    rare: list[list[Sort]] = []
    frequent: list[list[Sort]] = []
    small: list[str] = []
    for origin, (few, many) in of_origins.items():
        found = _runs([[sort] for sort in few], leaves, True), _runs([[sort] for sort in many], leaves, False)
        if origin == FRENCH:
            continue
        if all(found):
            rare += found[0]
            frequent += found[1]
        elif (crowd := _whole([*few, *many], leaves)) is not None:
            _add(sorts, crowds, [*few, *many], crowd)
        else:
            small.append(origin)
    for part, runs in enumerate((rare, frequent)):
        french = [[sort] for sort in of_origins[FRENCH][part]]
        together = [list(one) for one in zip(*(of_origins[origin][part] for origin in small), strict=True)]
        shared = _runs(together, leaves, part == 0) if small else []
        if small and not shared:
            french = [here + others for here, others in zip(french, together, strict=True)]
        everybody = _runs(french, leaves, part == 0) or [[sort for group in french for sort in group]]
        for run in (*runs, *shared, *everybody):
            _add(sorts, crowds, run, _crowd_of(run, leaves, rare=part == 0))


def _add(sorts: dict[Sort, int], crowds: list[Crowd], run: Sequence[Sort], crowd: Crowd) -> None:
    sorts.update(dict.fromkeys(run, len(crowds)))
    crowds.append(Crowd(len(crowds), crowd.members, crowd.originals))


def _crowd_of(run: Iterable[Sort], leaves: Mapping[Sort, _Leaf], *, rare: bool) -> Crowd:
    """Return the crowd of joined sorts, without a number; rare names are no originals."""
    joined = [leaves[sort] for sort in run if sort in leaves]
    members = {key: name for leaf in joined for key, name in leaf.members.items()}
    originals = set() if rare else set().union(*(leaf.originals for leaf in joined))
    return Crowd(-1, [members[key] for key in sorted(members)], sorted(originals))


def _whole(run: Sequence[Sort], leaves: Mapping[Sort, _Leaf]) -> Crowd | None:
    """Return the crowd of all names of a small origin, rare ones among the originals if they fit; None if too small."""
    every = _crowd_of(run, leaves, rare=False)
    some = _crowd_of((one for one in run if one[-1] != _RARE), leaves, rare=False)
    for originals in (every.originals, some.originals):
        crowd = Crowd(-1, every.members, originals)
        if len(crowd.members) >= _ENOUGH and crowd.halvings:
            return crowd
    return None


def _runs(groups: Sequence[Sequence[Sort]], leaves: Mapping[Sort, _Leaf], rare: bool) -> list[list[Sort]]:
    """Join neighbouring groups of sorts until each has names enough; the last ones join the run before. None may do."""
    runs: list[list[Sort]] = []
    open_run: list[Sort] = []
    for group in groups:
        open_run += group
        if _is_enough(_crowd_of(open_run, leaves, rare=rare), rare):
            runs.append(open_run)
            open_run = []
    if open_run and runs:
        runs[-1] += open_run
        while not _is_enough(_crowd_of(runs[-1], leaves, rare=rare), rare):
            if len(runs) == 1:
                return []
            runs[-2] += runs.pop()
    return runs


def _is_enough(crowd: Crowd, rare: bool) -> bool:
    if rare:
        return len(crowd.members) >= _ENOUGH
    return len(crowd.originals) >= _ORIGINALS and bool(crowd.halvings)


def _band(births: int, floors: Sequence[int]) -> int:
    return max(0, bisect_left(floors, births + 1) - 1)


def _surname_band(births: int) -> int:
    more, of = _SURNAME_WIDTH
    return _band(births * of // more, _SURNAME_BANDS)


def _first_name_band(births: int) -> int:
    more, of = _FIRST_NAME_WIDTH
    return _band(births * of // more, _FIRST_NAME_BANDS)


def _cohort(row: Mapping[str, str]) -> int:
    counts = [int(row[column]) for column in _COHORTS]
    return counts.index(max(counts))


def _first_name(sexes: Mapping[str, Mapping[str, str]]) -> FirstName:
    births = {sex: int(row["births"]) for sex, row in sexes.items()}
    sex = max(births, key=lambda one: births[one])
    total = sum(births.values())
    clear = births[sex] >= _CLEAR_SEX * total
    return FirstName(total, sex if clear else None, _cohort(sexes[sex]), _band(total, _FIRST_NAME_BANDS))
