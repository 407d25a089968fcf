"""Name tables as sections of a file, and the same read from there as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from marisa_trie import Trie

from deid.reference.names import FirstName, NameTables, Pool
from deid.reference.tables.sections import Draft, Sections

_SEXES = (None, "F", "M")
_SURNAMES, _FIRST = "surnames", "first names"
_REMEMBERED = 1 << 14  # a name is asked for a dozen times within a document, and staff come back
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def put(draft: Draft, names: NameTables) -> None:
    """Births, sex, generation and band by name, and the names of each pool."""
    keys = draft.keys(_SURNAMES, names.surnames)
    draft.numbers(f"{_SURNAMES} births", "Q", (names.surnames[key] for key in keys))
    known = [names.first[key] for key in draft.keys(_FIRST, names.first)]
    draft.numbers(f"{_FIRST} births", "Q", (one.births for one in known))
    draft.numbers(f"{_FIRST} kinds", "B", (x for one in known for x in (_SEXES.index(one.sex), one.cohort, one.band)))
    draft.json("pools of surnames", sorted([band, pool.value] for band, pool in names.surname_pools))
    for (band, pool), members in sorted(names.surname_pools.items()):
        draft.put(_called(_SURNAMES, band, pool), "\n".join(members).encode())
    draft.json("pools of first names", sorted([*where, pool.value] for *where, pool in names.first_pools))
    for where, members in sorted(names.first_pools.items()):
        draft.put(_called(_FIRST, *where), "\n".join(members).encode())


def read(sections: Sections) -> NameTables:
    """The tables that `put` wrote; a pool is decoded when somebody draws from it."""
    births = sections.integers(f"{_SURNAMES} births", "Q")
    first_births, kinds = sections.integers(f"{_FIRST} births", "Q"), sections.integers(f"{_FIRST} kinds", "B")

    def first(row: int) -> FirstName:
        sex, cohort, band = kinds[3 * row : 3 * row + 3]
        return FirstName(first_births[row], _SEXES[sex], cohort, band)

    surname_pools = {(band, Pool(pool)): None for band, pool in sections.json("pools of surnames")}
    first_pools = {(*where, Pool(pool)): None for *where, pool in sections.json("pools of first names")}
    return NameTables(
        _ByName(sections.keys(_SURNAMES), births.__getitem__),
        _ByName(sections.keys(_FIRST), first),
        _Pools(surname_pools, lambda where: _members(sections, _called(_SURNAMES, *where))),
        _Pools(first_pools, lambda where: _members(sections, _called(_FIRST, *where))),
    )


def _called(names: str, *where: object) -> str:
    return f"pool of {names}: {' '.join(map(str, where))}"


def _members(sections: Sections, name: str) -> Sequence[str]:
    return str(sections.view(name), "utf-8").split("\n")


class _ByName(Mapping[str, _Value]):
    """A value per name, made from its number; the last ones that were asked for are remembered, unknown ones too."""

    def __init__(self, trie: Trie, value: Callable[[int], _Value]) -> None:
        self._trie, self._value = trie, value
        self._found = lru_cache(_REMEMBERED)(self._find)

    def _find(self, name: str) -> _Value | None:
        number = self._trie.get(name)
        return None if number is None else self._value(number)

    def __getitem__(self, name: str) -> _Value:
        found = self._found(name)
        if found is None:
            raise KeyError(name)
        return found

    def get(self, name: str, default: Any = None) -> Any:  # that of Mapping raises an error for each unknown word
        found = self._found(name)
        return default if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._trie)

    def __len__(self) -> int:
        return len(self._trie)


class _Pools(Mapping[_Key, Sequence[str]]):
    """The names of each pool, decoded once."""

    def __init__(self, known: Mapping[_Key, None], members: Callable[[_Key], Sequence[str]]) -> None:
        self._known, self._members = known, members
        self._met: dict[_Key, Sequence[str]] = {}

    def __getitem__(self, where: _Key) -> Sequence[str]:
        met = self._met.get(where)
        if met is None:
            if where not in self._known:
                raise KeyError(where)
            met = self._met[where] = self._members(where)
        return met

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)
