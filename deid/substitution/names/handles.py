"""Logins and local parts of e-mail addresses: the ways in which a full name is run together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple


class Spelling(NamedTuple):
    """A full name in plain small letters: its first names, its surname word by word, and glued with its particles."""

    given: tuple[str, ...]
    surnames: tuple[str, ...]
    glued: str


# Staff come back in document after document; fewer names than `parsing.cut` remembers.
@lru_cache(1 << 10)
def places(name: Spelling) -> Mapping[str, int]:
    """What people make of a name ("jpdurand"), and its place among the forms: the same place makes the surrogate's.

    Nothing for a name in another alphabet, which has no plain letters; no form is a single letter.
    """
    if not all((*name.given, *name.surnames)):
        return {}
    made: dict[str, int] = {}
    for place, form in enumerate(_forms(name)):
        if len(form) > 1:
            made.setdefault(form, place)
    return made


def form(name: Spelling, place: int) -> str:
    """The form of a name at a place of another's."""
    return next(islice(_forms(name), place, None))


def _forms(name: Spelling) -> Iterator[str]:
    return chain.from_iterable(kind(name) for kind in _FORMS)


def _words(name: Spelling) -> Iterator[str]:
    yield from name.given
    yield "".join(name.given)
    yield from name.surnames
    yield from _families(name)


def _initials_and_family(name: Spelling) -> Iterator[str]:
    for family in _families(name):
        for given in _given(name):
            yield given + family
            yield family + given


def _initials(name: Spelling) -> Iterator[str]:
    letters = "".join(word[:1] for word in name.given)
    yield letters
    yield letters + name.glued[:1]
    yield name.given[0] + name.glued[:1]


def _families(name: Spelling) -> Sequence[str]:
    """The surname glued, and its first word alone, as married names are often cut."""
    return (name.glued, "".join(name.surnames), name.surnames[0])


def _given(name: Spelling) -> Sequence[str]:
    """First initial, all initials, first name, all first names."""
    return (name.given[0][:1], "".join(word[:1] for word in name.given), name.given[0], "".join(name.given))


_FORMS: Sequence[Callable[[Spelling], Iterator[str]]] = (_words, _initials_and_family, _initials)
