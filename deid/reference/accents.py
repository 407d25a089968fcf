"""Accents of names, which the tables of births mostly lack, and the crowds parted by them.

A surrogate with accents for a name with accents, and without for one without, leaves no accent that tells a true name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from deid.reference.names import Crowd, NameTables, name_key
from deid.reference.packaged import packaged_rows


@cache
def accented_names() -> Mapping[tuple[bool, str], str]:
    """Return how names are usually written that have accents: (a surname?, `name_key`) → name."""
    return {(row["sort"] == "surname", name_key(row["name"])): row["name"] for row in packaged_rows("accented_names")}


def usual_spelling(name: str, surname: bool) -> str:
    """Return a name with the accents that it is usually written with."""
    return accented_names().get((surname, name_key(name)), name)


def is_accented(word: str, surname: bool) -> bool:
    """Return whether a name is usually written with accents, by its key."""
    return (surname, word) in accented_names()


class AccentCrowds:
    """Crowds of which a keyed map draws accented names for accented ones, and others for others.

    Accented names are few, so those of all bands and generations of an origin share a crowd, those of first names by
    sex. A crowd whose other names would be too few stays whole; where the accented ones would be, all crowds of their
    group do. So no two crowds share a member, as in the tables.
    """

    def __init__(self, tables: NameTables) -> None:
        origins: dict[int, set[str | int]] = defaultdict(set)
        kinds: dict[int, tuple[str | int, ...]] = {}  # number → ("surname",), or ("first name", sex)
        for sort, number in tables.sorts.items():
            origin = 1 if sort[0] == "surname" else 2
            origins[number].add(sort[origin])
            kinds[number] = sort[:origin]
        groups: dict[tuple[object, ...], list[Crowd]] = defaultdict(list)
        for number in sorted(kinds):
            if tables.crowds[number].originals:
                groups[kinds[number], frozenset(origins[number])].append(tables.crowds[number])
        self._parted: dict[int, tuple[Crowd, Crowd]] = {}  # number → names with accents, names without
        for crowds in groups.values():
            self._part(crowds, surname=kinds[crowds[0].number] == ("surname",))

    def _part(self, crowds: Sequence[Crowd], surname: bool) -> None:
        without = {one.number: _those(one.number, [one], surname, accented=False) for one in crowds}
        parted = [one for one in crowds if without[one.number].halvings]
        shared = _those(-2 - min((one.number for one in parted), default=0), parted, surname, accented=True)
        if shared.halvings:
            self._parted |= {one.number: (shared, without[one.number]) for one in parted}

    def crowd(self, whole: Crowd, word: str, surname: bool) -> Crowd:
        """Return the crowd that a word of `whole` is drawn from, by its key."""
        parted = self._parted.get(whole.number)
        return whole if parted is None else parted[not is_accented(word, surname)]


@lru_cache(maxsize=4)
def crowds_by_accent(tables: NameTables) -> AccentCrowds:
    """Return the crowds of these tables parted by accents, made once."""
    return AccentCrowds(tables)


def _those(number: int, crowds: Sequence[Crowd], surname: bool, *, accented: bool) -> Crowd:
    members = {name_key(name): name for one in crowds for name in one.members}
    originals = {word for one in crowds for word in one.originals}
    kept = sorted(word for word in members if is_accented(word, surname) is accented)
    return Crowd(
        number,
        [members[word] for word in kept],
        sorted(word for word in originals if is_accented(word, surname) is accented),
    )
